// The states that a run has entered again and again, and what can be done about an endless loop.

import { useSignal, useSignalEffect } from "@preact/signals";
import * as session from "../debugger/session.ts";
import type { RunOutcome } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import { showToast } from "../store/notifications.ts";
import { count } from "../ui/format.ts";
import { latestOnly } from "../ui/latestOnly.ts";

/** Loads the outcome of the run, again with each new event. */
export function useOutcome(): RunOutcome | null {
  const found = useSignal<RunOutcome | null>(null);
  useSignalEffect(() => {
    void execution.eventCount.value;
    const run = execution.run.value;
    found.value = null;
    if (!run || run.id === 0) return;
    return latestOnly(interpreter.query("outcome", {}), (outcome) => (found.value = outcome));
  });
  return found.value;
}

export function Repeated() {
  const outcome = useOutcome();
  return outcome && <Repeats repeated={outcome.repeated} />;
}

/**
 * The repetition that the debugger goes to: it is far enough into the loop to show what it does, and near enough to its start to
 * step from there.
 */
const ROUND = 10;

export function Repeats({ repeated }: Pick<RunOutcome, "repeated">) {
  const [first] = repeated;
  if (!first) return null;
  return (
    <section class="repeats">
      <h4>Repeated states</h4>
      <ul class="ways">
        {repeated.map(({ state, times, enter }) => (
          <li key={state}>
            <button type="button" class="link" onClick={() => playback.selectEvent(enter, state, "inspector")}>
              {state}
            </button>
            <span class="way-when">entered {count(times, "time")}</span>
          </li>
        ))}
      </ul>
      {execution.run.value?.recorded === undefined && (
        <button type="button" class="small" onClick={() => stopAt(first.state)}>
          Add a breakpoint on round {ROUND} of {first.state}
        </button>
      )}
    </section>
  );
}

function stopAt(state: string): void {
  session.addBreakpoint({ kind: "entry", state, hit: String(ROUND) });
  showToast(`The next run pauses when it enters ${state} for the ${ROUND}th time.`);
}
