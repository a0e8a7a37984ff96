// Reads history events as they come: whose they are, what they mean, and how they read in a list.

import { GraphIndex, type Graph } from "../model/graph.ts";
import { Op } from "../model/log.ts";
import type { EventFilter, EventRow, Visit } from "../model/protocol.ts";

export interface HistoryEvent {
  id: number;
  previousEventId: number;
  timestamp: string;
  type: string;
  [details: string]: unknown;
}

interface OpenVisit extends Visit {
  node: number;
  name: string;
  /// The Parallel or Map visit around it, -1 at the top.
  around: number;
  closed: boolean;
}

const EMPTY: GraphIndex = new GraphIndex({ width: 0, height: 0, direction: "TB", truncated: false, crossings: 0, nodes: [], edges: [] });

/// The history of one run. Events come in order, ids count from 1.
export class History {
  readonly events: HistoryEvent[] = [];
  private index: GraphIndex;
  private visits: OpenVisit[] = [];
  private byState = new Map<string, number[]>();
  private visitOf: number[] = [];
  private iterationOf: number[] = [];
  private ops: number[] = [];
  private nodes: number[] = [];
  private edges: number[] = [];
  private times: number[] = [];
  private sent = 0;
  private cached: { key: string; upTo: number; ids: number[] } | undefined;

  constructor(graph: Graph | undefined) {
    this.index = graph ? new GraphIndex(graph) : EMPTY;
  }

  add(event: HistoryEvent): void {
    const i = this.events.length;
    this.events.push(event);
    const previous = event.previousEventId - 1;
    const details = detailsOf(event);
    const name = typeof details["name"] === "string" ? details["name"] : undefined;
    let op: number = opOf(event.type);
    let visit = previous >= 0 ? (this.visitOf[previous] ?? -1) : -1;
    let edge = -1;
    let iteration = -1;

    if (op === Op.Enter) {
      visit = this.enter(i, previous, name ?? "");
      edge = this.edgeInto(this.visits[visit]!, previous);
    } else if (op === Op.Exit) {
      visit = this.climb(visit, (v) => v.name === name && v.exit === 0);
      const left = this.visits[visit];
      if (left) {
        left.exit = event.id;
        left.closed = true;
        left.caught = left.failed;
        if (left.caught) op = Op.ExitCaught;
        // A failure that was retried with success is no failure of the visit.
        left.failed = false;
        this.closeInside(visit);
        edge = left.caught ? -1 : this.endEdge(left.node);
      }
    } else if (/^MapIteration/.test(event.type)) {
      visit = this.climb(visit, (v) => v.name === name && v.exit === 0);
      iteration = typeof details["index"] === "number" ? details["index"] : -1;
    } else if (/^(Parallel|Map)State|^MapRun/.test(event.type)) {
      const type = event.type.startsWith("Parallel") ? "Parallel" : "Map";
      visit = this.climb(visit, (v) => !v.closed && this.index.node(v.node)?.type === type);
    }

    const at = this.visits[visit];
    if (at) {
      switch (op) {
        case Op.Scheduled:
          at.attempts.push({ scheduled: event.id, ended: 0, failed: false });
          at.failed = false;
          break;
        case Op.ScopeStart:
          at.attempts.push({ scheduled: event.id, ended: 0, failed: false });
          at.failed = false;
          at.closed = false;
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

    this.visitOf.push(visit);
    this.iterationOf.push(iteration);
    this.ops.push(op);
    this.nodes.push(at?.node ?? -1);
    this.edges.push(edge);
    this.times.push(Date.parse(event.timestamp));
  }

  /// The columns since the last call.
  take(): { from: number; ops: Uint8Array; nodes: Int32Array; edges: Int32Array; times: Float64Array } | undefined {
    const from = this.sent;
    if (from === this.events.length) return undefined;
    this.sent = this.events.length;
    return {
      from,
      ops: Uint8Array.from(this.ops.slice(from)),
      nodes: Int32Array.from(this.nodes.slice(from)),
      edges: Int32Array.from(this.edges.slice(from)),
      times: Float64Array.from(this.times.slice(from)),
    };
  }

  rows(filter: EventFilter, from: number, count: number): { total: number; rows: EventRow[] } {
    const ids = this.filtered(filter);
    return { total: ids.length, rows: ids.slice(from, from + count).map((i) => this.row(i)) };
  }

  place(filter: EventFilter, id: number): number {
    const ids = this.filtered(filter);
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (ids[mid]! <= id - 1) low = mid + 1;
      else high = mid;
    }
    return low - 1;
  }

  event(id: number): HistoryEvent | undefined {
    return this.events[id - 1];
  }

  visitsOf(state: string): Visit[] {
    return (this.byState.get(state) ?? []).slice(-1000).map((i) => {
      const { enter, exit, caught, failed, iterations, attempts } = this.visits[i]!;
      return { enter, exit, caught, failed, iterations, attempts };
    });
  }

  private enter(i: number, previous: number, name: string): number {
    const before = this.visits[this.visitOf[previous] ?? -1];
    const previousOp = this.ops[previous];
    let around = -1;
    let iterations: number[] = [];
    if (before) {
      if (previousOp === Op.ScopeStart || previousOp === Op.IterationStart) {
        around = this.visitOf[previous]!;
        iterations = previousOp === Op.IterationStart ? [...before.iterations, this.iterationOf[previous]!] : before.iterations;
      } else {
        around = before.around;
        iterations = before.iterations;
      }
    }
    const id = this.visits.length;
    this.visits.push({
      node: this.index.byName.get(name) ?? -1,
      name, around, iterations, enter: i + 1, exit: 0, closed: false, caught: false, failed: false, attempts: [],
    });
    const list = this.byState.get(name);
    if (list) list.push(id);
    else this.byState.set(name, [id]);
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

  private edgeInto(visit: OpenVisit, previous: number): number {
    const { edges } = this.index.graph;
    const into = this.index.in[visit.node] ?? [];
    const before = this.visits[this.visitOf[previous] ?? -1];
    const op = this.ops[previous];
    if (!before || (op !== Op.Exit && op !== Op.ExitCaught)) return into.find((e) => edges[e]!.kind === "start") ?? -1;
    const from = this.index.node(before.node)?.id;
    const found = into.filter((e) => edges[e]!.from === from && (edges[e]!.kind === "catch") === (op === Op.ExitCaught));
    return found[0] ?? -1;
  }

  private endEdge(node: number): number {
    const { edges } = this.index.graph;
    const out = this.index.out[node] ?? [];
    // A state that ends has no other way out but its catchers.
    if (out.some((e) => edges[e]!.kind !== "end" && edges[e]!.kind !== "catch")) return -1;
    return out.find((e) => edges[e]!.kind === "end") ?? -1;
  }

  private filtered(filter: EventFilter): number[] {
    const key = JSON.stringify(filter);
    if (this.cached?.key !== key) this.cached = { key, upTo: 0, ids: [] };
    const { cached } = this;
    const text = filter.text.trim().toLowerCase();
    for (; cached.upTo < this.events.length; cached.upTo++) {
      if (this.passes(cached.upTo, filter, text)) cached.ids.push(cached.upTo);
    }
    return cached.ids;
  }

  private passes(i: number, filter: EventFilter, text: string): boolean {
    const event = this.events[i]!;
    if (filter.kind === "states" && !/State(Entered|Exited)$|^Execution/.test(event.type)) return false;
    if (filter.kind === "errors" && toneOf(event.type) !== "bad") return false;
    if (filter.state !== "") {
      let at = this.visitOf[i]!;
      while (at >= 0 && this.visits[at]!.name !== filter.state) at = this.visits[at]!.around;
      if (at < 0) return false;
    }
    if (text === "") return true;
    const name = this.visits[this.visitOf[i]!]?.name ?? "";
    return event.type.toLowerCase().includes(text) || name.toLowerCase().includes(text) || JSON.stringify(detailsOf(event)).toLowerCase().includes(text);
  }

  private row(i: number): EventRow {
    const event = this.events[i]!;
    const visit = this.visits[this.visitOf[i]!];
    return {
      id: event.id,
      previous: event.previousEventId,
      type: event.type,
      state: visit?.name ?? "",
      iterations: this.iterationOf[i]! >= 0 ? [...(visit?.iterations ?? []), this.iterationOf[i]!] : (visit?.iterations ?? []),
      note: noteOf(event, this.ops[i]!),
      tone: this.ops[i] === Op.ExitCaught ? "warn" : toneOf(event.type),
      at: this.times[i]! - this.times[0]!,
    };
  }
}

export function detailsOf(event: HistoryEvent): Record<string, unknown> {
  for (const key of Object.keys(event)) {
    if (key.endsWith("EventDetails")) return (event[key] ?? {}) as Record<string, unknown>;
  }
  return {};
}

/// What went into a visit and came out of it, from the events that entered and left it.
export function dataOf(entered: object | undefined, exited: object | undefined): { input?: unknown; output?: unknown; variables?: unknown } {
  const before = entered ? detailsOf(entered as HistoryEvent) : {};
  const after = exited ? detailsOf(exited as HistoryEvent) : {};
  const { assignedVariables } = after;
  return {
    ...("input" in before && { input: parsed(before["input"]) }),
    ...("output" in after && { output: parsed(after["output"]) }),
    ...(assignedVariables !== undefined && { variables: Object.fromEntries(Object.entries(assignedVariables as object).map(([name, text]) => [name, parsed(text)])) }),
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

function opOf(type: string): number {
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

function toneOf(type: string): EventRow["tone"] {
  if (/(Failed|TimedOut)$/.test(type)) return "bad";
  if (/Aborted$/.test(type)) return "warn";
  return /Succeeded$/.test(type) ? "good" : "";
}

const NOTE_LENGTH = 160;

/// The one thing worth reading of an event's details.
function noteOf(event: HistoryEvent, op: number): string {
  const d = detailsOf(event);
  const text = (key: string): string => (typeof d[key] === "string" ? (d[key] as string) : "");
  let note = "";
  if (d["error"] !== undefined || d["cause"] !== undefined) note = [text("error"), text("cause")].filter(Boolean).join(": ");
  else if (typeof d["index"] === "number") note = `item ${d["index"]}`;
  else if (typeof d["length"] === "number") note = `${d["length"]} items`;
  else if (op === Op.Scheduled) note = text("parameters") || text("input") || text("resource");
  else note = text("output") || text("input");
  return note.length > NOTE_LENGTH ? `${note.slice(0, NOTE_LENGTH)}…` : note;
}
