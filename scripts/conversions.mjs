// Runs machines in JSONPath and what `stepglass convert --jsonata` makes of them, and compares what comes of it.
//
// Machines come from the repository's tests and examples, from recordings of AWS where they are beside the checkout, and from
// a generator. Inputs are what a machine's paths ask for, with parts missing, of other types, or in lists; and null. Everything follows
// from the seed.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { generator } from "./random.mjs";
import { casesIn, recordedFiles } from "./recordings.mjs";
import { importSource } from "./sources.mjs";
import { root } from "./steps.mjs";

const { toJsonata } = await importSource("js/language/convert/jsonata.ts");

/** Errors of JSONPath expressions. */
const EXPRESSION = ["States.Runtime", "States.ReferencePathConflict"];
const QUERY = "States.QueryEvaluationError";

/** The allowed differences with their reasons. The first matching rule applies. */
export const RULES = [
  {
    name: "an expression's error has JSONata's name",
    holds: ({ before, after }) =>
      before.status === "FAILED" && after.status === "FAILED" && EXPRESSION.includes(before.error) && after.error === QUERY,
  },
  {
    name: "a ResultPath or ItemsPath that does not fit: JSONPath's own error is handled under JSONata's name, and not retried",
    holds: ({ before, after }) => before.status === after.status && after.history.includes("D3137: States.ReferencePathConflict"),
  },
  {
    name: "text of a number: JSONata has no 1.0, and 15 digits",
    holds: ({ definition, before, after }) =>
      /States\.(Format|JsonToString|Hash)/.test(definition) &&
      before.status === after.status &&
      isDeepStrictEqual(rounded(before.output), rounded(after.output)),
  },
];

function rounded(value) {
  return JSON.parse(JSON.stringify(value ?? null), (_, item) =>
    typeof item === "string"
      ? item.replace(/-?\d+(\.\d+)?([eE][+-]?\d+)?/g, (number) => Number(Number(number).toPrecision(14)).toString())
      : item,
  );
}

/**
 * Compares `count` runs: `{runs, machines, states, left, succeeded, failed, healed, thrown, rules, open}`. `healed` are failures
 * that became successes, `thrown` the machines at which validation or conversion threw, `open` the differences that no rule
 * explains and what was thrown.
 */
export function compareConversions({
  simulate,
  validate,
  count,
  seed = 1,
  recorded = recordedFiles("aws-recorded.jsonl", "definitions.jsonl"),
  show = 10,
}) {
  const random = generator(seed);
  const given = sources(recorded);
  const report = { runs: 0, machines: 0, states: 0, left: 0, succeeded: 0, failed: 0, healed: 0, thrown: 0, rules: new Map(), open: [] };
  for (let i = 0; report.runs < count; i++) {
    const definition = i % 2 === 0 ? given[(i / 2) % given.length] : made(random);
    let converted;
    try {
      if (validate(definition).some(({ severity }) => severity === "error")) continue;
      converted = toJsonata(definition);
    } catch (error) {
      report.thrown += 1;
      report.runs += 1;
      report.open.push({ definition, why: error.stack });
      continue;
    }
    if (converted.converted.length === 0) continue;
    report.machines += 1;
    report.states += converted.converted.length;
    report.left += converted.left.length;
    const errors = validate(converted.definition).filter(({ severity }) => severity === "error");
    if (errors.length > 0) {
      report.open.push({ definition, converted: converted.definition, why: errors[0].message });
      report.runs += 1;
      continue;
    }
    const fitting = inputFor(definition, random);
    for (let n = 0; n < 6 && report.runs < count; n++) {
      const input = n === 0 ? fitting : n === 1 ? null : changed(fitting, random, 1 + Math.floor(random() * 2));
      const answers = Math.floor(random() * 2 ** 31);
      const [before, after] = [definition, converted.definition].map((machine) => outcome(simulate, machine, definition, input, answers));
      report.runs += 1;
      if (before.status === "SUCCEEDED") report.succeeded += 1;
      else report.failed += 1;
      if (before.status === after.status && before.error === after.error && isDeepStrictEqual(before.output, after.output)) continue;
      const healed = before.status === "FAILED" && after.status === "SUCCEEDED";
      if (healed) report.healed += 1;
      const rule = healed ? undefined : RULES.find(({ holds }) => holds({ definition: JSON.stringify(definition), before, after }))?.name;
      if (rule !== undefined) report.rules.set(rule, (report.rules.get(rule) ?? 0) + 1);
      else if (report.open.length < show)
        report.open.push({ definition, converted: converted.definition, input, answers, before: brief(before), after: brief(after) });
      else report.open.push(undefined);
    }
  }
  return report;
}

function brief({ history, ...rest }) {
  return rest;
}

export function outcome(simulate, machine, original, input, answers) {
  // The answer of a task depends only on its state and the number of the call.
  const calls = new Map();
  const script = (_, { state }) => {
    const call = (calls.get(state) ?? 0) + 1;
    calls.set(state, call);
    return answer(original, generator(hash(`${answers} ${state} ${call}`)));
  };
  const found = simulate(machine, input, script, { seed: 1, until: Date.UTC(2025, 0, 1) + 1e10, historyLimit: 2000 });
  const { status, output, error, cause, history } = found;
  return { status, output, error, cause, history: JSON.stringify(history ?? []) };
}

function answer(definition, random) {
  if (random() < 0.12) return { error: pick(random, ["States.TaskFailed", "Own.Error", "Lambda.ServiceException"]), cause: "asked for" };
  const wanted = inputFor(definition, random);
  if (random() < 0.6) return { output: wanted };
  return { output: random() < 0.1 ? null : changed(wanted, random, 1) };
}

/** Returns definitions in JSONPath: those of this repository, and recorded ones. */
function sources(recorded) {
  const found = [];
  const take = (definition) => {
    if (typeof definition === "object" && typeof definition?.States === "object" && definition.QueryLanguage !== "JSONata")
      found.push(definition);
  };
  const corpus = join(root, "tests/corpus/executions");
  for (const file of readdirSync(corpus))
    for (const one of JSON.parse(readFileSync(join(corpus, file), "utf8"))) if (!one.expect?.rejected) take(one.definition);
  const examples = join(root, "www/examples");
  for (const name of readdirSync(examples)) {
    const file = join(examples, name, "machine.asl.json");
    if (existsSync(file)) take(JSON.parse(readFileSync(file, "utf8")));
  }
  for (const file of recorded) for (const { definition } of casesIn(file)) take(definition);
  return found;
}

function hash(text) {
  let found = 2166136261;
  for (const c of text) found = Math.imul(found ^ c.codePointAt(0), 16777619);
  return found >>> 0;
}

function pick(random, items) {
  return items[Math.floor(random() * items.length)];
}

const VALUES = [
  null,
  true,
  false,
  0,
  1,
  -1,
  2,
  1.5,
  2.0,
  3e9,
  "",
  "a",
  "b",
  "5",
  "text",
  "2024-02-29T12:00:00Z",
  "2023-02-29T12:00:00Z",
  "2024-01-01T00:00:00.5+01:00",
  "[1]",
  "{",
  "a,b",
  [],
  [1],
  [[1]],
  ["a", "b", "c"],
  [{ a: 1 }],
  [{ a: 1, b: 2 }, { a: 3 }],
  {},
  { a: 1 },
  { a: { b: [1, 2] } },
  { a: null },
];

/** Returns an input with the paths that a definition reads. */
export function inputFor(definition, random) {
  let input = {};
  const put = (text, value) => {
    const names = [...text.slice(1).matchAll(/\.([\w-]+)|\['([^']*)'\]|\[(-?\d+)\]/g)].map(
      ([, plain, quoted, index]) => plain ?? quoted ?? Number(index),
    );
    const set = (at, [step, ...rest]) => {
      if (step === undefined) return at !== null && typeof at === "object" ? at : structuredClone(value);
      if (typeof step === "number") {
        const list = Array.isArray(at) ? at : [1, "two"];
        const index = Math.min(Math.abs(step), 4);
        list[index] = set(list[index], rest);
        return Array.from(list, (item) => item ?? null);
      }
      const object = typeof at === "object" && at !== null && !Array.isArray(at) ? at : {};
      return { ...object, [step]: set(object[step], rest) };
    };
    input = set(input, names);
  };
  const visit = (value) => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== "object" || value === null) return;
    const operand = Object.entries(value).find(([key]) => /^(String|Numeric|Boolean|Timestamp)\w+$/.test(key) && !key.endsWith("Path"));
    if (typeof value.Variable === "string" && operand) put(value.Variable, random() < 0.6 ? operand[1] : pick(random, VALUES));
    for (const [key, item] of Object.entries(value)) {
      if (typeof item !== "string") visit(item);
      else if (key === "ItemsPath" && item.startsWith("$.")) put(item, [1, { a: 1 }, "x"].slice(0, Math.floor(random() * 4)));
      else if (/Seconds/.test(key) && item.startsWith("$.")) put(item, 3);
      else for (const [text] of item.matchAll(/(?<!\$)\$(\.[\w-]+|\['[^']*'\]|\[-?\d+\])+/g)) put(text, typeFor(item, random));
    }
  };
  visit(definition);
  return input;
}

/** Returns a value that an expression is likely to accept. */
function typeFor(text, random) {
  if (/States\.Math/.test(text)) return pick(random, [1, 2.5, -3, 2 ** 31 - 1]);
  if (/States\.Array(Partition|Contains|Length|GetItem|Unique)/.test(text)) return [1, 2, 3].slice(0, Math.floor(random() * 4));
  if (/States\.JsonMerge/.test(text)) return { a: 1 };
  if (/States\.(StringToJson|StringSplit|Base64|Hash)/.test(text)) return pick(random, ["[1]", "a,b", "", "7"]);
  return pick(random, VALUES);
}

/** Returns a value with `times` changes: members that are missing, of other types, or in lists. */
export function changed(value, random, times) {
  let out = structuredClone(value);
  for (let i = 0; i < times; i++) out = change(out, random);
  return out;
}

function change(value, random) {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (keys.length > 0 && random() < 0.85) {
    const key = pick(random, keys);
    if (random() < 0.4) {
      if (Array.isArray(value)) return value.filter((_, i) => String(i) !== key);
      const { [key]: _, ...rest } = value;
      return rest;
    }
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copy[key] = change(copy[key], random);
    return copy;
  }
  const kind = random();
  if (kind < 0.25) return [value];
  if (kind < 0.35) return [value, value];
  if (kind < 0.4) return { a: value };
  return structuredClone(pick(random, VALUES));
}

const NAMES = ["a", "b", "c", "list", "text"];

function placeMade(random, deep = 2) {
  let text = "$";
  const steps = random() < 0.1 ? 0 : 1 + Math.floor(random() * deep);
  for (let i = 0; i < steps; i++) text += random() < 0.18 ? `[${pick(random, [0, 1, -1, 5])}]` : `.${pick(random, NAMES)}`;
  return text;
}

function callMade(random, depth = 0) {
  const arg = () =>
    random() < 0.65 || depth > 1
      ? placeMade(random)
      : random() < 0.5
        ? callMade(random, depth + 1)
        : pick(random, ["'x'", "1", "2.5", "true", "null"]);
  return pick(random, [
    () => `States.Format('{}-{}', ${arg()}, ${arg()})`,
    () => `States.Format('<{}>', ${arg()})`,
    () => `States.MathAdd(${arg()}, ${pick(random, ["1", "-2", "2147483647"])})`,
    () => `States.MathAdd(${arg()}, ${arg()})`,
    () => `States.ArrayLength(${arg()})`,
    () => `States.ArrayGetItem(${arg()}, ${pick(random, ["0", "1", "-1"])})`,
    () => `States.ArrayContains(${arg()}, ${pick(random, ["1", "'a'", "null"])})`,
    () => `States.ArrayPartition(${arg()}, ${pick(random, ["2", "0", arg()])})`,
    () => `States.Array(${arg()}, ${arg()})`,
    () => `States.StringToJson(${arg()})`,
    () => `States.JsonToString(${arg()})`,
    () => `States.StringSplit(${arg()}, ',')`,
    () => `States.JsonMerge(${arg()}, ${arg()}, false)`,
    () => `States.Hash(${arg()}, 'SHA-256')`,
    () => "States.ArrayRange(1, 7, 3)",
  ])();
}

function templateMade(random, depth = 0) {
  const members = {};
  for (let i = 1 + Math.floor(random() * 3); i > 0; i--) {
    const name = pick(random, NAMES);
    if (name in members || `${name}.$` in members) continue;
    const kind = random();
    if (kind < 0.45) members[`${name}.$`] = placeMade(random);
    else if (kind < 0.55)
      members[`${name}.$`] = pick(random, [
        "$$.Execution.Input",
        "$$.Execution.Input.a",
        "$$.Execution.Name",
        "$$.State.Name",
        "$$.Execution.Input.list[0]",
      ]);
    else if (kind < 0.75) members[`${name}.$`] = callMade(random);
    else if (kind < 0.9 && depth < 2)
      members[name] = random() < 0.7 ? templateMade(random, depth + 1) : [templateMade(random, depth + 1), 1];
    else members[name] = structuredClone(pick(random, VALUES));
  }
  return members;
}

function ruleMade(random, depth = 0) {
  const kind = random();
  if (depth < 2 && kind < 0.3)
    return { [pick(random, ["And", "Or"])]: Array.from({ length: 1 + Math.floor(random() * 3) }, () => ruleMade(random, depth + 1)) };
  if (depth < 2 && kind < 0.4) return { Not: ruleMade(random, depth + 1) };
  const Variable = placeMade(random, 3);
  if (kind < 0.6)
    return {
      Variable,
      [pick(random, ["IsPresent", "IsPresent", "IsNull", "IsNumeric", "IsString", "IsBoolean", "IsTimestamp"])]: random() < 0.7,
    };
  const sign = pick(random, ["Equals", "LessThan", "GreaterThan", "LessThanEquals", "GreaterThanEquals"]);
  const family = pick(random, ["String", "Numeric", "Timestamp"]);
  if (kind < 0.7) return { Variable, [`${family}${sign}Path`]: placeMade(random) };
  if (kind < 0.75) return { Variable, BooleanEquals: random() < 0.5 };
  if (kind < 0.8) return { Variable, StringMatches: pick(random, ["a*", "*", "te*t", ""]) };
  return { Variable, [`${family}${sign}`]: { String: "a", Numeric: pick(random, [1, 0, 1.5]), Timestamp: "2024-01-01T00:00:00Z" }[family] };
}

/** Returns a machine of several states in sequence. */
function made(random) {
  return scopeMade(random, 1 + Math.floor(random() * 3), 0, { count: 0 });
}

function scopeMade(random, length, depth, used) {
  const States = {};
  // State names are unique in a whole machine.
  const names = Array.from({ length }, () => `S${used.count++}`);
  const caught = `Caught${used.count++}`;
  for (let i = 0; i < length; i++) {
    const end = i + 1 === length;
    const next = end ? { End: true } : { Next: names[i + 1] };
    const kind = random();
    const io = {};
    if (random() < 0.2) io.InputPath = random() < 0.1 ? null : placeMade(random);
    const flow = () => {
      if (random() < 0.2) io.OutputPath = random() < 0.1 ? null : placeMade(random);
      return io;
    };
    const results = () => {
      flow();
      if (random() < 0.5) io.ResultPath = pick(random, [null, "$", "$.a", "$.r", "$.a.b", "$.r.s"]);
      return io;
    };
    const handlers = () => ({
      ...(random() < 0.3
        ? { Retry: [{ ErrorEquals: [pick(random, ["States.ALL", "Own.Error", "States.TaskFailed"])], MaxAttempts: 1 }] }
        : {}),
      ...(random() < 0.5
        ? {
            Catch: [
              ...(random() < 0.3 ? [{ ErrorEquals: ["Own.Error"], Next: caught }] : []),
              {
                ErrorEquals: ["States.ALL"],
                ...(random() < 0.6 ? { ResultPath: pick(random, [null, "$.error", "$.a.error"]) } : {}),
                Next: caught,
              },
            ],
          }
        : {}),
    });
    const selector = () => (random() < 0.3 ? { ResultSelector: templateMade(random) } : {});
    const assign = () => (random() < 0.15 ? { Assign: { [`v.$`]: placeMade(random) } } : {});
    if (kind < 0.3)
      States[names[i]] = {
        Type: "Pass",
        ...(random() < 0.6 ? { Parameters: templateMade(random) } : random() < 0.3 ? { Result: pick(random, VALUES) } : {}),
        ...results(),
        ...assign(),
        ...next,
      };
    else if (kind < 0.55)
      States[names[i]] = {
        Type: "Task",
        Resource: "arn:aws:lambda:us-east-1:123456789012:function:f",
        ...(random() < 0.6 ? { Parameters: templateMade(random) } : {}),
        ...(random() < 0.15 ? { TimeoutSecondsPath: placeMade(random) } : {}),
        ...selector(),
        ...results(),
        ...assign(),
        ...handlers(),
        ...next,
      };
    else if (kind < 0.75) {
      const to = end ? caught : names[i + 1];
      States[names[i]] = {
        Type: "Choice",
        ...flow(),
        Choices: Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({ ...ruleMade(random), Next: random() < 0.5 ? caught : to })),
        ...(random() < 0.7 ? { Default: to } : {}),
      };
    } else if (kind < 0.8)
      States[names[i]] = {
        Type: "Wait",
        ...(random() < 0.5 ? { SecondsPath: placeMade(random) } : random() < 0.5 ? { TimestampPath: placeMade(random) } : { Seconds: 1 }),
        ...flow(),
        ...next,
      };
    else if (kind < 0.83) States[names[i]] = { Type: "Succeed", ...flow() };
    else if (kind < 0.86)
      States[names[i]] = { Type: "Fail", ErrorPath: placeMade(random), CausePath: random() < 0.5 ? callMade(random) : placeMade(random) };
    else if (depth > 1) States[names[i]] = { Type: "Pass", ...next };
    else if (kind < 0.93)
      States[names[i]] = {
        Type: "Parallel",
        ...(random() < 0.3 ? { Parameters: templateMade(random) } : {}),
        Branches: Array.from({ length: 2 }, () => scopeMade(random, 1, depth + 1, used)),
        ...selector(),
        ...results(),
        ...handlers(),
        ...next,
      };
    else {
      const distributed = random() < 0.25 ? { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" } } : {};
      States[names[i]] = {
        Type: "Map",
        ...(random() < 0.6 ? { ItemsPath: "$.list" } : {}),
        ...(random() < 0.3 ? { MaxConcurrencyPath: placeMade(random) } : {}),
        ...(random() < 0.5
          ? {
              ItemSelector: {
                ...templateMade(random),
                "item.$": pick(random, ["$$.Map.Item.Value", "$$.Map.Item.Value.a", "$$.Map.Item.Index"]),
              },
            }
          : {}),
        ItemProcessor: { ...distributed, ...scopeMade(random, 1, depth + 1, used) },
        ...selector(),
        ...results(),
        ...handlers(),
        ...next,
      };
    }
  }
  States[caught] = { Type: "Pass", End: true };
  return { StartAt: names[0], States };
}
