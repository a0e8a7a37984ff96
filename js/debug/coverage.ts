// What a run has used of its definition, read off its tape: only what has been seen counts.

import { Outline, type OutlinedState } from "../coverage/outline.ts";
import { detailsOf, isStateEntered, isStateExited } from "../history/events.ts";
import type { Recording } from "./recording.ts";
import { type TapeEntry, stageAt } from "./tape.ts";
import { visitOf } from "./view.ts";

/** Counts by JSON Pointer, as the engine's own coverage has them, of the entries of a tape from one place to another. */
export function hitsOf(recording: Recording, outline: Outline, from: number, to: number): Record<string, number> {
  const hits: Record<string, number> = {};
  for (const [i, entry] of recording.tape.slice(from, to).entries()) {
    const pointer = usedBy(recording, outline, entry, from + i);
    if (pointer !== undefined) hits[pointer] = (hits[pointer] ?? 0) + 1;
  }
  return hits;
}

/** The part of the definition whose use an entry of the tape shows. */
function usedBy(recording: Recording, outline: Outline, entry: TapeEntry, place: number): string | undefined {
  if (entry.kind === "end") return undefined;
  const name = entry.kind === "stage" ? entry.state : detailsOf(entry.event).name;
  const state = name === undefined ? undefined : outline.named.get(name);
  if (state === undefined) return undefined;
  if (entry.kind === "stage") {
    if (entry.stage === "retry") return `${state.pointer}/Retry/${entry.taken}`;
    return entry.stage === "catch" ? `${state.pointer}/Catch/${entry.taken}` : undefined;
  }
  if (isStateEntered(entry.event)) return state.pointer;
  const member = isStateExited(entry.event) ? wayOut(state, recording, entry, place) : undefined;
  return member === undefined ? undefined : `${state.pointer}${member}`;
}

/** The outline of what a run runs. */
export function outlineOf({ text }: { text: string }): Outline {
  return new Outline(JSON.parse(text));
}

/** The member by which a state was left; none where a catcher has led out of it, which is counted where it took the error. */
function wayOut({ type, fields }: OutlinedState, recording: Recording, exit: TapeEntry, before: number): string | undefined {
  const visit = visitOf(recording, exit);
  let taken: number | "default" | undefined;
  for (const place of visit?.history.stagesOf(visit.enter) ?? []) {
    if (place >= before) break;
    const stage = stageAt(recording.tape, place);
    if (stage?.stage === "catch") return undefined;
    if (stage?.stage === "choice") ({ taken } = stage);
  }
  if (type === "Choice") return taken === "default" ? "/Default" : typeof taken === "number" ? `/Choices/${taken}` : undefined;
  return fields.Next !== undefined ? "/Next" : fields.End === true ? "/End" : "/Type";
}
