// Generates an example input, and example results of tasks, for a definition: an object, its text, or a machine.

import type { Definition, StateMachine as Machine } from "../api/index.d.ts";
import type { JsonValue } from "../base/json.ts";
import type { MachineDefinition } from "../definition/fields.ts";
import { definitionText } from "../definition/settings.ts";
import { StateMachine } from "../execution/machine.ts";
import * as example from "../types/example.ts";

/** Returns an input with the fields that the definition reads by JSONPath and JSONata, as far as static analysis can find them. */
export function exampleInput(definition: Definition | Machine): JsonValue {
  return example.exampleInput(parsed(definition));
}

/** Returns a result for each Task, by state name, if a later state reads something of it. */
export function exampleResults(definition: Definition | Machine): Record<string, JsonValue> {
  return example.exampleResults(parsed(definition));
}

function parsed(definition: Definition | Machine): MachineDefinition {
  return JSON.parse(definition instanceof StateMachine ? definition.definition : definitionText(definition));
}
