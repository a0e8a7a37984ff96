// Events as places on a line: each takes some room, and so does the time between two, of which long stretches in which
// nothing happens are folded to short ones.

import { countFitting } from "stepglass/search";

export interface Scale {
  /// From 0 to 1, of the moment of an event; 0 stands for the first that is in view. What lies outside of the view is beyond.
  at(event: number): number;
  /// The event nearest to a place.
  nearest(place: number): number;
  /// Folded pauses: where, and how long they were, in milliseconds.
  gaps: { at: number; length: number }[];
}

/// The events in view, the last one included.
export interface View {
  from: number;
  to: number;
}

/// A pause that takes more than this part of the time in view is folded to a mark.
const LONG = 0.1;
/// How wide a mark is, in the widths of events.
const FOLDED = 3;
/// What stays free behind the last event, as a part of the view: what has just begun is to be seen.
const FREE = 0.02;

/// `timeOf` gives milliseconds for the events, counted from 1.
export function scaleOf({ from, to }: View, timeOf: (event: number) => number): Scale {
  const first = Math.max(1, from);
  const count = Math.max(0, to - first + 1);
  const deltas = Array.from({ length: Math.max(0, count - 1) }, (_, i) => Math.max(0, timeOf(first + i + 1) - timeOf(first + i)));
  // What is folded makes the rest longer, so that more of it may be short: a few rounds settle it.
  let limit = deltas.reduce((sum, delta) => sum + delta, 0) * LONG;
  for (let round = 0; round < 8; round++) {
    const kept = deltas.reduce((sum, delta) => sum + (delta > limit ? 0 : delta), 0);
    if (kept * LONG >= limit || kept === 0) break;
    limit = kept * LONG;
  }
  const kept = deltas.reduce((sum, delta) => sum + (delta > limit ? 0 : delta), 0);
  // The time that is shown takes as much room as the events.
  const perMs = kept > 0 ? count / kept : 0;
  const places = new Float64Array(Math.max(1, count));
  const folded: { at: number; length: number }[] = [];
  for (let i = 1; i < count; i++) {
    const delta = deltas[i - 1]!;
    const fold = delta > limit && delta > 0;
    places[i] = places[i - 1]! + 1 + (fold ? FOLDED : delta * perMs);
    if (fold) folded.push({ at: places[i]! - 0.5 - FOLDED / 2, length: delta });
  }
  const whole = Math.max(1, places[count - 1] ?? 1) / (1 - FREE);
  return {
    at: (event) => (event < first ? (event <= 0 && from <= 1 ? 0 : -1) : event > to ? 2 : places[event - first]! / whole),
    nearest(place) {
      const wanted = place * whole;
      const low = countFitting(count - 1, (i) => places[i]! < wanted);
      return first + (low > 0 && wanted - places[low - 1]! < places[low]! - wanted ? low - 1 : low);
    },
    gaps: folded.map(({ at, length }) => ({ at: at / whole, length })),
  };
}
