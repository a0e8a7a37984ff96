// The session file: the whole workspace in a readable format, for workspaces that are too large for a link.

import { type Workspace, packedOf, workspaceOf } from "../model/share.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { save } from "../ui/save.ts";

const KIND = "stepglass/session/1";

/** The maximum size of the runs in a file, in characters. */
const LARGEST_RUNS = 30_000_000;

export function sessionText({ runs, ...workspace }: Workspace): string {
  const text = JSON.stringify({ kind: KIND, ...packedOf(workspace) }, null, 2);
  if (runs === undefined) return `${text}\n`;
  // Each run is on a line of its own, because runs are not meant for reading.
  const lines = runs.runs.map((run) => `    ${JSON.stringify(run)}`).join(",\n");
  return `${text.slice(0, -2)},\n  "r": { "version": ${runs.version}, "current": ${runs.current}, "runs": [\n${lines}\n  ] }\n}\n`;
}

/** Returns whether a parsed file is a session of any version. */
export function isSession(value: unknown): value is { kind: string } {
  return typeof value === "object" && value !== null && /^stepglass\/session\/\d+$/.test(String((value as { kind?: unknown }).kind));
}

/** Throws an Error that says what is wrong with the file. */
export function sessionOf(value: { kind: string }): Workspace {
  if (value.kind !== KIND)
    throw new Error(`The session is of version ${value.kind.split("/").at(-1)}, and this page can open only version 1.`);
  const runs = (value as { r?: unknown }).r;
  return { ...workspaceOf(value), ...(typeof runs === "object" && runs !== null && { runs: runs as NonNullable<Workspace["runs"]> }) };
}

/** Saves everything. If the runs are too large, only the workspace is saved. */
export async function saveSession(): Promise<void> {
  workspace.flush();
  const whole = workspace.current();
  const { value: selected } = selection.selectedState;
  const runs = execution.run.value === null || execution.run.value.recorded !== undefined ? null : await interpreter.query("saveRuns", {});
  const small = runs !== null && JSON.stringify(runs).length <= LARGEST_RUNS;
  save(
    `${whole.title}.asldbg.json`,
    sessionText({ ...whole, ...(selected === null ? {} : { selected }), ...(small ? { runs } : {}) }),
    "application/json",
  );
  if (runs !== null && !small) showToast("The runs are too large for the file, so they were left out.");
}
