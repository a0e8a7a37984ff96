// The history for the page's lists: filtered rows, branches and iterations, the last visits, and the steps of child executions. A
// page that shows a run without these lists does not need it.

import type { ChildStep } from "stepglass/debug";
import { isExecutionEnd } from "stepglass/events";
import { Op } from "../model/log.ts";
import type { EventFilter, EventRow, Facets, LastVisit } from "../model/protocol.ts";
import { criticalPath } from "stepglass/profile";
import { countFitting } from "stepglass/search";
import type { GraphIndex } from "../model/graph.ts";
import { detailsOf } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import type { LanedVisit } from "./lanes.ts";
import { type Columns, History, type OpenVisit, opOf } from "./history.ts";

/** The maximum number of branches and iterations to choose from. */
const MOST_SCOPES = 500;
/** The maximum number of events in a chain. The last ones are listed. */
const MOST_LINKS = 20_000;

const utf8 = new TextEncoder();

/** The history of a child execution as one iteration of its Map. */
class ChildHistory extends History {
  constructor(
    index: GraphIndex,
    columns: Columns,
    readonly map: OpenVisit,
    readonly item: number,
  ) {
    super(index, columns, item);
  }

  /** The end of a child execution is reported for its Map. A failure without an event of its own is reported with it. */
  protected override opOf(type: string, before: OpenVisit | undefined): number {
    if (!type.startsWith("Execution")) return opOf(type);
    return type === "ExecutionFailed" && before && !before.failed && this.index.node(before.node)?.type !== "Fail" ? Op.Fail : Op.Other;
  }
}

export class ListedHistory extends History {
  /** The number of steps of child executions. */
  steps = 0;
  /** The child executions that have not ended. */
  private children = new Map<string, ChildHistory>();
  private cached: { key: string; upTo: number; ids: number[] } | undefined;
  private critical: { upTo: number; visits: readonly OpenVisit[] } | undefined;

  /** Adds a step of a child execution, which has a history of its own. */
  addStep({ place, after, time, child: name, parent, run, index, event, status }: ChildStep): void {
    this.steps += 1;
    let child = this.children.get(name);
    if (!child && run !== undefined && index !== undefined) {
      const map = (parent === undefined ? this : this.children.get(parent))?.visitAt(run);
      if (!map) return;
      const item = this.beginItem(map, index);
      this.columns.name(item, name);
      this.columns.put(Op.IterationStart, map.node, -1, time, after, place, item);
      this.children.set(name, (child = new ChildHistory(this.index, this.columns, map, item)));
    }
    if (!child) return;
    if (event) child.add(event as unknown as HistoryEvent, after, place);
    if (status === undefined) return;
    this.columns.put(
      status === "SUCCEEDED" ? Op.IterationDone : status === "ABORTED" ? Op.IterationAbort : Op.IterationFail,
      child.map.node,
      -1,
      time,
      after,
      place,
      child.item,
    );
    this.children.delete(name);
  }

  /** Returns the visits of the run's own states, in the order of their beginnings. */
  allVisits(): readonly OpenVisit[] {
    return this.chains.visits;
  }

  /** Returns the visits that the end of the run waited for; none while it goes on. The time line asks again for each view. */
  criticalVisits(): readonly OpenVisit[] {
    const last = this.events.at(-1);
    if (last === undefined || !isExecutionEnd(last)) return [];
    const { visits, threads } = this.chains;
    // A redriven execution goes on after its end.
    if (this.critical?.upTo !== this.events.length)
      this.critical = { upTo: this.events.length, visits: criticalPath(visits, threads, (visit) => this.endOf(visit)) };
    return this.critical.visits;
  }

  /** Returns when a visit ended. Of a state that was never left, that is the end of its last attempt, or else of the run. */
  endOf({ exit, tries }: OpenVisit): number {
    const ended = exit > 0 ? exit : (tries.at(-1)?.ended ?? 0);
    return this.timeOf(ended > 0 ? ended : this.events.length);
  }

  /** The number of events. */
  get length(): number {
    return this.events.length;
  }

  /** Yields the visits as the time line shows them. */
  *lanedVisits(): Generator<LanedVisit> {
    const { visits, threads } = this.chains;
    for (const visit of visits) {
      const { around, slot, isIteration } = threads[visit.thread]!;
      const outer = visits[around]?.state;
      const threadName = outer === undefined ? "Execution" : isIteration ? `${outer} #${slot}` : `${outer} branch ${slot + 1}`;
      const backoffs = visit.tries
        .slice(0, -1)
        .flatMap(({ ended, failed }, i) => (failed && ended > 0 ? [{ failed: ended, again: visit.tries[i + 1]!.scheduled }] : []));
      yield { ...visit, threadName, backoffs };
    }
  }

  get graphIndex(): GraphIndex {
    return this.index;
  }

  /** The nodes of the states that the run and its child executions have entered. */
  get entered(): ReadonlySet<number> {
    return this.columns.entered;
  }

  /** Returns the time of an event, in milliseconds since the epoch. */
  timeOf(event: number): number {
    return this.times[event - 1]!;
  }

  /** Returns `count` rows from an index. If there are too few after it, the last rows are returned. */
  rows(filter: EventFilter, wanted: number, count: number): { from: number; total: number; rows: EventRow[] } {
    const ids = this.filtered(filter);
    const from = Math.max(0, Math.min(wanted, ids.length - count));
    return { from, total: ids.length, rows: ids.slice(from, from + count).map((i) => this.row(i)) };
  }

  place(filter: EventFilter, id: number): number {
    const ids = this.filtered(filter);
    return countFitting(ids.length, (i) => ids[i]! <= id - 1) - 1;
  }

  brief(id: number): { type: string; state: string } | undefined {
    const event = this.events[id - 1];
    return event && { type: event.type, state: this.visitAt(id)?.state ?? "" };
  }

  lastVisits(states: string[], upTo: number): (LastVisit | null)[] {
    return states.map((state) => {
      const list = this.chains.visitsOf(state);
      // The visits of one state are sorted by the events that entered them.
      const entered = countFitting(list.length, (i) => list[i]!.enter <= upTo);
      const visit = list[entered - 1];
      if (!visit) return null;
      const exited = visit.exit > 0 && visit.exit <= upTo;
      return {
        iterations: visit.iterations,
        input: this.bytesOf(visit.enter, "input"),
        ...(exited && { output: this.bytesOf(visit.exit, "output") }),
      };
    });
  }

  private bytesOf(id: number, member: string): number {
    const text = detailsOf(this.events[id - 1]!)[member];
    return typeof text === "string" ? utf8.encode(text).length : 0;
  }

  facets(): Facets {
    return { types: [...this.types].sort(), scopes: this.scopes.slice(0, MOST_SCOPES).map(({ name }, id) => ({ id, name })) };
  }

  chain(id: number): number[] {
    const found: number[] = [];
    for (let at = id; at > 0 && found.length < MOST_LINKS; at = this.events[at - 1]?.previousEventId ?? 0) found.push(at);
    return found.reverse();
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
    const visit = this.visitAt(i + 1);
    if (filter.kind === "states" && !/State(Entered|Exited)$|^Execution/.test(event.type)) return false;
    if (filter.kind === "errors" && toneOf(event.type) !== "bad") return false;
    if (filter.type !== undefined && event.type !== filter.type) return false;
    if (filter.scope !== undefined) {
      let at = visit?.scope ?? -1;
      while (at >= 0 && at !== filter.scope) at = this.scopes[at]!.outer;
      // The events that start and end an iteration belong to its Map.
      const iteration = this.iterationOf[i]!;
      if (at < 0 && !(iteration >= 0 && this.scopeIds.get(`${visit?.id} ${visit?.state} #${iteration}`) === filter.scope)) return false;
    }
    if (filter.state !== "") {
      let at = visit;
      while (at && at.state !== filter.state) at = this.chains.visits[at.around];
      if (!at) return false;
    }
    if (text === "") return true;
    const name = visit?.state ?? "";
    return (
      event.type.toLowerCase().includes(text) ||
      name.toLowerCase().includes(text) ||
      JSON.stringify(detailsOf(event)).toLowerCase().includes(text)
    );
  }

  private row(i: number): EventRow {
    const event = this.events[i]!;
    const visit = this.visitAt(i + 1);
    return {
      id: event.id,
      previous: event.previousEventId,
      type: event.type,
      state: visit?.state ?? "",
      iterations: this.iterationOf[i]! >= 0 ? [...(visit?.iterations ?? []), this.iterationOf[i]!] : (visit?.iterations ?? []),
      note: noteOf(event, this.ops[i]!),
      tone: this.ops[i] === Op.ExitCaught ? "warn" : toneOf(event.type),
      at: this.times[i]! - this.times[0]!,
    };
  }
}

function toneOf(type: string): EventRow["tone"] {
  if (/(Failed|TimedOut)$/.test(type)) return "bad";
  if (/Aborted$/.test(type)) return "warn";
  return /Succeeded$/.test(type) ? "good" : "";
}

const NOTE_LENGTH = 160;

/** Returns the most useful detail of an event. */
function noteOf(event: HistoryEvent, op: number): string {
  const d = detailsOf(event);
  const text = (key: string): string => (typeof d[key] === "string" ? d[key] : "");
  let note = "";
  if (d["error"] !== undefined || d["cause"] !== undefined) note = [text("error"), text("cause")].filter(Boolean).join(": ");
  else if (typeof d["index"] === "number") note = `item ${d["index"]}`;
  else if (typeof d["length"] === "number") note = `${d["length"]} items`;
  else if (op === Op.Scheduled) note = text("parameters") || text("input") || text("resource");
  else note = text("output") || text("input");
  return note.length > NOTE_LENGTH ? `${note.slice(0, NOTE_LENGTH)}…` : note;
}
