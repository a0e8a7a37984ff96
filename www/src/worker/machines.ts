// The state machines that tasks start.

import { DefinitionError, StateMachine } from "stepglass";
import type { Machine } from "../model/protocol.ts";

/** Returns the machine of a definition. Throws a DefinitionError. */
export function machineOf({ name, type, definition }: Machine): StateMachine {
  return new StateMachine(definition, { type, name: name.slice(name.lastIndexOf(":") + 1) });
}

/** Returns what is wrong with a machine, in one line, or null. */
export function problemOf(machine: Machine): string | null {
  try {
    machineOf(machine);
    return null;
  } catch (error) {
    const [first] = error instanceof DefinitionError ? error.diagnostics.filter(({ severity }) => severity === "error") : [];
    return first ? `${first.message}${first.range ? ` (line ${first.range.start.line})` : ""}` : (error as Error).message;
  }
}

/** Returns the machines that can run, by name. Machines that cannot be read are left out. */
export function machinesOf(machines: readonly Machine[]): Record<string, StateMachine> {
  return Object.fromEntries(
    machines
      .filter((machine) => machine.name.trim() !== "" && problemOf(machine) === null)
      .map((machine) => [machine.name.trim(), machineOf(machine)]),
  );
}
