// The focused node of the graph.

import { signal } from "@preact/signals";
import { type GraphNode, isState } from "../model/graph.ts";
import * as selection from "../store/selection.ts";

/** The node that the Tab key reaches. */
export const focused = signal<string | null>(null);
/** The node that gets the focus again when its element has been replaced. */
export const refocus: { id: string | null } = { id: null };

export function choose(node: GraphNode): void {
  if (isState(node)) selection.selectState(node.name, "graph");
}

/** Moves the focus to a node. Returns false if it is not drawn. */
export function focusNode(svg: SVGSVGElement, id: string): boolean {
  const element = elementOf(svg, id);
  element?.focus({ preventScroll: true });
  return element !== null;
}

export function elementOf(svg: Element, id: string): SVGGElement | null {
  return svg.querySelector<SVGGElement>(`[data-node="${CSS.escape(id)}"]`);
}
