// Fingers have no hover: once one was used, everything that it can press is shown.

import { signal } from "@preact/signals";

export const touched = signal(matchMedia("(hover: none) and (pointer: coarse)").matches);
