// Coverage reports like those of `stepglass coverage`, from counts of any source.

import type { measureCoverage as Measure, MeasuredCoverage } from "../../core/api/debug.d.ts";
import { definitionText } from "../../core/definition/settings.ts";
import { lcov } from "../../testing/coverage/lcov.ts";
import { jsonOf, placesOf, totalsOf } from "../../testing/coverage/measure.ts";
import { percent } from "../../testing/coverage/share.ts";

type Given = Parameters<typeof Measure>;

/**
 * Applies counts by JSON Pointer to a definition. Returns its places, the sums, and the report as JSON and as an lcov tracefile.
 */
export function measureCoverage(
  definition: Given[0],
  hits: Given[1],
  { file = "definition.asl.json", executions = 0, line = () => 1 }: NonNullable<Given[2]> = {},
): MeasuredCoverage {
  const { definition: own } = (definition ?? {}) as { definition?: unknown };
  const places = placesOf(typeof own === "string" ? own : definitionText(definition), hits, line);
  const totals = totalsOf(places);
  const report = { percent: percent(totals.all), totals, machines: [{ title: file, file, executions, places, totals }] };
  return { places, totals, percent: report.percent, json: () => jsonOf(report), lcov: () => lcov(report) };
}
