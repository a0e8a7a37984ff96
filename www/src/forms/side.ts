// The content of the inspector: the data of the selected state with its breakpoint, or its form.

import { signal } from "@preact/signals";

export type Side = "form" | "data";

/** The user's choice, which applies to all states. */
export const side = signal<Side>("data");

export function showSide(next: Side): void {
  side.value = next;
}
