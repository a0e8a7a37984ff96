// The palette: states, patterns and services to drag onto the graph. A click adds the piece behind the selected state, as the
// keys do.

import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { pan, size, view } from "../graph/viewport.ts";
import { filtered } from "../model/options.ts";
import * as analysis from "../store/analysis.ts";
import { Icon, TypeTile } from "../ui/Icon.tsx";
import { failureReporter } from "../ui/lazy.tsx";
import { add, groupsFor, additionsBehind } from "./add.ts";
import { paletteDrag, startPaletteDrag } from "./paletteDrag.ts";
import { canEdit } from "./gesture.ts";
import { type Option, type OptionGroup, pick } from "./picking.ts";
import { searchServices } from "./services.ts";
import { stateAt } from "./selectedStates.ts";

export const paletteOpen = signal(false);

export function togglePalette(): void {
  paletteOpen.value = !paletteOpen.value;
}

/** Moves the drawing aside, as far as there is room. */
function makeRoom(): void {
  const box = document.querySelector<HTMLElement>(".pen-palette");
  const index = analysis.graph.peek();
  if (!box || !index) return;
  const { k } = view.peek();
  const x = view.peek().x + index.corner[0] * k;
  const need = box.offsetLeft + box.offsetWidth + 16 - x;
  const room = size.peek().width - (x + index.graph.width * k) - 12;
  if (need > 0 && room > 0) pan(Math.min(need, room), 0);
}

/** Adds a piece behind the selected state, or unconnected if none is selected. */
async function addHere({ id, title }: Option): Promise<void> {
  if (!canEdit()) return;
  const node = stateAt();
  if (!node) return add(id, { scope: "" });
  const { ways } = await additionsBehind(node.id);
  if (ways.length === 0) return add(id, { scope: node.id.slice(0, node.id.lastIndexOf("/States/")) });
  const chosen =
    ways.length === 1
      ? ways[0]!.id
      : (await pick({ title: `${title} after ${node.name}`, placeholder: "", groups: [{ title: "", options: ways }] }))?.id;
  const way = ways.find((one) => one.id === chosen);
  if (way) await add(id, way.where);
}

/** Returns the pieces that match a text: the palette's own, and services with such names. */
function usePieces(text: string): readonly OptionGroup[] {
  const groups = useSignal<readonly OptionGroup[]>([]);
  const found = useSignal<readonly OptionGroup[]>([]);
  useEffect(() => {
    void groupsFor(false).then((all) => (groups.value = all));
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
    document.querySelector<HTMLElement>(".pen-bar button")?.focus();
  }
  // The palette handles its own keys, so the graph must not receive them.
  event.stopPropagation();
}

export function Palette(): JSX.Element | null {
  const text = useSignal("");
  const shown = usePieces(text.value);
  if (analysis.inside.value) return null;
  return (
    <section class="pen-palette" aria-label="Palette" onKeyDown={onKey}>
      <div class="pen-palette-head">
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
      <div class="pen-palette-list">
        {shown.map((group) => (
          <Pieces key={group.title} group={group} />
        ))}
        {shown.length === 0 && (
          <p class="quiet pad" role="status">
            Nothing matches “{text.value.trim()}”.
          </p>
        )}
      </div>
      <p class="pen-palette-foot quiet">Drag onto a line or a state, or press to add after the selected state.</p>
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
          class="pen-piece"
          data-piece={option.id}
          title={option.detail}
          onPointerDown={(event) => startPaletteDrag(event, option)}
          onClick={() => void addHere(option)}
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
    <div class={`pen-carried${now.aim ? "" : " nowhere"}`} style={{ left: `${now.x + 12}px`, top: `${now.y + 10}px` }} aria-hidden="true">
      <b>
        {now.option.type && <TypeTile type={now.option.type} />} {now.option.title}
      </b>
      <span>{now.words}</span>
    </div>
  );
}
