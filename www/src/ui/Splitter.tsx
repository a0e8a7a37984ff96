// A border between two panes that can be moved by mouse, touch and keys.

import { type Signal, useSignal } from "@preact/signals";
import type { TargetedPointerEvent } from "preact";
import { useRef } from "preact/hooks";

interface Props {
  label: string;
  /** The size of the pane that the border resizes, in the unit of `scale`. */
  size: Signal<number>;
  min: number;
  max: number;
  initial: number;
  /** "vertical" if the panes are side by side, "horizontal" if one is above the other. */
  orientation: "vertical" | "horizontal";
  /** Whether the pane comes after the border. */
  after?: boolean;
  /** Returns the pixels of one unit of the size. */
  scale: () => number;
  controls: string;
}

/** Calls `drag` with the size at the start and the distance that the border was dragged. */
function useDrag(orientation: Props["orientation"], size: () => number, drag: (from: number, pixels: number) => void) {
  const dragging = useSignal(false);
  const begin = useRef({ at: 0, size: 0 });
  const point = (event: PointerEvent): number => (orientation === "vertical" ? event.clientX : event.clientY);
  const end = (): void => void (dragging.value = false);
  return {
    dragging: dragging.value,
    handlers: {
      onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
        if (event.button !== 0) return;
        begin.current = { at: point(event), size: size() };
        dragging.value = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
        event.currentTarget.focus();
      },
      onPointerMove(event: PointerEvent) {
        if (dragging.value) drag(begin.current.size, point(event) - begin.current.at);
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  };
}

export function Splitter({ label, size, min, max, initial, orientation, after = false, scale, controls }: Props) {
  const before = useRef(initial);
  const sign = after ? -1 : 1;
  const set = (value: number): void => {
    size.value = Math.round(Math.min(max, Math.max(min, value)) * 10) / 10;
  };
  const dragged = useDrag(
    orientation,
    () => size.value,
    (from, pixels) => set(from + (pixels / scale()) * sign),
  );
  const keys = (event: KeyboardEvent): void => {
    const [less, more] = orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const step = ((event.shiftKey ? 50 : 10) / scale()) * sign;
    switch (event.key) {
      case less:
        set(size.value - step);
        break;
      case more:
        set(size.value + step);
        break;
      case "Home":
        set(min);
        break;
      case "End":
        set(max);
        break;
      case "Enter":
        if (size.value > min) {
          before.current = size.value;
          set(min);
        } else set(before.current);
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return (
    <div
      class={`splitter ${orientation}${dragged.dragging ? " dragging" : ""}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-controls={controls}
      aria-valuenow={Math.round(size.value)}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={keys}
      onDblClick={() => set(initial)}
      {...dragged.handlers}
    />
  );
}
