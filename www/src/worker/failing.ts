// The part of a definition's text with which an execution has failed.

import type { Flow, Methods, RunOutcome } from "../model/protocol.ts";
import { readSource } from "./definition.ts";
import { failingRange } from "./failingRange.ts";
import type { GraphIndex } from "../model/graph.ts";
import { back } from "./language.ts";
import type { failureOf } from "./failure.ts";

/** What is asked about the execution on screen. */
interface Asked {
  outcome: RunOutcome;
  graph: GraphIndex;
  flow(state: string, enter: number): Flow | null | Promise<Flow | null>;
  failure(visit: number, attempt: number): ReturnType<typeof failureOf>;
}

export async function failingPart(
  { text, format }: Methods["failing"]["params"],
  { outcome: { failure }, graph, flow, failure: failureIn }: Asked,
): Promise<Methods["failing"]["value"]> {
  const node = failure && graph.node(graph.byName.get(failure.state) ?? -1);
  const found = node && (await flow(failure.state, failure.enter));
  const info = found ? failureIn(found.visit, found.attempt) : null;
  if (!node || !info) return null;
  const source = await readSource(text, format);
  const range = failingRange(source.json, node.pointer, info);
  return range === undefined
    ? null
    : { ...back(source, { start: range.from, end: range.to }), title: info.why ?? info.said ?? "The run has failed here." };
}
