// Compares two definitions, and finds the effects on running executions.

import { YAML_HELP } from "./diagnose.ts";
import { looksLikeYaml } from "./yaml-like.ts";
import { pointerSteps, pointerTo } from "../base/pointer.ts";
import { misuse } from "../base/errors.ts";
import { isObject, listOf } from "../base/json.ts";
import { solid } from "./placeholders.ts";
import { definitionText } from "./settings.ts";
import { jsonataIn, partsIn } from "./expression-parts.ts";
import { type ExpressionLanguage, syntaxOf } from "./expression-syntax.ts";
import type { Definition, DefinitionComparison, FieldChange, RunningProblem, StateChange } from "../api/index.d.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";

/** A state of a definition. */
interface State {
  value: JsonObject;
  /** The Type. A definition with errors may have none. */
  type: string;
  pointer: string;
  /** The Parallel or Map state that contains it, and the index of the branch. */
  parent: { name: string; slot: number } | undefined;
  language: string;
}

/** A parsed definition with all of its states. */
interface Read {
  value: JsonObject;
  states: Map<string, State>;
}

/** The new names of renamed states, by their old names. */
type Renames = ReadonlyMap<string, string>;

/** The fields of transitions. */
const TRANSITIONS = new Set(["Next", "End", "Default"]);
/** The types of states that take time. An execution can only be in one of these. */
const RESTS = new Set(["Task", "Wait", "Parallel", "Map"]);
/** Fields on which a state's output or variables depend. */
const SHAPES = [
  "InputPath",
  "Parameters",
  "Arguments",
  "Result",
  "ResultSelector",
  "ResultPath",
  "OutputPath",
  "Output",
  "Assign",
  "ItemSelector",
];
/** Fields on which a Task's request depends, but not its output. */
const ASKS = new Set(["InputPath", "Parameters", "Arguments"]);

/**
 * Compares two definitions state by state. Lists the effects on an execution that began with the old definition and continues with
 * the new one.
 */
export function compare(before: Definition, after: Definition): DefinitionComparison {
  const old = read(before, "old");
  const now = read(after, "new");
  const renamed = renames(old, now);
  const changes: StateChange[] = [];
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
  const problems = [
    ...gone(old, now, renamed),
    ...branches(old, now),
    ...meaning(old, now),
    ...variables(old, now),
    ...carried(old, now, changes),
  ];
  return {
    identical: changes.length === 0 && machine.length === 0,
    compatible: problems.every(({ severity }) => severity !== "breaks"),
    machine,
    states: changes,
    running: problems,
  };
}

/** Parses a definition and all of its states. */
function read(definition: Definition, which: "old" | "new"): Read {
  let value: JsonValue;
  try {
    value = JSON.parse(solid(definitionText(definition)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const help = typeof definition === "string" && looksLikeYaml(definition) ? `; ${YAML_HELP}` : "";
    throw misuse("NOT_JSON", `the ${which} definition is not JSON: ${error.message}${help}`, SyntaxError);
  }
  if (!isObject(value) || !isObject(value.States)) throw misuse("INVALID_ARGUMENT", `the ${which} definition has no States`);
  const states = new Map<string, State>();
  collect(value, "", undefined, languageOf(value, "JSONPath"), states, 0);
  return { value, states };
}

function languageOf({ QueryLanguage }: JsonObject, around: string): string {
  return typeof QueryLanguage === "string" ? QueryLanguage : around;
}

function collect(
  scope: JsonValue | undefined,
  pointer: string,
  parent: State["parent"],
  language: string,
  states: Map<string, State>,
  depth: number,
): void {
  if (!isObject(scope) || !isObject(scope.States) || depth > 32) return;
  for (const [name, state] of Object.entries(scope.States)) {
    if (!isObject(state)) continue;
    const own = languageOf(state, language);
    const at = pointerTo(pointer, "States", name);
    states.set(name, { value: state, type: state.Type as string, pointer: at, parent, language: own });
    listOf(state.Branches).forEach((branch, i) => collect(branch, `${at}/Branches/${i}`, { name, slot: i }, own, states, depth + 1));
    const processor = state.ItemProcessor === undefined ? "Iterator" : "ItemProcessor";
    collect(state[processor], `${at}/${processor}`, { name, slot: 0 }, own, states, depth + 1);
  }
}

/** Returns the states that were renamed: a removed and an added state with the same fields count as one. */
function renames(old: Read, now: Read): Map<string, string> {
  const body = ({ value, parent, type }: State, renamed: Renames) =>
    JSON.stringify([type, parent && [renamed.get(parent.name) ?? parent.name, parent.slot], strip(value)]);
  const found = new Map<string, string>();
  const added = [...now.states].filter(([name]) => !old.states.has(name));
  // Outer states come first, so that states inside a renamed one are found under its new name.
  for (const [name, state] of old.states) {
    if (now.states.has(name)) continue;
    const same = added.filter(
      ([other, candidate]) => ![...found.values()].includes(other) && body(candidate, new Map()) === body(state, found),
    );
    const next = JSON.stringify(targets(state.value));
    const [alone] = same.length === 1 ? same : same.filter(([, candidate]) => JSON.stringify(targets(candidate.value)) === next);
    if (alone !== undefined) found.set(name, alone[0]);
  }
  return found;
}

/** Returns a state without its transitions, inner states and comments. */
function strip(state: JsonObject): object {
  const { Comment, Branches, ItemProcessor, Iterator, Catch, Choices, ...rest } = state;
  for (const field of TRANSITIONS) delete rest[field];
  const plain = (list: JsonValue | undefined) =>
    Array.isArray(list) ? list.map((item) => (isObject(item) ? without(item, ["Next", "Comment"]) : item)) : list;
  const count = Array.isArray(Branches) ? Branches.length : undefined;
  return { ...rest, Catch: plain(Catch), Choices: plain(Choices), Branches: count, Processor: processorConfig(state) };
}

/** Returns the names of the possible next states. */
function targets(state: JsonObject): string[] {
  const rules = [...listOf(state.Choices), ...listOf(state.Catch)];
  return [state.Next, state.Default, ...rules.map((rule) => member(rule, "Next"))].filter((name) => typeof name === "string");
}

function changeOf(name: string, old: State, now: State, renamed: Renames): StateChange | undefined {
  const inner = ["Branches", "ItemProcessor", "Iterator"];
  const fields = differences(outline(old.value, inner), outline(now.value, inner), "");
  const moved = scopeOf(old, renamed) !== scopeOf(now, new Map());
  const to = targets(now.value);
  const from = targets(old.value);
  const newName = renamed.get(name);
  if (fields.length === 0 && !moved && newName === undefined && old.language === now.language) return undefined;
  return {
    state: name,
    change: newName !== undefined ? "renamed" : moved ? "moved" : "changed",
    type: now.type,
    pointer: now.pointer,
    fields,
    ...(newName !== undefined && { to: newName }),
    ...(old.type !== now.type && { oldType: old.type }),
    ...(JSON.stringify(from) !== JSON.stringify(to) && { transitions: { old: from, new: to } }),
  };
}

function scopeOf({ parent }: Pick<State, "parent">, renamed: Renames): string {
  return parent === undefined ? "" : `${renamed.get(parent.name) ?? parent.name}\n${parent.slot}`;
}

/** Returns a state without its inner states, but with the other fields of its branches and processor. */
function outline(state: JsonObject, inner: readonly string[]): JsonObject {
  const rest = without(state, inner);
  for (const field of inner) {
    const content = state[field];
    if (Array.isArray(content)) rest[field] = content.map((branch) => (isObject(branch) ? without(branch, ["States"]) : branch));
    else if (isObject(content)) rest[field] = without(content, ["States"]);
  }
  return rest;
}

/** Returns the differences of two values, by member and element. */
function differences(old: JsonValue | undefined, now: JsonValue | undefined, pointer: string): FieldChange[] {
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name): FieldChange[] => {
      const at = pointerTo(pointer, name);
      if (!Object.hasOwn(old, name)) return [{ pointer: at, change: "added", new: now[name] }];
      if (!Object.hasOwn(now, name)) return [{ pointer: at, change: "removed", old: old[name] }];
      return differences(old[name], now[name], at);
    });
  }
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length)
    return old.flatMap((item, i) => differences(item, now[i], `${pointer}/${i}`));
  return [{ pointer, change: "changed", old, new: now }];
}

/** Yields the states that an execution can be in and that no longer exist. */
function* gone(old: Read, now: Read, renamed: Renames): Generator<RunningProblem> {
  for (const [name, { type, pointer, parent }] of old.states) {
    if (!RESTS.has(type)) continue;
    const other = now.states.get(name);
    const problem = (message: string): RunningProblem => ({ severity: "breaks", kind: "gone", state: name, pointer, message });
    if (renamed.has(name))
      yield problem(`an execution in ${type} state '${name}' cannot continue: the state is now called '${renamed.get(name)}'`);
    else if (other === undefined) yield problem(`an execution in ${type} state '${name}' cannot continue: the state was removed`);
    else if (other.type !== type)
      yield problem(`'${name}' was a ${type} and is now a ${other.type}: an execution that waits in it cannot continue`);
    else if (scopeOf({ parent }, new Map()) !== scopeOf(other, new Map()))
      yield problem(`'${name}' has moved to a different branch or Map: an execution in it cannot continue`);
  }
}

/** Yields the Parallel and Map states whose running branches or iterations do not match the new definition. */
function* branches(old: Read, now: Read): Generator<RunningProblem> {
  for (const [name, state] of old.states) {
    const other = now.states.get(name);
    if (other === undefined || other.type !== state.type) continue;
    const count = ({ value }: State) => listOf(value.Branches).length;
    const mode = ({ value }: State) => member(processorConfig(value), "Mode") ?? "INLINE";
    if (state.type === "Parallel" && count(state) !== count(other)) {
      yield {
        severity: "breaks",
        kind: "branches",
        state: name,
        pointer: other.pointer,
        message: `'${name}' had ${count(state)} branches and now has ${count(other)}: an execution in it runs the old branches`,
      };
    }
    if (state.type === "Map" && mode(state) !== mode(other)) {
      yield {
        severity: "breaks",
        kind: "branches",
        state: name,
        pointer: other.pointer,
        message: `'${name}' was ${mode(state)} and is now ${mode(other)}: its running iterations keep the old mode`,
      };
    }
  }
}

/** Yields the tasks whose request differs from the one that an execution has already sent. */
function* meaning(old: Read, now: Read): Generator<RunningProblem> {
  for (const [name, state] of old.states) {
    const other = now.states.get(name);
    if (other?.type !== "Task" || state.type !== "Task") continue;
    const [was, is] = [state.value.Resource, other.value.Resource];
    if (was !== is)
      yield {
        severity: "breaks",
        kind: "meaning",
        state: name,
        pointer: `${other.pointer}/Resource`,
        message: `'${name}' called ${was} and now calls ${is}: an execution that waits in it gets the answer of ${was}`,
      };
    else if (state.language !== other.language)
      yield {
        severity: "differs",
        kind: "meaning",
        state: name,
        pointer: other.pointer,
        message: `'${name}' was in ${state.language} and is now in ${other.language}`,
      };
    for (const field of ["Parameters", "Arguments"]) {
      if (was === is && JSON.stringify(state.value[field]) !== JSON.stringify(other.value[field]) && Object.hasOwn(state.value, field)) {
        yield {
          severity: "differs",
          kind: "meaning",
          state: name,
          pointer: `${other.pointer}/${field}`,
          message: `an execution that waits in '${name}' has already sent the old ${field}`,
        };
      }
    }
  }
}

/** Yields the variables that the new definition reads and that only the new definition sets. */
function* variables(old: Read, now: Read): Generator<RunningProblem> {
  const known = assigned(old);
  const setters = new Map<string, string[]>();
  for (const [setter, { value }] of now.states) {
    for (const variable of new Set(assignments(value))) {
      const others = setters.get(variable);
      if (others) others.push(setter);
      else setters.set(variable, [setter]);
    }
  }
  for (const [name, { value, pointer, language }] of now.states) {
    for (const variable of reads(value, language)) {
      const set = setters.get(variable) ?? [];
      if (known.has(variable) || set.length === 0) continue;
      if (set.length === 1 && set[0] === name) continue;
      yield {
        severity: "breaks",
        kind: "variable",
        state: name,
        pointer,
        message: `'${name}' reads $${variable}, which the old definition never set: an execution that is past ${some(set)} does not have it`,
      };
    }
  }
}

function assigned({ states }: Read): Set<string> {
  return new Set([...states.values()].flatMap(({ value }) => assignments(value)));
}

function assignments(state: JsonObject): string[] {
  return [state, ...listOf(state.Choices), ...listOf(state.Catch)].flatMap((rule) => {
    const assign = member(rule, "Assign");
    return isObject(assign) ? Object.keys(assign).map((key) => key.replace(/\.\$$/, "")) : [];
  });
}

/** Returns the variables that the expressions of a state read. An invalid expression reads none. */
function reads(state: JsonObject, language: string): Set<string> {
  const found = new Set<string>();
  const note = (expression: string, dialect: ExpressionLanguage): void => {
    const part = syntaxOf(expression, dialect);
    if ("message" in part) return;
    for (const { kind, value } of partsIn(part)) if (kind === "variable" && value !== "states") found.add(String(value));
  };
  const look = (value: JsonValue, key: string): void => {
    if (typeof value === "string") {
      const code = language === "JSONata" ? jsonataIn(value) : undefined;
      if (code !== undefined) note(code, "jsonata");
      else if (language !== "JSONata" && (key.endsWith(".$") || /Path$|^Variable$/.test(key))) note(value, "jsonpath");
    } else if (Array.isArray(value)) value.forEach((item) => look(item, key));
    else if (isObject(value)) for (const [name, item] of Object.entries(value)) if (name !== "States") look(item, name);
  };
  look(without(state, ["Comment", "Branches"]), "");
  return found;
}

/** Yields the states with a different output. An execution that has left such a state still has the old output. */
function* carried(old: Read, now: Read, changes: readonly StateChange[]): Generator<RunningProblem> {
  for (const { state: name, change, fields = [] } of changes) {
    const was = old.states.get(name);
    const is = now.states.get(name);
    if (change !== "changed" || was === undefined || is === undefined || was.type !== is.type) continue;
    const changed = new Set(fields.map(({ pointer }) => pointerSteps(pointer)[0]));
    const shaping = SHAPES.filter((field) => changed.has(field) && !(was.type === "Task" && ASKS.has(field)));
    if (shaping.length === 0) continue;
    const later = restsAfter(now, name);
    if (later.length === 0) continue;
    yield {
      severity: "differs",
      kind: "carried",
      state: name,
      pointer: is.pointer,
      message: `'${name}' has a different output (${shaping.join(", ")}): an execution that is past it, in ${some(later)}, still has the old output`,
    };
  }
}

/** Returns the states after a state, in its scope and the scopes around it, that an execution can be in. */
function restsAfter({ states }: Read, from: string): string[] {
  const seen = new Set<string>();
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const at = states.get(state);
    if (at === undefined) continue;
    const next = [
      ...targets(at.value),
      ...(at.parent && targets(at.value).length === 0 ? targets(states.get(at.parent.name)?.value ?? {}) : []),
    ];
    for (const name of next) {
      if (seen.has(name) || !states.has(name)) continue;
      seen.add(name);
      open.push(name);
    }
  }
  seen.delete(from);
  return [...seen].filter((name) => RESTS.has(states.get(name)?.type ?? ""));
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `'${name}'`);
  return `${shown.join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Returns a member of a value. Undefined if the value is not an object. */
function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}

function processorConfig({ ItemProcessor, Iterator }: JsonObject): JsonValue | undefined {
  return member(ItemProcessor ?? Iterator, "ProcessorConfig");
}
