// The dialog that goes to a state by its name.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { goToDefinition, goingTo as open } from "./definitionEditor.ts";

const MOST = 60;

/**
 * Returns how well a name matches letters in this order: the closer together and the closer to the beginning, the better; -1 for
 * no match.
 */
function rank(name: string, wanted: string): number {
  const [text, letters] = [name.toLowerCase(), wanted.toLowerCase()];
  const at = text.indexOf(letters);
  if (at >= 0) return at;
  let from = -1;
  let spread = 0;
  for (const letter of letters) {
    const next = text.indexOf(letter, from + 1);
    if (next < 0) return -1;
    spread += next - from;
    from = next;
  }
  return 100 + spread;
}

export function GoTo() {
  const wanted = useSignal("");
  const at = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  const states = analysis.shown.value?.states ?? [];
  const found = states
    .map((state) => ({ state, rank: rank(state.name, wanted.value.trim()) }))
    .filter((entry) => entry.rank >= 0)
    .sort((a, b) => (wanted.value.trim() === "" ? 0 : a.rank - b.rank))
    .slice(0, MOST)
    .map(({ state }) => state);
  const chosen = Math.min(at.value, found.length - 1);
  useEffect(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }), [chosen]);
  const go = (name: string): void => {
    open.value = false;
    selection.selectState(name, "page");
    // The dialog restores the focus first.
    queueMicrotask(() => goToDefinition(name));
  };
  return (
    <Dialog title="Go to a state" close={() => (open.value = false)}>
      <input
        type="text"
        class="go-to"
        role="combobox"
        aria-label="Name of the state"
        aria-expanded="true"
        aria-controls="go-to-list"
        aria-activedescendant={found.length > 0 ? `go-to-${chosen}` : undefined}
        spellcheck={false}
        autofocus
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") at.value = Math.min(chosen + 1, found.length - 1);
          else if (event.key === "ArrowUp") at.value = Math.max(chosen - 1, 0);
          else if (event.key === "Enter" && found[chosen]) go(found[chosen].name);
          else return;
          event.preventDefault();
        }}
      />
      <ul class="go-to-list" id="go-to-list" role="listbox" aria-label="States" ref={list}>
        {found.map((state, i) => (
          <li key={state.pointer} id={`go-to-${i}`} role="option" aria-selected={i === chosen} onClick={() => go(state.name)}>
            <b>{state.name}</b> <span>{state.type}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">No state matches.</p>}
    </Dialog>
  );
}
