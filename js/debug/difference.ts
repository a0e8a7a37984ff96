// @ts-nocheck: has no types yet.
// Two runs beside each other: which visits are the same, which are another's, and which ways only one of them took.

import { detailsOf } from "../history/chains.ts";
import { parsed } from "./view.ts";

/**
 * Compares what has been seen of two runs. Each is `{recording, events, hits}`.
 *
 * Visits belong together that are the how manieth of their state in the same branch or iteration of the same visit around.
 */
export function differenceOf(a, b) {
  const [inA, inB] = [visitsByPlace(a), visitsByPlace(b)];
  const visits = [];
  for (const place of new Set([...inA.keys(), ...inB.keys()])) {
    const [x, y] = [inA.get(place), inB.get(place)];
    const { state, type, iterations } = (x ?? y).about;
    const row = { state, type, iterations, ...(x && { a: x.told }), ...(y && { b: y.told }), changes: changesOf(x, y) };
    visits.push(row);
  }
  visits.sort((one, other) => orderOf(one) - orderOf(other));
  return { visits, ways: waysOf(a.hits, b.hits), common: commonOf(a, b) };
}

/** Where a visit stands among those of both runs. */
function orderOf({ a, b }) {
  return Math.min(a?.enter ?? Infinity, b?.enter ?? Infinity);
}

/** The visits of a run by names that hold in another run of the same machine. */
function visitsByPlace({ recording, events }) {
  const { chains } = recording;
  const counts = new Map();
  const names = [];
  const found = new Map();
  for (const visit of chains.visits) {
    if (visit.enter > events) break;
    const thread = chains.threads[visit.thread];
    const within = `${thread.around < 0 ? "" : names[thread.around]}/${thread.isIteration ? "#" : ""}${thread.slot}@${thread.attempt}`;
    const place = `${within} ${JSON.stringify(visit.state)}`;
    const n = counts.get(place) ?? 0;
    counts.set(place, n + 1);
    names[visit.id] = `${place} ${n}`;
    const exit = visit.exit > 0 && visit.exit <= events ? visit.exit : 0;
    const over = visit.end > 0 && visit.end <= events;
    const entered = detailsOf(recording.events[visit.enter - 1]);
    const exited = exit > 0 ? detailsOf(recording.events[exit - 1]) : {};
    found.set(names[visit.id], {
      about: { state: visit.state, type: visit.type, iterations: thread.iterations },
      told: { visit: visit.id, enter: visit.enter, exit, attempts: visit.attempts, end: exit > 0 ? "left" : over ? "failed" : "open" },
      data: { input: entered.input, output: exited.output, variables: exited.assignedVariables },
    });
  }
  return found;
}

/** What differs between two visits: names of data, "attempts" and "end"; "only" where one has no other. */
function changesOf(x, y) {
  if (x === undefined || y === undefined) return ["only"];
  const changes = ["input", "output", "variables"].filter((name) => !sameData(x.data[name], y.data[name]));
  if (x.told.attempts !== y.told.attempts) changes.push("attempts");
  if (x.told.end !== y.told.end) changes.push("end");
  return changes;
}

function sameData(a, b) {
  return a === b || (a !== undefined && b !== undefined && canonical(a) === canonical(b));
}

/** A value as text in which the order of members does not count. */
function canonical(value) {
  return JSON.stringify(parsed(value), (_, inner) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** By JSON Pointer: "a", "b" or "both". */
function waysOf(a, b) {
  const ways = {};
  for (const pointer of Object.keys(a)) ways[pointer] = b[pointer] === undefined ? "a" : "both";
  for (const pointer of Object.keys(b)) ways[pointer] ??= "b";
  return ways;
}

/** How many events the two have in common from the beginning on, their data included. */
function commonOf(a, b) {
  const most = Math.min(a.events, b.events);
  for (let i = 0; i < most; i++) {
    const [x, y] = [a.recording.events[i], b.recording.events[i]];
    if (x.type !== y.type || x.previousEventId !== y.previousEventId || JSON.stringify(detailsOf(x)) !== JSON.stringify(detailsOf(y))) return i;
  }
  return most;
}
