// What happened, as numbers: one entry per history event. The worker classifies the events and sends these columns;
// the page folds them up to any event, so going back in time costs a fold and no message.

import { type GraphIndex, isState } from "./graph.ts";

export const Op = {
  Other: 0,
  Enter: 1,
  Exit: 2,
  /// An exit through a catcher.
  ExitCaught: 3,
  Scheduled: 4,
  Started: 5,
  Submitted: 6,
  Fail: 7,
  Timeout: 8,
  IterationStart: 9,
  IterationDone: 10,
  IterationFail: 11,
  IterationAbort: 12,
  /// A Parallel or Map state begins its work, for the first time or again.
  ScopeStart: 13,
  ExecutionStart: 14,
  ExecutionDone: 15,
  ExecutionFail: 16,
  ExecutionTimeout: 17,
  ExecutionAbort: 18,
  ScopeDone: 19,
} as const;

export interface LogChunk {
  from: number;
  ops: Uint8Array;
  /// Index into the graph's nodes, -1 for events of the execution itself.
  nodes: Int32Array;
  /// Index into the graph's edges that the event travelled, or -1.
  edges: Int32Array;
  /// Virtual time, ms since the epoch.
  times: Float64Array;
}

export type Status =
  | "idle" | "running" | "waiting" | "awaiting" | "retrying"
  | "succeeded" | "caught" | "failed" | "timedOut" | "cancelled";

export const STATUS_TEXT: Record<Status, string> = {
  idle: "not run",
  running: "running",
  waiting: "waiting",
  awaiting: "waits for an answer",
  retrying: "failed, will retry",
  succeeded: "succeeded",
  caught: "failed, caught",
  failed: "failed",
  timedOut: "timed out",
  cancelled: "cancelled",
};

export interface NodeRun {
  status: Status;
  entered: number;
  active: number;
  exited: number;
  caught: number;
  cancelled: number;
  failed: number;
  /// Failed attempts whose fate (retry, catch, failure) is not yet known.
  pending: number;
  timedOut: boolean;
  submitted: number;
  /// Attempts since the state was last entered.
  attempts: number;
  /// Failed attempts altogether.
  failures: number;
  lastCaught: boolean;
  iterations: number;
  iterationsDone: number;
  iterationsFailed: number;
  /// When it was entered last, and when anything last happened to it; ms since the epoch, 0 for never.
  began: number;
  last: number;
}

const IDLE: NodeRun = Object.freeze({
  status: "idle", entered: 0, active: 0, exited: 0, caught: 0, cancelled: 0, failed: 0, pending: 0, timedOut: false,
  submitted: 0, attempts: 0, failures: 0, lastCaught: false, iterations: 0, iterationsDone: 0, iterationsFailed: 0, began: 0, last: 0,
} as const);

export function idleRun(): NodeRun {
  return IDLE;
}

/// Columns that grow.
export class EventLog {
  length = 0;
  ops = new Uint8Array(1024);
  nodes = new Int32Array(1024);
  edges = new Int32Array(1024);
  times = new Float64Array(1024);

  append(chunk: LogChunk): void {
    const end = chunk.from + chunk.ops.length;
    if (end > this.ops.length) {
      const size = Math.max(end, this.ops.length * 2);
      this.ops = grown(this.ops, new Uint8Array(size));
      this.nodes = grown(this.nodes, new Int32Array(size));
      this.edges = grown(this.edges, new Int32Array(size));
      this.times = grown(this.times, new Float64Array(size));
    }
    this.ops.set(chunk.ops, chunk.from);
    this.nodes.set(chunk.nodes, chunk.from);
    this.edges.set(chunk.edges, chunk.from);
    this.times.set(chunk.times, chunk.from);
    this.length = Math.max(this.length, end);
  }
}

function grown<T extends Uint8Array | Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from as never);
  return to;
}

/// The state of every node after the first `at` events.
export class Fold {
  at = 0;
  runs: NodeRun[] = [];
  taken: Uint32Array;
  ended: "" | "done" | "failed" | "timedOut" | "aborted" = "";

  constructor(private readonly index: GraphIndex, private readonly log: EventLog) {
    this.taken = new Uint32Array(index.graph.edges.length);
    this.reset();
  }

  private reset(): void {
    this.at = 0;
    this.ended = "";
    this.taken.fill(0);
    this.runs = this.index.graph.nodes.map(() => ({ ...IDLE }));
  }

  /// Goes to an event, forward or back, and gives the nodes and edges that may have changed; `null` stands for all.
  seek(to: number): { nodes: Set<number>; edges: Set<number> } | null {
    const target = Math.max(0, Math.min(to, this.log.length));
    if (target === this.at) return { nodes: new Set(), edges: new Set() };
    const back = target < this.at;
    if (back) this.reset();
    const nodes = new Set<number>();
    const edges = new Set<number>();
    for (; this.at < target; this.at++) this.apply(this.at, nodes, edges);
    for (const n of back ? this.runs.keys() : nodes) this.settle(n);
    return back ? null : { nodes, edges };
  }

  private apply(i: number, nodes: Set<number>, edges: Set<number>): void {
    const { log, index } = this;
    const n = log.nodes[i]!;
    const e = log.edges[i]!;
    if (e >= 0 && e < this.taken.length) {
      this.taken[e]! += 1;
      edges.add(e);
    }
    const run = n >= 0 ? this.runs[n] : undefined;
    if (run) {
      nodes.add(n);
      run.last = log.times[i]!;
    }
    switch (log.ops[i]) {
      case Op.Enter:
        if (!run) break;
        run.began = run.last;
        run.entered += 1;
        run.active += 1;
        run.attempts = 0;
        run.lastCaught = false;
        run.failed = 0;
        run.cancelled = 0;
        run.timedOut = false;
        // A Fail state fails by being entered; only the reader of the failure has an event of its own.
        if (index.graph.nodes[n]!.type === "Fail") run.pending += 1;
        break;
      case Op.Exit:
      case Op.ExitCaught:
        if (!run) break;
        run.exited += 1;
        run.active = Math.max(0, run.active - 1);
        run.submitted = Math.max(0, run.submitted - 1);
        run.lastCaught = log.ops[i] === Op.ExitCaught;
        if (run.lastCaught) {
          run.caught += 1;
          run.pending = Math.max(0, run.pending - 1);
        }
        this.close(n, nodes);
        break;
      case Op.Scheduled:
        if (!run) break;
        run.attempts += 1;
        run.pending = Math.max(0, run.pending - 1);
        run.submitted = 0;
        break;
      case Op.Submitted:
        if (run) run.submitted += 1;
        break;
      case Op.Fail:
      case Op.Timeout:
        if (!run) break;
        run.pending += 1;
        run.failures += 1;
        run.timedOut = log.ops[i] === Op.Timeout;
        this.close(n, nodes);
        break;
      case Op.ScopeStart:
        if (!run) break;
        run.attempts += 1;
        run.pending = 0;
        break;
      case Op.IterationStart:
        if (run) run.iterations += 1;
        break;
      case Op.IterationDone:
        if (run) run.iterationsDone += 1;
        break;
      case Op.IterationFail:
        if (!run) break;
        run.iterationsFailed += 1;
        this.closeOne(n, nodes);
        break;
      case Op.ExecutionDone:
        this.ended = "done";
        break;
      case Op.ExecutionFail:
      case Op.ExecutionTimeout:
      case Op.ExecutionAbort: {
        const op = log.ops[i];
        this.ended = op === Op.ExecutionFail ? "failed" : op === Op.ExecutionTimeout ? "timedOut" : "aborted";
        if (run && op === Op.ExecutionFail && run.active > 0 && run.pending === 0) run.pending = 1;
        this.runs.forEach((other, at) => {
          if (other.active === 0) return;
          nodes.add(at);
          finish(other, op === Op.ExecutionTimeout);
        });
        break;
      }
    }
  }

  /// What still runs inside a container that has ended runs no more.
  private close(n: number, nodes: Set<number>): void {
    for (const inner of this.index.statesInside(n)) {
      const run = this.runs[inner]!;
      if (run.active === 0) continue;
      finish(run, false);
      nodes.add(inner);
    }
  }

  /// One iteration has failed: each state that waits for its fate has lost one.
  private closeOne(n: number, nodes: Set<number>): void {
    for (const inner of this.index.statesInside(n)) {
      const run = this.runs[inner]!;
      if (run.pending === 0 || run.active === 0) continue;
      run.pending -= 1;
      run.active -= 1;
      run.failed += 1;
      nodes.add(inner);
    }
  }

  private settle(n: number): void {
    const run = this.runs[n]!;
    const node = this.index.graph.nodes[n]!;
    if (isState(node)) run.status = statusOf(run, node.type === "Wait", node.retries);
  }
}

function finish(run: NodeRun, timedOut: boolean): void {
  if (run.pending > 0) {
    run.failed += 1;
    run.cancelled += Math.max(0, run.active - 1);
  } else if (timedOut) {
    run.failed += 1;
    run.timedOut = true;
  } else {
    run.cancelled += run.active;
  }
  run.active = 0;
  run.pending = 0;
  run.submitted = 0;
}

function statusOf(run: NodeRun, isWait: boolean, retries: boolean): Status {
  if (run.entered === 0) return "idle";
  if (run.failed > 0) return run.timedOut ? "timedOut" : "failed";
  if (run.active > 0) {
    if (run.pending > 0) return retries ? "retrying" : "failed";
    if (run.submitted > 0) return "awaiting";
    return isWait ? "waiting" : "running";
  }
  if (run.lastCaught) return "caught";
  if (run.cancelled > 0) return "cancelled";
  return "succeeded";
}
