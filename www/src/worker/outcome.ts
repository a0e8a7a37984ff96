// The outcome of a run: what failed, what was running when it ended, the slowest states, retries and caught errors. Everything is
// derived from the events, so it is available for recorded executions too.

import type { RunOutcome } from "../model/protocol.ts";
import { isExecutionEnd } from "stepglass/events";
import type { ListedHistory } from "./historyLists.ts";
import { detailsOf } from "../model/details.ts";
import type { OpenVisit } from "./history.ts";
import { percentiles } from "stepglass/profile";

/** The maximum number of states that are listed of each kind. The total is reported too. */
const MOST = 5;
/** The number of visits from which on a state is reported as part of a loop. */
const LOOP = 100;

export function outcomeOf(history: ListedHistory): RunOutcome {
  const { events } = history;
  const visits = history.allVisits();
  const containers = new Set(visits.map(({ around }) => around));
  const retried = new Map<string, RunOutcome["retried"][number]>();
  const caught = new Map<string, RunOutcome["caught"][number]>();
  const entered = new Map<string, RunOutcome["repeated"][number]>();
  for (const visit of visits) {
    const { state: name, enter, exit, tries } = visit;
    if (visit.iterations.length === 0) {
      const one = entered.get(name) ?? { state: name, times: 0, enter };
      one.times += 1;
      one.enter = enter;
      entered.set(name, one);
    }
    const again = tries.length - 1;
    if (again > 0) {
      const one = retried.get(name) ?? { state: name, retries: 0, enter };
      one.retries += again;
      retried.set(name, one);
    }
    if (visit.caught) {
      const one = caught.get(name) ?? { state: name, times: 0, event: exit };
      one.times += 1;
      caught.set(name, one);
    }
  }
  /** Whether the execution ended at this event, and not only the enclosing branch or iteration. */
  const cutOff = (end: number): boolean => isExecutionEnd(events[end - 1]!);
  const failure = failureOf(history);
  return {
    ...(failure && { failure }),
    running: [
      ...new Set(
        visits
          .filter((visit, i) => !containers.has(i) && visit.exit === 0 && !visit.failed && (visit.end === 0 || cutOff(visit.end)))
          .map(({ state }) => state),
      ),
    ].slice(0, MOST),
    slowest: slowestOf(history, containers),
    critical: criticalOf(history),
    repeated: [...entered.values()].filter(({ times }) => times >= LOOP).slice(0, MOST),
    retried: [...retried.values()].sort((a, b) => b.retries - a.retries).slice(0, MOST),
    retries: [...retried.values()].reduce((sum, { retries }) => sum + retries, 0),
    caught: [...caught.values()].sort((a, b) => b.times - a.times).slice(0, MOST),
    used: history.entered.size,
    states: history.graphIndex.stateCount,
  };
}

/** The duration of all visits of a state, in milliseconds. `enter` is the event that began the longest one. */
interface Total {
  state: string;
  times: number[];
  took: number;
  longest: number;
  enter: number;
}

/** Adds up visits by their states, and returns those that took the longest. */
function totalsOf(history: ListedHistory, visits: readonly OpenVisit[]): Total[] {
  const totals = new Map<string, Total>();
  for (const visit of visits) {
    const { state, enter } = visit;
    const took = history.endOf(visit) - history.timeOf(enter);
    const one = totals.get(state) ?? { state, times: [], took: 0, longest: -1, enter };
    one.times.push(took);
    one.took += took;
    if (took > one.longest) Object.assign(one, { longest: took, enter });
    totals.set(state, one);
  }
  return [...totals.values()]
    .filter(({ took }) => took > 0)
    .sort((a, b) => b.took - a.took)
    .slice(0, MOST);
}

/** Returns the states with the longest total duration. The time of `containers`, Parallels and Maps, is that of the states in them. */
function slowestOf(history: ListedHistory, containers: ReadonlySet<number>): RunOutcome["slowest"] {
  const visits = history.allVisits().filter(({ id }) => !containers.has(id));
  return totalsOf(history, visits).map(({ times, ...state }) => ({ ...state, visits: times.length, ...percentiles(times) }));
}

/** Returns the states on the critical path. */
function criticalOf(history: ListedHistory): RunOutcome["critical"] {
  const visits = history.criticalVisits();
  const whole = visits.reduce((sum, visit) => sum + history.endOf(visit) - history.timeOf(visit.enter), 0);
  return totalsOf(history, visits).map(({ state, took, enter }) => ({ state, took, share: took / whole, enter }));
}

/** The events that report a failure which occurred before. */
const PASSED_ON = /^(?:Execution|ParallelState|MapState|MapIteration|MapRun)(?:Failed|Aborted)$/;

/** Returns the event of the first failure, and the state that it belongs to. */
function failureOf(history: ListedHistory): RunOutcome["failure"] {
  const { events } = history;
  if (events.at(-1)?.type !== "ExecutionFailed") return undefined;
  let id = events.length;
  while (id > 1 && PASSED_ON.test(events[id - 1]!.type)) id = events[id - 1]!.previousEventId;
  const visit = history.visitAt(id);
  if (!visit) return undefined;
  const node = history.graphIndex.node(visit.node);
  const { resource } = detailsOf(events[id - 1]!);
  return {
    // A state that fails without a task has no event for it, so the event of the execution's failure is used.
    event: /Failed$|TimedOut$/.test(events[id - 1]!.type) ? id : events.length,
    state: visit.state,
    type: node?.type ?? "",
    ...(typeof resource === "string" && { resource }),
    iterations: visit.iterations,
    attempts: visit.tries.length,
    enter: visit.enter,
  };
}
