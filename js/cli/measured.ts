// Recorded executions as measurements: the visits of their states, with times.

import { isFolder } from "../language/files/reading.ts";
import { Unusable } from "../language/files/problem.ts";
import { stateOfMapRun } from "../language/files/run-executions.ts";
import { readRecording } from "../language/files/recording.ts";
import { EXTENSION, readRun, runFiles } from "../language/files/sfnrun.ts";
import type { HistoryEvent } from "../core/api/index.d.ts";
import { Chains, type Visit } from "../core/history/chains.ts";
import { eventOf, type RecordedEvent } from "../core/history/recorded.ts";

/** A visit of a state with its times, in milliseconds since the epoch. */
export interface MeasuredVisit extends Visit {
  entered: number;
  /** When it ended; the time of the execution's last event if it did not. */
  ended: number;
  /** Milliseconds in which an attempt of its task was running. */
  working: number;
  /** When the last attempt of its task was called; undefined if there was one attempt at most. */
  lastAttempt: number | undefined;
}

/** The history of one execution. */
export interface Measured {
  file: string;
  started: number;
  /** Milliseconds from the first event to the last. */
  duration: number;
  visits: MeasuredVisit[];
  chains: Chains;
  /** The child executions of its Distributed Maps, as far as the file has them. */
  children: Measured[];
  /** Whether the file lacks child executions. */
  partial: boolean;
  /** How often it was redriven. */
  redrives: number;
  /** The Distributed Map that has started it; undefined if it is not a child execution, or if the file does not tell. */
  map: string | undefined;
}

/** Reads the executions of a file or a folder. Throws Unusable. */
export function measure(path: string): Measured[] {
  const files = isFolder(path) ? runFiles(path) : [path];
  if (files.length === 0) throw new Unusable(`${path} has no files named *${EXTENSION}, which stepglass fetch writes`);
  return files.flatMap((file) => measuredFile(file) ?? []);
}

/** Returns the execution of a file; undefined if the account has withheld its history. */
function measuredFile(file: string): Measured | undefined {
  if (!file.endsWith(EXTENSION)) return measured(file, readRecording(file).events);
  const { history, mapRuns = [] } = readRun(file);
  if (history.length === 0) return undefined;
  const events = history.map(eventOf);
  const parent = measured(file, events);
  const children = mapRuns.flatMap(({ mapRun, executions }) => {
    const map = stateOfMapRun(parent.chains, events, (arn) => arn === mapRun["mapRunArn"]);
    return executions.flatMap(({ history: own }) => (own.length === 0 ? [] : { ...measured(file, own.map(eventOf)), map }));
  });
  const partial = mapRuns.some((run) => run.partial) || (mapRuns.length === 0 && events.some(({ type }) => type === "MapRunStarted"));
  return { ...parent, children, partial };
}

const STARTED = /^(?:Task|LambdaFunction|Activity)Scheduled$/;
const ANSWERED = /^(?:Task|LambdaFunction|Activity)(?:\w*Failed|Succeeded|TimedOut)$/;

/** Measures a history. `file` is the name of its origin. */
export function measured(file: string, events: readonly RecordedEvent[]): Measured {
  const chains = new Chains(() => ({}));
  const times = new Map<number, number>();
  const working = new Map<number, number>();
  const scheduled = new Map<number, number>();
  const lastAttempts = new Map<number, number>();
  for (const event of events) {
    chains.add(event as unknown as HistoryEvent);
    const time = Date.parse(event.timestamp);
    times.set(event.id, time);
    const id = chains.visitOf(event.id)?.id;
    if (id === undefined) continue;
    if (STARTED.test(event.type)) {
      scheduled.set(id, time);
      lastAttempts.set(id, time);
    }
    const began = scheduled.get(id);
    if (began === undefined || !ANSWERED.test(event.type)) continue;
    working.set(id, (working.get(id) ?? 0) + time - began);
    scheduled.delete(id);
  }
  const started = times.get(events[0]?.id ?? 0) ?? 0;
  const last = times.get(events.at(-1)?.id ?? 0) ?? started;
  const visits = chains.visits.map((visit) => ({
    ...visit,
    entered: times.get(visit.enter) ?? started,
    ended: times.get(visit.exit) ?? times.get(visit.end) ?? last,
    working: working.get(visit.id) ?? 0,
    lastAttempt: visit.attempts > 1 ? lastAttempts.get(visit.id) : undefined,
  }));
  const redrives = events.filter(({ type }) => type === "ExecutionRedriven").length;
  return { file, started, duration: last - started, visits, chains, children: [], partial: false, redrives, map: undefined };
}
