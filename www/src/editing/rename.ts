// Asks for the name of a state, in its box on the graph.

import { renameState } from "../editor/definitionEditor.ts";
import { elementOf } from "../graph/focus.ts";
import { askName as ask } from "../graph-editor/view/nameField.ts";
import type { GraphNode } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import { toGraph } from "./gesture.ts";
import { overPanes } from "./picking.ts";

/** Asks for a new name. In the table, a state is renamed in the definition. */
export async function askName(node: GraphNode): Promise<string | undefined> {
  const svg = document.querySelector<SVGSVGElement>("svg.canvas");
  const box = svg && elementOf(svg, node.id)?.getBoundingClientRect();
  if (!box) {
    void renameState(node.name);
    return undefined;
  }
  const taken = (name: string): boolean => analysis.latest.value?.states.some((state) => state.name === name) === true;
  return ask(node, { parent: overPanes(), popover: false, box, taken, back: () => toGraph(node.id) });
}
