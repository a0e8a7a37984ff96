// An input made up of what a machine reads.

import { StateMachine, definitionText } from "../machine.js";
import { follow } from "./flow.js";

/** An input that has what the definition reads, in JSONPath and JSONata, as far as that can be told without running it. */
export function exampleInput(definition) {
  const { input } = follow(JSON.parse(definition instanceof StateMachine ? definition.definition : definitionText(definition)));
  return input.known ? exampleOf(input, "input", 0) : {};
}

/** A value of a shape; texts say what they stand for. */
function exampleOf(shape, name, depth) {
  if (depth > 12) return null;
  if (shape.members.size > 0) {
    const members = [...shape.members].filter(([member]) => member !== "__proto__");
    return Object.fromEntries(members.map(([member, inner]) => [member, exampleOf(inner.shape, member, depth + 1)]));
  }
  if (shape.element !== undefined) return [exampleOf(shape.element, name.replace(/(?<=..)s$/, ""), depth + 1)];
  if (shape.types.has("number")) return 1;
  return shape.types.has("boolean") ? true : name;
}
