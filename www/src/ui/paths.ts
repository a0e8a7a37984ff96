// Small signs as path data, drawn as strokes in a square of 20. No markup: drawings without Preact have them too.

import type { NodeKind } from "../model/graph.ts";
import type { Status } from "../model/log.ts";

export const PATHS = {
  play: "M6 4L16 10L6 16Z",
  stop: "M5.5 5.5H14.5V14.5H5.5Z",
  skip: "M4 5L10 10L4 15ZM10.5 5L16.5 10L10.5 15ZM17 5V15",
  pause: "M7 4.5V15.5M13 4.5V15.5",
  first: "M15 5L8 10L15 15ZM5 5V15",
  back: "M13 5L6.5 10L13 15Z",
  forward: "M7 5L13.5 10L7 15Z",
  last: "M5 5L12 10L5 15ZM15 5V15",
  replay: "M4.5 7.5A6.5 6.5 0 1 1 3.5 11M4 3.5V7.7H8.2",
  share: "M12.5 5.5L7.5 8.6M7.5 11.4L12.5 14.5M5.5 12.2A2.2 2.2 0 1 0 5.5 7.8A2.2 2.2 0 1 0 5.5 12.2ZM14.5 6.4A2.2 2.2 0 1 0 14.5 2A2.2 2.2 0 1 0 14.5 6.4ZM14.5 18A2.2 2.2 0 1 0 14.5 13.6A2.2 2.2 0 1 0 14.5 18Z",
  sun: "M10 13.5A3.5 3.5 0 1 0 10 6.5A3.5 3.5 0 1 0 10 13.5ZM10 1.8V3.4M10 16.6V18.2M1.8 10H3.4M16.6 10H18.2M4.2 4.2L5.3 5.3M14.7 14.7L15.8 15.8M15.8 4.2L14.7 5.3M5.3 14.7L4.2 15.8",
  moon: "M16.5 12A7 7 0 1 1 8 3.5A5.6 5.6 0 0 0 16.5 12Z",
  auto: "M3 4H17V13H3ZM7.5 16.5H12.5M10 13V16.5",
  contrast: "M10 2.5A7.5 7.5 0 1 1 9.99 2.5ZM10 5V15M12 5.6V14.4M14 7V13",
  table: "M3 4H17V16H3ZM3 8H17M3 12H17M8 4V16",
  help: "M7.2 7.4A2.9 2.9 0 1 1 11.4 10Q10 10.8 10 12.4M10 15.4V15.5",
  close: "M5 5L15 15M15 5L5 15",
  gallery: "M3.5 3.5H8.5V8.5H3.5ZM11.5 3.5H16.5V8.5H11.5ZM3.5 11.5H8.5V16.5H3.5ZM11.5 11.5H16.5V16.5H11.5Z",
  minus: "M4.5 10H15.5",
  plus: "M4.5 10H15.5M10 4.5V15.5",
  fit: "M3.5 7.5V3.5H7.5M12.5 3.5H16.5V7.5M16.5 12.5V16.5H12.5M7.5 16.5H3.5V12.5",
  turn: "M5 4V12A3 3 0 0 0 8 15H16M13 12L16 15L13 18M2.5 6.5L5 4L7.5 6.5",
  copy: "M7 7H16.5V16.5H7ZM13 7V3.5H3.5V13H7",
  download: "M10 3V12.5M6 8.8L10 12.8L14 8.8M3.5 16.5H16.5",
  upload: "M10 13V3.5M6 7.2L10 3.2L14 7.2M3.5 16.5H16.5",
  warning: "M10 3L18 16.5H2ZM10 8V11.8M10 14.2V14.3",
  error: "M10 2.5A7.5 7.5 0 1 1 9.99 2.5ZM10 6V10.8M10 13.6V13.7",
  check: "M4 10.5L8 14.5L16 5.5",
  cross: "M5 5L15 15M15 5L5 15",
  retry: "M15.8 10A5.8 5.8 0 1 1 13.9 5.7M14.6 2.4V6.3H10.7",
  clock: "M10 3A7 7 0 1 1 9.99 3ZM10 6V10L12.8 11.8",
  hand: "M6.5 11V5.2A1.2 1.2 0 0 1 8.9 5.2V9M8.9 9V3.8A1.2 1.2 0 0 1 11.3 3.8V9M11.3 9V4.8A1.2 1.2 0 0 1 13.7 4.8V9.5M13.7 7.5A1.2 1.2 0 0 1 16 7.5V12.5Q16 17.5 11 17.5Q8 17.5 6.2 15L3.8 11.4A1.2 1.2 0 0 1 5.8 10.1L6.8 11.4",
  caught: "M4 5.5Q4 14 12 14H16M13 11L16 14L13 17M8 3.5L12 7.5M12 3.5L8 7.5",
  cancelled: "M10 3A7 7 0 1 1 9.99 3ZM5.2 5.2L14.8 14.8",
  dot: "M10 7.5A2.5 2.5 0 1 1 9.99 7.5Z",
  chevron: "M5.5 8L10 12.5L14.5 8",
  left: "M12.5 5L7.5 10L12.5 15",
  right: "M7.5 5L12.5 10L7.5 15",
  gear: "M10 12.8A2.8 2.8 0 1 0 10 7.2A2.8 2.8 0 1 0 10 12.8ZM10 2.5V4.7M10 15.3V17.5M2.5 10H4.7M15.3 10H17.5M4.7 4.7L6.2 6.2M13.8 13.8L15.3 15.3M15.3 4.7L13.8 6.2M6.2 13.8L4.7 15.3",
  target: "M10 4.5A5.5 5.5 0 1 1 9.99 4.5ZM10 1.5V5M10 15V18.5M1.5 10H5M15 10H18.5",
  bulb: "M7.2 12.5A5 5 0 1 1 12.8 12.5V14.5H7.2ZM8 17H12",
  code: "M7 5.5L2.5 10L7 14.5M13 5.5L17.5 10L13 14.5",
  graph: "M7 2.5H13V6.5H7ZM2.5 13.5H8.5V17.5H2.5ZM11.5 13.5H17.5V17.5H11.5ZM10 6.5V10M5.5 13.5V10H14.5V13.5",
  list: "M7 5H17M7 10H17M7 15H17M3.5 5V5.1M3.5 10V10.1M3.5 15V15.1",
  over: "M3.5 12A6.5 6.5 0 0 1 16 10.5M16.5 5.5V11H11M10 15.8V16",
  into: "M10 2.5V11M6 7.5L10 11.5L14 7.5M10 15.8V16",
  out: "M10 12V3.5M6 7L10 3L14 7M10 15.8V16",
  stage: "M3 10H13M9.5 6.5L13 10L9.5 13.5M16.5 5V15",
  undo: "M16.5 12A6.5 6.5 0 0 0 4 10.5M3.5 5.5V11H9M10 15.8V16",
  more: "M4.5 10V10.1M10 10V10.1M15.5 10V10.1",
  search: "M8.5 3A5.5 5.5 0 1 1 8.49 3ZM12.5 12.5L17 17",
  fork: "M6 3.5V16.5M6 12Q14 12 14 6M11 8L14 5L17 8",
  inspect: "M8.5 3A5.5 5.5 0 1 1 8.49 3ZM12.5 12.5L17 17",
} as const;

export type IconName = keyof typeof PATHS;

export const STATUS_ICON: Record<Status, IconName | null> = {
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

export function iconPath(name: IconName): string {
  return PATHS[name];
}

/// The signs of the state types, the same as in drawings of the package.
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
