// Determines the displayed status of a node: the one of `model/fold.ts`, or what the debugger knows beyond it.

import { computed, signal } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";
import { type NodeRun, STATUS_TEXT, type Status } from "../model/log.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import { STATUS_ICON, iconPath } from "../ui/Icon.tsx";
import { type Override, overrides } from "../debugger/onGraph.ts";

export type Shown = Status | "paused" | "queued" | "skipped";

/** Whether the end of the run is shown. States that were not reached will not be. */
export const over = computed(() => {
  const run = execution.run.value;
  return (
    run !== null &&
    run.phase === "ended" &&
    run.refused === undefined &&
    execution.eventCount.value > 0 &&
    playback.cursor.value >= execution.eventCount.value
  );
});

/** For a failed run: the failed states, and the transitions that led to them. */
export const failing = signal<{ states: ReadonlySet<string>; way: ReadonlySet<string> }>({ states: new Set(), way: new Set() });

const FAILED = new Set<Status>(["failed", "caught", "retrying", "timedOut"]);

/** Returns the debugger's status of a node, if it has one. */
export const overrideOf = ({ pointer }: GraphNode): Override | undefined => overrides.value.get(pointer);

/**
 * Returns the displayed status of a node. Callers that draw many nodes give each its own override, and draw again only those
 * whose override changes.
 */
export function shownOf(run: NodeRun, override: Override | undefined): { status: Shown; text: string } {
  if (override) return { status: override.status, text: override.title };
  if (run.status === "idle" && over.value) return { status: "skipped", text: "not reached" };
  const error = run.error !== "" && FAILED.has(run.status) ? ` with ${run.error}` : "";
  return {
    status: run.status,
    text: STATUS_TEXT[run.status].replace(/^failed/, `failed${error}`).replace(/^timed out/, `timed out${error}`),
  };
}

/** Returns the path data of a status sign, in a square of 20. */
export function signOf(status: Shown): string {
  if (status === "skipped") return "";
  const name = status === "paused" ? "pause" : status === "queued" ? "list" : status === "timedOut" ? "cross" : STATUS_ICON[status];
  return name === null ? "" : iconPath(name);
}
