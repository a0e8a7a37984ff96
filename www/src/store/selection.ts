// The selection: one state and one event, everywhere.

import { batch, signal } from "@preact/signals";
import { showLeft } from "./panes.ts";

export type Origin = "graph" | "editor" | "events" | "inspector" | "problems" | "page";

export const selectedState = signal<string | null>(null);
/// With more than one, all of them; gestures that take several states have these.
export const alsoSelected = signal<ReadonlySet<string>>(new Set());
export const selectedEvent = signal<number | null>(null);
export const selectionOrigin = signal<Origin>("page");
/// A place in the definition to go to; the number makes equal ones differ.
export const reveal = signal<{ from: number; to: number; count: number } | null>(null);

export function selectState(state: string | null, origin: Origin): void {
  if (selectedState.value === state && selectionOrigin.value === origin) return;
  batch(() => {
    selectedState.value = state;
    selectionOrigin.value = origin;
    if (origin === "graph" || origin === "editor") selectedEvent.value = null;
  });
}

/// Several states; none where there are fewer than two.
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

/// The editor stands there.
export function revealed(): void {
  reveal.value = null;
}
