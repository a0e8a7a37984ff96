// Events as places on a line: each takes some room, and so does the time between two, of which long stretches in which
// nothing happens are folded to short ones.

export interface Scale {
  /// From 0 to 1, of the moment of an event; 0 stands for the beginning.
  at(event: number): number;
  /// Folded pauses: where, and how long they were, in milliseconds.
  gaps: { at: number; length: number }[];
}

/// A pause that takes more than this part of the time is folded to a mark.
const LONG = 0.1;
/// How wide a mark is, in the widths of events.
const FOLDED = 3;

/// `timeOf` gives milliseconds for the events from 1 to `count`.
export function scaleOf(count: number, timeOf: (event: number) => number): Scale {
  const deltas = Array.from({ length: Math.max(0, count - 1) }, (_, i) => Math.max(0, timeOf(i + 2) - timeOf(i + 1)));
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
  const places = new Float64Array(count + 1);
  const folded: { event: number; length: number }[] = [];
  for (let event = 2; event <= count; event++) {
    const delta = deltas[event - 2]!;
    const fold = delta > limit && delta > 0;
    if (fold) folded.push({ event, length: delta });
    places[event] = places[event - 1]! + 1 + (fold ? FOLDED : delta * perMs);
  }
  const whole = Math.max(1, places[count] ?? 1);
  return {
    at: (event) => (places[Math.max(0, Math.min(count, event))] ?? 0) / whole,
    gaps: folded.map(({ event, length }) => ({ at: (places[event]! - 0.5 - FOLDED / 2) / whole, length })),
  };
}
