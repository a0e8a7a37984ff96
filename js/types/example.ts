// @ts-nocheck: has no types yet.
// An input and results of tasks made up of what a machine reads.

import { StateMachine, definitionText } from "../execution/machine.ts";
import { follow } from "./flow.ts";

/** An input that has what the definition reads, in JSONPath and JSONata, as far as that can be told without running it. */
export function exampleInput(definition) {
  const { input } = follow(parsed(definition));
  return input.known ? exampleOf(input, "input", 0) : {};
}

const parsed = (definition) => JSON.parse(definition instanceof StateMachine ? definition.definition : definitionText(definition));

/** Of services whose result has what a handler answers inside of it: the member's name. */
const INNER = { __proto__: null, "lambda:invoke": "Payload", "http:invoke": "ResponseBody", "states:startExecution": "Output" };

/**
 * By the state's name a result for each Task, with what the definition reads of it later; where a Choice looks at it, one
 * that leads on. As handlers answer: without what a service puts around it. Tasks of whose result nothing is read have none.
 */
export function exampleResults(definition) {
  const results = {};
  for (const { state, resource, result } of follow(parsed(definition)).tasks.values()) {
    const inner = resource.kind === "service" && resource.pattern !== "waitForTaskToken" ? INNER[resource.name] : undefined;
    const shape = inner === undefined ? result : result.members.get(inner)?.shape;
    // What a child execution without `.sync:2` gives is text, and of its start it gives nothing.
    if (shape?.known && (resource.name !== "states:startExecution" || resource.pattern === "sync:2") && state !== "__proto__") results[state] = exampleOf(shape, "result", 0, true);
  }
  return results;
}

/** A value of a shape; texts say what they stand for. */
function exampleOf(shape, name, depth, leading = false) {
  if (depth > 12) return null;
  if (shape.members.size > 0) {
    const members = [...shape.members].filter(([member]) => member !== "__proto__");
    return Object.fromEntries(members.map(([member, inner]) => [member, exampleOf(inner.shape, member, depth + 1, leading)]));
  }
  if (shape.element !== undefined) return [exampleOf(shape.element, name.replace(/(?<=..)s$/, ""), depth + 1, leading)];
  if (shape.likely === "list" || shape.likely === "numbers") return [shape.likely === "numbers" ? 1 : name.replace(/(?<=..)s$/, "")];
  if (leading && shape.example !== undefined) return shape.example.value;
  if (shape.types.has("number") || shape.likely === "number") return 1;
  return shape.types.has("boolean") ? true : name;
}
