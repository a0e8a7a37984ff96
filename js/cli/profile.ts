// The command `stepglass profile` shows where recorded executions spend their time.

import { criticalPath, groups, percentiles, type Percentiles } from "../core/history/profile.ts";
import { Unusable } from "../language/files/problem.ts";
import { colors, count, writeJson } from "../language/files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { measure, type Measured, type MeasuredVisit } from "./measured.ts";

const help = `stepglass profile FILE_OR_FOLDER [options]

Shows where recorded executions spend their time: how long each state takes, what of that is work, waiting and retries,
which states are on the critical path, and where MaxConcurrency holds a Map back.

  stepglass profile runs                 all executions of a folder, as stepglass fetch writes them
  stepglass profile order-7.sfnrun
  stepglass profile history.json --json | jq '.states[0]'

p50, p95 and p99 are of the visits of a state: half of them, 95 % and 99 % are not longer. Work is the time in which a task
has been called and has not answered. A state's retries are the time of all its attempts but the last, with the waits
between them. The critical path has the states that the end of an execution waited for: in a Parallel or a Map, those of the
branch or iteration that ended last. Its shares are of the duration of all executions.

Options
      --json           {executions, duration: {p50, p95, p99}, states: [{state, type, visits, p50, p95, p99, working,
                       waiting, retrying, critical}], limits: [{state, maps, concurrency, iterations}]}: milliseconds; working,
                       waiting, retrying and critical are sums over all executions

Exit code: 0 success; 2 wrong usage, or a file that cannot be used.
`;

const options = { json: { type: "boolean" } } as const satisfies Options;

export const command = defineCommand({
  name: "profile",
  summary: "show where recorded executions spend their time",
  help,
  options,
  run: profile,
});

/** The states that contain others: their time is that of the states in them. */
const CONTAINERS: ReadonlySet<string> = new Set(["Parallel", "Map"]);

function profile([path, ...others]: string[], values: Values<typeof options>): number {
  if (path === undefined || others.length > 0) throw new Unusable("profile needs one file or folder of executions", { usage: true });
  const report = profileOf(measure(path));
  if (values.json) writeJson(report);
  else process.stdout.write(textOf(report));
  return 0;
}

/** The times of one state, in milliseconds. The percentiles are of its visits. */
interface StateTimes extends Percentiles {
  state: string;
  type: string;
  visits: number;
  working: number;
  /** Time in which no attempt was running. A Parallel or Map has none, because its states do. */
  waiting: number;
  /** Time from the first attempt to the last one, of tasks that were retried. */
  retrying: number;
  /** Time on the critical path. */
  critical: number;
}

/** A Map whose iterations began only when others ended. */
interface Limit {
  state: string;
  /** How many visits of the Map were limited. */
  maps: number;
  /** The highest number of iterations that ran at a time. */
  concurrency: number;
  iterations: number;
}

interface Report {
  executions: number;
  duration: Percentiles;
  states: StateTimes[];
  limits: Limit[];
}

function profileOf(executions: readonly Measured[]): Report {
  const all = executions.flatMap((one) => [one, ...one.children]);
  const byState = new Map<string, MeasuredVisit[]>();
  for (const visit of all.flatMap(({ visits }) => visits)) {
    const list = byState.get(visit.state);
    if (list === undefined) byState.set(visit.state, [visit]);
    else list.push(visit);
  }
  const critical = new Map<string, number>();
  // Child executions run beside each other; their parent's Map stands for them.
  for (const visit of executions.flatMap(({ visits, chains }) => criticalPath(visits, chains.threads, ({ ended }) => ended))) {
    critical.set(visit.state, (critical.get(visit.state) ?? 0) + visit.ended - visit.entered);
  }
  const states = [...byState].map(([state, visits]) => timesOf(state, visits, critical.get(state) ?? 0));
  return {
    executions: executions.length,
    duration: percentiles(executions.map(({ duration }) => duration)),
    states: states.sort((a, b) => b.critical - a.critical || b.p50 - a.p50 || (a.state < b.state ? -1 : 1)),
    limits: limitsOf(all),
  };
}

function timesOf(state: string, visits: readonly MeasuredVisit[], critical: number): StateTimes {
  const type = visits[0]?.type ?? "";
  const sum = (of: (visit: MeasuredVisit) => number): number => visits.reduce((total, visit) => total + of(visit), 0);
  return {
    state,
    type,
    visits: visits.length,
    ...percentiles(visits.map(({ entered, ended }) => ended - entered)),
    working: sum(({ working }) => working),
    waiting: CONTAINERS.has(type) ? 0 : sum(({ entered, ended, working }) => Math.max(0, ended - entered - working)),
    retrying: sum(({ entered, lastAttempt }) => (lastAttempt === undefined ? 0 : lastAttempt - entered)),
    critical,
  };
}

/** Returns the Maps whose later iterations began when others had ended. */
function limitsOf(executions: readonly Measured[]): Limit[] {
  const limits = new Map<string, Limit>();
  for (const { visits, chains } of executions) {
    const inThread = groups(visits, ({ thread }) => thread);
    for (const map of visits.filter(({ type }) => type === "Map")) {
      const iterations = chains.threads.filter(({ around, isIteration }) => around === map.id && isIteration);
      const times = iterations.flatMap(({ id }) => {
        const own = inThread.get(id) ?? [];
        return own.length === 0 ? [] : [{ from: Math.min(...own.map((one) => one.entered)), to: Math.max(...own.map((one) => one.ended)) }];
      });
      const peak = highest(times);
      const firstEnd = Math.min(...times.map(({ to }) => to));
      if (peak === times.length || !times.some(({ from }) => from >= firstEnd)) continue;
      const limit = limits.get(map.state) ?? { state: map.state, maps: 0, concurrency: 0, iterations: 0 };
      limits.set(map.state, {
        state: map.state,
        maps: limit.maps + 1,
        concurrency: Math.max(limit.concurrency, peak),
        iterations: limit.iterations + times.length,
      });
    }
  }
  return [...limits.values()];
}

/** Returns how many of the periods overlap at most. */
function highest(periods: readonly { from: number; to: number }[]): number {
  // A period that begins when another ends does not overlap it.
  const changes = periods.flatMap(({ from, to }) => [
    [from, 1],
    [to, from === to ? 0 : -1],
  ]) as [number, number][];
  changes.sort(([a, one], [b, other]) => a - b || one - other);
  let running = 0;
  let most = 0;
  for (const [, change] of changes) most = Math.max(most, (running += change));
  return most;
}

function textOf({ executions, duration, states, limits }: Report): string {
  const { dim, yellow } = colors(process.stdout);
  const width = Math.max(5, ...states.map(({ state }) => state.length));
  const whole = states.reduce((sum, { critical }) => sum + critical, 0);
  const share = (part: number, of: number): string => (of === 0 ? "" : `${Math.round((100 * part) / of)} %`);
  const row = (cells: string[]): string => cells.map((cell) => cell.padStart(9)).join(" ");
  return `${[
    `${count(executions, "execution")}: p50 ${time(duration.p50)}, p95 ${time(duration.p95)}, p99 ${time(duration.p99)}`,
    "",
    dim(`${"state".padEnd(width)} ${row(["critical", "visits", "p50", "p95", "p99", "work", "waiting", "retries"])}`),
    ...states.map(({ state, critical, visits, p50, p95, p99, working, waiting, retrying }) => {
      const all = working + waiting;
      return `${state.padEnd(width)} ${row([
        share(critical, whole),
        String(visits),
        time(p50),
        time(p95),
        time(p99),
        share(working, all),
        share(waiting, all),
        retrying === 0 ? "" : share(retrying, all),
      ])}`;
    }),
    ...limits.map(({ state, maps, concurrency, iterations }) =>
      yellow(
        `${state}: at most ${concurrency} of ${count(iterations, "iteration")} ran at a time, in ${count(maps, "visit")}; the others waited`,
      ),
    ),
  ].join("\n")}\n`;
}

function time(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
