// The level of detail of the graph: everything, no labels and badges, or only boxes and one line. It also has the size of names.

import { computed } from "@preact/signals";
import { DRAWN, LARGEST, LEAST, legibleSize } from "../model/cards.ts";
import { graph } from "../store/analysis.ts";
import { legibleName, painted } from "./viewport.ts";

/** Up to this size of names, in px of the drawing, all cards have icons, even if a long name is cut then. */
const ICONS_TO = 17;

export type Detail = "near" | "middle" | "far";

export const detail = computed<Detail>(() => (painted.value.k < 0.25 ? "far" : painted.value.k < 0.6 ? "middle" : "near"));

/** Returns the largest size of names at which cards have icons. */
const largestBesideIcons = (): number => {
  const index = graph.value;
  return index ? Math.max(ICONS_TO, legibleName(index)) : LARGEST;
};

let size = DRAWN;
/**
 * The font size of names in px of the drawing. It grows in steps as the view zooms out, so that not every movement draws the
 * names again, but cards do not lose their icons for that.
 */
export const nameSize = computed(() => {
  const { k } = painted.value;
  if (DRAWN * k >= LEAST) size = DRAWN;
  else if (size * k < LEAST || size * k > 12.6 || size > largestBesideIcons()) size = legibleSize(k);
  return size;
});

/** Whether names are in their boxes, and not placed as on a map. */
export const inBoxes = computed(() => nameSize.value <= LARGEST && detail.value !== "far");

/**
 * Whether cards have the icons of their types. Either all cards of a drawing have them or none: when names become too large for the room
 * beside the icons, they use that place too.
 */
export const icons = computed(() => nameSize.value <= largestBesideIcons());
