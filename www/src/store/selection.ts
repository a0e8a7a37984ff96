// The selection, which all parts of the page share: one state and one event.

import { batch, signal } from "@preact/signals";
import { showLeft } from "./panes.ts";

export type Origin = "graph" | "editor" | "events" | "inspector" | "problems" | "page";

export const selectedState = signal<string | null>(null);
/** All selected states, if there is more than one. Gestures for several states apply to them. */
export const alsoSelected = signal<ReadonlySet<string>>(new Set());
export const selectedEvent = signal<number | null>(null);
export const selectionOrigin = signal<Origin>("page");
/** A range of the definition to go to. The number distinguishes equal ranges. */
export const reveal = signal<{ from: number; to: number; count: number } | null>(null);

export function selectState(state: string | null, origin: Origin): void {
  if (selectedState.value === state && selectionOrigin.value === origin) return;
  batch(() => {
    selectedState.value = state;
    selectionOrigin.value = origin;
    if (origin === "graph" || origin === "editor") selectedEvent.value = null;
  });
}

/** Selects several states. With fewer than two, the set is cleared. */
export function selectAlso(states: readonly string[]): void {
  if (states.length > 1 || alsoSelected.peek().size > 0) alsoSelected.value = new Set(states.length > 1 ? states : []);
}

export function forgetEvent(): void {
  selectedEvent.value = null;
}

let reveals = 0;
export function revealRange(from: number, to: number): void {
  batch(() => {
    showLeft("definition");
    reveal.value = { from, to, count: ++reveals };
  });
}

/** Called when the editor has moved there. */
export function revealed(): void {
  reveal.value = null;
}
