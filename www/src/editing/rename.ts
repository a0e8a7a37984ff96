// Asks for the name of a state, in its box on the graph.

import { signal } from "@preact/signals";
import { renameState } from "../editor/definitionEditor.ts";
import { elementOf } from "../graph/focus.ts";
import type { GraphNode } from "../model/graph.ts";
import { toGraph } from "./gesture.ts";

export interface Renaming {
  id: string;
  name: string;
  box: { x: number; y: number; width: number };
  answer(name: string | undefined): void;
}

export const renaming = signal<Renaming | null>(null);

/** Asks for a new name. In the table, a state is renamed in the definition. */
export function askName({ id, name }: GraphNode): Promise<string | undefined> {
  const svg = document.querySelector<SVGSVGElement>("svg.canvas");
  const box = svg && elementOf(svg, id)?.getBoundingClientRect();
  if (!box) {
    void renameState(name);
    return Promise.resolve(undefined);
  }
  const width = Math.max(180, box.width);
  return new Promise((resolve) => {
    renaming.value = {
      id,
      name,
      box: { x: Math.max(4, Math.min(box.left + (box.width - width) / 2, innerWidth - width - 4)), y: box.top, width },
      answer(to) {
        renaming.value = null;
        toGraph(id);
        resolve(to);
      },
    };
  });
}
