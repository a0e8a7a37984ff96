// The field whose words stand below the form: the one that has the focus.

import { signal } from "@preact/signals";

export const explained = signal<string | null>(null);
