// Two runs beside each other: which visits are the same, which are another's, and which ways only one of them took.

import type { ComparedVisit, RunDifference, VisitOfRun } from "../api/debug.d.ts";
import type { Visit } from "../history/chains.ts";
import { type EventDetails, detailsOf } from "../history/events.ts";
import type { Recording } from "./recording.ts";
import { parsed } from "./view.ts";

/** What has been seen of a run: so many `events`, and what of its definition it has used. */
interface SeenRun {
  recording: Recording;
  events: number;
  hits: Record<string, number>;
}

/** A visit of one of the runs, with its data as JSON texts. */
interface PlacedVisit {
  about: Pick<ComparedVisit, "state" | "type" | "iterations">;
  told: VisitOfRun;
  data: { input: string | undefined; output: string | undefined; variables: Record<string, string> | undefined };
}

/**
 * Compares what has been seen of two runs. Visits belong together that have the same number among those of their state in the
 * same branch or iteration of the same visit around.
 */
export function differenceOf(a: SeenRun, b: SeenRun): RunDifference {
  const [inA, inB] = [visitsByPlace(a), visitsByPlace(b)];
  const visits = [...inA].map(([place, x]) => compared(x.about, x, inB.get(place)));
  for (const [place, y] of inB) if (!inA.has(place)) visits.push(compared(y.about, undefined, y));
  visits.sort((one, other) => orderOf(one) - orderOf(other));
  return { visits, ways: waysOf(a.hits, b.hits), common: commonOf(a, b) };
}

function compared(about: PlacedVisit["about"], a: PlacedVisit | undefined, b: PlacedVisit | undefined): ComparedVisit {
  return { ...about, ...(a && { a: a.told }), ...(b && { b: b.told }), changes: changesOf(a, b) };
}

/** Where a visit stands among those of both runs. */
function orderOf({ a, b }: ComparedVisit): number {
  return Math.min(a?.enter ?? Infinity, b?.enter ?? Infinity);
}

/** The visits of a run by names that hold in another run of the same machine. */
function visitsByPlace({ recording, events }: SeenRun): Map<string, PlacedVisit> {
  const { chains } = recording;
  const counts = new Map<string, number>();
  const names: string[] = [];
  const found = new Map<string, PlacedVisit>();
  for (const visit of chains.visits) {
    if (visit.enter > events) break;
    const { around, isIteration, slot, attempt } = chains.threadOf(visit);
    const within = `${around < 0 ? "" : names[around]}/${isIteration ? "#" : ""}${slot}@${attempt}`;
    const place = `${within} ${JSON.stringify(visit.state)}`;
    const n = counts.get(place) ?? 0;
    counts.set(place, n + 1);
    const name = `${place} ${n}`;
    names.push(name);
    found.set(name, placed(recording, visit, events));
  }
  return found;
}

function placed({ chains, events }: Recording, visit: Visit, seen: number): PlacedVisit {
  const exit = visit.exit > 0 && visit.exit <= seen ? visit.exit : 0;
  const isOver = visit.end > 0 && visit.end <= seen;
  const at = (id: number): EventDetails => {
    const event = events[id - 1];
    return event === undefined ? {} : detailsOf(event);
  };
  const exited = at(exit);
  return {
    about: { state: visit.state, type: visit.type, iterations: chains.threadOf(visit).iterations },
    told: { visit: visit.id, enter: visit.enter, exit, attempts: visit.attempts, end: exit > 0 ? "left" : isOver ? "failed" : "open" },
    data: { input: at(visit.enter).input, output: exited.output, variables: exited.assignedVariables },
  };
}

/** What differs between two visits; "only" where one has no other. */
function changesOf(x: PlacedVisit | undefined, y: PlacedVisit | undefined): ComparedVisit["changes"] {
  if (x === undefined || y === undefined) return ["only"];
  const changes: ComparedVisit["changes"] = (["input", "output", "variables"] as const).filter(
    (name) => !isSame(x.data[name], y.data[name]),
  );
  if (x.told.attempts !== y.told.attempts) changes.push("attempts");
  if (x.told.end !== y.told.end) changes.push("end");
  return changes;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b));
}

/** A value as text in which the order of members does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(parsed(value), (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** By JSON Pointer: "a", "b" or "both". */
function waysOf(a: SeenRun["hits"], b: SeenRun["hits"]): RunDifference["ways"] {
  const ways: RunDifference["ways"] = {};
  for (const pointer of Object.keys(a)) ways[pointer] = b[pointer] === undefined ? "a" : "both";
  for (const pointer of Object.keys(b)) ways[pointer] ??= "b";
  return ways;
}

/** How many events the two have in common from the beginning on, their data included. */
function commonOf(a: SeenRun, b: SeenRun): number {
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
