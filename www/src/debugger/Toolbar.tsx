// The commands that control a run and its clock.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keyHint, keymap } from "../keys/keymap.ts";
import type { ClockMode } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as runner from "../store/runner.ts";
import * as workspace from "../store/workspace.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { elapsed } from "../ui/format.ts";
import { CLOCKS, timerWords } from "./clocks.ts";
import * as model from "./model.ts";
import * as session from "./session.ts";

export function Toolbar({ narrow = false }: { narrow?: boolean }) {
  const can = abilities();
  return (
    <div class={narrow ? "debug-bar narrow-bar" : "debug-bar"} role="toolbar" aria-label="Run controls">
      <First can={can} />
      {narrow ? (
        <>
          {!can.untouched && <Back can={can} />}
          <Steps can={can} />
          {can.busy && <Stop can={can} />}
          <Move icon="more" label="More" command="palette" title="All commands" able run={() => panes.openDialog("palette")} />
        </>
      ) : (
        <>
          <div class="debug-group" role="group" aria-label="Steps">
            <Steps can={can} />
            {!can.untouched && <OtherSteps can={can} />}
          </div>
          {!can.untouched && (
            <div class="debug-group">
              <Move
                icon="replay"
                label="Restart"
                command="restart"
                title="Run again from the beginning"
                able={!can.blocked}
                run={session.restart}
              />
              <Stop can={can} />
            </div>
          )}
          <Clock />
        </>
      )}
    </div>
  );
}

/** Returns the commands that are available for the run. */
function abilities() {
  const busy = execution.busy.value;
  const blocked = interpreter.engine.value === "broken";
  return {
    phase: execution.run.value?.phase,
    busy,
    /** Whether the interpreter is not loaded yet, or has failed. */
    blocked,
    on: session.canContinue(),
    back: session.canStep() && playback.cursor.value > 0,
    begins: !busy && !blocked,
    // Before the first event there is nothing to step through, to go back to or to stop, so a single button starts with a step.
    untouched: execution.run.value === null,
  };
}

interface Able {
  can: ReturnType<typeof abilities>;
}

function First({ can: { phase, on, blocked } }: Able) {
  if (phase === "running") return <Main icon="pause" label="Pause" command="continue" run={() => session.step("pause")} />;
  if (on && phase === "paused")
    return <Main icon="play" label="Continue" command="continue" run={() => session.step("continue")} hold={session.runOut} />;
  return (
    <Main
      icon="play"
      label="Run"
      command="run"
      disabled={blocked || phase === "starting"}
      run={() => void runner.start()}
      hold={session.runOut}
    />
  );
}

function Steps({ can: { untouched, on, begins } }: Able) {
  if (untouched)
    return (
      <Move
        icon="over"
        label="Step"
        command="over"
        title="Run step by step: pauses before the first state"
        able={begins}
        run={() => session.stepOrBegin("next")}
      />
    );
  return (
    <>
      <Move
        icon="over"
        label="Over"
        command="over"
        title="Step over: to the next state here"
        able={on || begins}
        run={() => session.stepOrBegin("next")}
      />
      <Move
        icon="into"
        label="Into"
        command="into"
        title="Step into: into a Parallel or Map, or to the first stage"
        able={on || begins}
        run={() => session.stepOrBegin("stepIn")}
      />
    </>
  );
}

function OtherSteps({ can }: Able) {
  return (
    <>
      <Move
        icon="out"
        label="Out"
        command="out"
        title="Step out: finish this branch or iteration"
        able={can.on}
        run={() => session.step("stepOut")}
      />
      <Move
        icon="stage"
        label="Stage"
        command="stage"
        title="Step by one stage of the data flow"
        able={can.on || can.begins}
        run={() => session.stepOrBegin("stepStage")}
      />
      <Back can={can} />
    </>
  );
}

function Back({ can }: Able) {
  return <Move icon="undo" label="Back" command="back" title="One event back" able={can.back} run={() => session.step("stepBack")} />;
}

function Stop({ can }: Able) {
  return <Move icon="stop" label="Stop" command="stop" title="Stop" able={can.busy} run={runner.stop} />;
}

const NOT_STEPS: ReadonlySet<string> = new Set(["restart", "stop", "palette"]);

interface MoveProps {
  icon: IconName;
  label: string;
  /** The id of the command, whose keys are shown. */
  command: string;
  title: string;
  able: boolean;
  run(): void;
}

function Move({ icon, label, command, title, able, run }: MoveProps) {
  return (
    <button
      type="button"
      class={NOT_STEPS.has(command) ? "move" : "move step"}
      disabled={!able}
      title={title + keyHint(command)}
      aria-keyshortcuts={keymap.value?.spoken(command)}
      onClick={run}
    >
      <Icon name={icon} /> <span>{label}</span>
    </button>
  );
}

/**
 * How long the button must be held for its second action, in milliseconds. `.hold` in the styles has the same duration. A slow
 * click is still a click.
 */
const HOLD = 800;

/** The run button. With Shift, or held down until it is full, it ignores all breakpoints. */
function Main({
  icon,
  label,
  command,
  disabled = false,
  run,
  hold,
}: {
  icon: IconName;
  label: string;
  command: string;
  disabled?: boolean;
  run(): void;
  hold?: () => void;
}) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const held = useRef(false);
  const holding = useSignal(false);
  const leave = (): void => {
    clearTimeout(timer.current);
    holding.value = false;
  };
  useEffect(() => leave, []);
  return (
    <button
      type="button"
      class="primary run"
      disabled={disabled}
      title={`${label}${keyHint(command)}${hold ? `. With Shift, or held down: to the end, past all breakpoints${keyHint("runOut")}` : ""}`}
      aria-keyshortcuts={keymap.value?.spoken(command)}
      onPointerDown={(event) => {
        held.current = false;
        leave();
        if (!hold || event.button !== 0 || event.shiftKey) return;
        holding.value = true;
        timer.current = setTimeout(() => {
          held.current = true;
          holding.value = false;
          hold();
        }, HOLD);
      }}
      onPointerUp={leave}
      onPointerLeave={leave}
      onPointerCancel={leave}
      onContextMenu={(event) => hold && event.preventDefault()}
      onClick={(event) => {
        if (!held.current) (event.shiftKey && hold ? hold : run)();
        held.current = false;
      }}
    >
      {holding.value && <span class="hold" aria-hidden="true" />}
      <Icon name={icon} /> <span>{label}</span>
    </button>
  );
}

function Clock() {
  const busy = execution.busy.value;
  return (
    <div class="debug-group clock-group">
      <label class="field">
        <span class="label">Clock</span>
        <select
          value={workspace.clock.value}
          aria-label="Clock"
          onChange={(event) => workspace.edit({ clock: event.currentTarget.value as ClockMode })}
        >
          {CLOCKS.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Time />
      <button
        type="button"
        disabled={!busy || execution.timer.value?.due == null}
        onClick={() => runner.advance()}
        title={`Advance to the next timer${keyHint("nextTimer")}`}
        aria-keyshortcuts={keymap.value?.spoken("nextTimer")}
        aria-label="Next timer"
      >
        <Icon name="skip" />
      </button>
      {workspace.clock.value === "manual" && busy && <ByHand />}
      {busy && <Timers />}
    </div>
  );
}

/** The controls of a clock that the user advances by hand. */
function ByHand() {
  return (
    <span class="segments">
      {(
        [
          [1000, "+1 s"],
          [60_000, "+1 min"],
          [3_600_000, "+1 h"],
        ] as const
      ).map(([ms, label]) => (
        <button key={label} type="button" onClick={() => runner.advance(ms)}>
          {label}
        </button>
      ))}
      <button
        type="button"
        title="To a date: opens Config"
        onClick={() => {
          panes.showLeft("config");
        }}
      >
        To…
      </button>
    </span>
  );
}

/** The timers that the run waits for. Each is a button that advances the clock to its time. */
function Timers() {
  const timers = execution.timer.value?.timers ?? [];
  if (timers.length === 0) return null;
  return (
    <details class="timers">
      <summary>{timers.length === 1 ? "1 timer" : `${timers.length} timers`}</summary>
      <ol>
        {timers.slice(0, 20).map((timer, i) => (
          <li key={i}>
            <button
              type="button"
              class="link"
              onClick={() => runner.advance(Math.max(0, timer.at - (execution.timer.value?.now ?? timer.at)))}
            >
              {timer.state}
              {timer.iterations.length > 0 && ` #${timer.iterations.join(" #")}`}
            </button>
            <span class="quiet">{timerWords(timer)}</span>
            <span>{elapsed(timer.at - startOf())}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Returns when the execution began, in its own time. */
function startOf(): number {
  return playback.startTime();
}

/** The time since the run began. It advances while the clock flows. */
function Time() {
  const now = useSignal(0);
  const timer = execution.timer.value;
  const flows = (timer?.speed ?? 0) > 0;
  useEffect(() => {
    if (!flows) return;
    const tick = setInterval(() => (now.value = performance.now()), 100);
    return () => clearInterval(tick);
  }, [flows]);
  if (!execution.run.value || execution.eventCount.value === 0) return null;
  const shown =
    execution.busy.value && playback.live.value && timer
      ? timer.now + (flows ? Math.max(0, now.value - timer.heard) * timer.speed : 0) - startOf()
      : playback.timeOf(playback.cursor.value);
  return (
    <output class="clock-time" title="Time since the run began">
      {elapsed(flows ? Math.floor(shown / 100) * 100 : shown)}
    </output>
  );
}

/** Where the run is paused, and why. */
export function PausedWhere() {
  const at = model.position.value;
  if (!at || execution.run.value?.phase !== "paused") return null;
  const words = model.stopWords.value;
  return (
    <span class={at.stop.reason === "exception" ? "pause-where bad" : "pause-where"} title={`Paused ${words}`}>
      <Icon name="pause" size={13} /> <b>Paused</b> {words}
    </span>
  );
}
