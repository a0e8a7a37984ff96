// The selected execution among those that tasks have started, and the links between them.

import type { ChildExecution } from "../model/protocol.ts";
import { outcomeTone, outcomeWord } from "../model/log.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { TONE_CLASS } from "../ui/tone.ts";
import * as model from "./model.ts";
import { selectExecution } from "./session.ts";

/** The path from the run's own execution to the selected one, over the graph. */
export function InsidePath() {
  const inside = analysis.inside.value;
  if (!inside) return null;
  const last = inside.way.length - 1;
  const parent = inside.way[last - 1]!;
  return (
    <nav class="inside-path" aria-label="Executions around this one">
      <button
        type="button"
        class="plain square small"
        aria-label={`Back to ${nameOf(parent)}`}
        title={`Back to ${nameOf(parent)}`}
        onClick={() => selectExecution(parent.id)}
      >
        <Icon name="back" size={14} />
      </button>
      <ol>
        {inside.way.map((one, i) => (
          <li key={one.id}>
            {i > 0 && <span aria-hidden="true"> › </span>}
            {one.state !== undefined && <span class="quiet">{one.state} › </span>}
            {i === last ? (
              <b aria-current="location">
                {nameOf(one)}{" "}
                <span class="quiet" title={one.name}>
                  ({short(one.name)})
                </span>
              </b>
            ) : (
              <button type="button" class="link" onClick={() => selectExecution(one.id)}>
                {nameOf(one)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function nameOf({ id, machine }: { id: number; machine: string }): string {
  return id === 0 ? workspace.title.value : machine;
}

/** Shortens a generated name, which is a UUID. */
function short(name: string): string {
  return name.length > 24 ? `${name.slice(0, 8)}…` : name;
}

const MOST = 50;

/** The executions that a state has started, with links into them. */
export function Started({ state }: { state: string }) {
  const here = analysis.inside.value?.id ?? 0;
  const found = execution.children.value.filter((one) => one.parent === here && one.state === state);
  if (found.length === 0) return null;
  return (
    <section aria-label="Started executions">
      <h4>{count(found.length, "started execution")}</h4>
      <ul class="started">
        {found.slice(-MOST).map((one) => (
          <li key={one.id}>
            <LookInto one={one} /> <StatusOf one={one} />
            {one.iterations !== undefined && one.iterations.length > 0 && (
              <span class="quiet"> item {one.iterations.map((index) => `#${index}`).join(" › ")}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function LookInto({ one }: { one: ChildExecution }) {
  return (
    <button type="button" class="link" title={`Shows the graph, events and data of ${one.name}`} onClick={() => selectExecution(one.id)}>
      Look into {one.machine} <span class="quiet">({short(one.name)})</span>
    </button>
  );
}

export function StatusOf({ one: { status } }: { one: ChildExecution }) {
  return <span class={TONE_CLASS[outcomeTone(status)]}>{outcomeWord(status).toLowerCase()}</span>;
}

/** The states whose tasks have started the execution in which the run is paused, the outermost first. */
export function Callers() {
  const frames = model.position.value?.callers ?? [];
  const inside = analysis.inside.value;
  if (!inside || frames.length === 0) return null;
  return (
    <>
      {frames.toReversed().map((frame, i, all) => (
        <li key={`${frame.execution} ${frame.visit}`}>
          {frame.execution !== all[i - 1]?.execution && (
            <span class="quiet">{nameOf(inside.way.find(({ id }) => id === frame.execution) ?? inside)} › </span>
          )}
          {frame.isIteration && <span class="quiet">item #{frame.iterations.at(-1)} › </span>}
          <button type="button" class="link" onClick={() => selectExecution(frame.execution)}>
            {frame.state}
          </button>
        </li>
      ))}
      <li class="quiet">{inside.machine}</li>
    </>
  );
}
