// The counters of a host of executions, and their text form for Prometheus (OpenMetrics).

import type { ExecutionStatus, Step } from "../../core/api/index.d.ts";
import type { Batch, BatchResult, QueueDescription, RuntimeMetrics, Store } from "../../core/api/durable.d.ts";
import type { Fact } from "../../core/border/facts.ts";

// Upper bounds of the buckets, in seconds.
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"] as const;

/** Counts since a host was opened. */
export class Metrics {
  started = 0;
  redriven = 0;
  suspended = 0;
  readonly ended = { SUCCEEDED: 0, FAILED: 0, TIMED_OUT: 0, ABORTED: 0 };
  readonly tasks = { called: 0, succeeded: 0, failed: 0, timedOut: 0 };
  recoverySeconds = 0;
  #writes = 0;
  #batches = 0;
  #facts = 0;
  #failures = 0;
  #seconds = 0;
  /** The number of writes within each bound. The last element counts the writes that took longer than every bound. */
  readonly #taken: number[] = BOUNDS.concat(Infinity).map(() => 0);

  /** Counts a fact that was fed to an engine. */
  fed(fact: Fact, { commands }: Step): void {
    if (fact[0] === "succeed" || fact[0] === "items") this.tasks.succeeded += 1;
    else if (fact[0] === "fail") this.tasks.failed += 1;
    else if (fact[0] === "redrive") this.redriven += 1;
    for (const command of commands) {
      if (command.type === "Invoke") this.tasks.called += 1;
      else if (command.type === "Cancel" && (command.reason === "Timeout" || command.reason === "Heartbeat")) this.tasks.timedOut += 1;
    }
  }

  hasEnded(status: ExecutionStatus): void {
    if (status !== "RUNNING") this.ended[status] += 1;
  }

  /** Counts batches that were written or refused. */
  wrote(batches: readonly Batch[], results: readonly BatchResult[], seconds: number): void {
    this.#writes += 1;
    this.#batches += batches.length;
    for (const [i, { facts, create }] of batches.entries()) {
      if (results[i]?.ok !== true) continue;
      this.#facts += facts?.count ?? 0;
      if (create !== undefined) this.started += 1;
    }
    this.#seconds += seconds;
    this.#taken[BOUNDS.findLastIndex((bound) => seconds > bound) + 1]! += 1;
  }

  writeFailed(): void {
    this.#failures += 1;
  }

  async read(store: Pick<Store, "count">, resident: number, queues: QueueDescription[]): Promise<RuntimeMetrics> {
    const counts = await Promise.all(STATUSES.map((status) => store.count({ status })));
    let count = 0;
    const buckets = this.#taken.map((taken, i) => ({ le: BOUNDS[i] ?? Infinity, count: (count += taken) }));
    return {
      executions: Object.fromEntries(STATUSES.map((status, i) => [status, counts[i] ?? 0])) as Record<ExecutionStatus, number>,
      started: this.started,
      redriven: this.redriven,
      suspended: this.suspended,
      ended: { ...this.ended },
      tasks: { ...this.tasks },
      resident,
      commits: {
        writes: this.#writes,
        batches: this.#batches,
        facts: this.#facts,
        failures: this.#failures,
        seconds: { buckets, sum: this.#seconds, count },
      },
      queues,
      recoverySeconds: this.recoverySeconds,
    };
  }
}

/** A sample: the suffix of its name, its labels and its value. */
type Sample = [end: string, labels: Readonly<Record<string, string>>, value: number];

/** Formats metrics as OpenMetrics text. */
export function openMetrics(metrics: RuntimeMetrics): string {
  const { executions, ended, tasks, commits, queues } = metrics;
  const by = (label: string, counts: object, end = ""): Sample[] =>
    Object.entries(counts).map(([name, count]): Sample => [end, { [label]: name }, count as number]);
  const total = (count: number): Sample[] => [["_total", {}, count]];
  const { buckets, sum, count } = commits.seconds;
  const families: [name: string, type: string, help: string, samples: Sample[]][] = [
    ["executions", "gauge", "Executions in the store, by status.", by("status", executions)],
    ["executions_resident", "gauge", "Executions in memory.", [["", {}, metrics.resident]]],
    ["executions_started", "counter", "Executions started.", total(metrics.started)],
    ["executions_ended", "counter", "Executions ended, by status.", by("status", ended, "_total")],
    ["executions_redriven", "counter", "Executions redriven.", total(metrics.redriven)],
    ["executions_suspended", "counter", "Executions suspended.", total(metrics.suspended)],
    ["tasks_called", "counter", "Tasks to be called.", total(tasks.called)],
    ["tasks_succeeded", "counter", "Results of tasks.", total(tasks.succeeded)],
    ["tasks_failed", "counter", "Failures of tasks.", total(tasks.failed)],
    ["tasks_timed_out", "counter", "Tasks that have timed out.", total(tasks.timedOut)],
    ["commit_batches", "counter", "Changes of executions written.", total(commits.batches)],
    ["commit_facts", "counter", "Facts written.", total(commits.facts)],
    ["commit_failures", "counter", "Writes that failed and were tried again.", total(commits.failures)],
    [
      "commit_seconds",
      "histogram",
      "How long writes to the store have taken.",
      [
        ...buckets.map(({ le, count: taken }): Sample => ["_bucket", { le: le === Infinity ? "+Inf" : String(le) }, taken]),
        ["_count", {}, count],
        ["_sum", {}, sum],
      ],
    ],
    ["queue_waiting", "gauge", "Tasks that wait for a worker.", queues.map(({ name, waiting }) => ["", { queue: name }, waiting])],
    ["queue_active", "gauge", "Tasks that workers are doing.", queues.map(({ name, active }) => ["", { queue: name }, active])],
    ["queue_workers", "gauge", "Workers.", queues.map(({ name, workers }) => ["", { queue: name }, workers])],
    ["recovery_seconds", "gauge", "The time to open the store and resume all executions.", [["", {}, metrics.recoverySeconds]]],
  ];
  const lines = families.flatMap(([name, type, help, samples]) => [
    `# TYPE stepglass_${name} ${type}`,
    `# HELP stepglass_${name} ${help}`,
    ...samples.map(([end, labels, value]) => `stepglass_${name}${end}${labelText(labels)} ${value}`),
  ]);
  return `${lines.join("\n")}\n# EOF\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}
