// The failed states of a run, and the transitions that led to them, for the graph in every size and for the minimap.

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
  // If a Parallel or Map has failed, the failed state inside it is shown.
  const states = there.filter((at) => !index.statesInside(at).some(failed));
  const way = new Set<string>();
  for (const at of there) {
    // The search goes back from the failure, along the transitions taken, to the start of its scope.
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
