// The search for states by name: matches are highlighted, and Enter goes from one to the next.

import { batch, computed, signal } from "@preact/signals";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { focused } from "./focus.ts";
import { reveal } from "./viewport.ts";

export const open = signal(false);
export const query = signal("");
const at = signal(0);

/** The states whose name, type or resource matches, in the order of the definition. States in folded containers are included. */
export const hits = computed<string[]>(() => {
  const text = query.value.trim().toLowerCase();
  if (!open.value || text === "") return [];
  const fits = (state: { name: string; type: string; detail: string }): boolean =>
    `${state.name}\n${state.type}\n${state.detail}`.toLowerCase().includes(text);
  return (analysis.shown.value?.states ?? []).filter(fits).map(({ name }) => name);
});

export const position = computed(() => (hits.value.length === 0 ? 0 : (at.value % hits.value.length) + 1));

/** The search results for the nodes. */
export const found = computed<{ names: ReadonlySet<string>; current: string | null }>(() => ({
  names: new Set(hits.value),
  current: hits.value[position.value - 1] ?? null,
}));

export function look(text: string): void {
  batch(() => {
    query.value = text;
    at.value = 0;
  });
  show();
}

/** Goes to the next match, or to the previous one. */
export function step(by: number): void {
  const { length } = hits.value;
  if (length === 0) return;
  at.value = (at.value + by + length) % length;
  show();
}

export function close(): void {
  batch(() => {
    open.value = false;
    query.value = "";
  });
}

function show(): void {
  const name = hits.value[position.value - 1];
  if (name === undefined) return;
  const pointer = analysis.shown.value?.states.find((state) => state.name === name)?.pointer;
  selection.selectState(name, "graph");
  const index = analysis.graph.value;
  const node = index?.node(index.byName.get(name) ?? -1);
  if (node) {
    focused.value = node.id;
    reveal(node.id);
  } else if (pointer !== undefined) analysis.unfoldTo(pointer);
}
