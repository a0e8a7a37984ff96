// Which states can get null as their input: a path in JSONPath fails there, so that only their expressions need a guard.

import { isObject, listOf, type JsonObject, type JsonValue } from "../../core/base/json.ts";
import { isPlaceholder } from "./expressions.ts";

/**
 * Returns the names of the states of a scope whose input is never null. `entry` says that of the input of its first state. A state
 * gets what the states before it pass on: an object or a list that they make, or a value that can be null. So all states start as
 * not null, and what the transitions say is applied until nothing changes.
 */
export function inputsNeverNull(scope: JsonObject, language: JsonValue, entry: boolean): Set<string> {
  const states = Object.entries(isObject(scope.States) ? scope.States : {}).flatMap(([name, state]): [string, JsonObject][] =>
    isObject(state) ? [[name, state]] : [],
  );
  const never = new Set(states.map(([name]) => name));
  if (!entry) never.delete(String(scope.StartAt));
  for (let before = -1; before !== never.size;) {
    before = never.size;
    for (const [name, state] of states)
      for (const { next, isNever } of transitions(state, state.QueryLanguage ?? language, never.has(name)))
        if (!isNever) never.delete(String(next));
  }
  return never;
}

/** Whether what a state gives its branches or its iterations is never null. */
export function innerNeverNull(state: JsonObject, language: JsonValue, input: boolean): boolean {
  const isJsonata = (state.QueryLanguage ?? language) === "JSONata";
  if (state.Type === "Map") return isMade(state.ItemSelector ?? state.Parameters) || isMade(state.ItemBatcher);
  if (isJsonata) return state.Arguments === undefined ? input : isMade(state.Arguments);
  return isMade(state.Parameters) || (state.Parameters === undefined && selected(state.InputPath, input));
}

interface Transition {
  next: JsonValue | undefined;
  isNever: boolean;
}

function transitions(state: JsonObject, language: JsonValue, input: boolean): Transition[] {
  const isJsonata = language === "JSONata";
  const catchers = objectsOf(state.Catch);
  if (isJsonata) {
    const passed = state.Type === "Parallel" || state.Type === "Map" || (state.Type !== "Task" && input);
    const output = (fields: JsonObject, otherwise: boolean) => (fields.Output === undefined ? otherwise : isMade(fields.Output));
    return [
      { next: state.Next, isNever: output(state, passed) },
      { next: state.Default, isNever: output(state, passed) },
      ...objectsOf(state.Choices).map((rule) => ({ next: rule.Next, isNever: output(rule, passed) })),
      ...catchers.map((catcher) => ({ next: catcher.Next, isNever: output(catcher, true) })),
    ];
  }
  // Whoever is left has had an input, if its paths fail where there is none.
  const had = input || failsOnNull(state);
  const result = resultOf(state, had);
  const merged = state.ResultPath === null ? had : isPlace(state.ResultPath) || result;
  const isNever = selected(state.OutputPath, merged);
  return [
    { next: state.Next, isNever },
    { next: state.Default, isNever },
    ...objectsOf(state.Choices).map((rule) => ({ next: rule.Next, isNever })),
    ...catchers.map((catcher) => ({ next: catcher.Next, isNever: catcher.ResultPath !== null || input })),
  ];
}

/** Whether the result of a state in JSONPath, after its ResultSelector, is never null. */
function resultOf(state: JsonObject, input: boolean): boolean {
  switch (state.Type) {
    case "Pass":
      if (state.Result !== undefined) return state.Result !== null && !isPlaceholder(state.Result);
      return isMade(state.Parameters) || (state.Parameters === undefined && selected(state.InputPath, input));
    case "Parallel":
    case "Map":
      return true;
    case "Task":
      return isMade(state.ResultSelector);
    default:
      return selected(state.InputPath, input);
  }
}

/** Whether what InputPath or OutputPath selects is never null. */
function selected(at: JsonValue | undefined, value: boolean): boolean {
  return at === undefined || at === "$" ? value : at === null || at === "$$";
}

/** Whether a ResultPath is a place in the input, which is then an object. */
function isPlace(at: JsonValue | undefined): boolean {
  return typeof at === "string" && at !== "$" && !isPlaceholder(at);
}

/** Whether a template makes an object or a list. */
function isMade(value: JsonValue | undefined): boolean {
  return isObject(value) || Array.isArray(value);
}

/** Whether a state in JSONPath ends the execution where its input is null: it always evaluates a path that starts there. */
function failsOnNull({ Type, InputPath, Parameters, Result, Choices }: JsonObject): boolean {
  if (isPathInInput(InputPath) && InputPath !== "$") return true;
  if (InputPath !== undefined && InputPath !== "$") return false;
  if (Type === "Choice") return comparesInput(listOf(Choices)[0]);
  return Type !== "Map" && Result === undefined && readsInput(Parameters);
}

function isPathInInput(text: JsonValue | undefined): boolean {
  return typeof text === "string" && /^\$($|[.[])/.test(text);
}

function readsInput(template: JsonValue | undefined, depth = 0): boolean {
  if (depth > 32) return false;
  if (Array.isArray(template)) return template.some((item) => readsInput(item, depth + 1));
  if (!isObject(template)) return false;
  return Object.entries(template).some(([key, value]) => (key.endsWith(".$") ? isPathInInput(value) : readsInput(value, depth + 1)));
}

/** Whether the first comparison of a rule reads the input. IsPresent is false of a null. */
function comparesInput(rule: JsonValue | undefined, depth = 0): boolean {
  if (!isObject(rule) || depth > 32) return false;
  const [first] = [...listOf(rule.And), ...listOf(rule.Or), rule.Not];
  if (first !== undefined) return comparesInput(first, depth + 1);
  return isPathInInput(rule.Variable) && rule.IsPresent === undefined;
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return listOf(value).flatMap((item) => (isObject(item) ? [item] : []));
}
