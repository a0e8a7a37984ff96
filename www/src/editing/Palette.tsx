// The palette: states, patterns and services to drag onto the graph. A click adds the piece behind the selected state, as the
// keys do.

import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { pan, size, view } from "../graph/viewport.ts";
import { addOptionHere, additionGroups } from "../graph-editor/kernel/adding.ts";
import { type OptionGroup, filtered } from "../graph-editor/kernel/options.ts";
import * as analysis from "../store/analysis.ts";
import { Icon, TypeTile } from "../ui/Icon.tsx";
import { failureReporter } from "../ui/lazy.tsx";
import { host, run } from "./host.ts";
import { paletteDrag, startPaletteDrag } from "./paletteDrag.ts";
import { searchServices } from "./services.ts";

export const paletteOpen = signal(false);

export function togglePalette(): void {
  paletteOpen.value = !paletteOpen.value;
}

/** Moves the drawing aside, as far as there is room. */
function makeRoom(): void {
  const box = document.querySelector<HTMLElement>(".edit-palette");
  const index = analysis.graph.peek();
  if (!box || !index) return;
  const { k } = view.peek();
  const x = view.peek().x + index.corner[0] * k;
  const need = box.offsetLeft + box.offsetWidth + 16 - x;
  const room = size.peek().width - (x + index.graph.width * k) - 12;
  if (need > 0 && room > 0) pan(Math.min(need, room), 0);
}

/** Returns the pieces that match a text: the palette's own, and services with such names. */
function usePieces(text: string): readonly OptionGroup[] {
  const groups = useSignal<readonly OptionGroup[]>([]);
  const found = useSignal<readonly OptionGroup[]>([]);
  useEffect(() => {
    void (async () => {
      groups.value = additionGroups({ ...(await host.catalog()), recent: [] });
    })();
    makeRoom();
  }, []);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted.length < 2) {
      found.value = [];
      return;
    }
    let here = true;
    searchServices(wanted).then(
      (services) => here && (found.value = services),
      (error: Error) => failureReporter.tell(`Services could not be searched: ${error.message}`),
    );
    return () => {
      here = false;
    };
  }, [text]);
  return [...filtered(groups.value, text), ...found.value];
}

function onKey(event: KeyboardEvent): void {
  if (event.key === "Escape") {
    paletteOpen.value = false;
    document.querySelector<HTMLElement>(".edit-bar button")?.focus();
  }
  // The palette handles its own keys, so the graph must not receive them.
  event.stopPropagation();
}

export function Palette(): JSX.Element | null {
  const text = useSignal("");
  const shown = usePieces(text.value);
  if (analysis.inside.value) return null;
  return (
    <section class="edit-palette" aria-label="Palette" onKeyDown={onKey}>
      <div class="edit-palette-head">
        <input
          type="search"
          class="picker-field"
          aria-label="Search states, patterns and services"
          placeholder="State, pattern or service"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="button" class="plain square small" aria-label="Close the palette" title="Close (Esc)" onClick={togglePalette}>
          <Icon name="close" size={13} />
        </button>
      </div>
      <div class="edit-palette-list">
        {shown.map((group) => (
          <Pieces key={group.title} group={group} />
        ))}
        {shown.length === 0 && (
          <p class="quiet pad" role="status">
            Nothing matches “{text.value.trim()}”.
          </p>
        )}
      </div>
      <p class="edit-palette-foot quiet">Drag onto a line or a state, or press to add after the selected state.</p>
    </section>
  );
}

function Pieces({ group: { title, options } }: { group: OptionGroup }): JSX.Element {
  return (
    <div role="group" aria-label={title}>
      <p class="picker-group" aria-hidden="true">
        {title}
      </p>
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          class="edit-piece"
          data-piece={option.id}
          title={option.detail}
          onPointerDown={(event) => startPaletteDrag(event, option)}
          onClick={() => void run(addOptionHere(option, host.state()))}
        >
          {option.type && <TypeTile type={option.type} />}
          <span>{option.title}</span>
        </button>
      ))}
    </div>
  );
}

/** The dragged piece, below the pointer. */
export function Carried(): JSX.Element | null {
  const now = paletteDrag.value;
  if (!now) return null;
  return (
    <div class={`edit-carried${now.aim ? "" : " nowhere"}`} style={{ left: `${now.x + 12}px`, top: `${now.y + 10}px` }} aria-hidden="true">
      <b>
        {now.option.type && <TypeTile type={now.option.type} />} {now.option.title}
      </b>
      <span>{now.words}</span>
    </div>
  );
}
