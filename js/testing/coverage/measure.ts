// Computes coverage from counts: places with their counts, totals, and the report for programs. It reads no files.

import type { CoverageTotals, CoveredPlace } from "../../core/api/testing.d.ts";
import { Outline } from "../../core/definition/outline.ts";

/** The data of each definition that every report contains. */
export interface MeasuredDefinition {
  title: string;
  file?: string;
  executions: number;
  places: CoveredPlace[];
  totals: CoverageTotals;
  /** The definition's JSON text. */
  definition?: string;
  /** The text whose lines the places refer to. */
  text?: string;
}

/** The kinds of places, with their plurals in reports. */
export const WORDS = { state: "states", transition: "transitions", rule: "rules", retry: "retries", catch: "catches" } as const;

/** Returns all places of a definition's text, with their counts and lines. */
export function placesOf(
  definition: string,
  hits: Readonly<Record<string, number>>,
  line: (pointer: string) => number | undefined,
): CoveredPlace[] {
  return new Outline(JSON.parse(definition))
    .places()
    .map((place) => ({ ...place, line: line(place.pointer) ?? 1, count: hits[place.pointer] ?? 0 }));
}

/** Returns the totals of each kind and of all places. */
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

/** Returns the report as JSON: totals, and every place with its count. */
export function jsonOf({
  percent,
  totals,
  machines,
}: {
  percent: number;
  totals: CoverageTotals;
  machines: readonly MeasuredDefinition[];
}): string {
  const reported = machines.map(({ text, definition, ...machine }) => machine);
  return `${JSON.stringify({ version: 1, percent, totals, machines: reported }, null, 2)}\n`;
}
