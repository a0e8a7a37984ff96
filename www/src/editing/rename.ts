// Renaming: a state in its box on the graph, a variable in the text, where its places are.

import { signal } from "@preact/signals";
import { definitionEditor, renameState } from "../editor/place.ts";
import { elementOf } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { canEdit, perform, toGraph } from "./gesture.ts";
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

/// So many words of a text are asked about until one is the variable.
const MOST_ASKED = 200;

/// Asks which variable, and for its other name, which is written wherever it is assigned and read.
export async function renameVariable(): Promise<void> {
  if (!canEdit()) return;
  workspace.flush();
  const [text, format] = [workspace.definition.peek(), workspace.format.peek()];
  const names = await interpreter.query("json", { text, format }).then(assignedIn, () => []);
  if (names.length === 0) return showToast("The machine assigns no variables.");
  const chosen =
    names.length === 1
      ? names[0]
      : (
          await pick({
            title: "Rename a variable",
            placeholder: "Name of the variable",
            groups: [{ title: "", options: names.map((name) => ({ id: name, title: `$${name}` })) }],
          })
        )?.id;
  if (chosen === undefined) return;
  const places = [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}_])${chosen}(?![\\p{L}\\p{N}_])`, "gu"))].slice(0, MOST_ASKED);
  for (const { index } of places) {
    const found = await interpreter.query("references", { text, format, offset: index + 1 }).catch(() => null);
    if (found?.kind !== "variable" || found.name !== chosen) continue;
    selection.revealRange(found.from, found.to);
    requestAnimationFrame(() => definitionEditor.value?.rename(found.from));
    return;
  }
  showToast(`$${chosen} is written in a way that cannot be renamed here.`);
}

/// The names of all variables that a definition assigns.
function assignedIn(json: string): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 100) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "Assign" && typeof inner === "object" && inner !== null)
        for (const name of Object.keys(inner)) found.add(name.replace(/\.\$$/, ""));
      walk(inner, depth + 1);
    }
  };
  walk(JSON.parse(json), 0);
  return [...found].filter((name) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
}
