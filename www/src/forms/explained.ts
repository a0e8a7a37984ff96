// The field whose documentation is shown below the form: the focused one.

import { signal } from "@preact/signals";

export const explained = signal<string | null>(null);
