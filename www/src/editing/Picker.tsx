// The list of a choice, beside its place; on a narrow page at the lower edge.

import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as prefs from "../prefs.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { failing } from "../ui/lazy.tsx";
import { filtered } from "../model/options.ts";
import { type OpenChoice, type Option, type OptionGroup, choosing } from "./picking.ts";

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

/// A finger needs no keyboard over the list.
const coarse = (): boolean => matchMedia("(pointer: coarse)").matches;

function Open({ choice }: { choice: OpenChoice }) {
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal("");
  const own = useSignal(choice.groups);
  const more = useSignal<readonly OptionGroup[]>([]);
  const mode = useSignal(choice.modes?.[0]?.id ?? "");
  const groups = useComputed(() => [...filtered(own.value, text.value), ...(text.value.trim() === "" ? [] : more.value)]).value;
  const options = groups.flatMap((group) => group.options);
  const at = useSignal(
    Math.max(
      0,
      options.findIndex(({ id }) => id === choice.chosen),
    ),
  );
  const chosen = Math.min(at.value, options.length - 1);

  useLayoutEffect(() => {
    const element = box.current!;
    place(element, choice.at);
    (field.current && !coarse() ? field.current : element.querySelector<HTMLElement>("#picker-list")!).focus({ preventScroll: true });
    const outside = (event: Event): void => {
      if (!element.contains(event.target as Node)) choice.answer(undefined);
    };
    const gone = (): void => choice.answer(undefined);
    addEventListener("pointerdown", outside, true);
    addEventListener("resize", again);
    function again(): void {
      // A keyboard on the screen changes the window and not the choice.
      if (coarse()) place(element, choice.at);
      else gone();
    }
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", again);
    };
  }, []);

  useEffect(() => {
    const wanted = text.value.trim();
    if (!choice.search || wanted.length < 2) {
      more.value = [];
      return;
    }
    let here = true;
    choice.search(wanted).then(
      (found) => here && (more.value = found),
      (error: Error) => failing.tell(`Services could not be searched: ${error.message}`),
    );
    return () => {
      here = false;
    };
  }, [text.value]);

  useEffect(() => box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }), [chosen, groups.length]);

  const take = (option: Option | undefined): void => {
    if (option) choice.answer({ id: option.id, mode: mode.value });
  };
  const keys = (event: KeyboardEvent): void => {
    const radio = event.target instanceof HTMLInputElement && event.target.type === "radio";
    if (event.key === "Escape") choice.answer(undefined);
    else if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp") && choice.move && options[chosen]) {
      const { id } = options[chosen];
      const by = event.key === "ArrowDown" ? 1 : -1;
      void choice.move(id, by).then((next) => {
        if (!next) return;
        own.value = next;
        at.value = chosen + by;
      });
    } else if (event.key === "ArrowDown" && !radio) at.value = (chosen + 1) % Math.max(1, options.length);
    else if (event.key === "ArrowUp" && !radio) at.value = (chosen + options.length - 1) % Math.max(1, options.length);
    else if (event.key === "PageDown") at.value = Math.min(options.length - 1, chosen + 8);
    else if (event.key === "PageUp") at.value = Math.max(0, chosen - 8);
    else if (choice.keys?.[event.key.toLowerCase()]) take(options.find(({ id }) => id === choice.keys![event.key.toLowerCase()]));
    else if (event.key === "Enter") take(options[chosen]);
    else if (event.key === "Tab" && !(choice.modes && choice.modes.length > 1)) choice.answer(undefined);
    else {
      // What is typed in a list without a focused field is what is looked for.
      if (
        field.current &&
        event.target !== field.current &&
        event.key.length === 1 &&
        !event.ctrlKey &&
        !event.metaKey &&
        !event.altKey &&
        !radio
      )
        field.current.focus();
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  let number = -1;
  const list = (
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
          {group.options.map((option) => {
            number += 1;
            const mine = number;
            return (
              <div
                key={option.id}
                id={`picker-${mine}`}
                role="option"
                class="picker-option"
                aria-selected={mine === chosen}
                data-option={option.id}
                onClick={() => take(option)}
                onPointerMove={(event) => event.pointerType === "mouse" && (at.value = mine)}
              >
                {option.type && <TypeTile type={option.type} detail={option.service} />}
                <span class="picker-words">
                  <span class="picker-title">{option.title}</span>
                  {option.detail && <span class="picker-detail">{option.detail}</span>}
                </span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
  return (
    <div
      class={`picker${prefs.layoutSize() === "narrow" ? " low" : ""}`}
      ref={box}
      role="dialog"
      aria-label={choice.title}
      tabIndex={-1}
      onKeyDown={keys}
      onContextMenu={(event) => event.preventDefault()}
    >
      <p class="picker-head" aria-hidden="true">
        {choice.title}
      </p>
      {choice.modes && choice.modes.length > 1 && (
        <div class="picker-modes" role="radiogroup" aria-label="Where">
          {choice.modes.map(({ id, title }) => (
            <label key={id} class={mode.value === id ? "on" : ""}>
              <input type="radio" name="picker-mode" checked={mode.value === id} onChange={() => (mode.value = id)} />
              {title}
            </label>
          ))}
        </div>
      )}
      {choice.placeholder && (
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
      )}
      {list}
      {options.length === 0 && (
        <p class="quiet pad" role="status">
          Nothing matches “{text.value.trim()}”.
        </p>
      )}
      {choice.move && <p class="picker-foot">Alt ↑ and Alt ↓ move the chosen one.</p>}
    </div>
  );
}

/// As near to its point as the window has room.
function place(element: HTMLElement, at: { x: number; y: number } | undefined): void {
  if (element.classList.contains("low")) return;
  const graph = document.querySelector("#graph-pane")?.getBoundingClientRect();
  const { x, y } = at ?? { x: (graph?.left ?? 0) + (graph?.width ?? innerWidth) / 2 - 150, y: (graph?.top ?? 0) + 60 };
  const { width, height } = element.getBoundingClientRect();
  element.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  element.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
}
