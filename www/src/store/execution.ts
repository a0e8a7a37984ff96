// The execution on screen, as the interpreter has reported it. Only the runner writes these signals.

import { computed, signal } from "@preact/signals";
import type { ChildExecution, ClockMode, PendingTimer, RunResult, WaitingTask } from "../model/protocol.ts";
import { definition } from "./workspace.ts";

export interface RunState {
  id: number;
  /** A recorded or restored execution that has ended has the phase "ended" from the start. */
  phase: "starting" | "running" | "paused" | "ended";
  /** The definition that runs, so that the page can say that the text has changed since. */
  definition: string;
  clock: ClockMode;
  seed: number;
  result?: RunResult;
  took?: number;
  /** Set if the run begins with a pause. It is a new object for each run. */
  pauses?: object;
  /** The name of the execution whose recorded events are shown. Nothing runs on the page then. */
  recorded?: string;
  /** Whether the recorded execution was replayed, so that the interpreter has its data flow. */
  replayed?: true;
  /** Whether another tab owns the execution. It is read-only here. */
  elsewhere?: boolean;
  /** Why the run could not start. */
  refused?: string;
}

export const run = signal<RunState | null>(null);
export const waiting = signal<WaitingTask[]>([]);
/** The executions that tasks have started. */
export const children = signal<ChildExecution[]>([]);
/** The errors in the JavaScript of mocks, by the mock's name. */
export const mockProblems = signal<Record<string, string>>({});
export const timer = signal<{ due: number | null; now: number; speed: number; heard: number; timers: PendingTimer[] } | null>(null);
/** The output of handlers and log points. For a log point it includes the event. */
export const console = signal<{ level: string; text: string; event?: number; execution?: number }[]>([]);
export const eventCount = signal(0);
export const changedSince = computed(() => run.value !== null && run.value.definition !== definition.value);
/** Whether another machine has replaced the one of the run on screen. */
export const detached = signal(false);
export const busy = computed(() => run.value !== null && run.value.phase !== "ended");

export function clearConsole(): void {
  console.value = [];
}

/** Sets the text that the shown run belongs to. */
export function ran(text: string): void {
  if (run.value) run.value = { ...run.value, definition: text };
}
