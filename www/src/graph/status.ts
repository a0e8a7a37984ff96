// What a node shows: the history's status, and what is known beyond it.

import { computed, signal } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";
import { type NodeRun, STATUS_TEXT, type Status } from "../model/log.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import { STATUS_ICON, iconPath } from "../ui/Icon.tsx";
import { type Override, overrides } from "../debugger/onGraph.ts";

export type Shown = Status | "paused" | "queued" | "skipped";

/// The run has ended and its end is on screen: what was not reached will not be.
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

/// Of a run that has failed: the states that have, and the transitions that led to them.
export const failing = signal<{ states: ReadonlySet<string>; way: ReadonlySet<string> }>({ states: new Set(), way: new Set() });

const FAILED = new Set<Status>(["failed", "caught", "retrying", "timedOut"]);

/// What a debugger knows of a node beyond its run.
export const overrideOf = ({ pointer }: GraphNode): Override | undefined => overrides.value.get(pointer);

/// Once somebody looks at a node, all that it shows. Who draws many nodes gives each its own override, and draws those that it changes.
export function shownOf(run: NodeRun, override: Override | undefined): { status: Shown; text: string } {
  if (override) return { status: override.status, text: override.title };
  if (run.status === "idle" && over.value) return { status: "skipped", text: "not reached" };
  const error = run.error !== "" && FAILED.has(run.status) ? ` with ${run.error}` : "";
  return {
    status: run.status,
    text: STATUS_TEXT[run.status].replace(/^failed/, `failed${error}`).replace(/^timed out/, `timed out${error}`),
  };
}

/// Path data of the sign, in a square of 20.
export function signOf(status: Shown): string {
  if (status === "skipped") return "";
  const name = status === "paused" ? "pause" : status === "queued" ? "list" : status === "timedOut" ? "cross" : STATUS_ICON[status];
  return name === null ? "" : iconPath(name);
}
