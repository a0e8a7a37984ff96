// Which node's menu is open; the menu itself is loaded with the first.

import { signal } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";
import type { NodeCommand } from "../debugger/onGraph.ts";

interface OpenMenu {
  node: GraphNode;
  /// Of a menu that is not the node's own: what it is of, and what is in it.
  title?: string;
  commands?: readonly (readonly NodeCommand[])[];
  x: number;
  y: number;
  /// Gives the focus back.
  back: () => void;
}

export const menu = signal<OpenMenu | null>(null);

export function openMenu(node: GraphNode, x: number, y: number, back: () => void): void {
  menu.value = { node, x, y, back };
}
