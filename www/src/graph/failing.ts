// Where a run has failed, and the way that led there: for the graph, near and from afar, and for the minimap.

import { effect } from "@preact/signals";
import { type GraphIndex, isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import { failing, over } from "./status.ts";

const FAILED = new Set(["failed", "timedOut"]);
const NOTHING = failing.peek();

effect(() => {
  const index = analysis.graph.value;
  const status = execution.run.value?.result?.status;
  void playback.shownAt.value;
  failing.value = index && over.value && status !== undefined && status !== "SUCCEEDED" ? find(index) : NOTHING;
});

function find(index: GraphIndex): typeof NOTHING {
  const { nodes, edges } = index.graph;
  const failed = (at: number): boolean => isState(nodes[at]!) && FAILED.has(playback.runOf(nodes[at]!.id).peek().status);
  const there = nodes.map((_, at) => at).filter(failed);
  // In a Parallel or Map that has failed it is the state inside that is looked for.
  const states = there.filter((at) => !index.statesInside(at).some(failed));
  const way = new Set<string>();
  for (const at of there) {
    // From the failure back along what was taken to the beginning of its scope.
    const seen = new Map<number, number>([[at, -1]]);
    let beginning = -1;
    for (const queue = [at]; queue.length > 0 && beginning < 0;) {
      const to = queue.shift()!;
      for (const e of index.in[to]!) {
        const from = index.byId.get(edges[e]!.from) ?? -1;
        if (from < 0 || seen.has(from) || playback.takenOf(edges[e]!.id).peek() === 0) continue;
        seen.set(from, e);
        queue.push(from);
        if (nodes[from]!.type === "Start") beginning = from;
      }
    }
    for (let from = beginning; from >= 0 && seen.get(from) !== -1;) {
      const edge = edges[seen.get(from)!]!;
      way.add(edge.id);
      from = index.byId.get(edge.to) ?? -1;
    }
  }
  return { states: new Set(states.map((at) => nodes[at]!.id)), way };
}
