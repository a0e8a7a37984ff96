// A value that is dragged from a view of data to an expression.

import { signal } from "@preact/signals";
import type { Path } from "../model/stages.ts";

export interface DraggedValue {
  /** The role of the data in its state. */
  role: "data" | "input" | "result" | "errorOutput" | "output";
  path: Path;
  value: unknown;
}

/** The dragged value, or null. */
export const dragged = signal<DraggedValue | null>(null);

/** Starts to drag a value; `text` is what other drop targets receive. */
export function startDragging(event: DragEvent, what: DraggedValue, text: string): void {
  event.dataTransfer?.setData("text/plain", text);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copy";
  dragged.value = what;
}

export function putDown(): void {
  dragged.value = null;
}
