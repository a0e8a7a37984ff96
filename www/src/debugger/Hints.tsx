// Three hints for first-time users.

import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import { Icon } from "../ui/Icon.tsx";
import { tour } from "../ui/tour.ts";

export function Hints() {
  if (execution.run.value !== null || analysis.graph.value === null) return null;
  return (
    <section class="hints" aria-label="First steps">
      <ol>
        <li>
          Press <b>Run</b>, or <b>Step</b> to go through the machine state by state.
        </li>
        <li>
          To pause a run at a state, select the state and press <b>Breakpoint</b>, or click in the margin next to it in the definition.
        </li>
        <li>
          Drag the <b>timeline</b> below to look back at any moment of the run.
        </li>
      </ol>
      <p class="hints-end">
        <button type="button" class="small" onClick={() => tour.begin()}>
          Show me, in 30 seconds
        </button>
        <button type="button" class="plain small" onClick={() => (prefs.welcomed.value = true)}>
          <Icon name="check" size={13} /> Got it
        </button>
      </p>
    </section>
  );
}
