// The icons of a machine's states as path data in a square of 20. Drawings need only these of the page's icons.

import type { NodeKind } from "../model/graph.ts";
import type { Status } from "../model/log.ts";

export const SIGNS = {
  pause: "M7 4.5V15.5M13 4.5V15.5",
  check: "M4 10.5L8 14.5L16 5.5",
  cross: "M5 5L15 15M15 5L5 15",
  retry: "M15.8 10A5.8 5.8 0 1 1 13.9 5.7M14.6 2.4V6.3H10.7",
  clock: "M10 3A7 7 0 1 1 9.99 3ZM10 6V10L12.8 11.8",
  hand: "M6.5 11V5.2A1.2 1.2 0 0 1 8.9 5.2V9M8.9 9V3.8A1.2 1.2 0 0 1 11.3 3.8V9M11.3 9V4.8A1.2 1.2 0 0 1 13.7 4.8V9.5M13.7 7.5A1.2 1.2 0 0 1 16 7.5V12.5Q16 17.5 11 17.5Q8 17.5 6.2 15L3.8 11.4A1.2 1.2 0 0 1 5.8 10.1L6.8 11.4",
  caught: "M4 5.5Q4 14 12 14H16M13 11L16 14L13 17M8 3.5L12 7.5M12 3.5L8 7.5",
  cancelled: "M10 3A7 7 0 1 1 9.99 3ZM5.2 5.2L14.8 14.8",
  dot: "M10 7.5A2.5 2.5 0 1 1 9.99 7.5Z",
  twice: "M3.5 3.5H12.5V12.5H3.5ZM7.5 15.5V16.5H16.5V7.5H15.5",
  half: "M10 3A7 7 0 1 1 9.99 3ZM10 3V17M7 4.8V15.2M4.6 7.5V12.5",
  again: "M4.5 7.5A6.5 6.5 0 1 1 3.5 11M4 3.5V7.7H8.2",
  list: "M7 5H17M7 10H17M7 15H17M3.5 5V5.1M3.5 10V10.1M3.5 15V15.1",
} as const;

export type Sign = keyof typeof SIGNS;

/** A part of a row in a drawing: text, or an icon. */
export type Part = string | { sign: Sign };

export const STATUS_ICON: Record<Status, Sign | null> = {
  idle: null,
  queued: "list",
  running: "dot",
  waiting: "clock",
  awaiting: "hand",
  retrying: "retry",
  succeeded: "check",
  caught: "caught",
  failed: "cross",
  timedOut: "clock",
  cancelled: "cancelled",
};

export function iconPath(name: Sign): string {
  return SIGNS[name];
}

/** The icons of the state types, the same as in the package's drawings. */
export const GLYPHS: Record<NodeKind, string> = {
  Pass: "M3 10H17M11.5 4.5L17 10L11.5 15.5",
  Task: "M11 2L4.5 11.5H10L9 18L15.5 8.5H10Z",
  Choice: "M10 2L18 10L10 18L2 10ZM8.2 8.4A1.9 1.9 0 1 1 10 10.3V11M10 13.2V13.3",
  Wait: "M10 2.5A7.5 7.5 0 1 1 9.99 2.5ZM10 6V10L13 12",
  Succeed: "M3.5 10.5L8 15L16.5 5.5",
  Fail: "M4.5 4.5L15.5 15.5M15.5 4.5L4.5 15.5",
  Parallel: "M10 2V5.5M4 18V10Q4 5.5 10 5.5Q16 5.5 16 10V18M10 5.5V18",
  Map: "M10 2.5L18 6.5L10 10.5L2 6.5ZM2 10.2L10 14.2L18 10.2M2 13.9L10 17.9L18 13.9",
  Unknown: "M6.5 7A3.5 3.5 0 1 1 11.8 10Q10 11 10 13M10 16.6V16.7",
  Missing: "M6.5 7A3.5 3.5 0 1 1 11.8 10Q10 11 10 13M10 16.6V16.7",
  Start: "",
  End: "",
  Scope: "",
};
