// Selects the machine of the run that is shown: the run's own, or one that a task has started.

import type { Choices } from "../model/iterations.ts";
import { collapsed, expanded, inside, setFolds } from "./analysis.ts";
import { choices } from "./playback.ts";

/** The folds and choices of the other machines' graphs, by the name of the machine; "" is the run's own. */
const savedViews = new Map<string, [ReadonlySet<string>, ReadonlySet<string>, Choices]>();

export function selectInside(next: typeof inside.value): void {
  const [from, to] = [inside.value?.machine ?? "", next?.machine ?? ""];
  inside.value = next;
  if (next) void import("./insideLayout.ts");
  if (from === to) return;
  savedViews.set(from, [collapsed.value, expanded.value, choices.value]);
  const [closed, open, looked] = savedViews.get(to) ?? [new Set<string>(), new Set<string>(), new Map()];
  setFolds(closed, open);
  choices.value = looked;
}

export function clearViews(): void {
  savedViews.clear();
}
