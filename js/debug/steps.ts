// @ts-nocheck: has no types yet.
// Where the steps of a session end: what each of them waits for, asked of every entry that is seen, in whichever execution.

import { isAboutToEnter, leaves } from "./borders.ts";
import { detailsOf } from "../history/events.ts";
import { outwards } from "./strand.ts";
import { isEntering, visitOf } from "./view.ts";

/** To the next state of the same scope, or of one around it. */
export function stepsOver(at, visit) {
  const here = threadsAround(visit);
  const left = leaves(at);
  return (entry, execution) => left(entry, execution) || (execution === at && isEntering(entry) && here.has(threadOf(visitOf(at.recording, entry))));
}

/** Into what a state has inside: branches, iterations, the execution that it `starts`; else to its first stage. */
export function stepsInto(at, visit, starts) {
  const { recording } = at;
  const last = recording.tape[at.position - 1];
  const begins = visit !== undefined && last?.event?.id === visit.enter && recording.strandOf(last) === visit.strand;
  const here = threadsAround(visit);
  const container = visit?.type === "Parallel" || visit?.type === "Map";
  const left = leaves(at);
  return (entry, execution) => {
    if (starts && execution.parent === at && execution.visit === visit.strand.numbered(visit.id)) return isEntering(entry);
    if (left(entry, execution)) return true;
    if (execution !== at) return false;
    if (entry.kind === "stage") return begins && !container && !starts && entry.entered === visit.enter && recording.strandOf(entry) === visit.strand;
    if (!isEntering(entry)) return false;
    // It goes on beside the execution that it has started, which is about to enter its first state.
    if (starts && isAboutToEnter(at, visit)) return false;
    const entered = visitOf(recording, entry);
    return here.has(threadOf(entered)) || isInside(entered, visit);
  };
}

/** To the end of the branch or iteration, or of the execution. */
export function stepsOut(at, visit) {
  const { recording } = at;
  const { strand = recording.own, thread = 0 } = visit ?? {};
  const { slot, isIteration, around } = strand.chains.threads[thread] ?? {};
  const container = strand.chains.visits[around ?? -1];
  if (container === undefined && strand.begun !== undefined) return (entry) => entry.kind === "end" && entry.strand === strand;
  if (container === undefined) return at.parent && leaves(at);
  return (entry, execution) => {
    if (execution !== at || entry.event === undefined || recording.strandOf(entry) !== strand) return false;
    const { event } = entry;
    if (strand.chains.visitOf(event.id)?.id !== container.id) return false;
    if (/^MapIteration(?:Succeeded|Failed|Aborted)$/.test(event.type)) return detailsOf(event).index === slot && isIteration;
    return /(?:Exited|Succeeded|Failed|Aborted)$/.test(event.type);
  };
}

/** By one stage or event of the same branch, or of what is inside of the state around. */
export function stepsStage(at, visit) {
  const here = threadsAround(visit);
  const container = [...outwards(visit)][1];
  const left = leaves(at);
  return (entry, execution) => {
    if (execution !== at) return left(entry, execution);
    const of = visitOf(at.recording, entry);
    return of === undefined || here.has(threadOf(of)) || isInside(of, container);
  };
}

function isInside(visit, container) {
  // What was read again is another object.
  for (const at of outwards(visit)) if (at.strand === container?.strand && at.id === container.id) return true;
  return false;
}

/** Numbers of the thread of a visit, and of those around it. */
function threadsAround(visit) {
  return new Set(visit === undefined ? [0] : [...outwards(visit)].map(threadOf));
}

function threadOf({ strand, thread }) {
  return strand.numbered(thread);
}
