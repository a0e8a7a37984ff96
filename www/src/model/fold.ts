// Folds the log of a run, which it stores as growing columns, into the status of every node and iteration after the first `n` entries.

import { type GraphIndex, isState } from "./graph.ts";
import { type LogChunk, type NodeRun, Op, type Status, idleRun } from "./log.ts";

/** The status of an iteration. */
export const Item = { None: 0, Running: 1, Waiting: 2, Done: 3, Failed: 4, Aborted: 5 } as const;

export class EventLog {
  /** The number of entries: events, and steps of child executions. */
  length = 0;
  events = 0;
  ops = new Uint8Array(1024);
  nodes = new Int32Array(1024);
  edges = new Int32Array(1024);
  times = new Float64Array(1024);
  ids = new Int32Array(1024);
  places = new Int32Array(1024);
  items = new Int32Array(1024);
  /** For each event, the number of entries up to it and including it. */
  private ends = new Int32Array(1024);
  /** The following columns have an element for each iteration. */
  readonly itemNode: number[] = [];
  readonly itemAround: number[] = [];
  readonly itemIndex: number[] = [];
  readonly itemRound: number[] = [];
  readonly itemEntry: number[] = [];
  readonly itemName = new Map<number, string>();
  /** The error of each entry that has one. */
  readonly errors = new Map<number, string>();
  /** The following columns have an element for each round. */
  readonly roundNode: number[] = [];
  readonly roundAround: number[] = [];
  readonly roundTotal: number[] = [];
  readonly roundEntry: number[] = [];
  readonly roundItems: number[][] = [];
  readonly roundsOf = new Map<number, number[]>();

  append(chunk: LogChunk): void {
    const end = chunk.from + chunk.ops.length;
    if (end > this.ops.length) {
      const size = Math.max(end, this.ops.length * 2);
      this.ops = grown(this.ops, new Uint8Array(size));
      this.nodes = grown(this.nodes, new Int32Array(size));
      this.edges = grown(this.edges, new Int32Array(size));
      this.times = grown(this.times, new Float64Array(size));
      this.ids = grown(this.ids, new Int32Array(size));
      this.places = grown(this.places, new Int32Array(size));
      this.items = grown(this.items, new Int32Array(size));
      this.ends = grown(this.ends, new Int32Array(size + 1));
    }
    this.ops.set(chunk.ops, chunk.from);
    this.nodes.set(chunk.nodes, chunk.from);
    this.edges.set(chunk.edges, chunk.from);
    this.times.set(chunk.times, chunk.from);
    this.ids.set(chunk.events, chunk.from);
    this.places.set(chunk.places, chunk.from);
    this.items.set(chunk.items, chunk.from);
    for (let i = chunk.from; i < end; i++) {
      if (this.places[i] !== 0) continue;
      this.events = this.ids[i]!;
      this.ends[this.events] = i + 1;
    }
    this.length = Math.max(this.length, end);
    for (let i = 0; i < chunk.rounds.length; i += 4) {
      const [node, around, total, entry] = chunk.rounds.subarray(i, i + 4) as unknown as [number, number, number, number];
      const list = this.roundsOf.get(node);
      if (list) list.push(this.roundNode.length);
      else this.roundsOf.set(node, [this.roundNode.length]);
      this.roundNode.push(node);
      this.roundAround.push(around);
      this.roundTotal.push(total);
      this.roundEntry.push(entry);
      this.roundItems.push([]);
    }
    for (const [item, name] of chunk.names ?? []) this.itemName.set(item, name);
    for (const [entry, error] of chunk.errors ?? []) this.errors.set(entry, error);
    for (let i = 0; i < chunk.begun.length; i += 5) {
      const [node, around, index, round, entry] = chunk.begun.subarray(i, i + 5) as unknown as [number, number, number, number, number];
      this.roundItems[round]?.push(this.itemNode.length);
      this.itemNode.push(node);
      this.itemAround.push(around);
      this.itemIndex.push(index);
      this.itemRound.push(round);
      this.itemEntry.push(entry);
    }
  }

  /** Returns the number of entries up to an event and including it. For the last event this is all of them. */
  upTo(event: number): number {
    if (event >= this.events) return this.length;
    return event <= 0 ? 0 : this.ends[event]!;
  }

  /** Returns the same for a position in the debugger's recording, at an event. */
  upToPosition(event: number, place: number): number {
    let at = event <= 0 ? 0 : this.ends[event]!;
    while (at < this.length && this.places[at] !== 0 && this.places[at]! < place) at += 1;
    return at;
  }

  timeOf(event: number): number {
    return event > 0 && event <= this.events ? this.times[this.ends[event]! - 1]! : 0;
  }

  /** Returns the iteration that contains an event, or -1. */
  itemOf(event: number): number {
    return event > 0 && event <= this.events ? this.items[this.ends[event]! - 1]! : -1;
  }

  /** Returns the last round of a Map that has begun before an entry, within the enclosing iteration `around`. */
  roundAt(node: number, around: number, at: number): number {
    const list = this.roundsOf.get(node) ?? [];
    for (let i = list.length - 1; i >= 0; i--)
      if (this.roundAround[list[i]!] === around && this.roundEntry[list[i]!]! < at) return list[i]!;
    return -1;
  }
}

function grown<T extends Uint8Array | Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from as never);
  return to;
}

/** Restricts a fold to some iterations. `from` is the first entry that belongs to them. */
interface Within {
  has(item: number): boolean;
  from: number;
  /** The Maps whose chosen iteration has not begun. */
  waits: readonly number[];
}

/** The visits of a state that have not ended, within one iteration. */
interface Live {
  active: number;
  pending: number;
  submitted: number;
}

/** The status of every node after the first `at` entries. */
export class Fold {
  at = 0;
  runs: NodeRun[] = [];
  taken: Uint32Array;
  /** The status of each iteration. It is filled only if the fold has all iterations. */
  items = new Uint8Array(0);
  ended: "" | "done" | "failed" | "timedOut" | "aborted" = "";
  /** For each round, the number of iterations that have not begun. */
  private left: number[] = [];
  /** The open visits by iteration and then by node. The key -1 has the nodes that are in no iteration. */
  private live = new Map<number, Map<number, Live>>();
  /** For each iteration, how many iterations directly inside it are running, and how many are waiting. */
  private running: number[] = [];
  private waiting: number[] = [];
  /** For each Map, the first state of its iterations. */
  private readonly firsts = new Map<number, number>();
  private readonly insides = new Map<number, Set<number>>();

  constructor(
    private readonly index: GraphIndex,
    private readonly log: EventLog,
    private readonly within?: Within,
  ) {
    this.taken = new Uint32Array(index.graph.edges.length);
    this.reset();
  }

  private reset(): void {
    this.at = this.within?.from ?? 0;
    this.ended = "";
    this.taken.fill(0);
    this.items.fill(0);
    this.left = [];
    this.running = [];
    this.waiting = [];
    this.live.clear();
    this.runs = this.index.graph.nodes.map(() => ({ ...idleRun() }));
    for (const map of this.within?.waits ?? []) {
      const first = this.firstOf(map);
      if (first >= 0) Object.assign(this.runs[first]!, { queued: 1, status: "queued" });
    }
  }

  /** Moves to an entry, forward or back, and returns the nodes and edges that may have changed; `null` means all of them. */
  seek(to: number): { nodes: Set<number>; edges: Set<number> } | null {
    const target = Math.max(0, Math.min(to, this.log.length));
    if (target === this.at) return { nodes: new Set(), edges: new Set() };
    const back = target < this.at;
    if (back) this.reset();
    if (this.items.length < this.log.itemNode.length) this.items = grown(this.items, new Uint8Array(this.log.itemNode.length * 2));
    const nodes = new Set<number>();
    const edges = new Set<number>();
    for (; this.at < target; this.at++) this.apply(this.at, nodes, edges);
    for (const n of back ? this.runs.keys() : nodes) this.settle(n);
    return back ? null : { nodes, edges };
  }

  private apply(i: number, nodes: Set<number>, edges: Set<number>): void {
    this.take(i, nodes, edges);
    const item = this.log.items[i]!;
    if (item >= 0 && !this.within) this.updateWaiting(item);
  }

  private take(i: number, nodes: Set<number>, edges: Set<number>): void {
    const { log } = this;
    const op = log.ops[i]!;
    const item = log.items[i]!;
    const bounds = op >= Op.IterationStart && op <= Op.IterationAbort;
    // The start and the end of an iteration are events of its Map, which belongs to the enclosing iteration.
    if (!this.has(bounds ? (log.itemAround[item] ?? -1) : item)) return;
    const n = log.nodes[i]!;
    const e = log.edges[i]!;
    const time = log.times[i]!;
    if (e >= 0 && e < this.taken.length) {
      this.taken[e]! += 1;
      edges.add(e);
    }
    const run = n >= 0 ? this.runs[n] : undefined;
    if (run) {
      nodes.add(n);
      run.last = time;
    }
    if (item >= 0 && !this.within && bounds) this.setItemStatus(item, BOUNDS[op]!);
    if (run?.error === "" && op === Op.ExecutionFail) run.error = log.errors.get(i) ?? "";
    if (op >= Op.ExecutionFail && op <= Op.ExecutionAbort) return this.end(op, item, run, nodes, time);
    if (op === Op.ExecutionDone) this.ended = "done";
    if (run) this.change(run, i, nodes);
  }

  /** Applies an entry to the state that it belongs to. */
  private change(run: NodeRun, i: number, nodes: Set<number>): void {
    const { log } = this;
    const op = log.ops[i]!;
    const item = log.items[i]!;
    const n = log.nodes[i]!;
    const time = log.times[i]!;
    switch (op) {
      case Op.Enter:
        this.enter(n, item, run, time);
        break;
      case Op.Exit:
      case Op.ExitCaught:
        this.exit(n, item, run, time, op === Op.ExitCaught);
        this.close(n, item, nodes, time);
        break;
      case Op.Scheduled: {
        const live = this.liveOf(item, n);
        run.attempts += 1;
        run.pending -= live.pending;
        run.submitted -= live.submitted;
        live.pending = live.submitted = 0;
        break;
      }
      case Op.Submitted:
        run.submitted += 1;
        this.liveOf(item, n).submitted += 1;
        break;
      case Op.Fail:
      case Op.Timeout:
        run.pending += 1;
        this.liveOf(item, n).pending += 1;
        run.failures += 1;
        run.error = log.errors.get(i) ?? "";
        run.timedOut = op === Op.Timeout;
        this.close(n, item, nodes, time);
        break;
      case Op.ScopeStart:
        this.startScope(i, run, nodes);
        break;
      case Op.IterationStart:
        run.iterations += 1;
        this.startItem(n, log.itemRound[item]!, nodes);
        break;
      case Op.IterationDone:
        run.iterationsDone += 1;
        break;
      case Op.IterationFail:
        run.iterationsFailed += 1;
        this.closeItem(item, undefined, nodes, time, 0);
        break;
      case Op.IterationAbort:
        this.closeItem(item, undefined, nodes, time, 0);
        break;
    }
  }

  private enter(n: number, item: number, run: NodeRun, time: number): void {
    const live = this.liveOf(item, n);
    live.active += 1;
    run.began = time;
    run.entered += 1;
    countActive(run, 1, time);
    run.attempts = 0;
    run.lastCaught = false;
    run.error = "";
    // Where several iterations are shown together, a failure stays visible.
    if (item < 0 || this.within) {
      run.failed = 0;
      run.cancelled = 0;
      run.timedOut = false;
    }
    // Entering a Fail state already counts as its failure, because the event that reports it belongs to the state that handles
    // the failure.
    if (this.index.graph.nodes[n]!.type === "Fail") {
      run.pending += 1;
      live.pending += 1;
    }
  }

  private exit(n: number, item: number, run: NodeRun, time: number, caught: boolean): void {
    const live = this.liveOf(item, n);
    run.exited += 1;
    countActive(run, -1, time);
    run.submitted -= live.submitted;
    live.submitted = 0;
    run.lastCaught = caught;
    if (caught) {
      run.caught += 1;
      run.lost += 1;
    }
    run.pending -= live.pending;
    live.pending = 0;
    if (--live.active <= 0) this.live.get(item)!.delete(n);
  }

  /** Handles the start of a Map's iterations or of a Parallel's branches. A Map has read its items before. */
  private startScope(i: number, run: NodeRun, nodes: Set<number>): void {
    const { log } = this;
    const n = log.nodes[i]!;
    const item = log.items[i]!;
    const live = this.liveOf(item, n);
    run.attempts += 1;
    run.pending -= live.pending;
    live.pending = 0;
    if (run.active <= 1) for (const inner of this.inside(n)) [this.runs[inner]!.failed, this.runs[inner]!.cancelled] = [0, 0];
    const round = log.roundAt(n, item, i + 1);
    const total = log.roundTotal[round] ?? 0;
    if (log.roundEntry[round] === i && total > 0) {
      this.left[round] = total;
      this.queue(n, total, nodes);
    }
  }

  /** Counts one iteration of a round as started. */
  private startItem(n: number, round: number, nodes: Set<number>): void {
    if (!this.left[round]) return;
    this.left[round]! -= 1;
    this.queue(n, -1, nodes);
  }

  private end(op: number, item: number, run: NodeRun | undefined, nodes: Set<number>, time: number): void {
    const { log, items } = this;
    this.ended = op === Op.ExecutionFail ? "failed" : op === Op.ExecutionTimeout ? "timedOut" : "aborted";
    if (run && op === Op.ExecutionFail && run.active > 0 && run.pending === 0) run.pending = 1;
    this.runs.forEach((other, at) => {
      if (other.active === 0 && other.queued === 0) return;
      nodes.add(at);
      other.queued = 0;
      endVisits(other, other, op === Op.ExecutionTimeout, time);
    });
    this.left = [];
    this.live.clear();
    if (this.within) return;
    // The iteration that caused the failure has failed, and so have all iterations around it.
    for (let at = op === Op.ExecutionFail ? item : -1; at >= 0; at = log.itemAround[at]!)
      if (items[at]! < Item.Done) items[at] = Item.Failed;
    items.forEach((status, at) => {
      if (status === Item.Running || status === Item.Waiting) items[at] = Item.Aborted;
    });
  }

  private has(item: number): boolean {
    return item < 0 || this.within === undefined || this.within.has(item);
  }

  private liveOf(item: number, n: number): Live {
    let nodes = this.live.get(item);
    if (!nodes) this.live.set(item, (nodes = new Map()));
    let live = nodes.get(n);
    if (!live) nodes.set(n, (live = { active: 0, pending: 0, submitted: 0 }));
    return live;
  }

  private inside(n: number): Set<number> {
    let found = this.insides.get(n);
    if (!found) this.insides.set(n, (found = new Set(this.index.statesInside(n))));
    return found;
  }

  /** Sets the status of an iteration and updates the enclosing ones. */
  private setItemStatus(item: number, status: number): void {
    const { items, running, waiting } = this;
    const before = items[item]!;
    if (before === status) return;
    items[item] = status;
    const around = this.log.itemAround[item]!;
    if (around < 0) return;
    const by = (one: number): number => Number(status === one) - Number(before === one);
    running[around] = (running[around] ?? 0) + by(Item.Running);
    waiting[around] = (waiting[around] ?? 0) + by(Item.Waiting);
    this.updateWaiting(around);
  }

  /** Sets an open iteration to waiting if something in it waits and nothing in it runs, else to running. */
  private updateWaiting(item: number): void {
    const now = this.items[item]!;
    if (now !== Item.Running && now !== Item.Waiting) return;
    let runs = (this.running[item] ?? 0) > 0;
    let waits = (this.waiting[item] ?? 0) > 0;
    for (const [n, live] of runs ? [] : (this.live.get(item) ?? [])) {
      const { type, retries } = this.index.graph.nodes[n]!;
      if (live.active <= 0) continue;
      if (type === "Wait" || live.submitted > 0 || (live.pending > 0 && retries)) waits = true;
      else if (type !== "Parallel" && type !== "Map") runs = true;
    }
    this.setItemStatus(item, waits && !runs ? Item.Waiting : Item.Running);
  }

  private firstOf(map: number): number {
    let first = this.firsts.get(map);
    if (first === undefined) {
      const { children, out, byId, graph } = this.index;
      const start = (children[map] ?? [])
        .flatMap((scope) => children[scope]!)
        .flatMap((at) => out[at]!)
        .find((e) => graph.edges[e]!.kind === "start");
      first = start === undefined ? -1 : (byId.get(graph.edges[start]!.to) ?? -1);
      this.firsts.set(map, first);
    }
    return first;
  }

  /** Adds `by` to the number of queued iterations of a Map. */
  private queue(n: number, by: number, nodes: Set<number>): void {
    for (const at of [n, this.firstOf(n)]) {
      const run = this.runs[at];
      if (!run) continue;
      run.queued = Math.max(0, run.queued + by);
      nodes.add(at);
    }
  }

  /** Ends all visits that are still open inside a container that has ended. */
  private close(n: number, item: number, nodes: Set<number>, time: number): void {
    const { type } = this.index.graph.nodes[n]!;
    if (type === "Parallel" || type === "Map") this.closeItem(item, n, nodes, time, 0);
  }

  /**
   * Ends the open visits of an iteration, or only those inside the container `n`. `depth` limits the recursion for a broken log.
   */
  private closeItem(item: number, n: number | undefined, nodes: Set<number>, time: number, depth: number): void {
    if (depth > MOST_NESTED) return;
    const inside = n === undefined ? undefined : this.inside(n);
    const open = this.live.get(item);
    for (const [node, live] of open ?? []) {
      if (inside?.has(node) === false) continue;
      open!.delete(node);
      endVisits(this.runs[node]!, live, false, time);
      nodes.add(node);
    }
    if (open?.size === 0) this.live.delete(item);
    for (const map of this.log.roundsOf.keys())
      if (n === undefined || map === n || inside!.has(map)) this.closeRound(this.log.roundAt(map, item, this.at + 1), nodes, time, depth);
  }

  private closeRound(round: number, nodes: Set<number>, time: number, depth: number): void {
    if (round < 0) return;
    const { log, items } = this;
    if (this.left[round]) this.queue(log.roundNode[round]!, -this.left[round]!, nodes);
    this.left[round] = 0;
    for (const item of log.roundItems[round]!) {
      const running = items[item] === Item.Running || items[item] === Item.Waiting;
      if (running) this.setItemStatus(item, Item.Aborted);
      if (running || this.live.has(item)) this.closeItem(item, undefined, nodes, time, depth + 1);
    }
  }

  private settle(n: number): void {
    const run = this.runs[n]!;
    const node = this.index.graph.nodes[n]!;
    if (isState(node)) run.status = statusOf(run, node.type === "Wait", node.retries);
  }
}

/** The status that the start and the ends of an iteration give it. */
const BOUNDS: Record<number, number> = {
  [Op.IterationStart]: Item.Running,
  [Op.IterationDone]: Item.Done,
  [Op.IterationFail]: Item.Failed,
  [Op.IterationAbort]: Item.Aborted,
};

/** The maximum depth of nested Maps. */
const MOST_NESTED = 32;

/** Adds `by` to the number of active visits. */
function countActive(run: NodeRun, by: number, time: number): void {
  run.busy += run.active * Math.max(0, time - run.since);
  run.since = time;
  run.active = Math.max(0, run.active + by);
}

/** Ends visits that were stopped from outside or failed with the execution. */
function endVisits(run: NodeRun, { active, pending, submitted }: Live, timedOut: boolean, time: number): void {
  if (pending > 0) {
    run.failed += 1;
    run.lost += 1;
    run.cancelled += Math.max(0, active - 1);
  } else if (timedOut) {
    run.failed += 1;
    run.lost += 1;
    run.timedOut = true;
  } else {
    run.cancelled += active;
  }
  countActive(run, -active, time);
  run.pending = Math.max(0, run.pending - pending);
  run.submitted = Math.max(0, run.submitted - submitted);
}

function statusOf(run: NodeRun, isWait: boolean, retries: boolean): Status {
  if (run.entered === 0) return run.queued > 0 ? "queued" : "idle";
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
