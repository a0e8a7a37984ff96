// Compares two runs: which visits are the same, which differ, and which transitions only one of them took.

import type { ComparedVisit, RunDifference, VisitOfRun } from "../../core/api/debug.d.ts";
import type { Visit } from "../../core/history/chains.ts";
import { type EventDetails, detailsOf } from "../../core/history/events.ts";
import type { Recording } from "./recording.ts";
import { parsed } from "./view.ts";

/** The reached part of a run: its first `events` events, and the hits of its coverage. */
interface ReachedRun {
  recording: Recording;
  events: number;
  hits: Record<string, number>;
}

/** A visit of one of the runs, with its data as JSON texts. */
interface KeyedVisit {
  about: Pick<ComparedVisit, "state" | "type" | "iterations">;
  visit: VisitOfRun;
  data: { input: string | undefined; output: string | undefined; variables: Record<string, string> | undefined };
}

/**
 * Compares the reached parts of two runs. Two visits correspond if they have the same number among the visits of their state in the
 * same branch or iteration of corresponding enclosing visits.
 */
export function differenceOf(a: ReachedRun, b: ReachedRun): RunDifference {
  const [inA, inB] = [visitsByKey(a), visitsByKey(b)];
  const visits = [...inA].map(([key, x]) => compared(x.about, x, inB.get(key)));
  for (const [key, y] of inB) if (!inA.has(key)) visits.push(compared(y.about, undefined, y));
  visits.sort((one, other) => orderOf(one) - orderOf(other));
  return { visits, ways: transitionsOf(a.hits, b.hits), common: commonOf(a, b) };
}

function compared(about: KeyedVisit["about"], a: KeyedVisit | undefined, b: KeyedVisit | undefined): ComparedVisit {
  return { ...about, ...(a && { a: a.visit }), ...(b && { b: b.visit }), changes: changesOf(a, b) };
}

/** Returns the sort key of a visit in the combined list of both runs. */
function orderOf({ a, b }: ComparedVisit): number {
  return Math.min(a?.enter ?? Infinity, b?.enter ?? Infinity);
}

/** Returns the visits of a run by keys that are the same in another run of the same machine. */
function visitsByKey({ recording, events }: ReachedRun): Map<string, KeyedVisit> {
  const { chains } = recording;
  const counts = new Map<string, number>();
  const names: string[] = [];
  const found = new Map<string, KeyedVisit>();
  for (const visit of chains.visits) {
    if (visit.enter > events) break;
    const { around, isIteration, slot, attempt } = chains.threadOf(visit);
    const within = `${around < 0 ? "" : names[around]}/${isIteration ? "#" : ""}${slot}@${attempt}`;
    const key = `${within} ${JSON.stringify(visit.state)}`;
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    const name = `${key} ${n}`;
    names.push(name);
    found.set(name, keyedVisit(recording, visit, events));
  }
  return found;
}

function keyedVisit({ chains, events }: Recording, visit: Visit, seen: number): KeyedVisit {
  const exit = visit.exit > 0 && visit.exit <= seen ? visit.exit : 0;
  const isOver = visit.end > 0 && visit.end <= seen;
  const at = (id: number): EventDetails => {
    const event = events[id - 1];
    return event === undefined ? {} : detailsOf(event);
  };
  const exited = at(exit);
  return {
    about: { state: visit.state, type: visit.type, iterations: chains.threadOf(visit).iterations },
    visit: { visit: visit.id, enter: visit.enter, exit, attempts: visit.attempts, end: exit > 0 ? "left" : isOver ? "failed" : "open" },
    data: { input: at(visit.enter).input, output: exited.output, variables: exited.assignedVariables },
  };
}

/** Returns the differences between two visits: "only" if the visit exists in one run alone. */
function changesOf(x: KeyedVisit | undefined, y: KeyedVisit | undefined): ComparedVisit["changes"] {
  if (x === undefined || y === undefined) return ["only"];
  const changes: ComparedVisit["changes"] = (["input", "output", "variables"] as const).filter(
    (name) => !isSame(x.data[name], y.data[name]),
  );
  if (x.visit.attempts !== y.visit.attempts) changes.push("attempts");
  if (x.visit.end !== y.visit.end) changes.push("end");
  return changes;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b));
}

/** Returns the value as text, with the members of objects in a fixed order. */
function canonical(value: unknown): string {
  return JSON.stringify(parsed(value), (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Returns for each JSON Pointer which runs used it: "a", "b" or "both". */
function transitionsOf(a: ReachedRun["hits"], b: ReachedRun["hits"]): RunDifference["ways"] {
  const ways: RunDifference["ways"] = {};
  for (const pointer of Object.keys(a)) ways[pointer] = b[pointer] === undefined ? "a" : "both";
  for (const pointer of Object.keys(b)) ways[pointer] ??= "b";
  return ways;
}

/** Returns how many events, with their data, are the same in both runs from the start. */
function commonOf(a: ReachedRun, b: ReachedRun): number {
  const [ofA, ofB] = [a, b].map(({ recording, events }) => recording.events.slice(0, events)) as [Recording["events"], Recording["events"]];
  const different = ofA.findIndex((x, i) => {
    const y = ofB[i];
    return (
      y === undefined ||
      x.type !== y.type ||
      x.previousEventId !== y.previousEventId ||
      JSON.stringify(detailsOf(x)) !== JSON.stringify(detailsOf(y))
    );
  });
  return different < 0 ? ofA.length : different;
}
