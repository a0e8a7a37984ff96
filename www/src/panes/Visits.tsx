// The visits of a state with their data, and an event with its details.

import { useSignal, useSignalEffect } from "@preact/signals";
import { DataFlow } from "../debugger/DataFlow.tsx";
import { isMocked, position } from "../debugger/model.ts";
import { useFlow } from "../debugger/useFlow.ts";
import { Iterations } from "../graph/Iterations.tsx";
import { detailsOf } from "../model/details.ts";
import type { GraphIndex, GraphNode } from "../model/graph.ts";
import type { Visit } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { Failure, parsed } from "../values/Failure.tsx";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { duration, elapsed, iterationPath } from "../ui/format.ts";
import { debounced, latestOnly } from "../ui/latestOnly.ts";

type Details = Record<string, unknown>;

/** Loads the visits of a state so far, in the selected iterations. */
function useVisits(node: GraphNode): Visit[] {
  const visits = useSignal<Visit[]>([]);
  // The state must not change meanwhile: a late answer would belong to the previous state.
  useSignalEffect(() => {
    void execution.eventCount.value;
    const { value: now } = execution.run;
    const name = node.name;
    const iterations = playback.chosenAround(node.id);
    if (!now || now.id === 0) {
      visits.value = [];
      return;
    }
    return debounced(
      40,
      () => interpreter.query("visits", { state: name, iterations }),
      (found) => (visits.value = found),
    );
  });
  const cursor = playback.cursor.value;
  const wanted = playback.chosenAround(node.id);
  return visits.value.filter(
    (visit) =>
      (visit.child ? playback.hasHappened(visit.enter, visit.child.place) : visit.enter <= cursor) &&
      wanted.every((index, i) => index === undefined || visit.iterations[i] === index),
  );
}

/** Returns the index of the visit that contains the selected event or the paused position, else the last one. */
function present(known: readonly Visit[]): number {
  const event = selection.selectedEvent.value;
  const frames = execution.run.value?.phase === "paused" ? (position.value?.stack ?? []) : [];
  const holding =
    event === null
      ? known.findIndex(({ child }) => child && frames.some((frame) => frame.visit === child.id))
      : known.findLastIndex((visit) => !visit.child && visit.enter <= event && (visit.exit === 0 || visit.exit >= event));
  return holding >= 0 ? holding : known.length - 1;
}

export function Visits({ node }: { node: GraphNode }) {
  const chosen = useSignal(-1);
  const pinned = useSignal(false);
  const known = useVisits(node);
  const at = pinned.value && chosen.value < known.length ? chosen.value : present(known);
  const visit = known[at];
  const index = analysis.graph.value!;
  const maps = [index.byId.get(node.id) ?? -1, ...around(index, node.id)].filter((n) => index.node(n)?.type === "Map").reverse();
  const selectors =
    execution.run.value &&
    maps.map((n, i) => <Iterations key={n} node={index.node(n)!} place="inspector" of={visit?.iterations.slice(0, i + 1) ?? []} />);
  if (!visit) {
    return (
      <>
        {selectors}
        <p class="quiet pad">{noVisit(node)}</p>
      </>
    );
  }
  const choice = playback.choices.value.get(node.id);
  return (
    <>
      {selectors}
      {known.length > 1 && (
        <Steps
          at={at}
          known={known}
          step={(to) => {
            pinned.value = true;
            chosen.value = Math.max(0, Math.min(known.length - 1, to));
          }}
        />
      )}
      <VisitData
        key={visit.child?.id ?? 0}
        state={node.name}
        visit={visit}
        cursor={playback.cursor.value}
        chosen={typeof choice === "number" ? choice : undefined}
      />
    </>
  );
}

function noVisit(node: GraphNode): string {
  if (!execution.run.value) return "Run the state machine to see the input and output of this state.";
  return playback.chosenAround(node.id).some((one) => one !== undefined)
    ? "The selected iteration has not entered this state."
    : "The run has not entered this state.";
}

function Steps({ at, known, step }: { at: number; known: readonly Visit[]; step(to: number): void }) {
  const { iterations } = known[at]!;
  return (
    <div class="visit-nav" role="group" aria-label="Visits">
      <button type="button" class="plain square small" aria-label="Previous visit" disabled={at === 0} onClick={() => step(at - 1)}>
        <Icon name="left" size={14} />
      </button>
      <span>
        Visit <b>{at + 1}</b> of {known.length}
        {iterations.length > 0 && <span class="quiet"> · item {iterationPath(iterations)}</span>}
      </span>
      <button
        type="button"
        class="plain square small"
        aria-label="Next visit"
        disabled={at === known.length - 1}
        onClick={() => step(at + 1)}
      >
        <Icon name="right" size={14} />
      </button>
    </div>
  );
}

/** Returns the enclosing states, the innermost first. */
function around(index: GraphIndex, id: string): number[] {
  const found: number[] = [];
  for (let at = index.stateAround(index.byId.get(id) ?? -1); at >= 0; at = index.stateAround(at)) found.push(at);
  return found;
}

/** `chosen` is the selected iteration of a Map. */
function VisitData({ state, visit, cursor, chosen }: { state: string; visit: Visit; cursor: number; chosen: number | undefined }) {
  const item = useSignal<number | undefined>(undefined);
  useSignalEffect(() => {
    void playback.choices.value;
    item.value = undefined;
  });
  const wanted = useSignal<{ enter: number; attempt: number | undefined }>({ enter: visit.enter, attempt: undefined });
  if (wanted.peek().enter !== visit.enter) wanted.value = { enter: visit.enter, attempt: undefined };
  const nth = wanted.value.enter === visit.enter ? wanted.value.attempt : undefined;
  const { child } = visit;
  // If the run has stopped at an item, that item is shown.
  const stopped = execution.run.value?.phase === "paused" && position.value?.stack[0]?.state === state;
  const found = useFlow(state, visit.enter, nth, child, item.value ?? (stopped ? undefined : chosen));
  const recorded = execution.run.value?.recorded !== undefined;
  // A replay has the whole visit. At an earlier event, only what the recording has up to there is shown.
  const flow = recorded && cursor < (visit.exit > 0 ? visit.exit : execution.eventCount.value) ? null : found;
  return (
    <>
      <Times state={state} visit={visit} cursor={cursor} hasFlow={flow !== null && !recorded} />
      {flow && recorded && <p class="quiet">The replay has computed this data: a recording has no stages.</p>}
      {flow && flow.attempts > 1 && (
        <div class="segments attempts" role="group" aria-label="Attempt">
          {Array.from({ length: flow.attempts }, (_, i) => (
            <button
              key={i}
              type="button"
              aria-pressed={flow.attempt === i}
              onClick={() => (wanted.value = { enter: visit.enter, attempt: i })}
            >
              {i === 0 ? "Attempt 1" : i + 1}
            </button>
          ))}
        </div>
      )}
      {flow ? (
        <DataFlow
          key={`${flow.visit} ${flow.attempt}`}
          flow={flow}
          busy={(child ? flow.visit !== child.id : flow.enter !== visit.enter) || (nth !== undefined && flow.attempt !== nth)}
          choose={(index) => (item.value = index)}
        />
      ) : (
        <Payloads visit={visit} cursor={cursor} />
      )}
    </>
  );
}

/** Returns the duration of a visit up to the displayed position; `null` if it has not ended. */
function spentIn({ enter, exit, child }: Visit, cursor: number): number | null {
  if (!child) return exit > 0 && exit <= cursor ? playback.timeOf(exit) - playback.timeOf(enter) : null;
  const [began, ended] = child.times.map((time) => Date.parse(time));
  return ended === undefined || !playback.hasHappened(enter, child.left) ? null : ended - began!;
}

interface TimesProps {
  state: string;
  visit: Visit;
  cursor: number;
  hasFlow: boolean;
}

function Times({ state, visit, cursor, hasFlow }: TimesProps) {
  const { child, enter } = visit;
  const attempts = visit.attempts.filter(({ scheduled }) => scheduled <= cursor).length;
  const spent = spentIn(visit, cursor);
  const mocked = hasFlow && isMocked(state);
  if (spent === null && attempts <= 1 && !mocked && execution.run.value?.phase === "paused") return null;
  const [began] = (child?.times ?? []).map((time) => Date.parse(time) - playback.startTime());
  return (
    <p class="visit-times">
      <span title="Time since the run began">
        entered at{" "}
        <button type="button" class="link" onClick={() => playback.selectEvent(enter, null, "inspector")}>
          {elapsed(began ?? playback.timeOf(enter))}
        </button>
      </span>
      {child && (
        <span class="quiet" title="The child execution">
          {child.child}
        </span>
      )}
      {spent !== null && <span>took {duration(spent)}</span>}
      {attempts > 1 && <span>{attempts} attempts</span>}
      {mocked && <span class="tag mock-tag">mock</span>}
    </p>
  );
}

/** The data of a visit from its events, if its stages are not known. */
function Payloads({ visit, cursor }: { visit: Visit; cursor: number }) {
  const { child } = visit;
  const { input } = details(useEvent(child ? 0 : visit.enter));
  const { output, assignedVariables } = details(useEvent(!child && visit.exit > 0 && visit.exit <= cursor ? visit.exit : 0));
  const attempts = visit.attempts.filter(({ scheduled }) => scheduled <= cursor);
  const assigned = Object.entries((assignedVariables ?? {}) as Record<string, string>);
  return (
    <>
      {typeof input === "string" && <JsonView label="Input" text={input} />}
      {attempts.map((attempt, i) => (
        <Attempt
          key={attempt.scheduled}
          n={i + 1}
          of={attempts.length}
          scheduled={attempt.scheduled}
          ended={attempt.ended <= cursor ? attempt.ended : 0}
          failed={attempt.failed}
        />
      ))}
      {assigned.length > 0 && (
        <JsonView label="Variables assigned" value={Object.fromEntries(assigned.map(([name, text]) => [name, parsed(text)]))} />
      )}
      {typeof output === "string" && <JsonView label={visit.caught ? "Output of the catcher" : "Output"} text={output} />}
    </>
  );
}

function Attempt({ n, of, scheduled, ended, failed }: { n: number; of: number; scheduled: number; ended: number; failed: boolean }) {
  const begin = details(useEvent(scheduled));
  const end = details(useEvent(ended));
  const sent = begin["parameters"] ?? begin["input"];
  const result = end["output"];
  const label = of > 1 ? ` of attempt ${n}` : "";
  return (
    <>
      {of > 1 && (
        <p class="attempt">
          <span class={failed ? "is-bad" : ended > 0 ? "is-good" : ""}>
            <Icon name={failed ? "cross" : ended > 0 ? "check" : "dot"} size={12} /> Attempt {n}
          </span>
          <span class="quiet" title="Time since the run began">
            at {elapsed(playback.timeOf(scheduled))}
          </span>
        </p>
      )}
      {typeof sent === "string" && n === of && <JsonView label={`Sent to the task${label}`} text={sent} />}
      {typeof result === "string" && <JsonView label={`Result${label}`} text={result} />}
      {failed && ended > 0 && <Failure error={end["error"]} cause={end["cause"]} />}
    </>
  );
}

export function EventDetails({ id }: { id: number }) {
  const event = useEvent(id);
  if (!event) return null;
  const given = details(event);
  const previous = event["previousEventId"] as number;
  const payloads = ["input", "output", "parameters"].filter((key) => typeof given[key] === "string");
  const rest = Object.fromEntries(
    Object.entries(given).filter(([key]) => !payloads.includes(key) && !["error", "cause", "inputDetails", "outputDetails"].includes(key)),
  );
  const failed = given["error"] !== undefined || given["cause"] !== undefined;
  return (
    <section class="event-details" aria-label={`Event ${id}`}>
      <header class="inspect-head">
        <div class="inspect-title">
          <span class="event-id">{id}</span>
          <h3>{String(event["type"])}</h3>
          <button type="button" class="plain square small" aria-label="Close the event" title="Close" onClick={playback.returnToLive}>
            <Icon name="close" size={14} />
          </button>
        </div>
        <p class="inspect-line quiet">
          <span title="Time since the run began">{elapsed(playback.timeOf(id))} into the run</span>
          <span title={String(event["timestamp"])}>{String(event["timestamp"]).replace("T", " ").slice(0, 23)}</span>
          {previous > 0 && (
            <span>
              after{" "}
              <button type="button" class="link" onClick={() => playback.selectEvent(previous, null, "inspector")}>
                event {previous}
              </button>
            </span>
          )}
        </p>
      </header>
      {failed && <Failure error={given["error"]} cause={given["cause"]} />}
      {payloads.map((key) => (
        <JsonView key={key} label={key[0]!.toUpperCase() + key.slice(1)} text={given[key] as string} />
      ))}
      {Object.keys(rest).length > 0 && <JsonView label="Details" value={rest} />}
    </section>
  );
}

/** Loads an event's JSON from the worker; 0 stands for none. */
function useEvent(id: number): Details | null {
  const wanted = useSignal(id);
  const held = useSignal<{ id: number; event: Details | null }>({ id: 0, event: null });
  wanted.value = id;
  useSignalEffect(() => {
    const want = wanted.value;
    const runId = execution.run.value?.id;
    if (want === 0 || runId === undefined) return;
    return latestOnly(interpreter.query("event", { id: want }), (event) => (held.value = { id: want, event }));
  });
  return held.value.id === id ? held.value.event : null;
}

/** Returns the details of an event; empty while it is not loaded. */
const details = (event: Details | null): Details => (event ? detailsOf(event) : {});
