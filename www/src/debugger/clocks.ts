// The clock modes of a run.

import type { ClockMode, PendingTimer } from "../model/protocol.ts";

export const CLOCKS: [ClockMode, string][] = [
  ["skip", "Skip waits"],
  ["real", "Real time"],
  ["x10", "10 × faster"],
  ["x60", "60 × faster"],
  ["x3600", "3600 × faster"],
  ["manual", "By hand"],
];

export const MEANS: Record<ClockMode, string> = {
  skip: "While no task is running, time jumps to the next timer.",
  real: "Time passes as it does on a real clock.",
  x10: "Ten seconds pass in one second.",
  x60: "One minute passes in one second.",
  x3600: "One hour passes in one second.",
  manual: "Time stands still until you advance it.",
};

/** Returns what a timer waits for, in words. */
export function timerWords({ kind, retries, of }: PendingTimer): string {
  if (kind === "wait") return "wait";
  return kind === "retry" ? `back-off, retry ${retries}${of === undefined ? "" : ` of ${of}`}` : "times out";
}
