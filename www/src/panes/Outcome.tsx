// The result of a run, and the output of handlers and log points.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { outcomeTone, outcomeWord } from "../model/log.ts";
import type { RunResult } from "../model/protocol.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { count, duration } from "../ui/format.ts";
import { save } from "../ui/save.ts";
import { TONE_ICON } from "../ui/tone.ts";
import { Failure } from "../values/Failure.tsx";
import { Repeated } from "./Repeated.tsx";

/** Returns the result of the selected execution: the run's own, or one that a task has started. */
export function resultShown(): RunResult | undefined {
  const inside = analysis.inside.value;
  const own = inside && execution.children.value.find(({ id }) => id === inside.id);
  return own ? (own.status === "RUNNING" ? undefined : { ...own, status: own.status }) : execution.run.value?.result;
}

const STYLES = { good: "is-succeeded", bad: "is-failed", "": "is-cancelled" };

/** The status of an execution as a label. */
export function StatusChip({ status }: { status: string }) {
  const tone = outcomeTone(status);
  return (
    <span class={`state-chip large outcome ${STYLES[tone]}`}>
      <Icon name={TONE_ICON[tone]} size={13} /> {outcomeWord(status)}
    </span>
  );
}

export function Result() {
  const run = execution.run.value;
  if (!run) {
    return (
      <div class="empty small">
        <p>No result yet. The output appears here when the run has ended.</p>
      </div>
    );
  }
  if (run.refused) {
    return (
      <div class="result">
        <div class="failure">
          <p class="failure-name">
            <Icon name="error" size={14} /> Not started
          </p>
          <p class="failure-cause">{run.refused}</p>
        </div>
        <Repair />
      </div>
    );
  }
  const inside = analysis.inside.value;
  const result = resultShown();
  if (!result) {
    return (
      <div class="empty small">
        {run.phase === "running" && <span class="spinner" />}
        <p>{run.phase === "running" ? "Running…" : "The run has not ended yet."}</p>
      </div>
    );
  }
  const { status } = result;
  const virtual = playback.timeOf(execution.eventCount.value);
  return (
    <div class="result">
      <p class="result-head">
        <StatusChip status={status} />
        <span class="quiet">
          {inside && `${inside.machine} (${inside.name}) · `}
          {count(execution.eventCount.value, "event")} · {duration(virtual)} {run.clock === "real" ? "" : "of virtual time"}
          {/* A recorded execution was not computed here and has no seed. */}
          {run.recorded === undefined && ` · computed in ${duration(run.took ?? 0)} · seed ${run.seed}`}
        </span>
        <button type="button" class="link" onClick={() => void saveHistory()}>
          Save the history
        </button>
      </p>
      {execution.changedSince.value && <p class="quiet">The definition has changed since this run.</p>}
      <Ended result={result} />
      <Repeated />
    </div>
  );
}

/** The way to the text that kept the run from starting. */
function Repair() {
  const tab = analysis.errorCount.value > 0 ? "definition" : workspace.inputProblem.value ? "input" : undefined;
  if (tab === undefined) return null;
  const show = (): void => {
    if (tab === "definition") prefs.problemsOpen.value = true;
    panes.showLeft(tab);
  };
  return (
    <p class="buttons">
      <button type="button" onClick={show}>
        {tab === "definition" ? "Show the problems" : "Show the input"}
      </button>
    </p>
  );
}

function Ended({ result: { status, output, text, error, cause } }: { result: RunResult }) {
  if (status === "SUCCEEDED") return <JsonView label="Output" value={output} text={text} />;
  if (status === "TIMED_OUT" && error === undefined)
    return <Failure error="States.Timeout" cause="The machine's TimeoutSeconds have passed." />;
  if (status === "ABORTED" && error === undefined) return <p class="quiet">{cause ?? "The execution was ended before it was over."}</p>;
  return <Failure error={error} cause={cause} />;
}

async function saveHistory(): Promise<void> {
  save(`${analysis.inside.value?.name ?? workspace.title.value}.history.json`, await interpreter.query("history", {}), "application/json");
}

const SOURCES = [
  ["all", "All"],
  ["points", "Log points"],
  ["handlers", "Handlers"],
] as const;

export function Console() {
  const list = useRef<HTMLOListElement>(null);
  const source = useSignal<(typeof SOURCES)[number][0]>("all");
  useSignalEffect(() => {
    void execution.console.value;
    requestAnimationFrame(() => list.current?.scrollTo({ top: list.current.scrollHeight }));
  });
  const all = execution.console.value;
  if (all.length === 0) {
    return (
      <div class="empty small">
        <p>
          Nothing has been logged yet. Messages of task handlers (console.log) and of log points (breakpoints that log instead of pausing)
          appear here.
        </p>
      </div>
    );
  }
  const lines = all.filter(({ level }) => source.value === "all" || (level === "point") === (source.value === "points"));
  return (
    <div class="console-pane">
      <div class="pane-bar">
        <div class="segments" role="group" aria-label="Source of the messages">
          {SOURCES.map(([id, label]) => (
            <button key={id} type="button" aria-pressed={source.value === id} onClick={() => (source.value = id)}>
              {label}
            </button>
          ))}
        </div>
        <span class="quiet">{count(lines.length, "line")}</span>
        <span class="gap" />
        <button type="button" onClick={() => execution.clearConsole()}>
          Clear
        </button>
      </div>
      <ol class="console" ref={list} tabIndex={0} aria-label="Console">
        {lines.map((line, i) => (
          <Line key={i} line={line} />
        ))}
      </ol>
    </div>
  );
}

function Line({ line: { level, text, event, execution: of } }: { line: (typeof execution.console.value)[number] }) {
  return (
    <li class={`console-${level}`}>
      {event !== undefined && of === analysis.inside.value?.id && (
        <>
          <button
            type="button"
            class="link"
            title="Look at this event"
            onClick={() =>
              void interpreter.query("brief", { id: event }).then((found) => playback.selectEvent(event, found?.state ?? null, "page"))
            }
          >
            event {event}
          </button>
          <span aria-hidden="true"> · </span>
        </>
      )}
      {text}
    </li>
  );
}
