// The coverage of the definition on the page by all runs together.

import { type DebugSession, type MeasuredCoverage, measureCoverage } from "stepglass/debug";
import { countFitting } from "stepglass/search";
import { memberOffsets } from "../model/jsonRanges.ts";
import type { Covered } from "../model/protocol.ts";
import type { Source } from "./definition.ts";

/** The hits of runs that were removed, by definition, and the number of those runs. */
export type Tally = Map<string, { hits: Record<string, number>; runs: number }>;

/** The maximum number of definitions in a tally. The oldest are dropped first. */
const MOST_DEFINITIONS = 50;

/** Returns a definition in a normal form. Two texts mean the same definition if their normal forms are equal. */
export function canonical(json: string): string {
  return JSON.stringify(JSON.parse(json));
}

export function tallyRun(tally: Tally, session: DebugSession, run: number, definition: string): void {
  const key = canonical(definition);
  const counted = tally.get(key) ?? { hits: {}, runs: 0 };
  counted.runs += 1;
  add(counted.hits, session.coverage(run));
  tally.delete(key);
  tally.set(key, counted);
  for (const oldest of tally.keys()) {
    if (tally.size <= MOST_DEFINITIONS) break;
    tally.delete(oldest);
  }
}

/** Returns the coverage of a text's definition. Runs of other definitions do not count, because their parts may differ. */
export function coverageOf(
  source: Source,
  text: string,
  tally: Tally,
  session: DebugSession | undefined,
  definitionOf: (run: number) => string,
): Covered {
  const key = canonical(source.json);
  const gone = tally.get(key);
  const hits = { ...gone?.hits };
  let counted = gone?.runs ?? 0;
  let others = [...tally].reduce((sum, [other, { runs }]) => sum + (other === key ? 0 : runs), 0);
  for (const { id } of session?.runs() ?? []) {
    if (canonical(definitionOf(id)) !== key) others += 1;
    else {
      counted += 1;
      add(hits, session!.coverage(id));
    }
  }
  const { places, totals, percent } = measured(source, text, hits, counted, "");
  return { places, totals, percent, hits, runs: counted, others };
}

/** Returns the coverage report as a file, in the formats of `stepglass coverage`. */
export function coverageFile(
  source: Source,
  text: string,
  hits: Record<string, number>,
  runs: number,
  file: string,
  form: "json" | "lcov",
): string {
  return measured(source, text, hits, runs, file)[form]();
}

function measured({ json, yaml }: Source, text: string, hits: Record<string, number>, executions: number, file: string): MeasuredCoverage {
  const offsets = memberOffsets(json);
  const lineOf = lineCounter(text);
  const line = (pointer: string): number | undefined => {
    const offset = offsets.get(pointer);
    if (offset === undefined) return undefined;
    return yaml ? yaml.locate(offset, offset + 1)?.range.start.line : lineOf(offset);
  };
  return measureCoverage(json, hits, { file, executions, line });
}

/** Returns a function that gives the line of an offset, from 1. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => countFitting(starts.length, (line) => starts[line]! <= offset);
}

function add(to: Record<string, number>, more: Record<string, number>): void {
  for (const [pointer, count] of Object.entries(more)) to[pointer] = (to[pointer] ?? 0) + count;
}
