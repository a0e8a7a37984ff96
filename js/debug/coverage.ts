// @ts-nocheck: has no types yet.
// What a run has used of its definition, read off its tape: only what has been seen counts.

import { Outline } from "../coverage/outline.ts";
import { detailsOf } from "../history/chains.ts";
import { visitOf } from "./view.ts";

/** Counts by JSON Pointer, as the engine's own coverage has them, of the entries of a tape from one place to another. */
export function hitsOf(recording, outline, from, to) {
  const { tape } = recording;
  const hits = {};
  const hit = (pointer) => (hits[pointer] = (hits[pointer] ?? 0) + 1);
  const left = (state, places, before) => {
    const way = wayOut(state, tape, places, before);
    if (way !== undefined) hit(`${state.pointer}${way}`);
  };
  for (let place = from; place < to; place++) {
    const entry = tape[place];
    if (entry.kind === "end") continue;
    if (entry.kind !== "stage") {
      const { event } = entry;
      const entered = event.type.endsWith("StateEntered");
      if (!entered && !event.type.endsWith("StateExited")) continue;
      const state = outline.named.get(detailsOf(event).name);
      if (state === undefined) continue;
      if (entered) hit(state.pointer);
      else left(state, stagesLeft(recording, entry), place);
      continue;
    }
    const state = outline.named.get(entry.state);
    if (state === undefined) continue;
    if (entry.stage === "retry") hit(`${state.pointer}/Retry/${entry.taken}`);
    else if (entry.stage === "catch") hit(`${state.pointer}/Catch/${entry.taken}`);
  }
  return hits;
}

/** Places of the stages of the visit that an event has ended. */
function stagesLeft(recording, entry) {
  const visit = visitOf(recording, entry);
  return visit?.strand.stagesOf(visit.enter) ?? [];
}

/** The outline of what a run runs. */
export function outlineOf({ text }) {
  return new Outline(JSON.parse(text));
}

/** The member by which a state was left; none where a catcher has led out of it, which is counted where it took the error. */
function wayOut({ type, fields }, tape, places, before) {
  let taken;
  for (const place of places) {
    if (place >= before) break;
    if (tape[place].stage === "catch") return undefined;
    if (tape[place].stage === "choice") ({ taken } = tape[place]);
  }
  if (type === "Choice") return taken === "default" ? "/Default" : typeof taken === "number" ? `/Choices/${taken}` : undefined;
  return fields.Next !== undefined ? "/Next" : fields.End === true ? "/End" : "/Type";
}
