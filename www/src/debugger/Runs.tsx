// The runs of this session as the tree that forks make of them.

import type { RunInfo } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import * as model from "./model.ts";
import { canStep, fork, selectRun } from "./session.ts";

export function Runs() {
  const runs = model.runs.value;
  const cursor = store.cursor.value;
  if (runs.length === 0) {
    return (
      <div class="empty small">
        <p>A run can be forked at any event, with other data, another mock or another definition. The forks stand here as a tree.</p>
      </div>
    );
  }
  return (
    <div class="runs scroll">
      <div class="pane-bar">
        <button type="button" disabled={!canStep()} onClick={() => fork()}>
          <Icon name="fork" size={13} /> Fork at event {cursor}
        </button>
        <span class="quiet">or change an input, a result or a variable in the inspector while the run is paused</span>
      </div>
      <ul role="tree" aria-label="Runs">
        {runs.filter(({ parent }) => parent === undefined).map((run) => (
          <Branch key={run.id} run={run} runs={runs} level={1} />
        ))}
      </ul>
    </div>
  );
}

function Branch({ run, runs, level }: { run: RunInfo; runs: RunInfo[]; level: number }) {
  const inside = runs.filter(({ parent }) => parent === run.id);
  const status = run.outcome?.status;
  return (
    <li role="treeitem" aria-level={level} aria-selected={run.current} aria-expanded={inside.length > 0 ? true : undefined}>
      <button type="button" class={`run-row${run.current ? " current" : ""}`} onClick={() => selectRun(run.id)}>
        <Icon name={run.parent === undefined ? "play" : "fork"} size={13} />
        <b>Run {run.id}</b>
        <span>{run.label}</span>
        {run.at !== undefined && <span class="quiet">from event {run.at}</span>}
        <span class="gap" />
        <span class="quiet">{count(run.events, "event")}</span>
        <span class={status === undefined ? "quiet" : status === "SUCCEEDED" ? "is-good" : "is-bad"}>{status === undefined ? "not ended" : status.toLowerCase().replace("_", " ")}</span>
      </button>
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
