// The history of one execution on a tape: the run's own, or that of a child execution of a Distributed Map.

import type { ChildExecution } from "../api/index.d.ts";
import { Chains, type Visit } from "../history/chains.ts";
import { detailsOf } from "../history/events.ts";
import { lowerBound } from "./search.ts";
import { type RecordedEvent, type TapeEntry, stageAt } from "./tape.ts";

/** Numbers of visits and threads of a child begin at a multiple of this. */
const APART = 2 ** 32;

/** A visit of a state, with the history that it is in. */
export type HistoryVisit = Visit & { history: ExecutionHistory };

/** Where a child execution comes from. */
export interface Begun {
  /** The history that its Map is in. */
  parent: ExecutionHistory;
  /** The event there with which its Map Run began. */
  run: number;
  /** Its place among the children of that Map Run. */
  index: number;
}

export class ExecutionHistory {
  /** 0 is the run's own; children are numbered as they begin. */
  number: number;
  /** A child's name. */
  child: string | undefined;
  /** Of a child. */
  begun: Begun | undefined;
  events: RecordedEvent[] = [];
  /** Where on the tape each event stands. */
  eventAt: number[] = [];
  /** How a child has ended. */
  status: ChildExecution["status"] | undefined;
  /** Where on the tape the stages stand, by the event that entered the state. A child has few, which are in one list. */
  #stages: Map<number, number[]> | undefined;
  #childStages: number[] = [];
  #tape: TapeEntry[];
  #chains: Chains<{ history: ExecutionHistory }> | undefined;
  #path: number[] | undefined;

  constructor(tape: TapeEntry[], number: number, child?: string, begun?: Begun) {
    this.number = number;
    this.child = child;
    this.begun = begun;
    this.#tape = tape;
    if (begun === undefined) this.#stages = new Map();
  }

  /** The visits of its states. They are read when they are asked for. */
  get chains(): Chains<{ history: ExecutionHistory }> {
    const chains = (this.#chains ??= new Chains(() => ({ history: this as ExecutionHistory })));
    for (const event of this.events.slice(chains.length)) chains.add(event);
    return chains;
  }

  /** Forgets the visits of a child, which can be read again. */
  cool(): void {
    if (this.begun !== undefined) this.#chains = undefined;
  }

  add(event: RecordedEvent, place: number): void {
    this.events.push(event);
    this.eventAt.push(place);
  }

  addStage(entered: number, place: number): void {
    const list = this.#stages === undefined ? this.#childStages : this.#stages.get(entered);
    if (list) list.push(place);
    else this.#stages?.set(entered, [place]);
  }

  /** Places of the stages of the visit that an event has begun. */
  stagesOf(entered: number): number[] {
    if (this.#stages !== undefined) return this.#stages.get(entered) ?? [];
    return this.#childStages.filter((place) => stageAt(this.#tape, place)?.entered === entered);
  }

  /** How many events have been seen at a place. */
  eventsAt(place: number): number {
    return lowerBound(this.eventAt, place);
  }

  /** The visit of the Map around a child; undefined for the run's own. */
  get around(): HistoryVisit | undefined {
    return this.begun?.parent.chains.visitOf(this.begun.run);
  }

  /** A child's index and those of the iterations around it, the innermost last. */
  get path(): number[] {
    if (this.#path === undefined) {
      const { around, begun } = this;
      this.#path = around === undefined || begun === undefined ? [] : [...begun.parent.iterationsOf(around.thread), begun.index];
    }
    return this.#path;
  }

  /** The indices in the Maps around and in it, for a thread. */
  iterationsOf(thread: number): number[] {
    const own = this.chains.threads[thread]?.iterations ?? [];
    return this.begun === undefined ? own : [...this.path, ...own];
  }

  /** A number of a visit or a thread that no other history has. */
  numbered(id: number): number {
    return this.number * APART + id;
  }
}

/** The history's number and the number within it, of what `ExecutionHistory.numbered` has numbered. */
export function apart(numbered: number): [history: number, id: number] {
  return [Math.floor(numbered / APART), numbered % APART];
}

/** A visit and those around it, the innermost first; a child's are within its Map's. */
export function* outwards(visit: HistoryVisit): Generator<HistoryVisit> {
  for (let at: HistoryVisit | undefined = visit; at !== undefined;) {
    yield at;
    at = at.history.chains.visits[at.around] ?? at.history.around;
  }
}

/** An event without its payloads: what the way through a state machine is read from. */
export function thinned(event: RecordedEvent): RecordedEvent {
  const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
  if (key === undefined) return event;
  const { input, output, parameters, inputDetails, outputDetails, assignedVariables, assignedVariablesDetails, cause, ...rest } =
    detailsOf(event);
  return { ...event, [key]: rest, thin: true };
}
