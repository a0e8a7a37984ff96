// The state that was added last, for the views that show its fields to fill in.

import { signal } from "@preact/signals";

/** The pointer of the state, and the range of the text that is likely to be changed next. */
export const added = signal<{ state: string; caret: { start: number; end: number } } | null>(null);
