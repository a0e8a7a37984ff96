// Reads history events in order, and finds the state, the iteration and the meaning of each.

import { Chains, type Visit as Stay } from "stepglass/chains";
import { GraphIndex, type Graph } from "../model/graph.ts";
import { type LogChunk, Op } from "../model/log.ts";
import type { Visit } from "../model/protocol.ts";
import { detailsOf, parsed } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";

type ReadEvent = Parameters<Chains["add"]>[0];

/** The facts about a visit that the page needs besides those of the package's reader. */
interface VisitFacts {
  /** The node of its state in the graph. */
  node: number;
  iterations: number[];
  /** The branch or iteration that contains it, or -1 at the top level. */
  scope: number;
  caught: boolean;
  failed: boolean;
  tries: Visit["attempts"];
  /** The innermost iteration that contains it; and for a Map, the round and the iterations that it has begun last. */
  item: number;
  round: number;
  items: Map<number, number>;
}

const newFacts = (): VisitFacts => ({
  node: -1,
  iterations: [],
  scope: -1,
  caught: false,
  failed: false,
  tries: [],
  item: -1,
  round: -1,
  items: new Map(),
});

export type OpenVisit = Stay & VisitFacts;

/** Creates the columns of a new chunk. */
const newColumns = () => ({
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

/** The columns that are sent to the page, for a run and its child executions together. */
export class Columns {
  private out = newColumns();
  /** The number of entries so far. */
  entries = 0;
  /** The nodes of the states that were entered. */
  readonly entered = new Set<number>();
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
    if (op === Op.Enter && node >= 0) this.entered.add(node);
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

  /** Sets the error name of the next entry. */
  error(name: string): void {
    if (name !== "") this.out.errors.set(this.entries, name);
  }

  /** Returns the columns since the last call. */
  take(): LogChunk | undefined {
    const { out } = this;
    const from = this.entries - out.ops.length;
    if (from === this.entries) return undefined;
    this.out = newColumns();
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

/**
 * The history of one execution. Events are added in order, with ids from 1. The package's own reader finds visits, branches and
 * iterations; this class adds what the page needs: the meaning of an event, its edge in the graph, attempts, failures and
 * iterations.
 */
export class History {
  readonly events: HistoryEvent[] = [];
  protected index: GraphIndex;
  protected chains = new Chains(newFacts);
  /** The branches and iterations, with their names and the ones that enclose them. */
  protected scopes: { name: string; outer: number }[] = [];
  protected scopeIds = new Map<string, number>();
  /** The scope of each thread of the history. A branch that is retried is a new thread in the same scope. */
  private scopeOfThread: number[] = [];
  protected types = new Set<string>();
  protected iterationOf: number[] = [];
  protected ops: number[] = [];
  protected times: number[] = [];
  private lastError = "";

  /** `iteration` is the Map's iteration that a child execution belongs to. */
  constructor(
    graph: Graph | GraphIndex | undefined,
    protected readonly columns = new Columns(),
    protected readonly within = -1,
  ) {
    this.index = graph instanceof GraphIndex ? graph : graph ? new GraphIndex(graph) : EMPTY;
  }

  /**
   * `after` is the last event of the run's own history at that time. `place` is the position of a child's event in the debugger's
   * recording.
   */
  add(event: HistoryEvent, after = event.id, place = 0): void {
    const i = this.events.length;
    this.events.push(event);
    this.types.add(event.type);
    const previous = event.previousEventId;
    const details = detailsOf(event);
    const before = this.visitAt(previous);
    let op = this.opOf(event.type, before);
    this.chains.add(event as unknown as ReadEvent);
    const at = this.visitAt(i + 1);
    let edge = -1;
    let iteration = -1;
    let item: number | undefined;
    if (at && op === Op.Enter) {
      this.enter(at, before);
      edge = this.edgeInto(at.node, previous);
    } else if (at && op === Op.Exit) {
      at.caught = at.failed;
      // A failure that was retried successfully is not a failure of the visit.
      at.failed = false;
      if (at.caught) op = Op.ExitCaught;
      edge = at.caught ? -1 : this.endEdge(at.node);
    } else if (/^MapIteration/.test(event.type)) {
      iteration = typeof details["index"] === "number" ? details["index"] : -1;
      if (at) item = op === Op.IterationStart ? this.beginItem(at, iteration) : at.items.get(iteration);
    }
    if (at) this.attempt(at, op, event, details["length"]);

    const time = Date.parse(event.timestamp);
    this.iterationOf.push(iteration);
    this.ops.push(op);
    this.times.push(time);
    if (op === Op.Fail || op === Op.Timeout || op === Op.ExecutionFail) {
      // A Parallel or Map fails with the error that occurred just before inside it, and its event does not repeat the name.
      if (typeof details["error"] === "string") this.lastError = details["error"];
      this.columns.error(this.lastError);
    }
    this.columns.put(op, at?.node ?? -1, edge, time, after, place, item ?? at?.item ?? this.within);
  }

  /** Applies an event to the attempts of a visit, or to the iterations of its Map. */
  private attempt(at: OpenVisit, op: number, event: HistoryEvent, length: unknown): void {
    switch (op) {
      case Op.Scheduled:
        at.tries.push({ scheduled: event.id, ended: 0, failed: false });
        at.failed = false;
        break;
      case Op.ScopeStart:
        // A Distributed Map has two events for its start.
        if (event.type !== "MapRunStarted" || at.tries.length === 0) at.tries.push({ scheduled: event.id, ended: 0, failed: false });
        at.failed = false;
        if (event.type === "MapStateStarted" || (event.type === "MapRunStarted" && at.round < 0))
          this.beginRound(at, typeof length === "number" ? length : -1);
        break;
      case Op.Fail:
      case Op.Timeout:
        at.failed = true;
        this.endAttempt(at, event.id, true);
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

  /** Returns the meaning of an event. `before` is the visit of the event that led to it. */
  protected opOf(type: string, _before: OpenVisit | undefined): number {
    return opOf(type);
  }

  take(): LogChunk | undefined {
    return this.columns.take();
  }

  event(id: number): HistoryEvent | undefined {
    return this.events[id - 1];
  }

  /** Returns the visit that an event belongs to. */
  visitAt(event: number): OpenVisit | undefined {
    return this.chains.visitOf(event);
  }

  visitsOf(state: string): Visit[] {
    return this.chains
      .visitsOf(state)
      .slice(-1000)
      .map(({ enter, exit, caught, failed, iterations, tries }) => ({ enter, exit, caught, failed, iterations, attempts: tries }));
  }

  private beginRound(map: OpenVisit, length: number): void {
    const { batcher } = this.index.node(map.node)?.map ?? {};
    // A child execution takes a batch of items. The number of batches is not known in advance if their size is limited in bytes.
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

  private enter(visit: OpenVisit, before: OpenVisit | undefined): void {
    const { iterations, slot, isIteration, enter } = this.chains.threadOf(visit);
    const begun = isIteration && enter === visit.enter ? before?.items.get(slot) : undefined;
    visit.node = this.index.byName.get(visit.state) ?? -1;
    visit.iterations = iterations;
    visit.scope = this.scopeOf(visit);
    visit.item = begun ?? before?.item ?? this.within;
  }

  /** Returns the branch or iteration of a visit. A retried branch is the same one. */
  private scopeOf({ thread, around }: Stay): number {
    const container = this.chains.visits[around];
    if (!container) return -1;
    let id = this.scopeOfThread[thread];
    if (id !== undefined) return id;
    const { slot, isIteration } = this.chains.threads[thread]!;
    const name = isIteration ? `${container.state} #${slot}` : `${container.state} branch ${slot + 1}`;
    const key = `${around} ${name}`;
    id = this.scopeIds.get(key);
    if (id === undefined) {
      this.scopeIds.set(key, (id = this.scopes.length));
      const { iterations, scope } = container;
      this.scopes.push({ name: [...iterations.map((index) => `#${index}`), name].join(" › "), outer: scope });
    }
    return (this.scopeOfThread[thread] = id);
  }

  private endAttempt(visit: OpenVisit, id: number, failed: boolean): void {
    const last = visit.tries.at(-1);
    if (last && last.ended === 0) Object.assign(last, { ended: id, failed });
  }

  protected edgeInto(node: number, previous: number): number {
    const op = this.ops[previous - 1];
    const from = op === Op.Exit || op === Op.ExitCaught ? this.visitAt(previous)?.node : undefined;
    return this.edgeTo(node, from, op === Op.ExitCaught);
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
    // A state that ends the execution has no other transitions than its catchers.
    if (out.some((e) => edges[e]!.kind !== "end" && edges[e]!.kind !== "catch")) return -1;
    return out.find((e) => edges[e]!.kind === "end") ?? -1;
  }
}

/** Returns the buffers of a chunk that are transferred to the page without a copy. */
export const buffersOf = (chunk: LogChunk): ArrayBuffer[] =>
  Object.values(chunk).flatMap((column: unknown) => (ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : []));

/** Returns the input and output of a visit, from the events that entered and left it. */
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
