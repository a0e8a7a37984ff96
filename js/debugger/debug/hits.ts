// Coverage of a run, computed from its recording. Only entries that the debugger has reached count.

import { Outline, type OutlinedState } from "../../core/definition/outline.ts";
import { detailsOf, isStateEntered, isStateExited } from "../../core/history/events.ts";
import type { Recording } from "./recording.ts";
import { type RecordingEntry, stageAt } from "./entries.ts";
import { visitOf } from "./view.ts";

/** Counts how often each part of the definition was used between two positions, by JSON Pointer like the coverage of the engine. */
export function hitsOf(recording: Recording, outline: Outline, from: number, to: number): Record<string, number> {
  const hits: Record<string, number> = {};
  for (const [i, entry] of recording.entries.slice(from, to).entries()) {
    const pointer = usedBy(recording, outline, entry, from + i);
    if (pointer !== undefined) hits[pointer] = (hits[pointer] ?? 0) + 1;
  }
  return hits;
}

/** Returns the JSON Pointer of the part of the definition that an entry proves to be used. */
function usedBy(recording: Recording, outline: Outline, entry: RecordingEntry, position: number): string | undefined {
  if (entry.kind === "end") return undefined;
  const name = entry.kind === "stage" ? entry.state : detailsOf(entry.event).name;
  const state = name === undefined ? undefined : outline.named.get(name);
  if (state === undefined) return undefined;
  if (entry.kind === "stage") {
    if (entry.stage === "retry") return `${state.pointer}/Retry/${entry.taken}`;
    return entry.stage === "catch" ? `${state.pointer}/Catch/${entry.taken}` : undefined;
  }
  if (isStateEntered(entry.event)) return state.pointer;
  const member = isStateExited(entry.event) ? wayOut(state, recording, entry, position) : undefined;
  return member === undefined ? undefined : `${state.pointer}${member}`;
}

/** Returns the outline of a machine's definition. */
export function outlineOf({ text }: { text: string }): Outline {
  return new Outline(JSON.parse(text));
}

/**
 * Returns the field by which a state was left. It is undefined if a catcher handled an error, because the catcher is counted at
 * that error.
 */
function wayOut({ type, fields }: OutlinedState, recording: Recording, exit: RecordingEntry, before: number): string | undefined {
  const visit = visitOf(recording, exit);
  let taken: number | "default" | undefined;
  for (const position of visit?.history.stagesOf(visit.enter) ?? []) {
    if (position >= before) break;
    const stage = stageAt(recording.entries, position);
    if (stage?.stage === "catch") return undefined;
    if (stage?.stage === "choice") ({ taken } = stage);
  }
  if (type === "Choice") return taken === "default" ? "/Default" : typeof taken === "number" ? `/Choices/${taken}` : undefined;
  return fields.Next !== undefined ? "/Next" : fields.End === true ? "/End" : "/Type";
}
