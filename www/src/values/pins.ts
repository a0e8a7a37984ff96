// The paths within outputs that the graph shows in place of whole outputs, by state name.

import { signal } from "@preact/signals";
import type { Path } from "../model/stages.ts";

export const pins = signal<ReadonlyMap<string, Path>>(new Map());

export function pin(state: string, path: Path | null): void {
  const next = new Map(pins.peek());
  if (path) next.set(state, path);
  else next.delete(state);
  pins.value = next;
}
