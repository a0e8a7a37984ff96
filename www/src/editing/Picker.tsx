// The list of a choice, beside its place. On a narrow page it is at the lower edge.

import { type Signal, useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as prefs from "../prefs.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { failureReporter } from "../ui/lazy.tsx";
import { filtered } from "../graph-editor/kernel/options.ts";
import type { Mode, Option, OptionGroup } from "../graph-editor/kernel/options.ts";
import { type OpenChoice, choosing } from "./picking.ts";

export function Picker() {
  const shown = choosing.value;
  return shown ? <Open key={serial(shown)} choice={shown} /> : null;
}

const numbers = new WeakMap<OpenChoice, number>();
let last = 0;
function serial(choice: OpenChoice): number {
  const known = numbers.get(choice) ?? (last += 1);
  numbers.set(choice, known);
  return known;
}

/** Returns whether the device has touch input, for which an on-screen keyboard would cover the list. */
const coarse = (): boolean => matchMedia("(pointer: coarse)").matches;

/** Returns the shown options of a choice, and the selected one. */
function useOptions(choice: OpenChoice) {
  const text = useSignal(choice.text ?? "");
  const own = useSignal(choice.groups);
  const found = useSignal<readonly OptionGroup[]>([]);
  const mode = useSignal(choice.modes?.[0]?.id ?? "");
  const current = useComputed(() => shownGroups(choice, own.value, found.value, text.value));
  const groups = current.value;
  const moved = useRef<Promise<void>>(Promise.resolve());
  const options = groups.flatMap((group) => group.options);
  const first = options.findIndex(({ id }) => id === choice.chosen);
  const at = useSignal(Math.max(0, first));
  useSearch(choice, text.value, found);
  return { choice, text, own, mode, current, groups, options, at, moved, chosen: Math.min(at.value, options.length - 1) };
}

type Options = ReturnType<typeof useOptions>;

function shownGroups(
  { made }: OpenChoice,
  own: readonly OptionGroup[],
  found: readonly OptionGroup[],
  text: string,
): readonly OptionGroup[] {
  const written = made?.(text.trim());
  const others = [...filtered(own, text), ...(text.trim() === "" ? [] : found)];
  return written ? [{ title: "", options: [written] }, ...others] : others;
}

/** Searches for further options that match the typed text. */
function useSearch(choice: OpenChoice, text: string, found: Signal<readonly OptionGroup[]>): void {
  useEffect(() => {
    const wanted = text.trim();
    if (!choice.search || wanted.length < 2) {
      found.value = [];
      return;
    }
    let here = true;
    choice.search(wanted).then(
      (groups) => here && (found.value = groups),
      (error: Error) => failureReporter.tell(`Services could not be searched: ${error.message}`),
    );
    return () => {
      here = false;
    };
  }, [text]);
}

/** Positions the box and moves the focus into it. If the focus leaves the box, the choice is cancelled. */
function usePlace(choice: OpenChoice, box: RefObject<HTMLDivElement | null>, field: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current!;
    place(element, choice.at);
    (field.current && !coarse() ? field.current : element.querySelector<HTMLElement>("#picker-list")!).focus({ preventScroll: true });
    field.current?.select();
    const outside = (event: Event): void => {
      if (!element.contains(event.target as Node)) choice.answer(undefined);
    };
    addEventListener("pointerdown", outside, true);
    addEventListener("resize", again);
    function again(): void {
      // An on-screen keyboard resizes the window, which does not cancel the choice.
      if (coarse()) place(element, choice.at);
      else choice.answer(undefined);
    }
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", again);
    };
  }, []);
}

function take({ choice, mode }: Options, option: Option | undefined): void {
  if (option) choice.answer({ id: option.id, mode: mode.value });
}

/** Moves the selected option in its list. Keys that come faster than the definition changes are applied one after the other. */
function shift({ choice, current, own, at, moved }: Options, by: number): void {
  moved.current = moved.current.then(async () => {
    const options = current.value.flatMap((group) => group.options);
    const chosen = Math.min(at.value, options.length - 1);
    const next = options[chosen] && (await choice.move!(options[chosen].id, by));
    if (!next) return;
    own.value = next;
    at.value = chosen + by;
  });
}

/** Handles a key in the list. Returns false if the key is text input. */
function pressed(shown: Options, event: KeyboardEvent, radio: boolean): boolean {
  const { choice, options, at, chosen } = shown;
  const arrow = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const letter = choice.keys?.[event.key.toLowerCase()];
  if (event.key === "Escape") choice.answer(undefined);
  else if (event.altKey && arrow !== 0 && choice.move) shift(shown, arrow);
  else if (arrow > 0 && !radio) at.value = (chosen + 1) % Math.max(1, options.length);
  else if (arrow < 0 && !radio) at.value = (chosen + options.length - 1) % Math.max(1, options.length);
  else if (event.key === "PageDown") at.value = Math.min(options.length - 1, chosen + 8);
  else if (event.key === "PageUp") at.value = Math.max(0, chosen - 8);
  else if (letter !== undefined)
    take(
      shown,
      options.find(({ id }) => id === letter),
    );
  else if (event.key === "Enter" && event.target instanceof HTMLButtonElement) return false;
  else if (event.key === "Enter") take(shown, options[chosen]);
  else if (event.key === "Tab" && !(choice.modes && choice.modes.length > 1) && !choice.move) choice.answer(undefined);
  else return false;
  return true;
}

function onKey(shown: Options, field: HTMLInputElement | null, event: KeyboardEvent): void {
  const radio = event.target instanceof HTMLInputElement && event.target.type === "radio";
  if (pressed(shown, event, radio)) event.preventDefault();
  else {
    // Letters that are typed while the field does not have the focus are added to the search.
    const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !radio;
    if (field && event.target !== field && letter) field.focus();
  }
  event.stopPropagation();
}

function Open({ choice }: { choice: OpenChoice }) {
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const shown = useOptions(choice);
  const { text, groups, options, chosen } = shown;
  usePlace(choice, box, field);
  useEffect(() => box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }), [chosen, groups.length]);
  return (
    <div
      class={`picker${prefs.layoutSize() === "narrow" ? " low" : ""}`}
      ref={box}
      role="dialog"
      aria-label={choice.title}
      tabIndex={-1}
      onKeyDown={(event) => onKey(shown, field.current, event)}
      onContextMenu={(event) => event.preventDefault()}
    >
      <p class="picker-head" aria-hidden="true">
        {choice.title}
      </p>
      {choice.modes && choice.modes.length > 1 && <Modes modes={choice.modes} mode={shown.mode} />}
      {choice.placeholder && <Field shown={shown} field={field} />}
      <List shown={shown} />
      {options.length === 0 && (
        <p class="quiet pad" role="status">
          {choice.nothing?.(text.value.trim()) ?? `Nothing matches “${text.value.trim()}”.`}
        </p>
      )}
      {choice.move && <Mover shown={shown} />}
    </div>
  );
}

/** Buttons that move the option, for users without a keyboard. */
function Mover({ shown }: { shown: Options }) {
  return (
    <p class="picker-foot">
      <button type="button" onClick={() => shift(shown, -1)}>
        Move up
      </button>
      <button type="button" onClick={() => shift(shown, 1)}>
        Move down
      </button>
      <span class="picker-keys">or Alt with the arrows</span>
    </p>
  );
}

function Modes({ modes, mode }: { modes: readonly Mode[]; mode: Signal<string> }) {
  return (
    <div class="picker-modes" role="radiogroup" aria-label="Where">
      {modes.map(({ id, title }) => (
        <label key={id} class={mode.value === id ? "on" : ""}>
          <input type="radio" name="picker-mode" checked={mode.value === id} onChange={() => (mode.value = id)} />
          {title}
        </label>
      ))}
    </div>
  );
}

function Field({ shown: { choice, text, options, at, chosen }, field }: { shown: Options; field: RefObject<HTMLInputElement | null> }) {
  return (
    <input
      ref={field}
      type="text"
      class="picker-field"
      role="combobox"
      aria-label={choice.placeholder}
      aria-expanded="true"
      aria-controls="picker-list"
      aria-autocomplete="list"
      aria-activedescendant={options[chosen] ? `picker-${chosen}` : undefined}
      placeholder={choice.placeholder}
      autocomplete="off"
      spellcheck={false}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
        at.value = 0;
      }}
    />
  );
}

function List({ shown }: { shown: Options }) {
  const { choice, groups, options, chosen } = shown;
  let number = 0;
  return (
    <div
      class="picker-list"
      id="picker-list"
      role="listbox"
      aria-label={choice.title}
      tabIndex={0}
      aria-activedescendant={options[chosen] ? `picker-${chosen}` : undefined}
    >
      {groups.map((group, g) => (
        <div role="group" aria-label={group.title || choice.title} key={`${g} ${group.title}`}>
          {group.title && (
            <p class="picker-group" role="presentation">
              {group.title}
            </p>
          )}
          {group.options.map((option) => (
            <Row key={option.id} shown={shown} option={option} number={number++} />
          ))}
        </div>
      ))}
    </div>
  );
}

function Row({ shown, option, number }: { shown: Options; option: Option; number: number }) {
  return (
    <div
      id={`picker-${number}`}
      role="option"
      class="picker-option"
      aria-selected={number === shown.chosen}
      data-option={option.id}
      onClick={() => (shown.choice.move ? (shown.at.value = number) : take(shown, option))}
      onPointerMove={(event) => event.pointerType === "mouse" && (shown.at.value = number)}
    >
      {option.type && <TypeTile type={option.type} detail={option.service} />}
      <span class="picker-words">
        <span class="picker-title">{option.title}</span>
        {option.detail && <span class="picker-detail">{option.detail}</span>}
      </span>
    </div>
  );
}

/** Positions the box as near to its point as the window allows. */
function place(element: HTMLElement, at: { x: number; y: number } | undefined): void {
  if (element.classList.contains("low")) return;
  const graph = document.querySelector("#graph-pane")?.getBoundingClientRect();
  const { x, y } = at ?? { x: (graph?.left ?? 0) + (graph?.width ?? innerWidth) / 2 - 150, y: (graph?.top ?? 0) + 60 };
  const { width, height } = element.getBoundingClientRect();
  element.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  element.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
}
