// @ts-nocheck: has no types yet.
// Two definitions of one machine: what changed, and what becomes of executions that run.

import { YAML_HELP, looksLikeYaml } from "./diagnose.ts";
import { definitionText } from "../execution/machine.ts";
import { pointerTo } from "../base/pointer.ts";
import { misuse } from "../base/errors.ts";
import { solid } from "./placeholders.ts";

/** Fields that say where to go, not what to do. */
const TRANSITIONS = new Set(["Next", "End", "Default"]);
/** Where an execution can be found: the other states take no time. */
const RESTS = new Set(["Task", "Wait", "Parallel", "Map"]);
/** Fields that make what a state hands on. */
const SHAPES = ["InputPath", "Parameters", "Arguments", "Result", "ResultSelector", "ResultPath", "OutputPath", "Output", "Assign", "ItemSelector"];
/** Of a Task, what is asked and not what is handed on. */
const ASKS = new Set(["InputPath", "Parameters", "Arguments"]);

/**
 * What changed between two definitions, state by state, and what of it an execution would notice that began with the old
 * one and goes on with the new one.
 */
export function compare(before, after) {
  const [old, now] = [read(before, "old"), read(after, "new")];
  const renamed = renames(old, now);
  const changes = [];
  for (const [name, state] of old.states) {
    const other = now.states.get(renamed.get(name) ?? name);
    if (other === undefined) changes.push({ state: name, change: "removed", type: state.type, pointer: state.pointer });
    else {
      const change = changeOf(name, state, other, renamed);
      if (change) changes.push(change);
    }
  }
  const taken = new Set(renamed.values());
  for (const [name, state] of now.states) {
    if (!old.states.has(name) && !taken.has(name)) changes.push({ state: name, change: "added", type: state.type, pointer: state.pointer });
  }
  const machine = differences(without(old.value, ["States"]), without(now.value, ["States"]), "");
  const problems = [...gone(old, now, renamed), ...branches(old, now), ...meaning(old, now), ...variables(old, now), ...carried(old, now, changes)];
  return { identical: changes.length === 0 && machine.length === 0, compatible: problems.every(({ severity }) => severity !== "breaks"), machine, states: changes, running: problems };
}

/** All states by name, with where they stand. */
function read(definition, which) {
  let value;
  try {
    value = JSON.parse(solid(definitionText(definition)));
  } catch (error) {
    if (error instanceof SyntaxError) throw misuse("NOT_JSON", `the ${which} definition is not JSON: ${error.message}${typeof definition === "string" && looksLikeYaml(definition) ? `; ${YAML_HELP}` : ""}`, SyntaxError);
    throw error;
  }
  if (!isObject(value) || !isObject(value.States)) throw misuse("INVALID_ARGUMENT", `the ${which} definition has no States`);
  const states = new Map();
  collect(value, "", undefined, value.QueryLanguage ?? "JSONPath", states, 0);
  return { value, states };
}

function collect(scope, pointer, parent, language, states, depth) {
  if (!isObject(scope?.States) || depth > 32) return;
  for (const [name, state] of Object.entries(scope.States)) {
    if (!isObject(state)) continue;
    const own = state.QueryLanguage ?? language;
    const at = pointerTo(pointer, "States", name);
    states.set(name, { value: state, type: state.Type, pointer: at, parent, scope: pointer, language: own });
    (Array.isArray(state.Branches) ? state.Branches : []).forEach((branch, i) => collect(branch, `${at}/Branches/${i}`, { name, slot: i }, own, states, depth + 1));
    const processor = state.ItemProcessor === undefined ? "Iterator" : "ItemProcessor";
    collect(state[processor], `${at}/${processor}`, { name, slot: 0 }, own, states, depth + 1);
  }
}

/** A removed and an added state that do the same are one state with a new name. */
function renames(old, now) {
  const body = ({ value, parent, type }, renamed) => JSON.stringify([type, parent && [renamed.get(parent.name) ?? parent.name, parent.slot], strip(value)]);
  const found = new Map();
  const added = [...now.states].filter(([name]) => !old.states.has(name));
  // Outer states come first, so that the states inside of a renamed one are found by its new name.
  for (const [name, state] of old.states) {
    if (now.states.has(name)) continue;
    const same = added.filter(([other, candidate]) => ![...found.values()].includes(other) && body(candidate, new Map()) === body(state, found));
    const alone = same.length === 1 ? same : same.filter(([, candidate]) => JSON.stringify(targets(candidate.value)) === JSON.stringify(targets(state.value)));
    if (alone.length >= 1) found.set(name, alone[0][0]);
  }
  return found;
}

/** A state without where it goes, what is inside of it and what is said about it. */
function strip(state) {
  const { Comment, Branches, ItemProcessor, Iterator, Catch, Choices, ...rest } = state;
  for (const field of TRANSITIONS) delete rest[field];
  const plain = (list) => (Array.isArray(list) ? list.map((item) => (isObject(item) ? without(item, ["Next", "Comment"]) : item)) : list);
  return { ...rest, Catch: plain(Catch), Choices: plain(Choices), Branches: Array.isArray(Branches) ? Branches.length : undefined, Processor: (ItemProcessor ?? Iterator)?.ProcessorConfig };
}

/** Every state that a state can lead to. */
function targets(state) {
  const list = [state.Next, state.Default, ...[state.Choices, state.Catch].flatMap((rules) => (Array.isArray(rules) ? rules.map((rule) => rule?.Next) : []))];
  return list.filter((name) => typeof name === "string");
}

function changeOf(name, old, now, renamed) {
  const inner = ["Branches", "ItemProcessor", "Iterator"];
  const fields = differences(outline(old.value, inner), outline(now.value, inner), "");
  const moved = scopeOf(old, renamed) !== scopeOf(now, new Map());
  const to = targets(now.value);
  const from = targets(old.value);
  const newName = renamed.get(name);
  if (fields.length === 0 && !moved && newName === undefined && old.language === now.language) return undefined;
  const change = { state: name, change: newName !== undefined ? "renamed" : moved ? "moved" : "changed", type: now.type, pointer: now.pointer, fields };
  if (newName !== undefined) change.to = newName;
  if (old.type !== now.type) change.oldType = old.type;
  if (JSON.stringify(from) !== JSON.stringify(to)) change.transitions = { old: from, new: to };
  return change;
}

function scopeOf({ parent }, renamed) {
  return parent === undefined ? "" : `${renamed.get(parent.name) ?? parent.name}\n${parent.slot}`;
}

/** A state without the states inside of it, but with the rest of what holds them. */
function outline(state, inner) {
  const rest = without(state, inner);
  for (const field of inner) {
    const held = state[field];
    if (Array.isArray(held)) rest[field] = held.map((branch) => (isObject(branch) ? without(branch, ["States"]) : branch));
    else if (isObject(held)) rest[field] = without(held, ["States"]);
  }
  return rest;
}

/** Leaf by leaf: `{pointer, change, old?, new?}`. */
function differences(old, now, pointer) {
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) => {
      const at = pointerTo(pointer, name);
      if (!Object.hasOwn(old, name)) return [{ pointer: at, change: "added", new: now[name] }];
      if (!Object.hasOwn(now, name)) return [{ pointer: at, change: "removed", old: old[name] }];
      return differences(old[name], now[name], at);
    });
  }
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) return old.flatMap((item, i) => differences(item, now[i], `${pointer}/${i}`));
  return [{ pointer, change: "changed", old, new: now }];
}

/** States where an execution may be found and that are there no more. */
function* gone(old, now, renamed) {
  for (const [name, { type, pointer, parent }] of old.states) {
    if (!RESTS.has(type)) continue;
    const other = now.states.get(name);
    const problem = (message) => ({ severity: "breaks", kind: "gone", state: name, pointer, message });
    if (renamed.has(name)) yield problem(`an execution in ${type} state '${name}' cannot continue: the state is now called '${renamed.get(name)}'`);
    else if (other === undefined) yield problem(`an execution in ${type} state '${name}' cannot continue: the state was removed`);
    else if (other.type !== type) yield problem(`'${name}' was a ${type} and is now a ${other.type}: an execution that waits in it cannot continue`);
    else if (scopeOf({ parent }, new Map()) !== scopeOf(other, new Map())) yield problem(`'${name}' has moved to a different branch or Map: an execution in it cannot continue`);
  }
}

/** Parallel and Map states whose children would not fit together any more. */
function* branches(old, now) {
  for (const [name, state] of old.states) {
    const other = now.states.get(name);
    if (other === undefined || other.type !== state.type) continue;
    const count = ({ value }) => (Array.isArray(value.Branches) ? value.Branches.length : 0);
    const mode = ({ value }) => (value.ItemProcessor ?? value.Iterator)?.ProcessorConfig?.Mode ?? "INLINE";
    if (state.type === "Parallel" && count(state) !== count(other)) {
      yield { severity: "breaks", kind: "branches", state: name, pointer: other.pointer, message: `'${name}' had ${count(state)} branches and now has ${count(other)}: an execution in it runs the old branches` };
    }
    if (state.type === "Map" && mode(state) !== mode(other)) {
      yield { severity: "breaks", kind: "branches", state: name, pointer: other.pointer, message: `'${name}' was ${mode(state)} and is now ${mode(other)}: its running iterations are of the old kind` };
    }
  }
}

/** Tasks that wait for an answer to a question that the new definition does not ask. */
function* meaning(old, now) {
  for (const [name, state] of old.states) {
    const other = now.states.get(name);
    if (other?.type !== "Task" || state.type !== "Task") continue;
    const [was, is] = [state.value.Resource, other.value.Resource];
    if (was !== is) yield { severity: "breaks", kind: "meaning", state: name, pointer: `${other.pointer}/Resource`, message: `'${name}' called ${was} and now calls ${is}: an execution that waits in it gets the answer of ${was}` };
    else if (state.language !== other.language) yield { severity: "differs", kind: "meaning", state: name, pointer: other.pointer, message: `'${name}' was in ${state.language} and is now in ${other.language}` };
    for (const field of ["Parameters", "Arguments"]) {
      if (was === is && JSON.stringify(state.value[field]) !== JSON.stringify(other.value[field]) && Object.hasOwn(state.value, field)) {
        yield { severity: "differs", kind: "meaning", state: name, pointer: `${other.pointer}/${field}`, message: `an execution that waits in '${name}' has already sent the old ${field}` };
      }
    }
  }
}

/** Variables that only the new definition sets, where it reads them. */
function* variables(old, now) {
  const known = assigned(old);
  for (const [name, { value, pointer, language }] of now.states) {
    const setters = (variable) => [...now.states].filter(([, state]) => assignments(state.value).includes(variable)).map(([setter]) => setter);
    for (const variable of reads(value, language)) {
      const set = setters(variable);
      if (known.has(variable) || set.length === 0) continue;
      if (set.length === 1 && set[0] === name) continue;
      yield { severity: "breaks", kind: "variable", state: name, pointer, message: `'${name}' reads $${variable}, which the old definition never set: an execution that is past ${set.map((setter) => `'${setter}'`).join(", ")} does not have it` };
    }
  }
}

function assigned({ states }) {
  return new Set([...states.values()].flatMap(({ value }) => assignments(value)));
}

function assignments(state) {
  const rules = [state, ...(Array.isArray(state.Choices) ? state.Choices : []), ...(Array.isArray(state.Catch) ? state.Catch : [])];
  return rules.flatMap((rule) => (isObject(rule?.Assign) ? Object.keys(rule.Assign).map((key) => key.replace(/\.\$$/, "")) : []));
}

/** Names after a `$` in expressions of a state that are neither functions nor `$states`. */
function reads(state, language) {
  const found = new Set();
  const look = (value, key) => {
    if (typeof value === "string") {
      const expression = language === "JSONata" ? /^\{%([\s\S]*)%\}$/.exec(value)?.[1] : key.endsWith(".$") || /Path$|^Variable$/.test(key) ? value : undefined;
      if (expression === undefined) return;
      const local = new Set([...expression.matchAll(/\$([A-Za-z_]\w*)\s*:=/g), ...expression.matchAll(/function\s*\(([^)]*)\)/g)].flatMap(([, names]) => names.split(",").map((one) => one.trim().replace(/^\$/, ""))));
      for (const [, name] of expression.replace(/'[^']*'|"[^"]*"/g, "''").matchAll(/(?<![\w$])\$([A-Za-z_]\w*)(?!\s*[\w(])/g)) if (name !== "states" && !local.has(name)) found.add(name);
    } else if (Array.isArray(value)) value.forEach((item) => look(item, key));
    else if (isObject(value)) for (const [name, item] of Object.entries(value)) if (name !== "States") look(item, name);
  };
  look(without(state, ["Comment", "Branches"]), "");
  return found;
}

/** States that hand on something else: an execution that is past them carries what the old ones handed on. */
function* carried(old, now, changes) {
  for (const { state: name, change, fields } of changes) {
    const [was, is] = [old.states.get(name), now.states.get(name)];
    if (change !== "changed" || was === undefined || is === undefined || was.type !== is.type) continue;
    const shaping = SHAPES.filter((field) => fields.some(({ pointer }) => pointer === `/${field}` || pointer.startsWith(`/${field}/`)) && !(was.type === "Task" && ASKS.has(field)));
    if (shaping.length === 0) continue;
    const later = restsAfter(now, name);
    if (later.length === 0) continue;
    yield { severity: "differs", kind: "carried", state: name, pointer: is.pointer, message: `'${name}' has a different output (${shaping.join(", ")}): an execution that is past it, in ${some(later)}, still has the old output` };
  }
}

/** The states after a state, in its scope and in those around it, in which an execution may be found. */
function restsAfter({ states }, from) {
  const seen = new Set();
  const open = [from];
  while (open.length > 0) {
    const at = states.get(open.pop());
    if (at === undefined) continue;
    const next = [...targets(at.value), ...(at.parent && targets(at.value).length === 0 ? targets(states.get(at.parent.name)?.value ?? {}) : [])];
    for (const name of next) {
      if (seen.has(name) || !states.has(name)) continue;
      seen.add(name);
      open.push(name);
    }
  }
  seen.delete(from);
  return [...seen].filter((name) => RESTS.has(states.get(name).type));
}

function some(names) {
  const shown = names.slice(0, 3).map((name) => `'${name}'`);
  return `${shown.join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}

function without(object, names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
