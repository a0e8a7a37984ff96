// The targets of a state's transitions, for screen readers and for its card.

import type { GraphIndex } from "../model/graph.ts";

/** Returns the targets of a state's transitions in words. */
export function targetsInWords(index: GraphIndex, at: number, most: number): string[] {
  return (index.out[at] ?? []).slice(0, most).map((e) => {
    const edge = index.graph.edges[e]!;
    const to = index.node(index.byId.get(edge.to) ?? -1)?.name ?? "?";
    switch (edge.kind) {
      case "end":
        return "ends";
      case "choice":
        return `to ${to} if ${edge.title ?? edge.label ?? ""}`;
      case "default":
        return `else to ${to}`;
      case "catch":
        return `on ${edge.title ?? edge.label ?? "error"} to ${to}`;
      default:
        return `goes to ${to}`;
    }
  });
}
