// The machines that were extracted from a selection, and the ones that tasks start.

import type { Edited } from "stepglass";
import type { GraphNode } from "../model/graph.ts";
import { startedAt } from "../model/started.ts";
import * as workspace from "../store/workspace.ts";
import { showToast } from "../store/notifications.ts";

/** Returns the machine that a task of the definition starts. */
export async function startedBy(pointer: string): Promise<ReturnType<typeof startedAt>> {
  const { query } = await import("../store/interpreter.ts");
  return startedAt(await query("json", { text: workspace.definition.value, format: workspace.format.value }), pointer);
}

/** Stores the machine of an extraction next to this one, where a run of it finds it. */
export async function keepMachine({ asl = "", select }: Edited): Promise<void> {
  const started = await startedBy(select[0] ?? "");
  const name = started?.name ?? "Extracted";
  const others = workspace.machines.value.filter((machine) => machine.name !== name);
  workspace.edit({ machines: [...others, { name, type: "STANDARD", definition: asl }] });
  showToast(`The machine ${name} is under Mocks, with the machines that tasks start.`);
}

/** Returns the definition of the machine that a state starts. If the page does not have it, it says so. */
export async function machineOf({ id, name: state }: GraphNode): Promise<string | undefined> {
  const started = await startedBy(id);
  const found = workspace.machines.value.find(({ name }) => name === started?.name || name === started?.arn);
  if (!found) showToast(`The machine that "${state}" starts is not known here: add it under Mocks.`);
  return found?.definition;
}
