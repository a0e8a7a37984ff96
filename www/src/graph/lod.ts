// How much of the graph is drawn: all of it, without labels and badges, or only boxes and one line. And how large its names are.

import { computed } from "@preact/signals";
import { view } from "./viewport.ts";

export type Detail = "near" | "middle" | "far";

export const detail = computed<Detail>(() => (view.value.k < 0.25 ? "far" : view.value.k < 0.6 ? "middle" : "near"));

/// The least height of a name on the screen, and its height in the drawing, as long as that is more.
const LEAST = 11;
export const DRAWN = 13;
/// Where names would be larger than this, boxes have no room for them.
const LARGEST = 38;

let size = DRAWN;
/// The font size of names in px of the drawing. It grows as one goes away, by steps, so that not every move draws them anew.
export const nameSize = computed(() => {
  const { k } = view.value;
  if (DRAWN * k >= LEAST) size = DRAWN;
  else if (size * k < LEAST || size * k > 12.6) size = Math.ceil((11.2 / k) * 2) / 2;
  return size;
});

/// Names stand in their boxes, and not as on a map.
export const inBoxes = computed(() => nameSize.value <= LARGEST && detail.value !== "far");
