// Renaming a state in its box on the graph.

import { signal } from "@preact/signals";
import { renameState } from "../editor/place.ts";
import { elementOf } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import { canEdit, perform, toGraph } from "./gesture.ts";

export interface Renaming {
  id: string;
  name: string;
  box: { x: number; y: number; width: number };
}

export const renaming = signal<Renaming | null>(null);

export function startRename(id: string): void {
  const svg = document.querySelector<SVGSVGElement>("svg.canvas");
  const node = analysis.graph.peek()?.graph.nodes.find((one) => one.id === id);
  const box = svg && elementOf(svg, id)?.getBoundingClientRect();
  if (!node || !canEdit()) return;
  // In the table it is renamed in the definition.
  if (!box) return void renameState(node.name);
  const width = Math.max(180, box.width);
  renaming.value = {
    id,
    name: node.name,
    box: { x: Math.max(4, Math.min(box.left + (box.width - width) / 2, innerWidth - width - 4)), y: box.top, width },
  };
}

export function stopRename(): void {
  const id = renaming.peek()?.id ?? null;
  renaming.value = null;
  toGraph(id);
}

export async function rename(to: string): Promise<void> {
  const now = renaming.peek();
  if (!now) return;
  renaming.value = null;
  toGraph(now.id);
  if (to !== now.name && to.trim() !== "") await perform({ kind: "rename", state: now.id, to });
}
