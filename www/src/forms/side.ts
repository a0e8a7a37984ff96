// What the inspector shows: the data of what is selected, with its breakpoint, or its form.

import { signal } from "@preact/signals";

export type Side = "form" | "data";

/// It stays as the visitor has chosen it, from state to state.
export const side = signal<Side>("data");

export function showSide(next: Side): void {
  side.value = next;
}
