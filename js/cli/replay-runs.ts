// Replays many fetched executions against one definition, and groups the results by cause.

import type { Divergence, HistoryEvent, HistoryReplay, RecordedHistory, ReplayHistoryOptions } from "../core/api/index.d.ts";
import { replayHistory } from "../core/execution/recorded.ts";
import { mapOf, processorIn } from "../language/files/run-executions.ts";
import { readRun, type FetchedRun } from "../language/files/sfnrun.ts";
import { colors, count, type Output } from "../language/files/terminal.ts";
import { detailsOf } from "../core/history/events.ts";
import { eventOf } from "../core/history/recorded.ts";
import type { FileResult } from "./test-run.ts";

/** The results of a replay, with their words in the table. */
export const VERDICTS = {
  same: "same",
  data: "same path, other data",
  path: "other path",
  succeeds: "now succeeds",
  fails: "now fails",
  undecided: "cannot be decided",
} as const;

export type Verdict = keyof typeof VERDICTS;
export const VERDICT_NAMES = Object.keys(VERDICTS) as Verdict[];

/** The cause of a result. Executions with equal causes form a group. */
interface Cause {
  /** The state whose transition or data differs first. */
  state?: string;
  aspect?: Divergence["aspect"];
  pointer?: string;
  /** The error with which the replay fails. */
  error?: string;
}

/** The result of one execution. */
interface ReplayedRun extends Cause {
  file: string;
  executionArn: string;
  verdict: Verdict;
  recordedStatus: string;
  status: HistoryReplay["status"];
  message?: string;
  reason?: string;
  /** How many child executions of its Map Runs have each verdict. Absent if the file has none. */
  children?: Record<Verdict, number>;
}

/** Executions with the same verdict for the same cause. */
export interface Group extends Cause {
  verdict: Verdict;
  count: number;
  /** The first of them. */
  example: ReplayedRun;
  files: string[];
}

/** The report on all executions. */
export interface RunsReport {
  executions: number;
  counts: Record<Verdict, number>;
  groups: Group[];
  runs: ReplayedRun[];
}

/**
 * Returns the input of `replayHistory()` for a fetched execution: its history, and the names and the type that the history lacks.
 */
export function recordingOf(run: Pick<FetchedRun, "execution" | "history"> & Pick<Partial<FetchedRun>, "stateMachine">): {
  history: RecordedHistory;
  options: Pick<ReplayHistoryOptions, "arn" | "type" | "roleArn">;
} {
  const { executionArn } = run.execution;
  const { type, roleArn } = run.stateMachine ?? {};
  return {
    history: run.history as unknown as RecordedHistory,
    options: {
      ...(typeof executionArn === "string" && { arn: executionArn }),
      ...(type === "EXPRESS" && { type }),
      ...(typeof roleArn === "string" && { roleArn }),
    },
  };
}

/** Replays the executions of files against a definition. */
export function replayRuns(files: readonly string[], definition: string, options: ReplayHistoryOptions): RunsReport {
  return reportOf(files.map((file) => replayed(file, definition, options)));
}

/** Groups results by their causes. */
function reportOf(runs: ReplayedRun[]): RunsReport {
  const counts = Object.fromEntries(VERDICT_NAMES.map((name) => [name, 0])) as Record<Verdict, number>;
  const groups = new Map<string, Group>();
  for (const run of runs) {
    counts[run.verdict] += 1;
    const { verdict, state, aspect, pointer, error } = run;
    const key = JSON.stringify([verdict, state, aspect, pointer, error]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { verdict, ...causeOf(run), count: 1, example: run, files: [run.file] });
    else {
      group.count += 1;
      group.files.push(run.file);
    }
  }
  const order = (group: Group): number => VERDICT_NAMES.indexOf(group.verdict);
  return {
    executions: runs.length,
    counts,
    groups: [...groups.values()].sort((a, b) => order(a) - order(b) || b.count - a.count),
    runs,
  };
}

function causeOf({ state, aspect, pointer, error }: Cause): Cause {
  return {
    ...(state !== undefined && { state }),
    ...(aspect !== undefined && { aspect }),
    ...(pointer !== undefined && { pointer }),
    ...(error !== undefined && { error }),
  };
}

function replayed(file: string, definition: string, options: ReplayHistoryOptions): ReplayedRun {
  const run = readRun(file);
  const own = replayedExecution(run, file, definition, options);
  const children = replayChildren(run, definition, options);
  if (children === undefined) return own;
  return { ...(own.verdict === "same" ? asParent(own, children) : own), children: children.counts };
}

/** The verdicts about child executions, the one that says most about the execution that has started them first. */
const OF_CHILDREN: readonly Verdict[] = ["fails", "path", "undecided", "succeeds", "data"];

/** Returns the result of an execution that is the same but for its child executions. */
function asParent(own: ReplayedRun, { groups }: RunsReport): ReplayedRun {
  const group = OF_CHILDREN.map((verdict) => groups.find((one) => one.verdict === verdict)).find((one) => one !== undefined);
  if (group === undefined) return own;
  const { verdict, count: n, example } = group;
  const told = `${count(n, "child execution")} of a Distributed Map: ${VERDICTS[verdict]}, such as ${example.file}`;
  const message = [told, example.message].filter(Boolean).join(": ");
  return { ...own, verdict, ...causeOf(example), message, ...(example.reason !== undefined && { reason: example.reason }) };
}

/**
 * Replays the child executions of the Map Runs in a file against the ItemProcessor that the Map of that name has in a definition now.
 * `file` of a result is the child's name. Undefined if there is nothing to replay.
 */
export function replayChildren(run: FetchedRun, definition: string, options: ReplayHistoryOptions): RunsReport | undefined {
  const runs = (run.mapRuns ?? []).flatMap((mapRun) => {
    const recorded = mapRun.executions.filter(({ history }) => history.length > 0);
    const map = recorded.length === 0 ? undefined : mapOf(run, mapRun);
    const processor = map === undefined ? undefined : processorIn(JSON.parse(definition), map);
    // Without this Map, the execution itself differs.
    if (processor === undefined) return [];
    const { arn: _, ...shared } = options;
    const own = { ...shared, type: processor.type };
    return recorded.map((child) => {
      const name = String(child.execution.name ?? child.execution.executionArn);
      const { roleArn } = run.stateMachine ?? {};
      return replayedExecution({ missing: [], stateMachine: { roleArn }, ...child }, name, processor.definition, own);
    });
  });
  return runs.length === 0 ? undefined : reportOf(runs);
}

type ReplayableExecution = Pick<FetchedRun, "execution" | "history" | "missing"> & Pick<Partial<FetchedRun>, "stateMachine">;

function replayedExecution(run: ReplayableExecution, file: string, definition: string, options: ReplayHistoryOptions): ReplayedRun {
  const about = { file, executionArn: String(run.execution.executionArn), recordedStatus: String(run.execution.status) };
  if (run.history.length === 0)
    return { ...about, verdict: "undecided", status: "NOT_STARTED", message: run.missing[0]?.message ?? "the file has no history" };
  const recording = recordingOf(run);
  const report = replayHistory(definition, recording.history, { ...recording.options, ...options });
  const verdict = verdictOf(report, about.recordedStatus);
  if (verdict === "same") return { ...about, verdict, status: report.status };
  const paths = report.divergences.filter(isOfPath);
  const first = verdict === "data" ? report.divergence : (paths[0] ?? report.divergence);
  const state = verdict === "data" || first === undefined ? first?.state : (stateBefore(run.history, first) ?? first.state);
  const message = first?.message ?? report.missing[0]?.message;
  return {
    ...about,
    verdict,
    status: report.status,
    ...causeOf({
      ...first,
      ...(state !== undefined && { state }),
      ...(verdict === "fails" && report.error !== undefined && { error: report.error }),
    }),
    ...(message !== undefined && { message }),
    ...(first?.reason !== undefined && { reason: first.reason }),
  };
}

function verdictOf(report: HistoryReplay, recorded: string): Verdict {
  const { matches, status, divergences } = report;
  if (matches) return status === recorded || recorded === "PENDING_REDRIVE" ? "same" : "undecided";
  if (status === "SUCCEEDED" && recorded !== "SUCCEEDED" && recorded !== "RUNNING") return "succeeds";
  if ((status === "FAILED" || status === "TIMED_OUT") && recorded === "SUCCEEDED") return "fails";
  // The replay waits for an answer that was not recorded.
  if (status !== recorded && (status === "RUNNING" || status === "NOT_STARTED")) return "undecided";
  return divergences.some(isOfPath) ? "path" : "data";
}

/** Returns whether the executions take different paths here, and do not only differ in values. */
function isOfPath({ aspect, event }: Divergence): boolean {
  return aspect === "event" || aspect === "state" || aspect === "length" || event === undefined;
}

/** Returns the state that the recording left last before a divergence, on the same branch. */
function stateBefore(history: readonly object[], { event }: Divergence): string | undefined {
  if (event === undefined) return undefined;
  const events = new Map(history.map((one) => eventOf(one)).map((one) => [one.id, one]));
  let at = events.get(events.get(event)?.previousEventId ?? 0);
  while (at !== undefined && !/State(Entered|Exited)$/.test(at.type)) at = events.get(at.previousEventId);
  return at === undefined ? undefined : detailsOf(at as unknown as HistoryEvent).name;
}

/** Formats the table for people. */
export function tableOf({ executions, groups }: RunsReport, allowed: ReadonlySet<Verdict>, stream: Output): string {
  const { bold, dim, green, red, yellow } = colors(stream);
  const width = Math.max(...groups.map((group) => String(group.count).length));
  const lines = groups.flatMap((group) => {
    const { verdict, example } = group;
    const paint = verdict === "same" ? green : allowed.has(verdict) ? yellow : red;
    const { message, reason, file } = example;
    return [
      `${String(group.count).padStart(width)}  ${paint(VERDICTS[verdict])}${bold(placeOf(group))}`,
      ...(verdict === "same" ? [] : [dim(`${" ".repeat(width)}  such as ${file}`)]),
      ...[message, reason].filter((text) => text !== undefined).map((text) => `${" ".repeat(width)}    ${text}`),
    ];
  });
  return `${lines.join("\n")}\n${count(executions, "execution")} replayed\n`;
}

/** Returns where a group differs, to follow its verdict; empty if it does not say. */
export function placeOf({ verdict, state, pointer, error }: Group): string {
  const parts = [
    state === undefined ? undefined : verdict === "data" ? `in state ${state}` : `from state ${state}`,
    verdict === "data" && pointer !== undefined ? `at ${pointer || "the whole value"}` : undefined,
    error,
  ];
  const texts = parts.filter((part) => part !== undefined);
  return texts.length === 0 ? "" : `: ${texts.join(", ")}`;
}

/** Returns the report as test results: each execution is a test that passes if its result is allowed. */
export function asTests({ runs }: RunsReport, definition: string, allowed: ReadonlySet<Verdict>): FileResult {
  return {
    file: definition,
    files: [definition],
    tests: runs.map(({ file, verdict, message, reason, state }) => ({
      name: `${file}: ${VERDICTS[verdict]}`,
      line: 1,
      status: allowed.has(verdict) ? "passed" : "failed",
      milliseconds: 0,
      failures: allowed.has(verdict)
        ? []
        : [
            {
              line: 1,
              message: [`${VERDICTS[verdict]}${state === undefined ? "" : ` from state ${state}`}`, message, reason]
                .filter(Boolean)
                .join("\n"),
            },
          ],
    })),
  };
}
