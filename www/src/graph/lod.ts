// How much of the graph is drawn: all of it, without labels and badges, or only boxes and one line.

import { computed } from "@preact/signals";
import { view } from "./viewport.ts";

export type Detail = "near" | "middle" | "far";

export const detail = computed<Detail>(() => (view.value.k < 0.25 ? "far" : view.value.k < 0.6 ? "middle" : "near"));
