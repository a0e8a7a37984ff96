// Loads the data of a visit.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { ChildVisit } from "stepglass/debug";
import type { Flow } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as model from "./model.ts";
import { debounced } from "../ui/latestOnly.ts";

/** Returns the data of a visit. It is loaded again when there is more of it. `enter` is the event that began the visit. */
export function useFlow(state: string, enter: number, attempt: number | undefined, child?: ChildVisit, item?: number): Flow | null {
  const wanted = useSignal({ state, enter, attempt, child, item });
  const { value: asked } = wanted;
  if (asked.state !== state || asked.enter !== enter || asked.attempt !== attempt || asked.child?.id !== child?.id || asked.item !== item)
    wanted.value = { state, enter, attempt, child, item };
  const held = useSignal<Flow | null>(null);
  useSignalEffect(() => {
    const { state: name, enter: event, attempt: nth, child: inside, item: of } = wanted.value;
    void execution.eventCount.value;
    void model.stopped.value;
    const run = execution.run.value;
    if (!run || run.id === 0 || (run.recorded !== undefined && !run.replayed)) {
      held.value = null;
      return;
    }
    const asked = {
      state: name,
      enter: event,
      ...(nth !== undefined && { attempt: nth }),
      ...(inside && { child: { id: inside.id, enter: inside.enter, iterations: inside.iterations } }),
      ...(of !== undefined && { item: of }),
    };
    return debounced(
      run.phase === "running" ? 60 : 0,
      () => interpreter.query("flow", asked),
      (found) => (held.value = found),
    );
  });
  return held.value?.state === state && (!child || held.value.visit === child.id) ? held.value : null;
}
