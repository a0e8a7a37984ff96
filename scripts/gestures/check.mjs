// What must hold after a gesture.

import { isDeepStrictEqual } from "node:util";
import { parse, parseDocument } from "yaml";
import { edgesOf, scopesOf } from "./draw.mjs";

/** The problems that a gesture may bring, by its kind; what it brings has to be announced besides. */
const MAY = {
  // The loop of others may have been hidden by an error.
  create: ["unreachable-state", "endless-loop"],
  copy: [],
  // What was a misspelt name of it before is none now; and a loop is seen once its name is no longer that of another state.
  rename: ["unreachable-state", "unknown-target", "invalid-variable-name", "endless-loop"],
  move: ["states-all-position", "unreachable-handler", "unreachable-rule"],
};

/** The text after a gesture, and what is wrong with it. */
export function check({ text, yaml, read, syntax, definition, gesture, edited, language, validate }) {
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
    now = yaml ? parse(after, { merge: true, logLevel: "silent" }) : read(after);
  } catch (error) {
    wrong(`it does not parse: ${error.message}`);
    return { text: after, problems };
  }
  const json = (source) => (yaml ? syntax.read(source).json : source);
  const holed = !yaml && text.includes("${");
  // What is said of a text with placeholders depends on what may stand for them.
  if (!holed) announced({ before: json(text), after: json(after), gesture, edited, validate, wrong });
  kept({ text, yaml, after, definition, now, wrong });
  meant({ definition, now, gesture, edited, wrong });
  if (gesture.variable !== undefined) named({ definition, now, gesture, wrong });
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
    gesture.variable !== undefined
      ? message.replaceAll(new RegExp(`\`(\\$?)${gesture.variable}\``, "g"), (_, sign) => `\`${sign}${gesture.to}\``)
      : gesture.kind === "rename"
        ? message.replaceAll(`\`${nameOf(gesture.state)}\``, () => `\`${gesture.to}\``)
        : message;
  // What a message names may also be something else of that name, such as a label: it is not renamed.
  const known = found(before).map((message) => [renamed(message), message]);
  const said = edited.introduces.map(({ code, message }) => `${code}: ${message}`);
  for (const one of found(after)) {
    const i = known.findIndex((messages) => messages.includes(one));
    if (i >= 0) known.splice(i, 1);
    else if (said.includes(one)) said.splice(said.indexOf(one), 1);
    else wrong(`not announced: ${one}`);
  }
  // What is written once brings it wherever it is used.
  const may = edited.losses.some(({ message }) => message.includes("changes too")) ? undefined : MAY[gesture.kind];
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

/** A variable has its other name everywhere, and nothing else has changed. */
function named({ definition, now, gesture: { variable, to }, wrong }) {
  const [before, after] = [JSON.stringify(definition), JSON.stringify(now)];
  const word = (name) => new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, "gu");
  if (variable !== to && word(to).test(before)) return;
  if (after.replaceAll(word(to), variable) !== before) wrong(`more than ${variable} has changed`);
  const read = new RegExp(`\\$${variable}(?![\\p{L}\\p{N}_])`, "u");
  const strings = (value) =>
    typeof value === "string" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
  // What stands in quotes is text.
  const bare = (text) => text.replaceAll(/'[^']*'|"[^"]*"/g, "");
  if (variable !== to && strings(now).some((text) => /^(?:\{%|\$|States\.)/.test(text) && read.test(bare(text))))
    wrong(`$${variable} is still read`);
}

/** Every reference between states that the gesture is not about still means the state that it meant. */
function meant({ definition, now, gesture, edited, wrong }) {
  // What is written once is changed wherever it is used, and that is said.
  const also = edited.losses.filter(({ message }) => message.includes("changes too")).map(({ pointer }) => pointer);
  const changedToo = (pointer) => also.some((one) => one === pointer || one.startsWith(`${pointer}/`) || pointer.startsWith(`${one}/`));
  const about = new Set([gesture.state, gesture.from, gesture.at, ...(gesture.states ?? [])].filter((one) => typeof one === "string"));
  const names = new Set([...about].map(nameOf));
  const renamed = (name) => (gesture.kind === "rename" && name === nameOf(gesture.state) ? gesture.to : name);
  const after = new Map(scopesOf(now).flatMap(({ states }) => states.map(({ name, state }) => [name, state])));
  const all = scopesOf(definition).flatMap(({ states }) => states);
  const twice = new Set(all.map(({ name }) => name).filter((name, i, list) => list.indexOf(name) !== i));
  for (const { name, state, pointer } of all) {
    if (changedToo(pointer)) continue;
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
      const near = gesture.state !== undefined && gesture.kind === "rename" && scopeOf(pointer) === scopeOf(gesture.state);
      if (fresh.get(field) !== (target !== null && near ? renamed(target) : target) && !removed) {
        wrong(`${name}/${field} led to ${target}, and leads to ${fresh.get(field)}`);
      }
    }
  }
}
