// A list whose elements have their own forms: rules, retriers, catchers, branches. They are moved by buttons, and by Alt with the
// arrow keys.

import type { ComponentChildren } from "preact";
import { effect } from "@preact/signals";
import { pointerTo } from "stepglass/pointer";
import { Icon } from "../ui/Icon.tsx";
import { caretAt, problemsAt, shown, toText } from "./current.ts";
import { Messages, idOf } from "./Row.tsx";
import { change, reportRefusal } from "./write.ts";

interface Props {
  /** The pointer of the list. */
  at: string;
  /** The name of an element. */
  noun: string;
  values: readonly unknown[];
  /** Returns the header of an element. */
  head(value: unknown, index: number): ComponentChildren;
  body(value: unknown, index: number): ComponentChildren;
  /** Returns why an element cannot be removed. */
  fixed?(index: number): string | undefined;
}

export function Items({ at, noun, values, head, body, fixed }: Props) {
  return (
    <ol class="form-list" aria-label={noun.endsWith("h") ? `${noun}es` : `${noun}s`}>
      {values.map((value, index) => {
        const own = pointerTo(at, index);
        return (
          <li
            key={index}
            class={`form-item ${caretAt.value === own || caretAt.value?.startsWith(`${own}/`) ? "is-lit" : ""}`}
            onKeyDown={(event) => {
              if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
              event.preventDefault();
              event.stopPropagation();
              void move(at, index, index + (event.key === "ArrowUp" ? -1 : 1), values.length, event.target as Element);
            }}
          >
            <div class="item-head" role="group" aria-label={`${noun} ${index + 1}`}>
              <span class="item-number" aria-hidden="true">
                {index + 1}
              </span>
              <div class="item-words">{head(value, index)}</div>
              <Tools at={at} index={index} of={values.length} name={`${noun} ${index + 1}`} why={fixed?.(index)} />
            </div>
            <div class="item-body">{body(value, index)}</div>
            <Messages problems={problemsAt(own, false)} id={`${idOf(own)}-problems`} />
          </li>
        );
      })}
    </ol>
  );
}

/** Moves an element. The focus stays on the same control, at the element's new position. */
async function move(at: string, index: number, to: number, count: number, element: Element): Promise<void> {
  if (to < 0 || to >= count) return;
  const list = element.closest("ol")!;
  const place = focusables(list.children[index]!).indexOf(element as HTMLElement);
  if (!(await reportRefusal(change({ kind: "move", at: pointerTo(at, index), to })))) return;
  afterwards(() => focusables(list.children[to]!)[place]?.focus());
}

async function remove(at: string, index: number, count: number, element: Element): Promise<void> {
  const list = element.closest<HTMLElement>(".form-items")!;
  const gone = count === 1 ? at : pointerTo(at, index);
  if (!(await reportRefusal(change({ kind: "remove", at: gone })))) return;
  // The focus moves to the element at the same position, or to the button that adds one.
  afterwards(() => (list.querySelectorAll<HTMLElement>(":scope > ol > li > .item-head .item-remove")[index] ?? addOf(list))?.focus());
}

interface ToolsProps {
  at: string;
  index: number;
  /** The number of elements. */
  of: number;
  name: string;
  /** Why it cannot be removed. */
  why: string | undefined;
}

function Tools({ at, index, of, name, why }: ToolsProps) {
  const to = (place: number) => (element: Element) => move(at, index, place, of, element);
  return (
    <div class="item-tools">
      {of > 1 && (
        <>
          <Tool icon="up" label={`Move ${name} up`} disabled={index === 0} run={to(index - 1)} />
          <Tool icon="down" label={`Move ${name} down`} disabled={index === of - 1} run={to(index + 1)} />
        </>
      )}
      <Tool icon="code" label={`Show ${name} in the text`} run={() => toText(pointerTo(at, index))} />
      <Tool
        icon="close"
        label={`Remove ${name}`}
        {...(why !== undefined && { why })}
        class="item-remove"
        run={(element) => remove(at, index, of, element)}
      />
    </div>
  );
}

interface ToolProps {
  icon: "up" | "down" | "code" | "close";
  label: string;
  disabled?: boolean;
  /** Why it is disabled. */
  why?: string;
  class?: string;
  run(element: Element): void | Promise<void>;
}

const ARROWS = { up: "M10 15V5M5.5 9.5L10 5L14.5 9.5", down: "M10 5V15M5.5 10.5L10 15L14.5 10.5" };

export function Tool({ icon, label, disabled = false, why, class: more = "", run }: ToolProps) {
  const off = disabled || why !== undefined;
  return (
    <button
      type="button"
      class={`plain square small ${more}`}
      aria-label={label}
      aria-disabled={off}
      title={why ?? label}
      onClick={(event) => !off && void run(event.currentTarget)}
    >
      {icon === "up" || icon === "down" ? (
        <svg class="icon" width="0.8125rem" height="0.8125rem" viewBox="0 0 20 20" aria-hidden="true">
          <path d={ARROWS[icon]} />
        </svg>
      ) : (
        <Icon name={icon} size={13} />
      )}
    </button>
  );
}

const addOf = (list: Element): HTMLElement | null => list.querySelector<HTMLElement>(":scope > .form-add");

/** The button that adds an element. */
export function Add({ label, run }: { label: string; run(): Promise<unknown> }) {
  return (
    <button
      type="button"
      class="form-add small"
      onClick={(event) => {
        const list = event.currentTarget.closest(".form-items");
        const before = list?.querySelectorAll(":scope > ol > li").length ?? 0;
        void run().then(() =>
          afterwards(() => {
            const items = list?.querySelectorAll(":scope > ol > li");
            if (items && items.length > before) focusables(items[items.length - 1]!.querySelector(".item-body")!)[0]?.focus();
          }),
        );
      }}
    >
      <Icon name="plus" size={12} /> {label}
    </button>
  );
}

const focusables = (element: Element): HTMLElement[] => [...element.querySelectorAll<HTMLElement>("button, input, select, textarea")];

/** Calls a function when the form shows what was written. */
export function afterwards(then: () => void): void {
  let first = true;
  const stop = effect(() => {
    void shown.value;
    if (first) {
      first = false;
      return;
    }
    requestAnimationFrame(() => {
      stop();
      then();
    });
  });
}
