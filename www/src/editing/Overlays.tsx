// The parts over the panes during editing: the menu of choices, and the field for a new name.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import * as analysis from "../store/analysis.ts";
import { Carried } from "./Palette.tsx";
import { Picker } from "./Picker.tsx";
import { type Renaming, renaming } from "./rename.ts";

export function Overlays() {
  const now = renaming.value;
  return (
    <>
      <Picker />
      <Carried />
      {now && <NameField key={now.id} now={now} />}
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
          if (event.key === "Escape") now.answer(undefined);
          else if (event.key === "Enter") {
            if (!taken) now.answer(name.value);
          } else return;
          event.preventDefault();
        }}
        onBlur={() => renaming.peek() === now && now.answer(taken ? undefined : name.value)}
      />
      {taken && (
        <p id="pen-name-taken" role="alert">
          There is a state of this name.
        </p>
      )}
    </div>
  );
}
