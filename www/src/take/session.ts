// The session file: the whole workspace, readable, for when a link would be too long.

import { type Workspace, packedOf, workspaceOf } from "../share.ts";
import * as store from "../store.ts";
import { save } from "../ui/save.ts";

const KIND = "stepglass/session/1";

export function sessionText(workspace: Workspace): string {
  return `${JSON.stringify({ kind: KIND, ...packedOf(workspace) }, null, 2)}\n`;
}

/// Whether a parsed file is a session of any version.
export function isSession(value: unknown): value is { kind: string } {
  return typeof value === "object" && value !== null && /^stepglass\/session\/\d+$/.test(String((value as { kind?: unknown }).kind));
}

/// Throws an Error that says what is wrong with the file.
export function sessionOf(value: { kind: string }): Workspace {
  if (value.kind !== KIND) throw new Error(`The session is of version ${value.kind.split("/").at(-1)}, and this page knows version 1 only.`);
  return workspaceOf(value);
}

export function saveSession(): void {
  for (const flush of store.flushers) flush();
  const workspace = store.workspace();
  const { value: selected } = store.selectedState;
  save(`${workspace.title}.asldbg.json`, sessionText({ ...workspace, ...(selected === null ? {} : { selected }) }), "application/json");
}
