// Overlays on the graph: the comparison of two runs, and the coverage.

import { effect, signal } from "@preact/signals";
import { type Overlay, overlay } from "./onGraph.ts";
import { type GraphIndex, isState } from "../model/graph.ts";
import type { Covered, RunDifference } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import { say } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";

/** The two runs that are compared, and their difference once it is known. */
export const comparing = signal<{ a: number; b: number; difference: RunDifference | null } | null>(null);
/** The coverage while the graph shows it. */
export const coverageShown = signal<Covered | null>(null);

/** Another overlay, for example the changes since a file was saved. */
export const customOverlay = signal<((index: GraphIndex) => Overlay) | null>(null);

export function leaveComparing(): void {
  comparing.value = null;
  say("Comparison closed");
}

effect(() => {
  const index = analysis.graph.value;
  const compared = comparing.value;
  const covered = coverageShown.value;
  void customOverlay.value;
  // Both overlays refer to the definition on the page.
  overlay.value =
    !index || analysis.inside.value
      ? null
      : compared?.difference
        ? ofDifference(index, compared.a, compared.b, compared.difference)
        : covered
          ? ofCoverage(index, covered)
          : (customOverlay.value?.(index) ?? null);
});

// Both are removed when the workspace is replaced.
effect(() => {
  void workspace.generation.value;
  comparing.value = null;
  coverageShown.value = null;
  customOverlay.value = null;
});

/** Returns the kind of each transition. A transition without a position in the definition has the kind of its target state. */
function edgesOf(index: GraphIndex, kindOf: (pointer: string) => string): Map<string, string> {
  return new Map(
    index.graph.edges.map(({ id, from, to, kind }) => [
      id,
      kindOf(kind === "start" ? to : kind === "end" && index.node(index.byId.get(from) ?? -1)?.type === "Fail" ? from : id),
    ]),
  );
}

function ofDifference(index: GraphIndex, a: number, b: number, { ways }: RunDifference): Overlay {
  const kindOf = (pointer: string): string => ways[pointer] ?? "none";
  const TITLES: Record<string, string> = { a: `only in run ${a}`, b: `only in run ${b}`, both: "in both runs", none: "in neither run" };
  return {
    title: `runs ${a} and ${b} compared`,
    nodes: new Map(
      index.graph.nodes.filter(isState).map(({ pointer }) => {
        const kind = kindOf(pointer);
        return [pointer, { kind, title: TITLES[kind]!, ...(kind === "a" && { sign: "A" }), ...(kind === "b" && { sign: "B" }) }];
      }),
    ),
    edges: edgesOf(index, kindOf),
    legend: [
      { kind: "a", text: `A: only run ${a}`, sign: "A" },
      { kind: "b", text: `B: only run ${b}`, sign: "B" },
      { kind: "both", text: "both" },
      { kind: "none", text: "neither" },
    ],
    close: leaveComparing,
  };
}

function ofCoverage(index: GraphIndex, { hits, places, runs }: Covered): Overlay {
  const unused = new Map<string, number>();
  for (const place of places) if (place.kind !== "state" && place.count === 0) unused.set(place.state, (unused.get(place.state) ?? 0) + 1);
  const kindOf = (pointer: string): string => ((hits[pointer] ?? 0) > 0 ? "covered" : "uncovered");
  return {
    title: "coverage",
    nodes: new Map(
      index.graph.nodes.filter(isState).map(({ pointer, name }): [string, NonNullable<ReturnType<Overlay["nodes"]["get"]>>] => {
        const kind = kindOf(pointer);
        const left = unused.get(name) ?? 0;
        if (kind === "uncovered") return [pointer, { kind, title: "never entered in any run", sign: "0" }];
        return [
          pointer,
          {
            kind: left > 0 ? "partly" : kind,
            title: `entered ${count(hits[pointer]!, "time")} in all runs${left > 0 ? `, ${count(left, "part")} never used` : ""}`,
            ...(left > 0 && { sign: { sign: "half" } }),
          },
        ];
      }),
    ),
    edges: edgesOf(index, kindOf),
    legend: [
      { kind: "covered", text: "used" },
      { kind: "partly", text: "used in part", sign: { sign: "half" } },
      { kind: "uncovered", text: `never used in ${count(runs, "run")}`, sign: "0" },
    ],
    close: () => (coverageShown.value = null),
  };
}
