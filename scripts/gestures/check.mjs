// What must hold after a gesture.

import { isDeepStrictEqual } from "node:util";
import { parse, parseDocument } from "yaml";
import { edgesOf, scopesOf } from "./draw.mjs";

/** The problems that a gesture may bring, by its kind; what it brings has to be announced besides. */
const MAY = {
  // The loop of others may have been hidden by an error.
  create: ["unreachable-state", "endless-loop"],
  copy: [],
  // What was a misspelt name of it before is none now.
  rename: ["unreachable-state", "unknown-target"],
  move: ["states-all-position", "unreachable-handler", "unreachable-rule"],
};

/** The text after a gesture, and what is wrong with it. */
export function check({ text, yaml, syntax, definition, gesture, edited, language, validate }) {
  const problems = [];
  const wrong = (message) => problems.push(message);
  const { edits } = edited;
  let at = 0;
  for (const edit of edits) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length) wrong(`edits overlap at ${edit.start}`);
    at = edit.end;
  }
  const after = language.apply(text, edits);
  // What the undo of an editor does.
  let shift = 0;
  const back = edits.map(({ start, end, text: put }) => {
    const from = start + shift;
    shift += put.length - (end - start);
    return { start: from, end: from + put.length, text: text.slice(start, end) };
  });
  if (language.apply(after, back) !== text) wrong("undo gives another text");
  let now;
  try {
    now = yaml ? parse(after, { merge: true, logLevel: "silent" }) : JSON.parse(after);
  } catch (error) {
    wrong(`it does not parse: ${error.message}`);
    return { text: after, problems };
  }
  const json = (source) => (yaml ? syntax.read(source).json : source);
  announced({ before: json(text), after: json(after), gesture, edited, validate, wrong });
  kept({ text, yaml, after, definition, now, wrong });
  meant({ definition, now, gesture, wrong });
  const scopes = scopesOf(now);
  for (const pointer of edited.select) {
    if (!scopes.some(({ states }) => states.some((state) => state.pointer === pointer))) wrong(`selects ${pointer}, which is no state`);
  }
  const { caret } = edited;
  if (!(caret.start >= 0 && caret.start <= caret.end && caret.end <= after.length)) wrong(`the caret is at ${caret.start}`);
  for (const { start, end } of edited.stops) if (!/^\$\{.*\}$/.test(after.slice(start, end))) wrong(`no placeholder at ${start}`);
  if (edited.announce === "" || /undefined/.test(edited.announce)) wrong(`announces ${edited.announce}`);
  return { text: after, problems };
}

function announced({ before, after, gesture, edited, validate, wrong }) {
  const found = (source) => validate(source).map(({ code, message }) => `${code}: ${message}`);
  const renamed = (message) =>
    gesture.kind === "rename" ? message.replaceAll(`\`${nameOf(gesture.state)}\``, () => `\`${gesture.to}\``) : message;
  const known = found(before).map(renamed);
  const said = edited.introduces.map(({ code, message }) => `${code}: ${message}`);
  for (const one of found(after)) {
    const i = known.indexOf(one);
    if (i >= 0) known.splice(i, 1);
    else if (said.includes(one)) said.splice(said.indexOf(one), 1);
    else wrong(`not announced: ${one}`);
  }
  const may = MAY[gesture.kind];
  for (const { code, message } of edited.introduces) if (may && !may.includes(code)) wrong(`${gesture.kind} brings ${code}: ${message}`);
}

/** What says the same at the same place is written as it was. */
function kept({ text, yaml, after, definition, now, wrong }) {
  const source = (whole, pointer) => {
    if (!yaml) return undefined;
    const steps = pointer
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const node =
      parsed(whole).getIn(
        steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
        true,
      ) ?? parsed(whole).getIn(steps, true);
    return node?.range && whole.slice(node.range[0], node.range[1]).trim();
  };
  const before = new Map(scopesOf(definition).flatMap(({ states }) => states.map((one) => [one.pointer, one.state])));
  if (!yaml || before.size > 30) return;
  for (const { states } of scopesOf(now)) {
    for (const { pointer, state } of states) {
      if (!isDeepStrictEqual(before.get(pointer), state)) continue;
      const [old, fresh] = [source(text, pointer), source(after, pointer)];
      if (old !== undefined && fresh !== undefined && old !== fresh) wrong(`${pointer} is written differently, and says the same`);
    }
  }
}

let last = [];
function parsed(text) {
  const known = last.find((one) => one.text === text);
  if (known) return known.document;
  const document = parseDocument(text, { merge: true, logLevel: "silent" });
  last = [{ text, document }, ...last].slice(0, 2);
  return document;
}

function scopeOf(pointer) {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

function nameOf(pointer) {
  return pointer?.split("/").at(-1).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Every reference between states that the gesture is not about still means the state that it meant. */
function meant({ definition, now, gesture, wrong }) {
  const about = new Set([gesture.state, gesture.from, gesture.at, ...(gesture.states ?? [])].filter((one) => typeof one === "string"));
  const names = new Set([...about].map(nameOf));
  const renamed = (name) => (gesture.kind === "rename" && name === nameOf(gesture.state) ? gesture.to : name);
  const after = new Map(scopesOf(now).flatMap(({ states }) => states.map(({ name, state }) => [name, state])));
  const all = scopesOf(definition).flatMap(({ states }) => states);
  const twice = new Set(all.map(({ name }) => name).filter((name, i, list) => list.indexOf(name) !== i));
  for (const { name, state, pointer } of all) {
    if (twice.has(name) || [...about].some((one) => pointer === one || pointer.startsWith(`${one}/`) || one.startsWith(`${pointer}/`)))
      continue;
    const same = after.get(renamed(name));
    if (same === undefined) {
      wrong(`${name} is gone`);
      continue;
    }
    const fresh = new Map(edgesOf(same));
    for (const [field, target] of edgesOf(state)) {
      // What leads to the states that the gesture is about is led elsewhere.
      if (gesture.edge === `${pointer}/${field}` || (names.has(target) && gesture.kind !== "rename")) continue;
      const removed = ["delete", "cut", "disconnect"].includes(gesture.kind) && /^(Choices|Catch)/.test(field);
      // A name that means no state of its own scope means none.
      const near = gesture.kind === "rename" && scopeOf(pointer) === scopeOf(gesture.state);
      if (fresh.get(field) !== (target !== null && near ? renamed(target) : target) && !removed) {
        wrong(`${name}/${field} led to ${target}, and leads to ${fresh.get(field)}`);
      }
    }
  }
}
