// An input and results of tasks for a definition as the caller has it: an object, its text, or a machine.

import type { Definition, StateMachine as Machine } from "../api/index.d.ts";
import type { JsonValue } from "../base/json.ts";
import type { MachineDefinition } from "../definition/fields.ts";
import { definitionText } from "../definition/settings.ts";
import { StateMachine } from "../execution/machine.ts";
import * as example from "../types/example.ts";

/** An input that has what the definition reads, in JSONPath and JSONata, as far as that can be told without running it. */
export function exampleInput(definition: Definition | Machine): JsonValue {
  return example.exampleInput(parsed(definition));
}

/** By the state's name a result for each Task of which something is read later. */
export function exampleResults(definition: Definition | Machine): Record<string, JsonValue> {
  return example.exampleResults(parsed(definition));
}

function parsed(definition: Definition | Machine): MachineDefinition {
  return JSON.parse(definition instanceof StateMachine ? definition.definition : definitionText(definition));
}
