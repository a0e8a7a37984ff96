// The gallery: the examples with their drawings, and the drafts of this browser.

import { type Signal, useSignal } from "@preact/signals";
import type { Example } from "../examples/example.ts";
import { examples } from "../examples/index.ts";
import * as prefs from "../prefs.ts";
import type { Workspace } from "../model/share.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import { say } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { DraftLibrary } from "./DraftLibrary.tsx";

const close = (): void => {
  panes.closeDialog();
};

/** The features that more than one example has, the most frequent first. */
const counts = new Map<string, number>();
for (const { features } of examples) for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
const FEATURES = [...counts]
  .filter(([, found]) => found > 1)
  .sort((a, b) => b[1] - a[1])
  .map(([feature]) => feature);

/** Opens a machine, or an example by its id. */
function open(machine: Workspace, example?: string): void {
  close();
  opening.open(machine, true, example === undefined ? {} : { example });
  say(`Opened ${machine.title}`);
}

function fits(example: Example, feature: string, words: readonly string[]): boolean {
  if (feature !== "" && !example.features.includes(feature)) return false;
  const all = `${example.title} ${example.lesson} ${example.features.join(" ")}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

export default function Gallery() {
  const feature = useSignal("");
  const text = useSignal("");
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = examples.filter((example) => fits(example, feature.value, words));
  const theme = prefs.theme.value === "dark" || (prefs.theme.value === "system" && prefs.systemDark.value) ? "dark" : "light";
  return (
    <Dialog title="Drafts and examples" close={close} wide>
      <DraftLibrary />
      <h3>Examples</h3>
      <Filter text={text} feature={feature} />
      <p class="unseen" role="status">
        {count(shown.length, "example")}
      </p>
      <ul class="gallery">
        {feature.value === "" && words.length === 0 && (
          <li>
            <button type="button" onClick={() => open(opening.EMPTY)}>
              <span class="gallery-title">
                <Icon name="plus" size={14} /> Empty
              </span>
              <span class="gallery-lesson">Start from scratch. Paste a definition, or write one with the editor's help.</span>
            </button>
          </li>
        )}
        {shown.map((example) => (
          <Card key={example.id} example={example} theme={theme} />
        ))}
      </ul>
      {shown.length === 0 && <p class="quiet">No example matches.</p>}
    </Dialog>
  );
}

function Filter({ text, feature }: { text: Signal<string>; feature: Signal<string> }) {
  return (
    <div class="gallery-filter" role="search">
      <label class="search">
        <Icon name="inspect" size={14} />
        <span class="unseen">Search the examples</span>
        <input type="search" placeholder="Search" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <div class="chips" role="group" aria-label="Only with the feature">
        {FEATURES.map((name) => (
          <button
            key={name}
            type="button"
            class="chip-button"
            aria-pressed={feature.value === name}
            onClick={() => (feature.value = feature.value === name ? "" : name)}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

/** An example with its drawing. */
function Card({ example, theme }: { example: Example; theme: "dark" | "light" }) {
  return (
    <li>
      <button
        type="button"
        aria-current={example.title === workspace.title.value ? "true" : undefined}
        onClick={() => open(example, example.id)}
      >
        <img class="gallery-drawing" src={`thumbs/${example.id}-${theme}.svg`} alt="" loading="lazy" decoding="async" />
        <span class="gallery-title">{example.title}</span>
        <span class="gallery-lesson">{example.lesson}</span>
        <span class="gallery-tags">
          {example.features.map((name) => (
            <span key={name} class="tag">
              {name}
            </span>
          ))}
        </span>
      </button>
    </li>
  );
}
