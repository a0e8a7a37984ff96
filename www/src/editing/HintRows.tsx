// One-time notices below the graph: the next possible action, and where a breakpoint would help.

import { StopHints } from "../debugger/stopHints.tsx";
import { Icon } from "../ui/Icon.tsx";
import { dismissHint, hint, noMoreHints } from "./hints.ts";

export function HintRows() {
  return (
    <>
      <StopHints />
      {hint.value && <Hint text={hint.value.text} />}
    </>
  );
}

function Hint({ text }: { text: string }) {
  return (
    <aside class="edit-hint" aria-label="Hint">
      <Icon name="bulb" size={16} />
      <p>{text}</p>
      <div>
        <button type="button" class="link" onClick={dismissHint}>
          Got it
        </button>
        <button type="button" class="link" onClick={noMoreHints}>
          No more hints
        </button>
      </div>
    </aside>
  );
}
