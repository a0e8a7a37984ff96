// A value that is dragged from a view of data to an expression.

import { signal } from "@preact/signals";
import type { Path } from "../model/stages.ts";

export interface Carried {
  /** The role of the data in its state. */
  role: "data" | "input" | "result" | "errorOutput" | "output";
  path: Path;
  value: unknown;
}

/** The dragged value, or null. */
export const carried = signal<Carried | null>(null);

/** Starts to drag a value; `text` is what other drop targets receive. */
export function carry(event: DragEvent, what: Carried, text: string): void {
  event.dataTransfer?.setData("text/plain", text);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copy";
  carried.value = what;
}

export function putDown(): void {
  carried.value = null;
}
