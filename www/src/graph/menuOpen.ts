// The open menu of a node. The code of the menu is loaded when the first one is opened.

import { signal } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";
import type { NodeCommand } from "../debugger/onGraph.ts";

interface OpenMenu {
  node: GraphNode;
  /** For a menu that is not the node's own: its title and its commands. */
  title?: string;
  commands?: readonly (readonly NodeCommand[])[];
  x: number;
  y: number;
  /** Returns the focus to where it was. */
  back: () => void;
}

export const menu = signal<OpenMenu | null>(null);

export function openMenu(node: GraphNode, x: number, y: number, back: () => void): void {
  menu.value = { node, x, y, back };
}
