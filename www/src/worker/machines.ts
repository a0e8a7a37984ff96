// Definitions that tasks start.

import { DefinitionError, StateMachine } from "stepglass";
import type { Machine } from "../model/protocol.ts";

/// The machine of a definition; throws DefinitionError.
export function machineOf({ name, type, definition }: Machine): StateMachine {
  return new StateMachine(definition, { type, name: name.slice(name.lastIndexOf(":") + 1) });
}

/// What is wrong with it, in a line.
export function problemOf(machine: Machine): string | null {
  try {
    machineOf(machine);
    return null;
  } catch (error) {
    const [first] = error instanceof DefinitionError ? error.diagnostics.filter(({ severity }) => severity === "error") : [];
    return first ? `${first.message}${first.range ? ` (line ${first.range.start.line})` : ""}` : (error as Error).message;
  }
}

/// Those that can be run, by name. What cannot be read is as if it was not there.
export function machinesOf(machines: readonly Machine[]): Record<string, StateMachine> {
  return Object.fromEntries(
    machines
      .filter((machine) => machine.name.trim() !== "" && problemOf(machine) === null)
      .map((machine) => [machine.name.trim(), machineOf(machine)]),
  );
}
