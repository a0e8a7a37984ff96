// The data of a visit, for whoever shows it.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Flow } from "../model/protocol.ts";
import * as store from "../store.ts";
import * as model from "./model.ts";

/// The data of a visit, asked again when there is more of it; `enter` is the event that began it.
export function useFlow(state: string, enter: number, attempt: number | undefined): Flow | null {
  const wanted = useSignal<{ state: string; enter: number; attempt: number | undefined }>({ state, enter, attempt });
  if (wanted.peek().state !== state || wanted.peek().enter !== enter || wanted.peek().attempt !== attempt) wanted.value = { state, enter, attempt };
  const held = useSignal<Flow | null>(null);
  useSignalEffect(() => {
    const { state: name, enter: event, attempt: nth } = wanted.value;
    store.eventCount.value;
    model.stopped.value;
    const run = store.run.value;
    if (!run || run.id === 0 || run.recorded !== undefined) {
      held.value = null;
      return;
    }
    let stale = false;
    const timer = setTimeout(() => {
      store.query("flow", { state: name, enter: event, ...(nth !== undefined && { attempt: nth }) }).then((found) => !stale && (held.value = found), () => {});
    }, run.phase === "running" ? 60 : 0);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  });
  return held.value?.state === state ? held.value : null;
}
