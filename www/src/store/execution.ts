// The execution on screen: what the interpreter has told of it. The runner writes it.

import { computed, signal } from "@preact/signals";
import type { ChildExecution, ClockMode, PendingTimer, RunResult, WaitingTask } from "../model/protocol.ts";
import { definition } from "./workspace.ts";

export interface RunState {
  id: number;
  /// Of one that has ended, and is looked back at, "ended".
  phase: "starting" | "running" | "paused" | "ended";
  /// What was run, to say that the text has changed since.
  definition: string;
  clock: ClockMode;
  seed: number;
  result?: RunResult;
  took?: number;
  /// It begins with a pause. Another object for each beginning.
  pauses?: object;
  /// The name of the execution whose recorded events these are; nothing was run here.
  recorded?: string;
  /// Another tab has it: it is only looked at here.
  elsewhere?: boolean;
  /// Why it could not begin.
  refused?: string;
}

export const run = signal<RunState | null>(null);
export const waiting = signal<WaitingTask[]>([]);
/// Executions that tasks have started.
export const children = signal<ChildExecution[]>([]);
/// What is wrong with a mock's JavaScript, by the mock's name.
export const mockProblems = signal<Record<string, string>>({});
export const timer = signal<{ due: number | null; now: number; speed: number; heard: number; timers: PendingTimer[] } | null>(null);
/// What handlers and log points have written; of a log point also at which event.
export const console = signal<{ level: string; text: string; event?: number; execution?: number }[]>([]);
export const eventCount = signal(0);
export const changedSince = computed(() => run.value !== null && run.value.definition !== definition.value);
/// The run on screen is of a machine that another one has taken the place of.
export const outlived = signal(false);
export const busy = computed(() => run.value !== null && run.value.phase !== "ended");

export function clearConsole(): void {
  console.value = [];
}

/// The run shown is of this text from now on.
export function ran(text: string): void {
  if (run.value) run.value = { ...run.value, definition: text };
}
