// Formats percentages and places.

import type { CoverageSum, CoveredPlace } from "../../core/api/testing.d.ts";
import type { Place } from "../../core/definition/outline.ts";

/** Returns the percentage of the places that were used, from 0 to 100. */
export function percent({ covered, total }: CoverageSum): number {
  return total === 0 ? 100 : (100 * covered) / total;
}

/** Formats a percentage. It is 100 only if everything was used. */
export function share(part: number): string {
  return part === 100 ? "100" : (Math.floor(part * 10) / 10).toFixed(1);
}

/** Describes a place in words. */
export function described({ kind, state, label }: Place): string {
  return kind === "state" ? `state ${state}` : `${state}: ${label}`;
}

/** Returns the places that were never used, in the order of the file. */
export function unused(places: readonly CoveredPlace[]): CoveredPlace[] {
  return places.filter(({ count }) => count === 0).sort((a, b) => a.line - b.line);
}
