// The level of detail of the graph: everything, no labels and badges, or only boxes and one line. It also has the size of names.

import { computed } from "@preact/signals";
import { view } from "./viewport.ts";

export type Detail = "near" | "middle" | "far";

export const detail = computed<Detail>(() => (view.value.k < 0.25 ? "far" : view.value.k < 0.6 ? "middle" : "near"));

/** The minimum height of a name on the screen, and its normal height in the drawing, which is used as long as it is larger. */
const LEAST = 11;
export const DRAWN = 13;
/** If names would be larger than this, boxes have no room for them. */
const LARGEST = 38;

let size = DRAWN;
/**
 * The font size of names in px of the drawing. It grows in steps as the view zooms out, so that not every movement draws the
 * names again.
 */
export const nameSize = computed(() => {
  const { k } = view.value;
  if (DRAWN * k >= LEAST) size = DRAWN;
  else if (size * k < LEAST || size * k > 12.6) size = Math.ceil((11.2 / k) * 2) / 2;
  return size;
});

/** Whether names are in their boxes, and not placed as on a map. */
export const inBoxes = computed(() => nameSize.value <= LARGEST && detail.value !== "far");
