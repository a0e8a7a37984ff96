// Breakpoints before and after the stages of a state.

import type { Breakpoint } from "../model/protocol.ts";
import { labelOf } from "../model/stages.ts";
import { showToast } from "../store/notifications.ts";
import * as model from "./model.ts";
import { addBreakpoint, removeBreakpoint } from "./session.ts";

const LABELS: Record<string, string> = {
  assignedVariables: "Assign",
  choice: "Rules",
  error: "Error",
  retry: "Retry",
  catch: "Catch",
  maxConcurrency: "MaxConcurrency",
  toleratedFailureCount: "Tolerated",
  toleratedFailurePercentage: "Tolerated %",
};

/** Returns the name of a stage in the strip. */
export const stageLabel = (stage: string): string => LABELS[stage] ?? labelOf(stage);

/** Returns the breakpoints of a stage. Those of the input stage are the breakpoints before the state. */
export function stopsAt(state: string, stage: string): Breakpoint[] {
  return (model.byState.value.get(state) ?? []).filter((one) =>
    stage === "input" ? one.kind === "entry" : one.kind === "stage" && one.stage === stage,
  );
}

/** Adds a breakpoint before or after a stage, or removes it. */
export function toggleStop(state: string, stage: string, when: "before" | "after"): void {
  const input = stage === "input";
  const there = stopsAt(state, stage).find((one) => input || (one.when ?? "after") === when);
  const words = input ? `before ${state}` : `${when} ${stageLabel(stage)} of ${state}`;
  if (there) removeBreakpoint(there.id!);
  else addBreakpoint(input ? { kind: "entry", state } : { kind: "stage", state, stage, ...(when === "before" && { when }) });
  showToast(there ? `Breakpoint ${words} removed.` : `Breakpoint ${words} added.`);
}
