// What a run has used of its definition, read off its tape: only what has been seen counts.

import { Outline } from "../testing/outline.js";
import { detailsOf } from "./chains.js";

/** Counts by JSON Pointer, as the engine's own coverage has them, of the entries of a tape from one place to another. */
export function hitsOf(recording, outline, from, to) {
  const { tape, chains } = recording;
  const hits = {};
  const children = new Set();
  const hit = (pointer) => (hits[pointer] = (hits[pointer] ?? 0) + 1);
  const left = (state, places, before) => {
    const way = wayOut(state, tape, places, before);
    if (way !== undefined) hit(`${state.pointer}${way}`);
  };
  for (let place = from; place < to; place++) {
    const entry = tape[place];
    if (entry.kind === "event") {
      const { event } = entry;
      const entered = event.type.endsWith("StateEntered");
      if (!entered && !event.type.endsWith("StateExited")) continue;
      const state = outline.named.get(detailsOf(event).name);
      if (state === undefined) continue;
      if (entered) hit(state.pointer);
      else left(state, recording.stagesOf(chains.visitOf(event.id)?.enter), place);
      continue;
    }
    const state = outline.named.get(entry.state);
    if (state === undefined) continue;
    if (entry.stage === "retry") hit(`${state.pointer}/Retry/${entry.taken}`);
    else if (entry.stage === "catch") hit(`${state.pointer}/Catch/${entry.taken}`);
    if (entry.child === undefined) continue;
    // The events of a child execution are its own: its stages tell of it.
    const visit = `${entry.child} ${entry.entered}`;
    if (!children.has(visit)) {
      children.add(visit);
      hit(state.pointer);
    }
    if (entry.stage === "output") left(state, recording.stagesOf(entry.entered, entry.child), place);
  }
  return hits;
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
