// The origin of a part of a value, and its path to copy.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Flow, Origin } from "../model/protocol.ts";
import { type Path, jsonataText, pathText, valueAt } from "../model/stages.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import { Icon } from "../ui/Icon.tsx";
import { latestOnly } from "../ui/latestOnly.ts";
import { nameOf } from "../values/diff.ts";
import { pin, pins } from "../values/pins.ts";
import { copy } from "./copy.ts";
import { liveValues, toggleLiveValues } from "./liveValues.ts";

interface Props {
  flow: Flow;
  at: number;
  path: Path;
  value: unknown;
  name: string;
  close(): void;
}

/** The origin of a part of a value, back to the execution's input. */
export function Provenance({ flow, at, path, value, name, close }: Props) {
  const origins = useOrigins(flow, at, path);
  const jsonata = inJsonata(path, name, at);
  return (
    <section class="origin" aria-label={`Where ${pathText(path)} came from`}>
      <p class="inspect-line">
        <code>{pathText(path)}</code>
        <button type="button" class="link" onClick={() => copy(pathText(path), "Path copied.")}>
          Copy path
        </button>
        <button type="button" class="link" title={jsonata} onClick={() => copy(jsonata, "JSONata path copied.")}>
          Copy as JSONata
        </button>
        <button type="button" class="link" onClick={() => copy(JSON.stringify(valueAt(value, path), null, 2), "Value copied.")}>
          Copy value
        </button>
        {name === "output" && <PinLink state={flow.state} path={path} />}
        <span class="gap" />
        <button type="button" class="plain square small" aria-label="Close where it came from" onClick={close}>
          <Icon name="close" size={13} />
        </button>
      </p>
      <ol aria-label="Where it came from">
        {origins?.map((origin, i) => (
          <li key={i} class={origin.approximate ? "quiet" : ""} style={{ marginInlineStart: `${origin.depth * 12}px` }}>
            {origin.event !== undefined ? (
              <button type="button" class="link" onClick={() => playback.selectEvent(origin.event!, origin.state ?? null, "inspector")}>
                {origin.text}
              </button>
            ) : (
              origin.text
            )}
            {origin.approximate && " (approximate)"}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Loads the chain of origins of a value. */
function useOrigins(flow: Flow, at: number, path: Path): Origin[] | null {
  const origins = useSignal<Origin[] | null>(null);
  const asked = useSignal(path);
  if (asked.peek() !== path) asked.value = path;
  useSignalEffect(() => {
    const question = { visit: flow.visit, attempt: flow.attempt, stage: at, item: flow.item, path: asked.value };
    return latestOnly(interpreter.query("origin", question), (found) => (origins.value = found));
  });
  return origins.value;
}

/** Returns the JSONata expression that reads the path after the stage. */
function inJsonata(path: Path, name: string, at: number): string {
  if (name === "assignedVariables") return `$${jsonataText(path, "").replace(/^\./, "")}`;
  return jsonataText(path, at >= 0 && name === "result" ? "$states.result" : "$states.input");
}

/** A button that shows a part of the output on the state's card. */
function PinLink({ state, path }: { state: string; path: Path }) {
  const there = pins.value.get(state);
  const on = there !== undefined && nameOf(there) === nameOf(path);
  return (
    <button
      type="button"
      class="link"
      aria-pressed={on}
      onClick={() => {
        pin(state, on ? null : path);
        if (!on && !liveValues.value) toggleLiveValues();
      }}
    >
      {on ? "Show the whole output on the graph" : "Show on the graph"}
    </button>
  );
}
