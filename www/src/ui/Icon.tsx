// Small icons, drawn as strokes in a square of 20.

import type { NodeKind } from "../model/graph.ts";
import { type IconName, PATHS } from "./paths.ts";
import { glyphOf } from "./services.ts";

export type { IconName } from "./paths.ts";
export { GLYPHS, STATUS_ICON, iconPath } from "./signs.ts";

const FILLED = new Set<IconName>(["play", "stop", "first", "back", "forward", "last"]);

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class={FILLED.has(name) ? "icon filled" : "icon"}
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 20 20"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** `detail` is the caption of the state on the graph. For a task it names the service. */
export function TypeTile({ type, detail }: { type: NodeKind; detail?: string | undefined }) {
  return (
    <svg class={`tile tile-${type.toLowerCase()}`} width="1.625rem" height="1.625rem" viewBox="0 0 26 26" aria-hidden="true">
      <rect width="26" height="26" rx="6" />
      <path transform="translate(4.5 4.5) scale(.85)" d={glyphOf({ type, ...(detail !== undefined && { detail }) })} />
    </svg>
  );
}
