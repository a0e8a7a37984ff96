// Which node's menu is open; the menu itself is loaded with the first.

import { signal } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";

export const menu = signal<{ node: GraphNode; x: number; y: number; back: () => void } | null>(null);

export function openMenu(node: GraphNode, x: number, y: number, back: () => void): void {
  menu.value = { node, x, y, back };
}
