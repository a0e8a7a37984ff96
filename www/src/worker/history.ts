// Reads history events as they come: whose they are and what they mean.

import { GraphIndex, type Graph } from "../model/graph.ts";
import { type LogChunk, Op } from "../model/log.ts";
import type { Visit } from "../model/protocol.ts";
import type { HistoryEvent } from "../model/recorded.ts";

export interface OpenVisit extends Visit {
  node: number;
  name: string;
  /// The Parallel or Map visit around it, -1 at the top.
  around: number;
  /// The branch or iteration that it is in, -1 at the top.
  scope: number;
  closed: boolean;
  /// The innermost iteration that it is in, and of a Map what it has begun last.
  item: number;
  round: number;
  items: Map<number, number>;
}

/// Columns of a chunk while it is made, with what was not taken yet.
const fresh = () => ({
  ops: [] as number[],
  nodes: [] as number[],
  edges: [] as number[],
  times: [] as number[],
  events: [] as number[],
  places: [] as number[],
  items: [] as number[],
  begun: [] as number[],
  rounds: [] as number[],
  names: new Map<number, string>(),
  errors: new Map<number, string>(),
});

const EMPTY: GraphIndex = new GraphIndex({ width: 0, height: 0, direction: "TB", truncated: false, crossings: 0, nodes: [], edges: [] });

/// What the page is told, of a run and of its child executions together.
export class Columns {
  private out = fresh();
  /// How many entries, iterations and rounds there are.
  entries = 0;
  private itemCount = 0;
  private roundCount = 0;

  put(op: number, node: number, edge: number, time: number, event: number, place: number, item: number): void {
    const { out } = this;
    out.ops.push(op);
    out.nodes.push(node);
    out.edges.push(edge);
    out.times.push(time);
    out.events.push(event);
    out.places.push(place);
    out.items.push(item);
    this.entries += 1;
  }

  beginRound(node: number, around: number, total: number): number {
    this.out.rounds.push(node, around, total, this.entries);
    return this.roundCount++;
  }

  beginItem(node: number, around: number, index: number, round: number): number {
    this.out.begun.push(node, around, index, round, this.entries);
    return this.itemCount++;
  }

  name(item: number, name: string): void {
    this.out.names.set(item, name);
  }

  /// Names the error of the entry that comes next.
  error(name: string): void {
    if (name !== "") this.out.errors.set(this.entries, name);
  }

  /// The columns since the last call.
  take(): LogChunk | undefined {
    const { out } = this;
    const from = this.entries - out.ops.length;
    if (from === this.entries) return undefined;
    this.out = fresh();
    return {
      from,
      ops: Uint8Array.from(out.ops),
      nodes: Int32Array.from(out.nodes),
      edges: Int32Array.from(out.edges),
      times: Float64Array.from(out.times),
      events: Int32Array.from(out.events),
      places: Int32Array.from(out.places),
      items: Int32Array.from(out.items),
      begun: Int32Array.from(out.begun),
      rounds: Int32Array.from(out.rounds),
      ...(out.names.size > 0 && { names: out.names }),
      ...(out.errors.size > 0 && { errors: out.errors }),
    };
  }
}

/// The history of one execution. Events come in order, ids count from 1.
export class History {
  readonly events: HistoryEvent[] = [];
  protected index: GraphIndex;
  protected visits: OpenVisit[] = [];
  /// Branches and iterations: their names, and those that they are in.
  protected scopes: { name: string; outer: number }[] = [];
  protected scopeIds = new Map<string, number>();
  protected types = new Set<string>();
  protected byState = new Map<string, number[]>();
  protected visitOf: number[] = [];
  protected iterationOf: number[] = [];
  protected ops: number[] = [];
  protected times: number[] = [];
  private lastError = "";

  /// Of a child execution: the iteration of its Map that it is.
  constructor(
    graph: Graph | GraphIndex | undefined,
    protected readonly columns = new Columns(),
    protected readonly within = -1,
  ) {
    this.index = graph instanceof GraphIndex ? graph : graph ? new GraphIndex(graph) : EMPTY;
  }

  /// `after` is the event of the run's own history that has happened last, `place` that of a child's on the debugger's tape.
  add(event: HistoryEvent, after = event.id, place = 0): void {
    const i = this.events.length;
    this.events.push(event);
    this.types.add(event.type);
    const previous = event.previousEventId - 1;
    const details = detailsOf(event);
    const name = typeof details["name"] === "string" ? details["name"] : undefined;
    let visit = previous >= 0 ? (this.visitOf[previous] ?? -1) : -1;
    let op = this.opOf(event.type, this.visits[visit]);
    let edge = -1;
    let iteration = -1;
    let item: number | undefined;

    if (op === Op.Enter) {
      visit = this.enter(i, previous, name ?? "");
      edge = this.edgeInto(this.visits[visit]!, previous);
    } else if (op === Op.Exit) {
      visit = this.climb(visit, (v) => v.name === name && v.exit === 0);
      const left = this.visits[visit];
      if (left) {
        this.leave(visit, left, event.id);
        if (left.caught) op = Op.ExitCaught;
        edge = left.caught ? -1 : this.endEdge(left.node);
      }
    } else if (/^MapIteration/.test(event.type)) {
      visit = this.climb(visit, (v) => v.name === name && v.exit === 0);
      iteration = typeof details["index"] === "number" ? details["index"] : -1;
      const map = this.visits[visit];
      if (map) item = op === Op.IterationStart ? this.beginItem(map, iteration) : map.items.get(iteration);
    } else if (/^(Parallel|Map)State|^MapRun/.test(event.type)) {
      const type = event.type.startsWith("Parallel") ? "Parallel" : "Map";
      visit = this.climb(visit, (v) => !v.closed && this.index.node(v.node)?.type === type);
    }

    const at = this.visits[visit];
    if (at) this.attempt(at, op, event, details["length"]);

    const time = Date.parse(event.timestamp);
    this.visitOf.push(visit);
    this.iterationOf.push(iteration);
    this.ops.push(op);
    this.times.push(time);
    if (op === Op.Fail || op === Op.Timeout || op === Op.ExecutionFail) {
      // A Parallel or Map fails with what has failed in it just before, and does not name it again.
      if (typeof details["error"] === "string") this.lastError = details["error"];
      this.columns.error(this.lastError);
    }
    this.columns.put(op, at?.node ?? -1, edge, time, after, place, item ?? at?.item ?? this.within);
  }

  private leave(visit: number, left: OpenVisit, event: number): void {
    left.exit = event;
    left.closed = true;
    left.caught = left.failed;
    // A failure that was retried with success is no failure of the visit.
    left.failed = false;
    this.closeInside(visit);
  }

  /// What an event tells of the attempts of a visit, or of the items of its Map.
  private attempt(at: OpenVisit, op: number, event: HistoryEvent, length: unknown): void {
    switch (op) {
      case Op.Scheduled:
        at.attempts.push({ scheduled: event.id, ended: 0, failed: false });
        at.failed = false;
        break;
      case Op.ScopeStart:
        at.attempts.push({ scheduled: event.id, ended: 0, failed: false });
        at.failed = false;
        at.closed = false;
        if (event.type === "MapStateStarted" || (event.type === "MapRunStarted" && at.round < 0))
          this.beginRound(at, typeof length === "number" ? length : -1);
        break;
      case Op.Fail:
      case Op.Timeout:
        at.failed = true;
        this.endAttempt(at, event.id, true);
        if (/^(Parallel|Map)/.test(event.type)) at.closed = true;
        break;
      case Op.Other:
        if (/Succeeded$/.test(event.type)) this.endAttempt(at, event.id, false);
        break;
      case Op.ScopeDone:
        this.endAttempt(at, event.id, false);
        break;
      case Op.ExecutionFail:
        if (at.exit === 0) at.failed = true;
        break;
    }
  }

  /// What an event means; `before` is the visit of the event that led to it.
  protected opOf(type: string, _before: OpenVisit | undefined): number {
    return opOf(type);
  }

  take(): LogChunk | undefined {
    return this.columns.take();
  }

  event(id: number): HistoryEvent | undefined {
    return this.events[id - 1];
  }

  /// The visit that an event was in.
  visitAt(event: number): OpenVisit | undefined {
    return this.visits[this.visitOf[event - 1] ?? -1];
  }

  visitsOf(state: string): Visit[] {
    return (this.byState.get(state) ?? []).slice(-1000).map((i) => {
      const { enter, exit, caught, failed, iterations, attempts } = this.visits[i]!;
      return { enter, exit, caught, failed, iterations, attempts };
    });
  }

  private beginRound(map: OpenVisit, length: number): void {
    const { batcher } = this.index.node(map.node)?.map ?? {};
    // A child takes a batch of items; how many go into so many bytes is not known before.
    const total =
      !batcher || length < 0 ? length : batcher.items !== undefined && batcher.bytes === undefined ? Math.ceil(length / batcher.items) : -1;
    map.round = this.columns.beginRound(map.node, map.item, total);
    map.items = new Map();
  }

  protected beginItem(map: OpenVisit, index: number): number {
    if (map.round < 0) this.beginRound(map, -1);
    const item = this.columns.beginItem(map.node, map.item, index, map.round);
    map.items.set(index, item);
    return item;
  }

  private enter(i: number, previous: number, name: string): number {
    const before = this.visits[this.visitOf[previous] ?? -1];
    const previousOp = this.ops[previous];
    let around = -1;
    let iterations: number[] = [];
    let item = this.within;
    let scope = -1;
    const node = this.index.byName.get(name) ?? -1;
    if (before) {
      if (previousOp === Op.ScopeStart || previousOp === Op.IterationStart) {
        around = this.visitOf[previous]!;
        const inside = previousOp === Op.IterationStart;
        iterations = inside ? [...before.iterations, this.iterationOf[previous]!] : before.iterations;
        item = (inside ? before.items.get(this.iterationOf[previous]!) : undefined) ?? before.item;
        scope = this.scopeOf(around, inside ? this.iterationOf[previous]! : -1, node);
      } else {
        around = before.around;
        scope = before.scope;
        iterations = before.iterations;
        item = before.item;
      }
    }
    const id = this.visits.length;
    this.visits.push({
      node,
      name,
      around,
      scope,
      iterations,
      enter: i + 1,
      exit: 0,
      closed: false,
      caught: false,
      failed: false,
      attempts: [],
      item,
      round: -1,
      items: new Map(),
    });
    const list = this.byState.get(name);
    if (list) list.push(id);
    else this.byState.set(name, [id]);
    return id;
  }

  /// The branch or iteration that a visit around has begun by entering a state; where it begins it again, the same one.
  private scopeOf(around: number, iteration: number, node: number): number {
    const container = this.visits[around]!;
    const branch = /\/Branches\/(\d+)\/States\/[^/]*$/.exec(this.index.node(node)?.pointer ?? "")?.[1];
    const name = iteration >= 0 ? `${container.name} #${iteration}` : `${container.name} branch ${Number(branch ?? 0) + 1}`;
    const key = `${around} ${name}`;
    let id = this.scopeIds.get(key);
    if (id === undefined) {
      this.scopeIds.set(key, (id = this.scopes.length));
      const path = [...container.iterations.map((index) => `#${index}`), name];
      this.scopes.push({ name: path.join(" › "), outer: container.scope });
    }
    return id;
  }

  /// The nearest visit outwards that fits, beginning with this one.
  private climb(from: number, fits: (visit: OpenVisit) => boolean): number {
    for (let at = from; at >= 0; at = this.visits[at]!.around) {
      if (fits(this.visits[at]!)) return at;
    }
    return from;
  }

  private closeInside(container: number): void {
    const type = this.index.node(this.visits[container]!.node)?.type;
    if (type !== "Parallel" && type !== "Map") return;
    for (let i = container + 1; i < this.visits.length; i++) {
      if (this.visits[i]!.around === container) this.visits[i]!.closed = true;
    }
  }

  private endAttempt(visit: OpenVisit, id: number, failed: boolean): void {
    const last = visit.attempts.at(-1);
    if (last && last.ended === 0) Object.assign(last, { ended: id, failed });
  }

  protected edgeInto(visit: OpenVisit, previous: number): number {
    const before = this.visits[this.visitOf[previous] ?? -1];
    const op = this.ops[previous];
    return this.edgeTo(visit.node, op === Op.Exit || op === Op.ExitCaught ? before?.node : undefined, op === Op.ExitCaught);
  }

  protected edgeTo(node: number, before: number | undefined, caught: boolean): number {
    const { edges } = this.index.graph;
    const into = this.index.in[node] ?? [];
    const from = before === undefined ? undefined : this.index.node(before)?.id;
    const found = from === undefined ? undefined : into.find((e) => edges[e]!.from === from && (edges[e]!.kind === "catch") === caught);
    return (
      found ??
      (from === undefined || this.index.parent[before!] !== this.index.parent[node]
        ? (into.find((e) => edges[e]!.kind === "start") ?? -1)
        : -1)
    );
  }

  protected endEdge(node: number): number {
    const { edges } = this.index.graph;
    const out = this.index.out[node] ?? [];
    // A state that ends has no other way out but its catchers.
    if (out.some((e) => edges[e]!.kind !== "end" && edges[e]!.kind !== "catch")) return -1;
    return out.find((e) => edges[e]!.kind === "end") ?? -1;
  }
}

/// What of a chunk goes over to the page without a copy.
export const buffersOf = (chunk: LogChunk): ArrayBuffer[] =>
  Object.values(chunk).flatMap((column: unknown) => (ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : []));

export function detailsOf(event: HistoryEvent): Record<string, unknown> {
  for (const key of Object.keys(event)) {
    if (key.endsWith("EventDetails")) return (event[key] ?? {}) as Record<string, unknown>;
  }
  return {};
}

/// What went into a visit and came out of it, from the events that entered and left it.
export function dataOf(
  entered: object | undefined,
  exited: object | undefined,
): { input?: unknown; output?: unknown; variables?: unknown } {
  const before = entered ? detailsOf(entered as HistoryEvent) : {};
  const after = exited ? detailsOf(exited as HistoryEvent) : {};
  const { assignedVariables } = after;
  return {
    ...("input" in before && { input: parsed(before["input"]) }),
    ...("output" in after && { output: parsed(after["output"]) }),
    ...(assignedVariables !== undefined && {
      variables: Object.fromEntries(Object.entries(assignedVariables as object).map(([name, text]) => [name, parsed(text)])),
    }),
  };
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function opOf(type: string): number {
  switch (type) {
    case "ExecutionStarted":
      return Op.ExecutionStart;
    case "ExecutionSucceeded":
      return Op.ExecutionDone;
    case "ExecutionFailed":
      return Op.ExecutionFail;
    case "ExecutionTimedOut":
      return Op.ExecutionTimeout;
    case "ExecutionAborted":
      return Op.ExecutionAbort;
    case "ParallelStateStarted":
    case "MapStateStarted":
    case "MapRunStarted":
    case "MapRunRedriven":
      return Op.ScopeStart;
    case "ParallelStateSucceeded":
    case "MapStateSucceeded":
    case "MapRunSucceeded":
      return Op.ScopeDone;
    case "MapIterationStarted":
      return Op.IterationStart;
    case "MapIterationSucceeded":
      return Op.IterationDone;
    case "MapIterationFailed":
      return Op.IterationFail;
    case "MapIterationAborted":
      return Op.IterationAbort;
    case "TaskSubmitted":
      return Op.Submitted;
    case "EvaluationFailed":
      return Op.Fail;
  }
  if (type.endsWith("StateEntered")) return Op.Enter;
  if (type.endsWith("StateExited")) return Op.Exit;
  if (/^(Task|LambdaFunction|Activity)Scheduled$/.test(type)) return Op.Scheduled;
  if (/^(Task|LambdaFunction|Activity)Started$/.test(type)) return Op.Started;
  if (/TimedOut$/.test(type)) return Op.Timeout;
  if (/^(Task|LambdaFunction|Activity).*Failed$|^(Parallel|Map)StateFailed$|^MapRunFailed$/.test(type)) return Op.Fail;
  return Op.Other;
}
