// The messages between a graph and the extension.

import type { Mark } from "../marks.ts";

export type ToGraph =
  | { kind: "text"; text: string }
  | { kind: "select"; state: string }
  /** Without `marks`, nothing runs. */
  | { kind: "marks"; marks?: Record<string, Mark> };

export type FromGraph =
  | { kind: "ready" }
  /** A gesture: the text before it, and its edits of that text. */
  | { kind: "change"; before: string; edits: { start: number; end: number; text: string }[] }
  | { kind: "select"; state: string }
  | { kind: "save" }
  | { kind: "undo" }
  | { kind: "redo" }
  | { kind: "problem"; message: string };
