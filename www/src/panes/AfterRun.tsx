// The summary of a run, in the inspector while nothing is selected: the failure and its cause, the slowest states, retries, and
// the next steps.

import { batch } from "@preact/signals";
import { FillInput } from "../debugger/FillInput.tsx";
import * as model from "../debugger/model.ts";
import { canStep, fork } from "../debugger/session.ts";
import type { RunOutcome } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import { Failure } from "../values/Failure.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { count, duration, iterationPath } from "../ui/format.ts";
import { copyTest } from "../exchange/shownRun.ts";
import { Repeats, useOutcome } from "./Repeated.tsx";
import { StatusChip, resultShown } from "./Outcome.tsx";

export function AfterRun() {
  const outcome = useOutcome();
  const run = execution.run.value;
  const result = resultShown();
  if (!run || !result) return null;
  const { status, error, cause, output, text } = result;
  const failed = outcome?.failure;
  return (
    <section class="after-run" aria-label="Outcome of the run">
      <h3>Outcome</h3>
      <p class="inspect-line">
        <StatusChip status={status} />
        <span class="quiet">
          after {duration(playback.timeOf(execution.eventCount.value))}
          {run.clock === "real" ? "" : " of virtual time"}, {count(execution.eventCount.value, "event")}
        </span>
      </p>
      {failed && (
        <p>
          <button type="button" class="link strong" onClick={() => selection.selectState(failed.state, "inspector")}>
            {failed.state}
          </button>{" "}
          failed
          {failed.iterations.length > 0 && ` in item ${iterationPath(failed.iterations)}`}
          {failed.attempts > 1 && ` at attempt ${failed.attempts}`}.
        </p>
      )}
      {status === "FAILED" && <Failure error={error} cause={cause} brief />}
      {status === "TIMED_OUT" && <Failure error={error ?? "States.Timeout"} cause={cause ?? "The machine's TimeoutSeconds have passed."} />}
      {status === "ABORTED" && <p class="quiet">{cause ?? "The execution was ended before it was over."}</p>}
      {outcome && outcome.running.length > 0 && status !== "FAILED" && (
        <p>
          It was in <States names={outcome.running} />.
        </p>
      )}
      <Next outcome={outcome} status={status} />
      {outcome && <Figures outcome={outcome} />}
      {status === "SUCCEEDED" && <JsonView label="Output" value={output} text={text} />}
    </section>
  );
}

function States({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.map((name, i) => (
        <span key={name}>
          {i > 0 && ", "}
          <button type="button" class="link" onClick={() => selection.selectState(name, "inspector")}>
            {name}
          </button>
        </span>
      ))}
    </>
  );
}

/** The suggested next steps. */
function Next({ outcome, status }: { outcome: RunOutcome | null; status: string }) {
  const failed = outcome?.failure;
  const inside = analysis.inside.value !== null;
  return (
    <p class="buttons" role="group" aria-label="What to do next">
      {status === "FAILED" && !inside && <FillInput />}
      {failed && (
        <>
          <button type="button" onClick={() => selection.selectState(failed.state, "inspector")}>
            Look at {failed.state}
          </button>
          <button type="button" onClick={() => playback.selectEvent(failed.event, null, "inspector")}>
            Go to event {failed.event}
          </button>
          {canStep() && (
            <button type="button" title="Starts another run from the point where this state was entered" onClick={() => fork(failed.enter)}>
              Fork from {failed.state}
            </button>
          )}
          {failed.type === "Task" && !inside && execution.run.value?.recorded === undefined && (
            <button type="button" onClick={() => mock(failed.state)}>
              {model.isMocked(failed.state) ? "Change its mock" : "Mock this task"}
            </button>
          )}
        </>
      )}
      {status !== "ABORTED" && !inside && (
        <button
          type="button"
          title="A test for Node's test runner, with the answers that the tasks gave"
          onClick={() => void copyTest().catch((error: Error) => showToast(error.message))}
        >
          Copy as test
        </button>
      )}
    </p>
  );
}

function mock(state: string): void {
  batch(() => {
    selection.selectState(state, "inspector");
    panes.showLeft("mocks");
  });
}

function Figures({ outcome: { repeated, slowest, critical, retried, retries, caught, used, states } }: { outcome: RunOutcome }) {
  return (
    <>
      <Repeats repeated={repeated} />
      {slowest.length > 0 && (
        <List
          title="Slowest states"
          rows={slowest.map(({ state, visits, took, longest, enter, p50, p95, p99 }) => ({
            state,
            event: enter,
            words:
              visits > 1
                ? `${duration(took)} in ${count(visits, "visit")}: p50 ${duration(p50)}, p95 ${duration(p95)}, p99 ${duration(p99)}, the longest ${duration(longest)}`
                : duration(took),
          }))}
        />
      )}
      {critical.length > 0 && (
        <List
          title="Critical path"
          rows={critical.map(({ state, took, share, enter }) => ({
            state,
            event: enter,
            // A share that would be shown as 0 % says nothing.
            words: `${duration(took)}${share >= 0.005 ? `, ${Math.round(100 * share)} %` : ""}`,
          }))}
        />
      )}
      {retries > 0 && (
        <List
          title={count(retries, "retry", "retries")}
          rows={retried.map(({ state, retries: times, enter }) => ({ state, event: enter, words: count(times, "retry", "retries") }))}
        />
      )}
      {caught.length > 0 && (
        <List title="Caught errors" rows={caught.map(({ state, times, event }) => ({ state, event, words: count(times, "time") }))} />
      )}
      <section>
        <h4>Coverage</h4>
        <p class="inspect-line">
          <span>
            {used} of {count(states, "state")} entered in this run
          </span>
          <button type="button" class="link" onClick={() => panes.showDock("coverage")}>
            Coverage of all runs
          </button>
        </p>
      </section>
    </>
  );
}

function List({ title, rows }: { title: string; rows: { state: string; event: number; words: string }[] }) {
  return (
    <section>
      <h4>{title}</h4>
      <ul class="ways">
        {rows.map(({ state, event, words }) => (
          <li key={state}>
            <button type="button" class="link" onClick={() => playback.selectEvent(event, state, "inspector")}>
              {state}
            </button>
            <span class="way-when">{words}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
