// When a value or a history of ours is AWS's: the rules of the recorded cases (README.md beside them).

/** Members that differ with every call of a service. */
const FREE = new Set(["SdkHttpMetadata", "SdkResponseMetadata", "roleArn", "RoleArn", "timestamp"]);

/** Whole strings that stand for something that varies. */
const BLANKS = new Set(["timestamp", "date", "datetime", "snf_role_arn"]);

/** Events whose previousEventId or order has changed over the years on AWS. */
const LOOSE = /Aborted$|^EvaluationFailed$|^MapStateExited$/;

/** Whether our value is the recorded one; `key` is the member that holds it. */
export function matches(theirs, ours, key = "") {
  if (typeof theirs === "string") {
    if (isBlank(theirs, key) || theirs === ours) return true;
    if (theirs === "RandomNumberGenerated") return typeof ours === "number";
    if (typeof ours === "string" && pattern(theirs).test(ours)) return true;
    // Texts of JSON were left as texts here and parsed there, on either side.
    const [parsed, own] = [parse(theirs), typeof ours === "string" ? parse(ours) : undefined];
    if (parsed !== undefined && matches(parsed, own ?? ours, key)) return true;
    return parsed !== undefined && own !== undefined && matches(parsed, ours, key);
  }
  if (typeof ours === "string") {
    const own = parse(ours);
    return own !== undefined && typeof own !== "string" && matches(theirs, own, key);
  }
  if (theirs === null || typeof theirs !== "object" || ours === null || typeof ours !== "object") {
    return theirs === ours || (theirs === 0 && ours === 0);
  }
  if (Array.isArray(theirs) !== Array.isArray(ours)) return false;
  const names = Object.keys(theirs).filter((name) => !FREE.has(name));
  // Recordings from before redrive lack its counter.
  const own = Object.keys(ours).filter((name) => !FREE.has(name) && (name !== "RedriveCount" || Object.hasOwn(theirs, name)));
  return names.length === own.length && names.every((name) => Object.hasOwn(ours, name) && matches(theirs[name], ours[name], name));
}

/** Whether a recorded text stands for something that varies: by itself, or as the name of its member. */
function isBlank(text, key) {
  if (BLANKS.has(text) || (key !== "" && (text === key || text.endsWith(`EventDetails.${key}`)))) return true;
  const plain = (name) => name.replace(/[^a-zA-Z0-9]/g, "").toLowerCase();
  return /^[a-z]+([-_][a-z]+)+$/.test(text) && plain(key).endsWith(plain(text));
}

function parse(text) {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pattern(text) {
  let blanked = text;
  while (/<[^<>]*>/.test(blanked)) blanked = blanked.replace(/<[^<>]*>/g, "\0");
  // The account, too, is the recorder's.
  const parts = blanked.replaceAll("111111111111", "\0").split("\0");
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("[^]*")}$`);
}

/** Says how our history differs from the recorded one; nothing if it does not. */
export function matchesHistory(recorded, ours) {
  // One was recorded in reverse order.
  const theirs = recorded[0]?.id > recorded.at(-1)?.id ? [...recorded].reverse() : recorded;
  if (theirs.some((event) => typeof event.id !== "number")) return compareMasked(theirs, ours);
  const inOrder = compareInOrder(theirs, ours);
  if (!inOrder) return undefined;
  const concurrent = theirs.some((event) => event.type === "ParallelStateStarted" || event.type === "MapIterationStarted");
  if (concurrent && theirs.length === ours.length && sameTrees(theirs, ours)) return undefined;
  return inOrder;
}

/** Where ids were blanked because branches interleave, only what happened counts, not in which order; events that
 * the blanking has swallowed show as a gap before the last id. */
function compareMasked(theirs, ours) {
  const count = theirs.at(-1).id;
  if (ours.length !== count) return `${ours.length} events, AWS: ${count}`;
  const left = [...ours];
  for (const event of theirs) {
    const i = left.findIndex((other) => other.type === event.type && sameDetails(event, other));
    if (i < 0) return `no ${event.type} with ${JSON.stringify(details(event))}`;
    left.splice(i, 1);
  }
  return undefined;
}

function compareInOrder(theirs, ours) {
  for (let i = 0; i < Math.max(theirs.length, ours.length); i++) {
    const [a, b] = [theirs[i], ours[i]];
    if (!a || !b) return `event ${i + 1}: ${b?.type ?? "nothing"}, AWS: ${a?.type ?? "nothing"}`;
    if (a.type !== b.type) return `event ${i + 1}: ${b.type}, AWS: ${a.type}`;
    const firstState = a.type.endsWith("StateEntered") && a.previousEventId <= 1 && b.previousEventId <= 1;
    if (a.previousEventId !== b.previousEventId && !firstState && !LOOSE.test(a.type)) {
      return `event ${i + 1} ${a.type}: previousEventId ${b.previousEventId}, AWS: ${a.previousEventId}`;
    }
    if (!sameDetails(a, b)) return `event ${i + 1} ${a.type}: ${JSON.stringify(details(b))}, AWS: ${JSON.stringify(details(a))}`;
  }
  return undefined;
}

function details(event) {
  return Object.fromEntries(Object.entries(event).filter(([name]) => name.endsWith("EventDetails")));
}

function sameDetails(a, b) {
  return matches(details(a), details(b));
}

/** Branches may interleave as they like: compares what follows from what, not the order across branches. */
function sameTrees(theirs, ours) {
  const children = (events) => {
    const map = new Map();
    for (const event of events) {
      const parent = event.type.endsWith("StateEntered") && event.previousEventId <= 1 ? 0 : event.previousEventId;
      map.set(parent, [...(map.get(parent) ?? []), event]);
    }
    return map;
  };
  const [left, right] = [children(theirs), children(ours)];
  const same = (a, b) => a.type === b.type && sameDetails(a, b) && below(a.id, b.id);
  const below = (a, b) => {
    const [those, these] = [left.get(a) ?? [], [...(right.get(b) ?? [])]];
    if (those.length !== these.length) return false;
    return those.every((one) => {
      const i = these.findIndex((other) => same(one, other));
      if (i >= 0) these.splice(i, 1);
      return i >= 0;
    });
  };
  return below(0, 0);
}
