// The wheel, the mouse and fingers on the drawing: they move the view.

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { dismiss } from "./resting.ts";
import { pan, view, zoomTo } from "./viewport.ts";

/** Returns whether an event belongs to the controls in a Map's box. */
export const inSelector = (event: Event): boolean => (event.target as Element).closest(".selector") !== null;

export type Pane = RefObject<HTMLDivElement | null>;

/** Handles wheel events. They must not scroll or zoom the page, which a passive listener cannot prevent. */
export function useWheel(pane: Pane): void {
  useEffect(() => {
    const element = pane.current!;
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        const box = element.getBoundingClientRect();
        zoomTo(view.value.k * Math.exp(-event.deltaY * unit * 0.0045), { x: event.clientX - box.left, y: event.clientY - box.top });
      } else if (event.shiftKey && event.deltaX === 0) pan(-event.deltaY * unit, 0);
      else pan(-event.deltaX * unit, -event.deltaY * unit);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
}

interface Point {
  x: number;
  y: number;
}

/** Handles the mouse and fingers on the canvas: one pointer moves the view, two also zoom it. */
export class Pointers {
  /** Whether the last press was a drag and not a click. */
  dragged = false;
  readonly #held = new Map<number, Point>();

  constructor(private readonly pane: Pane) {}

  readonly down = (event: PointerEvent): void => {
    dismiss();
    if (inSelector(event)) return;
    if (event.button !== 0 && event.button !== 1) return;
    this.#held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#held.size === 1) this.dragged = false;
  };

  readonly move = (event: PointerEvent): void => {
    const before = this.#held.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (!this.dragged && Math.hypot(dx, dy) < 4) return;
    if (!this.dragged) {
      this.dragged = true;
      this.pane.current!.setPointerCapture(event.pointerId);
    }
    const [, other] = this.#held.size === 2 ? [...this.#held].find(([id]) => id !== event.pointerId)! : [];
    if (other) {
      this.#pinch(before, now, other);
      pan(dx / 2, dy / 2);
    } else pan(dx, dy);
    this.#held.set(event.pointerId, now);
  };

  readonly up = (event: PointerEvent): void => {
    this.#held.delete(event.pointerId);
  };

  #pinch(before: Point, now: Point, other: Point): void {
    const [from, to] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(now.x - other.x, now.y - other.y)];
    const box = this.pane.current!.getBoundingClientRect();
    if (from > 0) zoomTo((view.value.k * to) / from, { x: (now.x + other.x) / 2 - box.left, y: (now.y + other.y) / 2 - box.top });
  }
}
