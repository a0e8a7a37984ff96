// What the inspector shows: the data of what is selected, or its form.

import { computed, signal } from "@preact/signals";
import * as execution from "../store/execution.ts";
import * as selection from "../store/selection.ts";

export type Side = "form" | "data";

/// What the visitor has chosen.
const chosen = signal<Side | null>(null);

/// Before somebody chooses, a state without a run shows its form.
export const side = computed<Side>(
  () => chosen.value ?? (selection.selectedState.value !== null && execution.run.value === null ? "form" : "data"),
);

export function showSide(next: Side): void {
  chosen.value = next;
}
