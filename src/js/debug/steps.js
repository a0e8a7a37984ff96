// Where the steps of a session end: what each of them waits for, asked of every entry that is seen, in whichever execution.

import { isAboutToEnter, leaves } from "./borders.js";
import { detailsOf } from "./chains.js";

/** To the next state of the same scope, or of one around it. */
export function stepsOver(at, thread) {
  const { chains } = at.recording;
  const left = leaves(at);
  return (entry, execution) => left(entry, execution) || (execution === at && isEntering(entry) && chains.isWithin(thread, chains.visitOf(entry.event.id).thread));
}

/** Into what a state has inside: branches, iterations, the execution that it `starts`; else to its first stage. */
export function stepsInto(at, visit, thread, starts) {
  const { chains, tape } = at.recording;
  const last = tape[at.position - 1];
  const begins = visit !== undefined && last?.kind === "event" && last.event.id === visit.enter;
  const container = visit?.type === "Parallel" || visit?.type === "Map";
  const left = leaves(at);
  return (entry, execution) => {
    if (starts && execution.parent === at && execution.visit === visit.id) return isEntering(entry);
    if (left(entry, execution)) return true;
    if (execution !== at) return false;
    if (entry.kind === "stage") return (begins && !container && !starts && entry.entered === visit.enter && entry.child === undefined) || (container && entry.child !== undefined);
    if (!isEntering(entry)) return false;
    // It goes on beside the execution that it has started, which is about to enter its first state.
    if (starts && isAboutToEnter(at, visit)) return false;
    const entered = chains.visitOf(entry.event.id);
    return entered === visit || chains.isWithin(thread, entered?.thread) || (visit !== undefined && isInside(chains, entered, visit));
  };
}

/** To the end of the branch or iteration, or of the execution. */
export function stepsOut(at, thread) {
  const { chains } = at.recording;
  const { slot, isIteration, around } = chains.threads[thread] ?? {};
  const container = chains.visits[around ?? -1];
  if (container === undefined) return at.parent && leaves(at);
  return (entry, execution) => {
    if (execution !== at || entry.kind !== "event") return false;
    const { event } = entry;
    if (/^MapIteration(?:Succeeded|Failed|Aborted)$/.test(event.type)) return chains.visitOf(event.id) === container && detailsOf(event).index === slot && isIteration;
    return chains.visitOf(event.id) === container && /(?:Exited|Succeeded|Failed|Aborted)$/.test(event.type);
  };
}

/** By one stage or event of the same branch, or of what is inside of the state around. */
export function stepsStage(at, thread) {
  const { chains } = at.recording;
  const left = leaves(at);
  return (entry, execution) => {
    if (execution !== at) return left(entry, execution);
    const visit = entry.kind === "stage" ? chains.entered(entry.entered) : chains.visitOf(entry.event.id);
    return visit === undefined || chains.isWithin(thread, visit.thread) || isInside(chains, visit, chains.visits[chains.threads[thread]?.around ?? -1]);
  };
}

export function isEntering(entry) {
  return entry.kind === "event" && entry.event.type.endsWith("StateEntered");
}

function isInside(chains, visit, container) {
  for (let at = visit; container !== undefined && at !== undefined; at = chains.visits[at.around]) if (at === container) return true;
  return false;
}
