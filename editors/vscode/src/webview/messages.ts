// The messages between a graph and the extension.

import type { Mark } from "../marks.ts";

export type ToGraph =
  | { kind: "text"; text: string }
  | { kind: "select"; state: string }
  /** Without `marks`, nothing runs. */
  | { kind: "marks"; marks?: Record<string, Mark>; time?: Time }
  /** Asks for a `picture`. */
  | { kind: "draw"; format: PictureFormat };

export type PictureFormat = "svg" | "png";

/** Where a run is: just after an event, of all that were reached. */
export interface Time {
  event: number;
  events: number;
}

export type FromGraph =
  | { kind: "ready" }
  /** A gesture: the text before it, and its edits of that text. */
  | { kind: "change"; before: string; edits: { start: number; end: number; text: string }[] }
  | { kind: "select"; state: string }
  /** The user goes to an event of the run. */
  | { kind: "goto"; event: number }
  /** The SVG document, or the PNG file in base64. */
  | { kind: "picture"; data: string }
  | { kind: "save" }
  | { kind: "undo" }
  | { kind: "redo" }
  | { kind: "problem"; message: string };
