// The notice about a machine with too many states to see at once.

import { useSignal } from "@preact/signals";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";

export function LargeMachine() {
  const seen = useSignal(-1);
  const generation = workspace.generation.value;
  const states = analysis.latest.value?.states ?? [];
  // Other notices use the same place.
  if (seen.value === generation || analysis.stale.value || execution.run.value !== null) return null;
  const folds = states.some(({ type }) => type === "Parallel" || type === "Map");
  return (
    <p class="banner info" role="status">
      <span>
        {count(states.length, "state")}.{" "}
        {folds ? "Parallel and Map states begin folded." : "No state can be folded, so only the visible part is drawn."}
      </span>
      <button type="button" class="plain square small" aria-label="Dismiss" onClick={() => (seen.value = generation)}>
        <Icon name="close" size={14} />
      </button>
    </p>
  );
}
