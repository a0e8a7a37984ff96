// The history of one execution in a recording: the main history, or that of a child execution of a Distributed Map.

import type { ChildExecution, HistoryEvent } from "../../core/api/index.d.ts";
import { Chains, type Visit } from "../../core/history/chains.ts";
import { detailsOf } from "../../core/history/events.ts";
import { lowerBound } from "./search.ts";

/** An event of a recorded history. It is `thin` if its payloads were dropped; `Recording.eventOf` returns it with them. */
export type RecordedEvent = HistoryEvent & { thin?: true };

/** The ids of visits and threads of child number n start at n times this value. */
const IDS_PER_CHILD = 2 ** 32;

/** A visit of a state, with its history. */
export type HistoryVisit = Visit & { history: ExecutionHistory };

/** The Map Run that has started a child execution. */
export interface Begun {
  /** The history of the Map state. */
  parent: ExecutionHistory;
  /** The event in that history with which the Map Run began. */
  run: number;
  /** The index of the child among the children of that Map Run. */
  index: number;
}

export class ExecutionHistory {
  /** 0 for the main history. Children are numbered in the order in which they begin. */
  number: number;
  /** The name of a child. */
  child: string | undefined;
  /** The origin of a child. Undefined for the main history. */
  begun: Begun | undefined;
  events: RecordedEvent[] = [];
  /** The position of each event in the recording. */
  eventAt: number[] = [];
  /** The final status of a child. */
  status: ChildExecution["status"] | undefined;
  /** The positions of stages, by the event that entered the state. A child has few stages, so they are in one list instead. */
  #stages: Map<number, number[]> | undefined;
  #childStages: number[] = [];
  #enteredAt: (position: number) => number | undefined;
  #chains: Chains<{ history: ExecutionHistory }> | undefined;
  #path: number[] | undefined;

  /** `enteredAt` returns the event that entered the state of the stage at a position of the recording. */
  constructor(enteredAt: (position: number) => number | undefined, number: number, child?: string, begun?: Begun) {
    this.number = number;
    this.child = child;
    this.begun = begun;
    this.#enteredAt = enteredAt;
    if (begun === undefined) this.#stages = new Map();
  }

  /** The visits of its states. They are derived from the events when they are first needed. */
  get chains(): Chains<{ history: ExecutionHistory }> {
    const chains = (this.#chains ??= new Chains(() => ({ history: this as ExecutionHistory })));
    for (const event of this.events.slice(chains.length)) chains.add(event);
    return chains;
  }

  /** Drops the visits of a child. They can be derived again. */
  dropVisits(): void {
    if (this.begun !== undefined) this.#chains = undefined;
  }

  add(event: RecordedEvent, position: number): void {
    this.events.push(event);
    this.eventAt.push(position);
  }

  addStage(entered: number, position: number): void {
    const list = this.#stages === undefined ? this.#childStages : this.#stages.get(entered);
    if (list) list.push(position);
    else this.#stages?.set(entered, [position]);
  }

  /** Returns the positions of the stages of the visit that an event has begun. */
  stagesOf(entered: number): number[] {
    if (this.#stages !== undefined) return this.#stages.get(entered) ?? [];
    return this.#childStages.filter((position) => this.#enteredAt(position) === entered);
  }

  /** Returns how many events come before a position. */
  eventsAt(position: number): number {
    return lowerBound(this.eventAt, position);
  }

  /** The visit of the Map state that has started this child. Undefined for the main history. */
  get around(): HistoryVisit | undefined {
    return this.begun?.parent.chains.visitOf(this.begun.run);
  }

  /** The iteration indices of the Maps around a child and its own index, the innermost last. */
  get path(): number[] {
    if (this.#path === undefined) {
      const { around, begun } = this;
      this.#path = around === undefined || begun === undefined ? [] : [...begun.parent.iterationsOf(around.thread), begun.index];
    }
    return this.#path;
  }

  /** Returns the iteration indices of a thread: those of the Maps around this child, then those of Maps in it. */
  iterationsOf(thread: number): number[] {
    const own = this.chains.threads[thread]?.iterations ?? [];
    return this.begun === undefined ? own : [...this.path, ...own];
  }

  /** Returns an id for a visit or a thread that is unique among all histories of the recording. */
  numbered(id: number): number {
    return this.number * IDS_PER_CHILD + id;
  }
}

/** Splits an id of `ExecutionHistory.numbered` into the number of the history and the id within it. */
export function splitId(numbered: number): [history: number, id: number] {
  return [Math.floor(numbered / IDS_PER_CHILD), numbered % IDS_PER_CHILD];
}

/** Yields a visit and the visits around it, the innermost first. A child's visits are inside the visit of its Map. */
export function* outwards(visit: HistoryVisit): Generator<HistoryVisit> {
  for (let at: HistoryVisit | undefined = visit; at !== undefined;) {
    yield at;
    at = at.history.chains.visits[at.around] ?? at.history.around;
  }
}

/** Returns an event without its payloads. The path through the state machine can still be read from it. */
export function thinned(event: RecordedEvent): RecordedEvent {
  const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
  if (key === undefined) return event;
  const { input, output, parameters, inputDetails, outputDetails, assignedVariables, assignedVariablesDetails, cause, ...rest } =
    detailsOf(event);
  return { ...event, [key]: rest, thin: true };
}
