// The text of a field while it is edited: its value, and changes that the browser can undo.

import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type FieldForm, isText, textOf, valueOf } from "../../model/field.ts";

/** Replaces a range of the text and moves the caret. */
export type Replace = (from: number, to: number, put: string, caret: number) => void;

interface Written {
  text: Signal<string>;
  write(next: string): void;
}

/** Takes over changes that were made elsewhere, for example by an undo, but not the field's own. */
export function useText(value: unknown, form: FieldForm, onChange: (value: unknown) => void): Written {
  const text = useSignal(textOf(value, form));
  const told = useRef(JSON.stringify(value));
  const given = JSON.stringify(value);
  if (given !== told.current) {
    told.current = given;
    text.value = textOf(value, form);
  }
  return {
    text,
    write(next) {
      text.value = next;
      const made = valueOf(next, form);
      if ("problem" in made) return;
      const now = JSON.stringify(made.value);
      if (now === told.current) return;
      told.current = now;
      onChange(made.value);
    },
  };
}

/** Replaces text through the browser's own history, so that Ctrl+Z in the field undoes it. */
export function replaceIn(
  area: HTMLTextAreaElement | HTMLInputElement,
  [from, to, put, caret]: Parameters<Replace>,
  write: (text: string) => void,
): void {
  area.focus();
  area.setSelectionRange(from, to);
  if (!document.execCommand(put === "" ? "delete" : "insertText", false, put)) {
    area.setRangeText(put, from, to);
    write(area.value);
  }
  area.setSelectionRange(caret, caret);
}

/** Handles Enter: it starts a line with the indentation of the one before. In a single-line field it does nothing. */
export function enter(event: KeyboardEvent, form: FieldForm, replace: Replace): void {
  const area = event.currentTarget as HTMLTextAreaElement;
  if (event.key !== "Enter" || event.isComposing) return;
  if (form === "path" || form === "reference") return event.preventDefault();
  if (isText(form, area.value) || event.shiftKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const [from, to] = [area.selectionStart, area.selectionEnd];
  const line = area.value.slice(0, from).split("\n").at(-1)!;
  const opens = /[{[]\s*$/.test(line);
  const indent = /^[ \t]*/.exec(line)![0];
  const closes = opens && /^\s*[}\]]/.test(area.value.slice(to));
  const put = `\n${indent}${opens ? "  " : ""}`;
  replace(from, to, closes ? `${put}\n${indent}` : put, from + put.length);
}
