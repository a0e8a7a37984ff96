// The animation from one layout to the next, which shows what has moved.

import type { GraphIndex } from "../model/graph.ts";

/** If more nodes than this are visible, a new layout is shown without an animation. */
const MOST_MOVING = 400;

/** Animates nodes to their new positions; new nodes fade in. `shift` is how far the whole drawing was moved. */
export function glideNodes(svg: SVGSVGElement, old: GraphIndex, now: GraphIndex, shift: { dx: number; dy: number }): void {
  const elements = [...svg.querySelectorAll<SVGGElement>("[data-move]")];
  if (elements.length > MOST_MOVING) return;
  const timing = { duration: 200, easing: "cubic-bezier(.3,.7,.3,1)" };
  let any = false;
  for (const element of elements) {
    const id = element.dataset["move"]!;
    const [a, b] = [old.node(old.byId.get(id) ?? -1), now.node(now.byId.get(id) ?? -1)];
    if (!b) continue;
    if (!a) {
      any = true;
      element.animate({ opacity: [0, 1] }, timing);
      continue;
    }
    const [dx, dy] = [a.x + a.width / 2 - b.x - b.width / 2 - shift.dx, a.y - b.y - shift.dy];
    if (Math.abs(dx) + Math.abs(dy) < 1) continue;
    any = true;
    element.animate({ transform: [`translate(${dx}px, ${dy}px)`, "none"] }, timing);
  }
  if (any) for (const lines of svg.querySelectorAll(".lines")) lines.animate({ opacity: [0, 1] }, timing);
}
