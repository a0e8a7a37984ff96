// The options of an execution besides its input: its clock, and the resulting Context Object.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { PendingTimer } from "../model/protocol.ts";
import type { Config as Settings } from "../model/runReport.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as runner from "../store/runner.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { JsonView } from "../values/JsonView.tsx";
import { duration, elapsed, iterationPath } from "../ui/format.ts";
import { debounced } from "../ui/latestOnly.ts";
import { CLOCKS, MEANS, timerWords } from "./clocks.ts";
import * as model from "./model.ts";
import { languageOf, withLanguage } from "./queryLanguage.ts";

export function Config() {
  return (
    <div class="config scroll" role="region" aria-label="Config" tabIndex={0}>
      <Begin />
      <Time />
      <Context />
    </div>
  );
}

function set(change: { [K in keyof Settings]?: Settings[K] | undefined }): void {
  const next = Object.fromEntries(
    Object.entries({ ...workspace.config.value, ...change }).filter(([, value]) => value !== undefined),
  ) as Settings;
  workspace.edit({ config: next });
}

function Begin() {
  const { type, strict } = workspace.config.value;
  const language = languageOf(workspace.definition.value, workspace.format.value);
  return (
    <fieldset>
      <legend>Execution</legend>
      <label>
        <span>Query language</span>
        <select value={language ?? ""} onChange={(event) => useLanguage(event.currentTarget.value)}>
          <option value="">JSONPath (default)</option>
          <option value="JSONPath">JSONPath</option>
          <option value="JSONata">JSONata</option>
        </select>
        <span class="quiet">The default for all states. It is written to the definition.</span>
      </label>
      <label>
        <span>Type</span>
        <select
          value={type ?? "STANDARD"}
          onChange={(event) => set({ type: event.currentTarget.value === "EXPRESS" ? "EXPRESS" : undefined })}
        >
          <option value="STANDARD">Standard</option>
          <option value="EXPRESS">Express</option>
        </select>
      </label>
      <label>
        <span>AWS strictness</span>
        <select value={strict ? "strict" : ""} onChange={(event) => set({ strict: event.currentTarget.value === "strict" || undefined })}>
          <option value="">Like AWS</option>
          <option value="strict">Strict</option>
        </select>
        <span class="quiet">
          {strict ? "A definition with errors or warnings does not run." : "A definition with errors does not run; one with warnings does."}
        </span>
      </label>
      <Names />
      <Limits />
    </fieldset>
  );
}

/** The execution's name, its start time, and the seed of its random numbers. */
function Names() {
  const { name = "", arn = "", startTime } = workspace.config.value;
  return (
    <>
      <label>
        <span>Name</span>
        <input
          type="text"
          value={name}
          maxLength={80}
          spellcheck={false}
          placeholder="run-1, run-2, …"
          onChange={(event) => set({ name: event.currentTarget.value.trim() || undefined })}
        />
      </label>
      <label>
        <span>ARN</span>
        <input
          type="text"
          value={arn}
          maxLength={300}
          spellcheck={false}
          placeholder="arn:aws:states:us-east-1:123456789012:execution:…"
          onChange={(event) => set({ arn: event.currentTarget.value.trim() || undefined })}
        />
        <span class="quiet">Execution.Id in the Context Object.</span>
      </label>
      <label>
        <span>Start time, UTC</span>
        <input
          type="datetime-local"
          step="1"
          value={startTime === undefined ? "" : local(startTime)}
          onChange={(event) => set({ startTime: utc(event.currentTarget.value) })}
        />
        <span class="quiet">{startTime === undefined ? "Empty: the time when the run begins." : ""}</span>
      </label>
      <label>
        <span>Seed</span>
        <input
          type="number"
          min={0}
          max={Number.MAX_SAFE_INTEGER}
          step={1}
          value={workspace.seed.value}
          onChange={(event) => {
            const next = event.currentTarget.valueAsNumber;
            if (Number.isSafeInteger(next) && next >= 0) workspace.edit({ seed: next });
            else event.currentTarget.value = String(workspace.seed.value);
          }}
        />
        <span class="quiet">For random numbers, UUIDs and retry jitter.</span>
      </label>
    </>
  );
}

function Limits() {
  const { payload, events } = workspace.config.value;
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={payload !== false}
          onChange={(event) => set({ payload: event.currentTarget.checked ? undefined : false })}
        />
        <span>Limit payloads to 256 KiB, like AWS</span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={events !== false}
          onChange={(event) => set({ events: event.currentTarget.checked ? undefined : false })}
        />
        <span>Limit the history to 25,000 events, like AWS</span>
      </label>
    </>
  );
}

function useLanguage(language: string): void {
  workspace.flush();
  const next = withLanguage(
    workspace.definition.value,
    workspace.format.value,
    language === "" ? undefined : (language as "JSONPath" | "JSONata"),
  );
  if (next === undefined) showToast("The definition cannot be read right now, so nothing was changed.");
  else workspace.edit({ definition: next });
}

const STEPS = [
  [1000, "+1 s"],
  [60_000, "+1 min"],
  [3_600_000, "+1 h"],
] as const;

function Time() {
  return (
    <fieldset>
      <legend>Time</legend>
      <label>
        <span>Clock</span>
        <select
          value={workspace.clock.value}
          onChange={(event) => workspace.edit({ clock: event.currentTarget.value as typeof workspace.clock.value })}
        >
          {CLOCKS.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <span class="quiet">{MEANS[workspace.clock.value]}</span>
      </label>
      {execution.busy.value && execution.timer.value && (
        <>
          <Now now={execution.timer.value.now} />
          <ToDate now={execution.timer.value.now} />
          <Timers now={execution.timer.value.now} timers={execution.timer.value.timers} />
        </>
      )}
    </fieldset>
  );
}

function Now({ now }: { now: number }) {
  const [day, time] = new Date(now)
    .toISOString()
    .replace(/(\.000)?Z$/, "")
    .split("T");
  return (
    <p class="inspect-line">
      <span class="quiet">It is</span>{" "}
      <output>
        {day} {time} UTC
      </output>
      <span class="segments" role="group" aria-label="Advance time">
        {STEPS.map(([ms, label]) => (
          <button key={label} type="button" onClick={() => runner.advance(ms)}>
            {label}
          </button>
        ))}
      </span>
    </p>
  );
}

function ToDate({ now }: { now: number }) {
  const date = useSignal("");
  const to = utc(date.value);
  const past = to !== undefined && to <= now;
  return (
    <form
      class="inspect-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (to !== undefined && !past) runner.advance(to - now);
      }}
    >
      <label>
        <span>To, UTC</span>
        <input
          type="datetime-local"
          step="1"
          value={date.value}
          onInput={(event) => (date.value = event.currentTarget.value)}
          aria-describedby="to-date"
        />
      </label>
      <button type="submit" disabled={to === undefined || past}>
        Go there
      </button>
      <span class="field-problem" id="to-date">
        {past ? "This time has already passed." : ""}
      </span>
    </form>
  );
}

function Timers({ now, timers }: { now: number; timers: readonly PendingTimer[] }) {
  if (timers.length === 0) return <p class="quiet">No timers are pending.</p>;
  return (
    <ol class="pending" aria-label="Pending timers">
      {timers.slice(0, 50).map((one, i) => (
        <li key={i}>
          <button type="button" class="link" title="Advance to this time" onClick={() => runner.advance(Math.max(0, one.at - now))}>
            {one.state} {one.iterations.length > 0 && iterationPath(one.iterations)}
          </button>{" "}
          <span class="quiet">{timerWords(one)}</span> in {duration(Math.max(0, one.at - now))}{" "}
          <span class="quiet">{elapsed(one.at - playback.startTime())}</span>
        </li>
      ))}
    </ol>
  );
}

/** Shows the Context Object of the run at the displayed position or, without a run, as it would be at the start. */
function Context() {
  const found = useSignal<unknown>(undefined);
  useSignalEffect(() => {
    void model.stopped.value;
    void execution.eventCount.value;
    const run = execution.run.value;
    if (!run || run.id === 0 || run.recorded !== undefined || execution.eventCount.value === 0) {
      found.value = undefined;
      return;
    }
    return debounced(
      80,
      () => interpreter.query("evaluate", { question: "$states.context", language: "jsonata" }),
      ({ value }) => (found.value = value),
    );
  });
  const { name, arn, startTime } = workspace.config.value;
  let input: unknown = {};
  try {
    if (workspace.input.value.trim() !== "") input = JSON.parse(workspace.input.value);
  } catch {
    input = "not valid JSON";
  }
  const begins = {
    Execution: {
      Id: arn ?? "made from the names",
      Input: input,
      Name: name ?? "run-1, run-2, …",
      StartTime: startTime === undefined ? "the time when the run begins" : new Date(startTime).toISOString(),
    },
    StateMachine: { Name: "StateMachine" },
  };
  return (
    <fieldset>
      <legend>Context Object</legend>
      <p class="quiet">
        {found.value === undefined ? "$$ or $states.context, when an execution begins" : "$$ or $states.context, at the event shown"}
      </p>
      <JsonView label="Context Object" value={found.value ?? begins} />
    </fieldset>
  );
}

function local(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

function utc(text: string): number | undefined {
  const ms = Date.parse(`${text}Z`);
  return text === "" || Number.isNaN(ms) ? undefined : ms;
}
