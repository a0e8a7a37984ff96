// The state that was added last, for who shows what is to be filled in of it.

import { signal } from "@preact/signals";

/// Its pointer, and what is likely to be changed next, as a range of the text.
export const added = signal<{ state: string; caret: { start: number; end: number } } | null>(null);
