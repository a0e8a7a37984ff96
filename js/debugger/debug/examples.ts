// Generates an example input, and example results of tasks, for a definition: an object, its text, or a machine.

import type { Definition, StateMachine as Machine } from "../../core/api/index.d.ts";
import type { JsonValue } from "../../core/base/json.ts";
import type { MachineDefinition } from "../../core/definition/fields.ts";
import { definitionText } from "../../core/definition/settings.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import * as example from "../../language/types/example.ts";

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
