// The runs of this session as a tree of forks, and the comparison of two runs.

import { useEffect, useRef } from "preact/hooks";
import type { RunInfo } from "../model/protocol.ts";
import { outcomeTone, outcomeWord } from "../model/log.ts";
import * as playback from "../store/playback.ts";
import { showToast } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { TONE_CLASS } from "../ui/tone.ts";
import { Compare, labelOf } from "./Compare.tsx";
import { comparing } from "./layers.ts";
import * as model from "./model.ts";
import { canStep, fork, forgetRun, selectRun } from "./session.ts";

export function Runs() {
  const runs = model.runs.value;
  const cursor = playback.cursor.value;
  const pane = useRef<HTMLDivElement>(null);
  const both = comparing.value !== null;
  const was = useRef(both);
  // When the comparison is closed by its key or its button, the focus stays in the pane.
  useEffect(() => {
    if (was.current && !both) pane.current?.querySelector<HTMLElement>(".compare-button")?.focus();
    else if (!was.current && both) pane.current?.querySelector<HTMLElement>("select")?.focus();
    was.current = both;
  }, [both]);
  if (runs.length === 0) {
    return (
      <div class="empty small">
        <p>
          No runs yet. Each run is listed here, with its forks below it. A run can be forked at any event, with different data, mocks or
          definition, and any two runs can be compared.
        </p>
      </div>
    );
  }
  if (both) {
    return (
      <div class="runs" ref={pane}>
        <Compare />
      </div>
    );
  }
  return (
    <div class="runs scroll" ref={pane}>
      <div class="pane-bar">
        <button type="button" disabled={!canStep()} onClick={() => fork()}>
          <Icon name="fork" size={13} /> Fork at event {cursor}
        </button>
        <button type="button" class="compare-button" disabled={runs.length < 2} onClick={compareRuns}>
          Compare two runs
        </button>
        <span class="quiet">
          {runs.length < 2 ? "To compare two runs, run again, or change an input, a result or a variable in the inspector." : ""}
        </span>
      </div>
      <ul role="tree" aria-label="Runs">
        {runs
          .filter(({ parent }) => parent === undefined)
          .map((run) => (
            <Branch key={run.id} run={run} runs={runs} level={1} />
          ))}
      </ul>
    </div>
  );
}

/** Compares the displayed run with its parent, or with the run before it. */
function compareRuns(): void {
  const runs = model.runs.value;
  const shown = runs.find(({ current }) => current) ?? runs.at(-1);
  const others = runs.filter((run) => run !== shown);
  const other = others.find(({ id }) => id === shown?.parent) ?? others.findLast(({ id }) => id < (shown?.id ?? 0)) ?? others[0];
  if (!shown || !other) return showToast("There is only one run. Run again or fork it to compare.");
  const [a, b] = [other.id, shown.id].sort((one, two) => one - two) as [number, number];
  comparing.value = { a, b, difference: null };
}

function Branch({ run, runs, level }: { run: RunInfo; runs: RunInfo[]; level: number }) {
  const inside = runs.filter(({ parent }) => parent === run.id);
  const status = run.outcome?.status;
  return (
    <li role="treeitem" aria-level={level} aria-selected={run.current} aria-expanded={inside.length > 0 ? true : undefined}>
      <span class="run-line">
        <button type="button" class={`run-row${run.current ? " current" : ""}`} onClick={() => void selectRun(run.id)}>
          <Icon name={run.parent === undefined ? "play" : "fork"} size={13} />
          <b>Run {run.id}</b>
          <span>{labelOf(run)}</span>
          <span class="gap" />
          <span class="quiet">{count(run.events, "event")}</span>
          <span class={TONE_CLASS[outcomeTone(status ?? "")]}>
            {status === undefined ? "not ended" : outcomeWord(status).toLowerCase()}
          </span>
        </button>
        {!run.current && (
          <button
            type="button"
            class="plain square small"
            aria-label={`Remove run ${run.id}`}
            title="Remove this run"
            onClick={() => forgetRun(run.id)}
          >
            <Icon name="close" size={13} />
          </button>
        )}
      </span>
      {inside.length > 0 && (
        <ul role="group">
          {inside.map((one) => (
            <Branch key={one.id} run={one} runs={runs} level={level + 1} />
          ))}
        </ul>
      )}
    </li>
  );
}
