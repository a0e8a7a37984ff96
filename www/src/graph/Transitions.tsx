// Transitions under the pointer: the nearest one is highlighted, and a click on it opens its menu. For the keyboard, the menu of
// a state has its transitions.

import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { canStopOn, transitionInWords, transitionMenu } from "../debugger/stops.ts";
import type { GraphEdge, GraphIndex } from "../model/graph.ts";
import { middleOf } from "./Marks.tsx";
import { menu } from "./menuOpen.ts";
import type { View } from "./viewport.ts";

/** The maximum distance to a transition, in px of the screen. */
const REACH = { mouse: 9, touch: 18 };

interface Props {
  index: GraphIndex;
  svg: RefObject<SVGSVGElement | null>;
  view: Signal<View>;
  /** Moves the focus to a node. */
  focus(id: string): void;
}

export function Transitions({ index, svg, view, focus }: Props) {
  const near = useSignal<GraphEdge | null>(null);
  useEffect(() => {
    const element = svg.current!;
    const find = (event: MouseEvent): GraphEdge | null => {
      // If the drawing is small, there are no separate lines.
      if (element.classList.contains("far") || (event.target as Element).closest("[data-node], .selector, .fold")) return null;
      const box = element.getBoundingClientRect();
      const { x, y, k } = view.value;
      const reach = (event as PointerEvent).pointerType === "touch" ? REACH.touch : REACH.mouse;
      return nearest(index, (event.clientX - box.left - x) / k, (event.clientY - box.top - y) / k, reach / k);
    };
    const move = (event: PointerEvent): void => {
      near.value = event.pointerType === "mouse" && event.buttons === 0 ? find(event) : null;
      element.classList.toggle("on-way", near.value !== null);
    };
    const gone = (): void => {
      near.value = null;
    };
    const open = (event: MouseEvent): void => {
      const edge = find(event);
      if (!edge) return;
      event.preventDefault();
      near.value = null;
      // The source state has the focus afterwards; its menu has the same commands.
      const at = index.node(index.byId.get(edge.from)!)!;
      menu.value = {
        node: at,
        title: transitionInWords(edge),
        commands: transitionMenu(edge),
        x: event.clientX,
        y: event.clientY,
        back: () => focus(at.id),
      };
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerleave", gone);
    element.addEventListener("click", open);
    element.addEventListener("contextmenu", open);
    return () => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerleave", gone);
      element.removeEventListener("click", open);
      element.removeEventListener("contextmenu", open);
    };
  }, [index]);
  const edge = near.value;
  if (!edge) return null;
  const [x, y] = middleOf(edge);
  return (
    <g class="way" aria-hidden="true">
      <path d={edge.path} />
      <circle cx={x} cy={y} r="6.5" />
    </g>
  );
}

/** Returns the transition nearest to a point, within the distance `reach`. */
function nearest(index: GraphIndex, x: number, y: number, reach: number): GraphEdge | null {
  let best: GraphEdge | null = null;
  let least = reach;
  for (const edge of index.graph.edges) {
    const label = edge.labelBox;
    const onLabel = label !== undefined && x >= label.x && x <= label.x + label.width && y >= label.y && y <= label.y + label.height;
    const away = onLabel ? 0 : distance(edge, x, y);
    if (away > least || (best && away === least) || !canStopOn(edge)) continue;
    [best, least] = [edge, away];
  }
  return best;
}

function distance({ points }: GraphEdge, x: number, y: number): number {
  let least = Infinity;
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!];
    const [dx, dy] = [bx - ax, by - ay];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
    least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
  }
  return least;
}
