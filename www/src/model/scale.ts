// The scale of a time line. Each event takes some width, and so does the time between two events; long pauses are folded.

import { countFitting } from "stepglass/search";

export interface Scale {
  /**
   * Returns the position of an event, from 0 to 1. 0 is the first event in view. Events outside the view have positions outside
   * this range.
   */
  at(event: number): number;
  /** Returns the event nearest to a position. */
  nearest(place: number): number;
  /** The folded pauses: their positions, and their lengths in milliseconds. */
  gaps: { at: number; length: number }[];
}

/** The range of events in view, including the last one. */
export interface View {
  from: number;
  to: number;
}

/** A pause that takes more than this fraction of the time in view is folded to a mark. */
const LONG = 0.1;
/** The width of such a mark, in widths of events. */
const FOLDED = 3;
/** The fraction of the view that stays free behind the last event, so that what has just begun is visible. */
const FREE = 0.02;

/** `timeOf` returns the time of an event in milliseconds. Events are counted from 1. */
export function scaleOf({ from, to }: View, timeOf: (event: number) => number): Scale {
  const first = Math.max(1, from);
  const count = Math.max(0, to - first + 1);
  const deltas = Array.from({ length: Math.max(0, count - 1) }, (_, i) => Math.max(0, timeOf(first + i + 1) - timeOf(first + i)));
  // Folding makes the remaining pauses relatively longer, so that more of them exceed the limit. A few rounds settle it.
  let limit = deltas.reduce((sum, delta) => sum + delta, 0) * LONG;
  for (let round = 0; round < 8; round++) {
    const kept = deltas.reduce((sum, delta) => sum + (delta > limit ? 0 : delta), 0);
    if (kept * LONG >= limit || kept === 0) break;
    limit = kept * LONG;
  }
  const kept = deltas.reduce((sum, delta) => sum + (delta > limit ? 0 : delta), 0);
  // The time that is not folded takes as much width as the events.
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
