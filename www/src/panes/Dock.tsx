// What happened: the timeline, and under it events, result, tasks that wait, and what handlers print.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as debug from "../debugger/model.ts";
import { keyHint, keymap } from "../keys/keymap.ts";
import * as prefs from "../prefs.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../ui/JsonView.tsx";
import { type Tab, Tabs } from "../ui/Tabs.tsx";
import { lazy } from "../ui/lazy.tsx";
import { save } from "../ui/save.ts";
import { count, duration, elapsed } from "../ui/format.ts";
import { Events } from "./Events.tsx";
import { Failure } from "./Inspector.tsx";

const AnswerCard = lazy(() => import("./Answer.tsx").then((module) => module.AnswerCard));
const Breakpoints = lazy(() => import("../debugger/Breakpoints.tsx").then((module) => module.Breakpoints));
const Lanes = lazy(() => import("../debugger/Lanes.tsx").then((module) => module.Lanes));
const Runs = lazy(() => import("../debugger/Runs.tsx").then((module) => module.Runs));
const Watch = lazy(() => import("../debugger/Watch.tsx").then((module) => module.Watch));

type DockTab = store.DockTab;

const PANES: Record<DockTab, () => VNode> = {
  events: () => <Events />,
  result: () => <Result />,
  waiting: () => <Waiting />,
  timeline: () => <Lanes />,
  breakpoints: () => <Breakpoints />,
  watch: () => <Watch />,
  runs: () => <Runs />,
  console: () => <Console />,
};

export function Dock() {
  const shown = store.dockTab.value;
  const waiting = store.waiting.value.length;
  const lines = store.console.value.length;
  const stops = debug.breakpoints.value.length;
  const watches = debug.watches.value.length;
  const runs = debug.runs.value.length;
  const result = store.run.value?.result;
  const refused = store.run.value?.refused;
  const tabs: Tab<DockTab>[] = [
    { id: "events", label: "Events", ...(store.eventCount.value > 0 ? { badge: store.eventCount.value.toLocaleString("en"), badgeText: "events" } : {}) },
    {
      id: "result",
      label: "Result",
      ...(result ? (result.status === "SUCCEEDED" ? { badge: "✓", tone: "good" as const, badgeText: "succeeded" } : { badge: "✗", tone: "bad" as const, badgeText: "failed" }) : {}),
      ...(refused ? { badge: "!", tone: "bad" as const, badgeText: "not started" } : {}),
    },
    { id: "waiting", label: "Waiting tasks", ...(waiting > 0 ? { badge: waiting, tone: "accent" as const, badgeText: "waiting" } : {}) },
    { id: "timeline", label: "Time line" },
    { id: "breakpoints", label: "Breakpoints", ...(stops > 0 ? { badge: stops, badgeText: "breakpoints" } : {}) },
    { id: "watch", label: "Watch", ...(watches > 0 ? { badge: watches, badgeText: "expressions" } : {}) },
    { id: "runs", label: "Runs", ...(runs > 1 ? { badge: runs, badgeText: "runs" } : {}) },
    { id: "console", label: "Console", ...(lines > 0 ? { badge: lines, badgeText: "lines" } : {}) },
  ];
  return (
    <section class="pane dock" id="dock" aria-label="Run">
      <div class="dock-head">
        <Tabs label="Run" prefix="dock" tabs={tabs} chosen={shown} choose={(tab) => (store.dockTab.value = tab)} />
        <Timeline />
      </div>
      {tabs.map(({ id }) => (
        <div key={id} class="panel" id={`dock-${id}`} role="tabpanel" aria-labelledby={`dock-tab-${id}`} hidden={id !== shown}>
          {id === shown && PANES[id]()}
        </div>
      ))}
    </section>
  );
}

function Timeline() {
  const total = store.eventCount.value;
  const cursor = store.cursor.value;
  const off = total === 0;
  const playing = store.live.value && cursor < total;
  const text = off ? "No events" : `Event ${cursor} of ${total}, ${elapsed(store.timeOf(cursor))}`;
  return (
    <div class="timeline" role="group" aria-label="Timeline">
      <button type="button" class="plain square" aria-label="To the beginning" title="To the beginning" disabled={off} onClick={() => store.goTo(0)}>
        <Icon name="first" />
      </button>
      <button type="button" class="plain square" aria-label="One event back" title={`One event back${keyHint("back")}`} disabled={off || cursor === 0} onClick={() => store.goTo(cursor - 1)}>
        <Icon name="back" />
      </button>
      <button type="button" class="plain square" aria-label={playing ? "Pause the replay" : "Play again"} title={playing ? "Pause the replay" : "Play again"} disabled={off} onClick={() => (playing ? store.pausePlayback() : store.replay())}>
        <Icon name={playing ? "pause" : "replay"} />
      </button>
      <button type="button" class="plain square" aria-label="One event on" title={`One event on${keyHint("forward")}`} disabled={off || cursor === total} onClick={() => store.goTo(cursor + 1)}>
        <Icon name="forward" />
      </button>
      <button type="button" class="plain square" aria-label="To the end" title="To the end" disabled={off || cursor === total} onClick={store.returnToLive}>
        <Icon name="last" />
      </button>
      <input
        type="range"
        aria-label="Event shown"
        aria-valuetext={text}
        min={0}
        max={Math.max(total, 1)}
        value={cursor}
        disabled={off}
        style={{ "--done": `${total === 0 ? 0 : (cursor / total) * 100}%` }}
        onInput={(event) => {
          store.selectedEvent.value = null;
          store.goTo(event.currentTarget.valueAsNumber);
        }}
        onKeyDown={(event) => {
          const command = keymap.value?.find(event, "timeline");
          if (!command) return;
          event.preventDefault();
          command.run?.();
        }}
      />
      <output class="timeline-text">
        {off ? (
          <span class="quiet">No run yet</span>
        ) : (
          <>
            <b>{cursor}</b> / {total} <span class="quiet">{elapsed(store.timeOf(cursor))}</span>
          </>
        )}
      </output>
    </div>
  );
}

function Result() {
  const run = store.run.value;
  if (!run) {
    return (
      <div class="empty small">
        <p>The output of the run stands here when it has ended.</p>
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
      </div>
    );
  }
  if (!run.result) {
    return (
      <div class="empty small">
        <span class="spinner" />
        <p>Running…</p>
      </div>
    );
  }
  const { status, output, error, cause } = run.result;
  const virtual = store.timeOf(store.eventCount.value);
  return (
    <div class="result">
      <p class="result-head">
        <span class={`state-chip large ${status === "SUCCEEDED" ? "is-succeeded" : status === "ABORTED" ? "is-cancelled" : "is-failed"}`}>
          <Icon name={status === "SUCCEEDED" ? "check" : status === "ABORTED" ? "cancelled" : "cross"} size={13} /> {status.replace("_", " ")}
        </span>
        <span class="quiet">
          {count(store.eventCount.value, "event")} · {duration(virtual)} {run.clock === "real" ? "" : "of the machine's time"} · {duration(run.took ?? 0)} here · seed {run.seed}
        </span>
        <button type="button" class="link" onClick={() => void saveHistory()}>
          Save the history
        </button>
      </p>
      {store.changedSince.value && <p class="quiet">The definition has changed since this run.</p>}
      {status === "SUCCEEDED" ? <JsonView label="Output" value={output} /> : status === "TIMED_OUT" && error === undefined ? <Failure error="States.Timeout" cause="The machine's TimeoutSeconds have passed." /> : <Failure error={error} cause={cause} />}
    </div>
  );
}

async function saveHistory(): Promise<void> {
  save(`${store.title.value}.history.json`, await store.query("history", {}), "application/json");
}

function Waiting() {
  const tasks = store.waiting.value;
  if (tasks.length === 0) {
    return (
      <div class="empty small">
        <Icon name="hand" size={22} />
        <p>Tasks without a handler, and tasks that wait for their token, ask here for an answer.</p>
      </div>
    );
  }
  return (
    <ul class="waiting" onKeyDown={answerNth}>
      {tasks.map((task) => (
        <li key={task.id}>
          <AnswerCard task={task} />
        </li>
      ))}
    </ul>
  );
}

/// A digit goes to the answer of that task, where nobody types.
function answerNth(event: KeyboardEvent): void {
  if (!/^[1-9]$/.test(event.key) || !prefs.singleKeys.value || (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))) return;
  const card = (event.currentTarget as HTMLElement).querySelectorAll("form")[Number(event.key) - 1];
  card?.querySelector<HTMLElement>("textarea, input")?.focus();
  event.preventDefault();
}

function Console() {
  const list = useRef<HTMLOListElement>(null);
  useSignalEffect(() => {
    store.console.value;
    requestAnimationFrame(() => list.current?.scrollTo({ top: list.current.scrollHeight }));
  });
  if (store.console.value.length === 0) {
    return (
      <div class="empty small">
        <p>What handlers write with console.log stands here.</p>
      </div>
    );
  }
  return (
    <ol class="console" ref={list} tabIndex={0} aria-label="Console">
      {store.console.value.map(({ level, text }, i) => (
        <li key={i} class={`console-${level}`}>
          {text}
        </li>
      ))}
    </ol>
  );
}

/// Time until the next timer, counted down where time flows.
export function Countdown() {
  const now = useSignal(0);
  const timer = store.timer.value;
  useEffect(() => {
    const tick = setInterval(() => (now.value = performance.now()), 250);
    return () => clearInterval(tick);
  }, []);
  if (!timer || timer.due === null) return null;
  const passed = Math.max(0, now.value - timer.heard) * timer.speed;
  return <span class="countdown">next timer in {duration(Math.max(0, timer.due - timer.now - passed))}</span>;
}
