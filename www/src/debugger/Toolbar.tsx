// The commands that move a run, and its time.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ClockMode } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { MOD, elapsed } from "../ui/format.ts";
import * as model from "./model.ts";
import * as session from "./session.ts";

export function Toolbar({ narrow = false }: { narrow?: boolean }) {
  const phase = store.run.value?.phase;
  const busy = store.busy.value;
  const blocked = store.engine.value === "broken";
  const on = session.canGoOn();
  const back = session.canStep() && store.cursor.value > 0;
  const begins = !busy && !blocked;
  const moves = (
    <>
      <Move icon="over" label="Over" keys="F10" title="Step over: to the next state here" able={on || begins} run={() => session.stepOrBegin("next")} />
      <Move icon="into" label="Into" keys="F11" title="Step into: into a Parallel or Map, or to the first stage" able={on || begins} run={() => session.stepOrBegin("stepIn")} />
    </>
  );
  return (
    <div class={narrow ? "debug-bar narrow-bar" : "debug-bar"} role="toolbar" aria-label="Run controls">
      {phase === "running" ? (
        <button type="button" class="primary run" onClick={() => session.step("pause")} title={`Pause (F8)`}>
          <Icon name="pause" /> <span>Pause</span>
        </button>
      ) : on && phase === "paused" ? (
        <button type="button" class="primary run" onClick={() => session.step("continue")} title="Continue (F8)">
          <Icon name="play" /> <span>Continue</span>
        </button>
      ) : (
        <button type="button" class="primary run" disabled={blocked || phase === "starting"} onClick={() => void store.start()} title={`Run (${MOD} Enter)`}>
          <Icon name="play" /> <span>Run</span>
        </button>
      )}
      {narrow ? (
        <>
          <Move icon="undo" label="Back" keys="Alt [" title="One event back" able={back} run={() => session.step("stepBack")} />
          {moves}
          {busy && <Move icon="stop" label="Stop" keys={`${MOD} F2`} title="Stop" able run={store.stop} />}
          <Move icon="more" label="More" keys={`${MOD} K`} title="All commands" able run={() => (store.dialog.value = "palette")} />
        </>
      ) : (
        <>
          <div class="debug-group" role="group" aria-label="Steps">
            {moves}
            <Move icon="out" label="Out" keys="Shift F11" title="Step out: finish this branch or iteration" able={on} run={() => session.step("stepOut")} />
            <Move icon="stage" label="Stage" keys={`${MOD} F11`} title="Step by one stage of the data flow" able={on || begins} run={() => session.stepOrBegin("stepStage")} />
            <Move icon="undo" label="Back" keys="Alt [" title="One event back" able={back} run={() => session.step("stepBack")} />
          </div>
          <div class="debug-group">
            <Move icon="replay" label="Restart" keys={`${MOD} Shift Enter`} title="Begin anew" able={store.run.value !== null && !blocked} run={session.restart} />
            <Move icon="stop" label="Stop" keys={`${MOD} F2`} title="Stop" able={busy} run={store.stop} />
          </div>
          <Clock />
          <PausedWhere />
          <span class="gap" />
          {phase !== "paused" && <Seed />}
          <button type="button" class="plain" onClick={() => (store.dialog.value = "palette")} title={`All commands (${MOD} K)`}>
            <Icon name="search" size={14} /> <span class="label">Commands</span> <kbd>{MOD} K</kbd>
          </button>
        </>
      )}
    </div>
  );
}

interface MoveProps {
  icon: IconName;
  label: string;
  keys: string;
  title: string;
  able: boolean;
  run(): void;
}

function Move({ icon, label, keys, title, able, run }: MoveProps) {
  return (
    <button type="button" class="move" disabled={!able} title={`${title} (${keys})`} aria-keyshortcuts={keys.replaceAll(" ", "+")} onClick={run}>
      <Icon name={icon} /> <span>{label}</span>
    </button>
  );
}

const CLOCKS: [ClockMode, string][] = [["skip", "Skip waits"], ["real", "Real time"], ["x10", "10 × faster"], ["x60", "60 × faster"], ["x3600", "3600 × faster"], ["manual", "By hand"]];

function Clock() {
  const busy = store.busy.value;
  const manual = store.clock.value === "manual";
  const timers = store.timer.value?.timers ?? [];
  return (
    <div class="debug-group clock-group">
      <label class="field">
        <span class="label">Clock</span>
        <select value={store.clock.value} aria-label="Clock" onChange={(event) => (store.clock.value = event.currentTarget.value as ClockMode)}>
          {CLOCKS.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Time />
      <button type="button" disabled={!busy || store.timer.value?.due == null} onClick={() => store.advance()} title={`Let the time pass until the next timer (${MOD} Alt .)`} aria-label="Next timer">
        <Icon name="skip" />
      </button>
      {manual && busy && (
        <span class="segments">
          {([[1000, "+1 s"], [60_000, "+1 min"], [3_600_000, "+1 h"]] as const).map(([ms, label]) => (
            <button key={label} type="button" onClick={() => store.advance(ms)}>
              {label}
            </button>
          ))}
        </span>
      )}
      {busy && timers.length > 0 && (
        <details class="timers">
          <summary>{timers.length === 1 ? "1 timer" : `${timers.length} timers`}</summary>
          <ol>
            {timers.slice(0, 20).map((timer, i) => (
              <li key={i}>
                <button type="button" class="link" onClick={() => store.advance(Math.max(0, timer.at - (store.timer.value?.now ?? timer.at)))}>
                  {timer.state}
                  {timer.iterations.length > 0 && ` #${timer.iterations.join(" #")}`}
                </button>
                <span class="quiet">{timer.kind === "wait" ? "wait" : timer.kind === "retry" ? `back-off, retry ${timer.retries}${timer.of === undefined ? "" : ` of ${timer.of}`}` : "times out"}</span>
                <span>{elapsed(timer.at - startOf())}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

/// When the execution began, in its own time.
function startOf(): number {
  return store.startTime();
}

/// The execution's time, going on where time flows.
function Time() {
  const now = useSignal(0);
  const timer = store.timer.value;
  const flows = (timer?.speed ?? 0) > 0;
  useEffect(() => {
    if (!flows) return;
    const tick = setInterval(() => (now.value = performance.now()), 100);
    return () => clearInterval(tick);
  }, [flows]);
  if (!store.run.value || store.eventCount.value === 0) return null;
  const shown = store.busy.value && store.live.value && timer ? timer.now + (flows ? Math.max(0, now.value - timer.heard) * timer.speed : 0) - startOf() : store.timeOf(store.cursor.value);
  return (
    <output class="clock-time" title="The execution's time">
      {elapsed(flows ? Math.floor(shown / 100) * 100 : shown)}
    </output>
  );
}

function Seed() {
  return (
    <label class="field seed" title="Random numbers, UUIDs and jitter follow from the seed">
      <span class="label">Seed</span>
      <input
        type="number"
        aria-label="Seed"
        min={0}
        max={Number.MAX_SAFE_INTEGER}
        step={1}
        value={store.seed.value}
        onChange={(event) => {
          const next = event.currentTarget.valueAsNumber;
          if (Number.isSafeInteger(next) && next >= 0) store.seed.value = next;
          else event.currentTarget.value = String(store.seed.value);
        }}
      />
    </label>
  );
}

/// Where the run is paused, and why.
function PausedWhere() {
  const at = model.position.value;
  if (!at || store.run.value?.phase !== "paused") return null;
  const [top] = at.stack;
  const where = at.stop.description || (top ? (top.stage ? `after ${model.stageName(top.stage)} of ${top.state}` : `before ${top.state}`) : "before the first state");
  const words = `${where}${top && top.iterations.length > 0 ? ` · item ${top.iterations.map((index) => `#${index}`).join(" › ")}` : ""}${top && top.attempt > 0 ? ` · attempt ${top.attempt + 1}` : ""}`;
  return (
    <span class={at.stop.reason === "exception" ? "pause-where bad" : "pause-where"} title={`Paused ${words}`}>
      <Icon name="pause" size={13} /> <b>Paused</b> {words}
    </span>
  );
}

/// What to do with an edited definition; on a phone also where the run is paused.
export function PauseLine({ narrow = false }: { narrow?: boolean }) {
  const at = model.position.value;
  const run = store.run.value;
  if (!run || !at || (run.phase !== "paused" && run.phase !== "ended")) return null;
  const report = session.edit.value;
  const changed = store.changedSince.value && run.recorded === undefined;
  const other = report !== null && !report.same;
  if (!changed && !other && !(narrow && run.phase === "paused")) return null;
  return (
    <section class="pause-line" aria-label="Paused run">
      {narrow && <PausedWhere />}
      {other && (
        <span>
          The edited definition takes another way: event {report.event} is {report.now} <span class="quiet">(was {report.was})</span>.{" "}
          <button type="button" class="link" onClick={backToOld}>
            Back to the old run
          </button>
        </span>
      )}
      {changed && (
        <span>
          The definition was edited.{" "}
          <button type="button" class="link strong" onClick={() => void session.applyDefinition()}>
            Apply and stay here
          </button>
        </span>
      )}
    </section>
  );
}

function backToOld(): void {
  const current = model.runs.value.find((run) => run.current);
  if (current?.parent !== undefined) session.selectRun(current.parent);
  session.edit.value = null;
}
