// Formats coverage as an lcov tracefile: states are functions, and transitions that a state chooses from are branches.

import type { CoveredPlace } from "../../core/api/testing.d.ts";
import type { MeasuredDefinition } from "./measure.ts";

/** Returns the tracefile of all definitions that have lines in a file. */
export function lcov(report: { machines: readonly Pick<MeasuredDefinition, "file" | "places">[] }): string {
  return report.machines.map(({ file, places }) => (file === undefined ? "" : record(file, places))).join("");
}

function record(file: string, places: readonly CoveredPlace[]): string {
  const out = ["TN:", `SF:${file}`];
  const states = places.filter(({ kind }) => kind === "state");
  const name = ({ state }: CoveredPlace) => state.replaceAll(/[\n\r]/g, " ");
  for (const state of states) out.push(`FN:${state.line},${name(state)}`);
  for (const state of states) out.push(`FNDA:${state.count},${name(state)}`);
  out.push(`FNF:${states.length}`, `FNH:${states.filter(({ count }) => count > 0).length}`);
  const branches = states.flatMap((state, block) =>
    ways(places, state).map((place, i) => ({ ...place, block, i, reached: state.count > 0 })),
  );
  for (const { line, block, i, count, reached } of branches) out.push(`BRDA:${line},${block},${i},${reached ? count : "-"}`);
  out.push(`BRF:${branches.length}`, `BRH:${branches.filter(({ count }) => count > 0).length}`);
  const lines = new Map<number, number>();
  for (const { line, count } of places) lines.set(line, Math.max(lines.get(line) ?? 0, count));
  for (const [line, count] of [...lines].sort(([a], [b]) => a - b)) out.push(`DA:${line},${count}`);
  out.push(`LF:${lines.size}`, `LH:${[...lines.values()].filter((count) => count > 0).length}`, "end_of_record", "");
  return out.join("\n");
}

/** Returns the transitions from which a state chooses. Empty for a state with one transition. */
function ways(places: readonly CoveredPlace[], { state }: CoveredPlace): CoveredPlace[] {
  const own = places.filter((place) => place.state === state && place.kind !== "state");
  return own.length > 1 ? own : [];
}
