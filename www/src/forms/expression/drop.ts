// Drops a value from a view of data on a field: the position in the text, and the inserted expression.

import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import type { FieldData } from "../../model/field.ts";
import { showToast } from "../../store/notifications.ts";
import { type DraggedValue, dragged, putDown } from "../../values/draggedValue.ts";
import { type Field, askField } from "./queries.ts";
import { type Named, findIn } from "./naming.ts";

interface Drop {
  /** Whether something is dragged over the field. */
  over: Signal<boolean>;
  onDragOver(event: DragEvent): void;
  onDragLeave(event: DragEvent): void;
  onDrop(event: DragEvent): void;
}

interface Target {
  field: Field;
  label: string;
  box: RefObject<HTMLTextAreaElement | null>;
  /** The copy of the text whose characters have measurable positions. */
  mirror: RefObject<HTMLElement | null>;
  use(named: Named, from: number, to: number): void;
}

export function useDrop({ field, label, box, mirror, use }: Target): Drop {
  const over = useSignal(false);
  return {
    over,
    onDragOver(event) {
      if (!dragged.value) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
      over.value = true;
      const at = offsetAt(mirror.current!, event.clientX, event.clientY);
      const area = box.current!;
      if (at === undefined || field.form === "path" || field.form === "reference") return;
      if (document.activeElement !== area) area.focus({ preventScroll: true });
      area.setSelectionRange(at, at);
    },
    onDragLeave(event) {
      if (!(event.currentTarget as Element).contains(event.relatedTarget as Node | null)) over.value = false;
    },
    onDrop(event) {
      const what = dragged.value;
      over.value = false;
      if (!what) return;
      event.preventDefault();
      const at = offsetAt(mirror.current!, event.clientX, event.clientY) ?? box.current!.value.length;
      putDown();
      askField("data", field, {}).then(
        (data) => {
          const found = namedIn(data, what, field);
          if (found) use(found, at, at);
          else showToast(`That value is not in the data that ${label} sees.`);
        },
        (error: Error) => showToast(error.message),
      );
    },
  };
}

function namedIn(data: FieldData, what: DraggedValue, { language }: Field): Named | undefined {
  const found = findIn(data, what);
  if (found) return found;
  // Before a run there is no data to compare with, so the value is treated as the state's input.
  if (data.lacks !== "not visited" || what.role === "result" || what.role === "errorOutput") return undefined;
  const name = language === "JSONata" ? "$states.input" : "$";
  return { root: { name, label: "State input", value: undefined }, path: what.path };
}

/** Returns the offset in the text at the pointer. */
function offsetAt(element: Element, x: number, y: number): number | undefined {
  const found: { node: Node; offset: number } | undefined =
    "caretPositionFromPoint" in document
      ? of(document.caretPositionFromPoint(x, y))
      : // This is Safari's function for it.
        ofRange((document as { caretRangeFromPoint?(x: number, y: number): Range | null }).caretRangeFromPoint?.(x, y));
  if (!found || !element.contains(found.node)) return undefined;
  const range = new Range();
  range.setStart(element, 0);
  range.setEnd(found.node, found.offset);
  return Math.min(range.toString().length, element.textContent!.length - 1);
}

const of = (place: CaretPosition | null): { node: Node; offset: number } | undefined =>
  place ? { node: place.offsetNode, offset: place.offset } : undefined;
const ofRange = (range: Range | null | undefined): { node: Node; offset: number } | undefined =>
  range ? { node: range.startContainer, offset: range.startOffset } : undefined;
