// The current run as the source of a test.

import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { callsAnswered } from "./answers.ts";
import { type Run, hasChildExecutions, testText } from "./asTest.ts";

/** Returns the current run with its definition and options. */
export async function theRun(): Promise<Run> {
  const run = execution.run.value!;
  const { events } = JSON.parse(await interpreter.query("history", {})) as { events: HistoryEvent[] };
  const made = await interpreter.query("calls", {});
  if (!made && hasChildExecutions(events))
    throw new Error("A Distributed Map's children have histories of their own, so a complete test cannot be made from this recording.");
  const started = events[0]?.["executionStartedEventDetails"] as { input?: string } | undefined;
  return {
    title: workspace.title.value,
    definition: await interpreter.query("json", { text: run.definition, format: workspace.format.value }),
    input: started?.input ?? "{}",
    seed: made?.seed ?? run.seed,
    name: made?.name ?? `run-${run.id}`,
    ...(made?.arn !== undefined && { arn: made.arn }),
    events,
    config: made?.config ?? {},
    ...(made && { calls: callsAnswered(made.calls) }),
  };
}

/** Copies a test for Node's test runner. */
export async function copyTest(): Promise<void> {
  await navigator.clipboard.writeText(testText(await theRun(), "node:test")).catch(() => {
    throw new Error("The browser did not allow copying.");
  });
  showToast("Test copied.");
}
