// The pace at which a run is played: slower where a path is chosen, and without the middle of long loops; and the movement of a mark.

import type { GraphEdge } from "./graph.ts";

/** A loop of more rounds than this is shortened: its first and its last rounds are played. */
const MOST_ROUNDS = 10;
const PLAYED = 3;
/** A round may be so many times as long as the one before, in entries; a longer gap ends the loop. */
const UNEVEN = 4;
/** How many entries the choice of a path counts as. */
const FORK = 6;

/** A part of the log that is not played: from one entry to another one. */
export interface Jump {
  from: number;
  to: number;
  /** The number of rounds of the whole loop. */
  rounds: number;
}

/** Returns the jumps over long loops, in the order of the log. `edges` has the edge that was taken with each entry, or -1. */
export function jumpsOf(edges: ArrayLike<number>, length: number, isBack: (edge: number) => boolean): Jump[] {
  const jumps: Jump[] = [];
  // The entries at which each edge that leads back was taken.
  const taken = new Map<number, number[]>();
  for (let i = 0; i < length; i++) {
    const edge = edges[i]!;
    if (edge < 0 || !isBack(edge)) continue;
    const before = taken.get(edge);
    if (before) before.push(i);
    else taken.set(edge, [i]);
  }
  for (const all of taken.values()) {
    for (let first = 0, at = 1; at <= all.length; at++) {
      const gap = (i: number): number => all[i]! - all[i - 1]!;
      const goes = at < all.length && (at - first < 2 || gap(at) <= UNEVEN * gap(at - 1));
      if (goes) continue;
      const rounds = at - first;
      if (rounds > MOST_ROUNDS) jumps.push({ from: all[first + PLAYED - 1]!, to: all[at - PLAYED]!, rounds });
      first = at;
    }
  }
  return jumps.sort((a, b) => a.from - b.from);
}

/** Returns how long an entry is shown, relative to others: longer if a path was chosen with it. */
export const costOf = (edge: GraphEdge | undefined): number =>
  edge?.kind === "choice" || edge?.kind === "default" || edge?.kind === "catch" ? FORK : 1;

/** Returns the position after `budget` more entries of normal length, at most `end`. Positions are fractions of entries. */
export function advance(from: number, budget: number, end: number, cost: (entry: number) => number): number {
  let at = from;
  let left = budget;
  while (left > 0 && at < end) {
    const entry = Math.floor(at);
    const rest = (entry + 1 - at) * cost(entry);
    if (rest > left) return at + left / cost(entry);
    left -= rest;
    at = entry + 1;
  }
  return Math.min(at, end);
}

/** Returns the position after the jumps that begin between two positions. */
export function jumped(from: number, to: number, jumps: readonly Jump[]): number {
  let at = to;
  for (const jump of jumps) if (jump.from >= from && jump.from < at && jump.to > at) at = jump.to;
  return at;
}

/** Returns the keyframes of a mark that moves along a line at an even speed, and the length of the line in px. */
export function keyframesOf(points: readonly (readonly [number, number])[]): { frames: Keyframe[]; length: number } {
  const at = [0];
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!];
    at.push(at[i - 1]! + Math.hypot(bx - ax, by - ay));
  }
  const length = at.at(-1) ?? 0;
  const frames = points.map(([x, y], i) => ({
    transform: `translate(${x}px, ${y}px)`,
    offset: length === 0 ? i / Math.max(1, points.length - 1) : at[i]! / length,
  }));
  return { frames, length };
}
