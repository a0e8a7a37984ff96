// What stands over the panes while the graph is edited: the menu of choices, a name being changed, a hint.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import * as panes from "../store/panes.ts";
import * as prefs from "../prefs.ts";
import { Icon } from "../ui/Icon.tsx";
import { Carried } from "./Palette.tsx";
import { Picker } from "./Picker.tsx";
import { dismissHint, hint, noMoreHints } from "./hints.ts";
import { type Renaming, rename, renaming, stopRename } from "./rename.ts";

export function Over() {
  const now = renaming.value;
  return (
    <>
      <Picker />
      <Carried />
      {now && <NameField key={now.id} now={now} />}
      {hint.value && analysis.graph.value && (prefs.layoutSize() !== "narrow" || panes.narrowTab.value === "graph") && (
        <Hint text={hint.value.text} />
      )}
    </>
  );
}

function NameField({ now }: { now: Renaming }) {
  const field = useRef<HTMLInputElement>(null);
  const name = useSignal(now.name);
  const taken = name.value !== now.name && analysis.latest.value?.states.some((state) => state.name === name.value);
  useLayoutEffect(() => {
    const input = field.current!;
    Object.assign(input.parentElement!.style, { left: `${now.box.x}px`, top: `${now.box.y}px`, width: `${now.box.width}px` });
    input.focus();
    input.select();
  }, []);
  return (
    <div class="pen-name">
      <input
        ref={field}
        type="text"
        aria-label={`Name of ${now.name}`}
        aria-invalid={taken ? "true" : undefined}
        aria-describedby={taken ? "pen-name-taken" : undefined}
        maxLength={80}
        spellcheck={false}
        autocomplete="off"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.isComposing) return;
          if (event.key === "Escape") stopRename();
          else if (event.key === "Enter") {
            if (!taken) void rename(name.value);
          } else return;
          event.preventDefault();
        }}
        onBlur={() => (taken ? stopRename() : void rename(name.value))}
      />
      {taken && (
        <p id="pen-name-taken" role="alert">
          There is a state of this name.
        </p>
      )}
    </div>
  );
}

function Hint({ text }: { text: string }) {
  const box = useRef<HTMLElement>(null);
  // At the lower left of the graph, where its tools are not.
  useLayoutEffect(() => {
    const place = (): void => {
      const pane = document.querySelector("#graph-pane")?.getBoundingClientRect();
      if (!pane || !box.current) return;
      box.current.style.left = `${pane.left + 10}px`;
      // Where what has just been made is not.
      const made = document.querySelector(".canvas .selected")?.getBoundingClientRect();
      const low = made === undefined || made.bottom < pane.bottom - box.current.offsetHeight - 70;
      box.current.style.bottom = low ? `${innerHeight - pane.bottom + 64}px` : "auto";
      box.current.style.top = low ? "auto" : `${pane.top + 56}px`;
      box.current.style.maxWidth = `${Math.min(340, pane.width - 20)}px`;
    };
    place();
    const observer = new ResizeObserver(place);
    const pane = document.querySelector("#graph-pane");
    if (pane) observer.observe(pane);
    return () => observer.disconnect();
  }, [text, selection.selectedState.value]);
  return (
    <aside class="pen-hint" aria-label="Hint" ref={box}>
      <Icon name="bulb" size={16} />
      <p>{text}</p>
      <div>
        <button type="button" class="link" onClick={dismissHint}>
          Got it
        </button>
        <button type="button" class="link" onClick={noMoreHints}>
          No more hints
        </button>
      </div>
    </aside>
  );
}
