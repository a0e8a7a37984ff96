// A value that is dragged from where the page shows data to where an expression is written.

import { signal } from "@preact/signals";
import type { Path } from "../model/stages.ts";

export interface Carried {
  /// What the data is to the state that it is of.
  role: "data" | "input" | "result" | "errorOutput" | "output";
  path: Path;
  value: unknown;
}

/// While something is dragged.
export const carried = signal<Carried | null>(null);

/// Begins to drag a value; `text` is what other places get.
export function carry(event: DragEvent, what: Carried, text: string): void {
  event.dataTransfer?.setData("text/plain", text);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copy";
  carried.value = what;
}

export function putDown(): void {
  carried.value = null;
}
