// Three things to know, for who is here for the first time.

import * as prefs from "../prefs.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";

export function Hints() {
  if (prefs.welcomed.value || store.run.value !== null || store.graph.value === null) return null;
  return (
    <section class="hints" aria-label="First steps">
      <ol>
        <li>
          <b>Run</b> it, or step through it with <b>Over</b> and <b>Into</b>.
        </li>
        <li>
          Click left of a state's line in the definition, or choose a state and press <b>Breakpoint</b>: the run stops there.
        </li>
        <li>
          Drag the <b>time line</b> below to look back at any moment.
        </li>
      </ol>
      <button type="button" class="plain small" onClick={() => (prefs.welcomed.value = true)}>
        <Icon name="check" size={13} /> Got it
      </button>
    </section>
  );
}
