// Renames a state in its box on the graph, or a variable everywhere in the text.

import { signal } from "@preact/signals";
import { renameState } from "../editor/definitionEditor.ts";
import { elementOf } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import { showToast } from "../store/notifications.ts";
import { canEdit, perform, possible, toGraph } from "./gesture.ts";
import { pick } from "./picking.ts";

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
  // In the table, a state is renamed in the definition.
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

/** Asks for a variable and its new name, and replaces it wherever it is assigned and read. */
export async function renameVariable(): Promise<void> {
  if (!canEdit()) return;
  const names = (await possible("")).find(({ kind }) => kind === "rename")?.variables ?? [];
  if (names.length === 0) return showToast("The machine assigns no variables.");
  const variable = names.length === 1 ? names[0] : (await pickVariable(names))?.id;
  if (variable === undefined) return;
  const to = await pick({
    title: `Rename $${variable}`,
    placeholder: `New name of $${variable}`,
    groups: [],
    text: variable,
    made: (text) => {
      const name = text.replace(/^\$/, "");
      return name === "" || name === variable ? undefined : { id: name, title: `Call it $${name} wherever it is assigned and read` };
    },
    nothing: () => "Type its new name.",
  });
  if (to) await perform({ kind: "rename", variable, to: to.id });
}

const pickVariable = (names: readonly string[]) =>
  pick({
    title: "Rename a variable",
    placeholder: "Name of the variable",
    groups: [{ title: "", options: names.map((name) => ({ id: name, title: `$${name}` })) }],
  });
