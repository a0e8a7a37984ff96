// Touch has no hover. After the first touch, everything that can be pressed is shown.

import { signal } from "@preact/signals";

export const touched = signal(matchMedia("(hover: none) and (pointer: coarse)").matches);
