// @ts-nocheck: has no types yet.
// What counts of uses come to: places with their counts, sums, and the report for programs. Reads no files.

import { Outline } from "./outline.ts";

/** The kinds of places, and what a report calls all of a kind. */
export const WORDS = { state: "states", transition: "transitions", rule: "rules", retry: "retries", catch: "catches" };

/** All places of a definition's text, with how often each was used and the line on which it stands. */
export function placesOf(definition, hits, line) {
  return new Outline(JSON.parse(definition)).places().map((place) => ({ ...place, line: line(place.pointer) ?? 1, count: hits[place.pointer] ?? 0 }));
}

/** `{states: {covered, total}, …}` and of all places. */
export function totalsOf(places) {
  const of = (chosen) => ({ covered: chosen.filter(({ count }) => count > 0).length, total: chosen.length });
  return { ...Object.fromEntries(Object.entries(WORDS).map(([kind, word]) => [word, of(places.filter((place) => place.kind === kind))])), all: of(places) };
}

/** The report as JSON: totals, and every place with its count. */
export function jsonOf({ percent, totals, machines }) {
  const told = machines.map(({ text, definition, embedded, ...machine }) => machine);
  return `${JSON.stringify({ version: 1, percent, totals, machines: told }, null, 2)}\n`;
}
