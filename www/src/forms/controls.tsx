// The controls of fields that are a text, a number, a keyword or the name of a state.

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useForm } from "./context.ts";
import { Row, idOf } from "./Row.tsx";
import { type TypedControl, useTyped } from "./useTyped.ts";
import { type Typed, shownText, typedNumber, typedText } from "./values.ts";
import { put, reportRefusal } from "./write.ts";

export interface Given {
  at: string;
  name: string;
  value: unknown;
  absent?: string | undefined;
  ways?: ComponentChildren;
}

export const MOST_LINES = 16;

interface AreaProps {
  typed: TypedControl;
  label: string;
  at: string;
  describedBy?: string;
  placeholder?: string | undefined;
}

/** Sets the height of a text area to that of its text. */
export function useHeight(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = area.current!;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
}

/** A text area as high as its text. */
function TextArea({ typed, label, at, describedBy, placeholder }: AreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useHeight(area, typed.text);
  return (
    <textarea
      ref={area}
      id={idOf(at)}
      class="form-area"
      rows={Math.min(MOST_LINES, typed.text.split("\n").length)}
      aria-label={label}
      aria-invalid={typed.problem !== undefined}
      aria-describedby={describedBy}
      placeholder={placeholder}
      value={typed.text}
      onInput={(event) => typed.type(event.currentTarget.value)}
      onBlur={typed.settle}
      onKeyDown={(event) => keys(event, typed)}
    />
  );
}

/** Handles keys. Escape discards the typed text that is not written yet. */
export function keys(event: KeyboardEvent, typed: TypedControl): void {
  if (event.key === "Enter" && (event.currentTarget instanceof HTMLInputElement || event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    typed.settle();
  } else if (event.key === "Escape") typed.reset();
}

interface InputProps extends Given {
  read(text: string): Typed;
  show?(value: unknown): string;
  list?: readonly string[];
  numeric?: boolean;
  mono?: boolean;
  write?(value: unknown): Promise<string | undefined>;
}

export function InputRow({ at, name, value, absent, read, show = shownText, list, numeric, mono, write, ways }: InputProps) {
  const typed = useTyped(value, show, read, write ?? ((next) => put(at, next, value)));
  const id = idOf(at);
  return (
    <Row at={at} name={name} control={id} problem={typed.problem} ways={ways}>
      <input
        id={id}
        class={mono ? "mono" : ""}
        value={typed.text}
        placeholder={absent}
        inputMode={numeric ? "decimal" : "text"}
        autocomplete="off"
        spellcheck={!mono && !numeric}
        aria-invalid={typed.problem !== undefined}
        aria-describedby={`${id}-problems`}
        list={list ? `${id}-list` : undefined}
        onInput={(event) => typed.type(event.currentTarget.value)}
        onBlur={typed.settle}
        onKeyDown={(event) => keys(event, typed)}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      )}
    </Row>
  );
}

export const TextRow = (given: Given) => <InputRow {...given} read={typedText} />;

export const NumberRow = (given: Given) => <InputRow {...given} read={(text) => typedNumber(text, false)} numeric />;

export function LinesRow({ at, name, value, absent }: Given) {
  const typed = useTyped(value, shownText, typedText, (next) => put(at, next, value));
  return (
    <Row at={at} name={name} control={idOf(at)} problem={typed.problem}>
      <TextArea typed={typed} label={name} at={at} placeholder={absent} describedBy={`${idOf(at)}-problems`} />
    </Row>
  );
}

interface WordsProps extends Given {
  words: readonly string[];
  write?(value: string | undefined): void;
  /** Whether the field cannot be removed. */
  required?: boolean;
}

export function WordsRow({ at, name, value, absent, words, write, required = false }: WordsProps) {
  const id = idOf(at);
  // A value that is not one of the options is listed too.
  const own = typeof value === "string" && !words.includes(value) ? [value] : [];
  return (
    <Row at={at} name={name} control={id}>
      <select
        id={id}
        value={value === undefined ? "" : shownText(value)}
        aria-describedby={`${id}-problems`}
        onChange={(event) => {
          const next = event.currentTarget.value === "" ? undefined : event.currentTarget.value;
          if (write) write(next);
          else void reportRefusal(put(at, next, value));
        }}
      >
        {!(required && value !== undefined) && <option value="">{absent === undefined ? "—" : absent}</option>}
        {[...own, ...words].map((word) => (
          <option key={word} value={word}>
            {word}
          </option>
        ))}
      </select>
    </Row>
  );
}

/** The target of a transition. `targets` are the states of the scope. */
export function StateRow({ at, name, value, targets, required = false }: Given & { targets?: readonly string[]; required?: boolean }) {
  const { formed } = useForm();
  const id = idOf(at);
  const all = targets ?? formed.targets;
  const own = typeof value === "string" && !all.includes(value) ? [value] : [];
  return (
    <Row at={at} name={name} control={id}>
      <select
        id={id}
        value={typeof value === "string" ? value : ""}
        aria-describedby={`${id}-problems`}
        onChange={(event) => void reportRefusal(put(at, event.currentTarget.value === "" ? undefined : event.currentTarget.value, value))}
      >
        {(!required || value === undefined) && <option value="">{required ? "Choose a state" : "—"}</option>}
        {own.map((one) => (
          <option key={one} value={one}>
            {one} (there is no such state)
          </option>
        ))}
        {all.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </Row>
  );
}
