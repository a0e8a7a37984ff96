// Generates an input, and results of tasks, from the paths that a machine reads.

import type { JsonObject, JsonValue } from "../../core/base/json.ts";
import type { MachineDefinition } from "../../core/definition/fields.ts";
import { follow } from "./flow.ts";
import type { Shape } from "./shape.ts";

/** Returns an input with what the definition reads by JSONPath and JSONata, as far as static analysis can find it. */
export function exampleInput(definition: MachineDefinition): JsonValue {
  const { input } = follow(definition);
  return input.known ? exampleOf(input, "input", 0, false) : {};
}

/** The member of a service's result that contains the handler's answer. */
const INNER: Readonly<Record<string, string>> = {
  "lambda:invoke": "Payload",
  "http:invoke": "ResponseBody",
  "states:startExecution": "Output",
};

/**
 * Returns a result for each Task by state name, with what the definition reads of it later. If a Choice tests it, its value leads
 * on. Results have the form of a handler's answer, without the service's wrapper. Tasks of whose result nothing is read have none.
 */
export function exampleResults(definition: MachineDefinition): Record<string, JsonValue> {
  const results: Record<string, JsonValue> = {};
  for (const { state, resource, result } of follow(definition).tasks.values()) {
    const inner =
      resource.kind === "service" && resource.pattern !== "waitForTaskToken" && Object.hasOwn(INNER, resource.name)
        ? INNER[resource.name]
        : undefined;
    const shape = inner === undefined ? result : result.members.get(inner)?.shape;
    // A child execution without `.sync:2` returns text, and the start of one returns none of its output.
    const isText = resource.name === "states:startExecution" && resource.pattern !== "sync:2";
    if (shape?.known && !isText && state !== "__proto__") results[state] = exampleOf(shape, "result", 0, true);
  }
  return results;
}

/** Returns a value of a shape. Strings describe their purpose. With `leading`, it has values for which Choices lead on. */
function exampleOf(shape: Shape, name: string, depth: number, leading: boolean): JsonValue {
  if (depth > 12) return null;
  if (shape.members.size > 0) return exampleObject(shape, depth, leading);
  const one = name.replace(/(?<=..)s$/, "");
  if (shape.element !== undefined) return [exampleOf(shape.element, one, depth + 1, leading)];
  if (shape.likely === "list") return [one];
  if (shape.likely === "numbers") return [1];
  if (leading && shape.example !== undefined) return shape.example.value;
  if (shape.types.has("number") || shape.likely === "number") return 1;
  return shape.types.has("boolean") ? true : name;
}

function exampleObject(shape: Shape, depth: number, leading: boolean): JsonObject {
  const members = [...shape.members].filter(([member]) => member !== "__proto__");
  return Object.fromEntries(members.map(([member, inner]) => [member, exampleOf(inner.shape, member, depth + 1, leading)]));
}
