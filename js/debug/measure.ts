// @ts-nocheck: has no types yet.
// Coverage as the command `stepglass coverage` writes it, of counts that came from anywhere.

import { definitionText } from "../execution/machine.ts";
import { lcov } from "../coverage/lcov.ts";
import { jsonOf, placesOf, totalsOf } from "../coverage/measure.ts";
import { percent } from "../coverage/share.ts";

/** What counts by JSON Pointer mean for a definition: its places, sums, and the report as JSON and as an lcov tracefile. */
export function measureCoverage(definition, hits, { file = "definition.asl.json", executions = 0, line = () => 1 } = {}) {
  const places = placesOf(typeof definition?.definition === "string" ? definition.definition : definitionText(definition), hits, line);
  const totals = totalsOf(places);
  const report = { percent: percent(totals.all), totals, machines: [{ title: file, file, executions, places, totals, embedded: false }] };
  return { places, totals, percent: report.percent, json: () => jsonOf(report), lcov: () => lcov(report) };
}
