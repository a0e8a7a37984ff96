// What counts of uses come to: places with their counts, sums, and the report for programs. Reads no files.

import type { CoverageTotals, CoveredPlace } from "../api/testing.d.ts";
import { Outline } from "./outline.ts";

/** What a report has of each definition, besides what only some reports have. */
export interface MeasuredDefinition {
  title: string;
  file?: string;
  executions: number;
  places: CoveredPlace[];
  totals: CoverageTotals;
  /** The definition's JSON text. */
  definition?: string;
  /** The text whose lines the places name. */
  text?: string;
}

/** The kinds of places, and what a report calls all of a kind. */
export const WORDS = { state: "states", transition: "transitions", rule: "rules", retry: "retries", catch: "catches" } as const;

/** All places of a definition's text, with how often each was used and the line on which it stands. */
export function placesOf(
  definition: string,
  hits: Readonly<Record<string, number>>,
  line: (pointer: string) => number | undefined,
): CoveredPlace[] {
  return new Outline(JSON.parse(definition))
    .places()
    .map((place) => ({ ...place, line: line(place.pointer) ?? 1, count: hits[place.pointer] ?? 0 }));
}

/** The sums of each kind and of all places. */
export function totalsOf(places: readonly CoveredPlace[]): CoverageTotals {
  const of = (chosen: readonly CoveredPlace[]) => ({ covered: chosen.filter(({ count }) => count > 0).length, total: chosen.length });
  const ofKind = (kind: CoveredPlace["kind"]) => of(places.filter((place) => place.kind === kind));
  return {
    states: ofKind("state"),
    transitions: ofKind("transition"),
    rules: ofKind("rule"),
    retries: ofKind("retry"),
    catches: ofKind("catch"),
    all: of(places),
  };
}

/** The report as JSON: totals, and every place with its count. */
export function jsonOf({
  percent,
  totals,
  machines,
}: {
  percent: number;
  totals: CoverageTotals;
  machines: readonly MeasuredDefinition[];
}): string {
  const told = machines.map(({ text, definition, ...machine }) => machine);
  return `${JSON.stringify({ version: 1, percent, totals, machines: told }, null, 2)}\n`;
}
