// Reads a history as it grows: which visit of which state an event belongs to, and in which branch or iteration.

import type { HistoryEvent } from "../api/index.d.ts";
import { detailsOf, isExecutionEnd, isStateExited } from "./events.ts";

const SCOPE_START = /^(?:ParallelStateStarted|MapStateStarted|MapRunStarted)$/;
const ENTERED = /^(\w+)StateEntered$/;
const ATTEMPT = /^(?:Task|LambdaFunction|Activity)Scheduled$/;

/** A visit of a state: from its entry on, with all of its attempts. */
export interface Visit {
  /** The index among all visits, in the order of entry. */
  id: number;
  state: string;
  /** The state's type. */
  type: string;
  /** The event that entered the state. */
  enter: number;
  /** The event that left it; 0 while there is none. */
  exit: number;
  /** The event that ended the visit, by success or failure; 0 while there is none. */
  end: number;
  /** The visit of the Parallel or Map around it; -1 if there is none. */
  around: number;
  /** The branch or iteration that it is in, as an index of `Chains.threads`. */
  thread: number;
  /** The number of attempts of its task, its branches or its iterations. */
  attempts: number;
}

/** A chain of successive visits: the execution's own, a branch or an iteration. */
export interface Thread {
  id: number;
  /** The visit of the Parallel or Map around it; -1 for the execution's own. */
  around: number;
  /** The attempt of that visit to which it belongs. */
  attempt: number;
  /** The event that began it; 0 for the execution's own. */
  start: number;
  /** The indices of the surrounding iterations, the innermost last. */
  iterations: number[];
  /** The index of the branch or the iteration. */
  slot: number;
  isIteration: boolean;
  /** The event that entered its first state. */
  enter: number;
}

/** The visits and threads of one history. Every visit also has the members of `About`. */
export class Chains<About extends object = object> {
  /** The visits in the order of entry. */
  visits: (Visit & About)[] = [];
  /** The threads. The first is the execution's own. */
  threads: Thread[] = [];
  /** The visits by event. */
  #visitOf: ((Visit & About) | undefined)[] = [];
  #entered = new Map<number, Visit & About>();
  #byState = new Map<string, (Visit & About)[]>();
  #open = new Set<Visit & About>();
  /**
   * The open visits by thread, so that an event finds the visit that it ends without a search of all other branches and iterations.
   */
  #openIn: (Visit & About)[][] = [];
  /** The threads in a visit, in the order in which they began. For iterations, only the last one of each index. */
  #threadsIn = new Map<number, Thread[]>();
  #iterationsIn = new Map<number, Map<number, Thread>>();
  /** Parallels and Maps that have failed. They have no further attempt. */
  #failed = new Set<Visit>();
  #types: string[] = [];
  #indices: number[] = [];
  #about: () => About;

  /** `about` returns the additional members of a visit. */
  constructor(about: () => About) {
    this.#about = about;
  }

  /** The number of events that were read. */
  get length(): number {
    return this.#visitOf.length;
  }

  /** Returns the visit to which an event belongs. */
  visitOf(event: number): (Visit & About) | undefined {
    return this.#visitOf[event - 1];
  }

  /** Returns the visit that an event has begun. */
  entered(event: number): (Visit & About) | undefined {
    return this.#entered.get(event);
  }

  /** Returns all visits of a state, in the order of entry. */
  visitsOf(state: string): readonly (Visit & About)[] {
    return this.#byState.get(state) ?? [];
  }

  /** Returns the branch or iteration of a visit. */
  threadOf({ thread }: Visit): Thread {
    // A thread is added before its visits.
    return this.threads[thread]!;
  }

  /** Reads the next event. */
  add(event: HistoryEvent): void {
    const { type, id } = event;
    const before = this.visitOf(event.previousEventId);
    let visit = before;
    let index = -1;
    const entered = ENTERED.exec(type)?.[1];
    if (entered !== undefined) {
      visit = this.#enter(event, before, entered);
    } else if (isStateExited(event)) {
      visit = this.#left(before, detailsOf(event).name ?? "");
      if (visit !== undefined) {
        visit.exit = id;
        this.#close(visit, id);
      }
    } else if (type.startsWith("MapIteration")) {
      const details = detailsOf(event);
      index = details.index ?? -1;
      visit = this.#around(before, (at) => at.state === details.name) ?? before;
      if (visit !== undefined && !type.endsWith("Started")) this.#endIteration(visit, index, id);
    } else if (/^(?:Parallel|Map)State|^MapRun/.test(type)) {
      const kind = type.startsWith("Parallel") ? "Parallel" : "Map";
      visit = this.#around(before, (at) => at.type === kind && !this.#failed.has(at)) ?? before;
      if (visit !== undefined && SCOPE_START.test(type)) visit.attempts += type === "MapRunStarted" ? 0 : 1;
      // Visits that an earlier attempt has left open end when the next attempt begins.
      if (visit !== undefined && /(?:Failed|Aborted|StateStarted)$/.test(type)) this.#closeInside(visit, id);
      if (visit !== undefined && type.endsWith("StateFailed")) this.#failed.add(visit);
    } else if (ATTEMPT.test(type)) {
      // After a redrive, an event may follow one of another state.
      if (visit?.type === "Task") visit.attempts += 1;
    } else if (visit !== undefined && type.endsWith("StateAborted")) {
      this.#close(visit, id);
    } else if (isExecutionEnd(event)) {
      for (const open of [...this.#open]) this.#end(open, id);
    } else if (type === "ExecutionRedriven") {
      this.#redriven();
    }
    this.#visitOf.push(visit);
    this.#types.push(type);
    this.#indices.push(index);
  }

  /** Returns the visits that are open after an event, the outer ones first. */
  openAt(event: number): (Visit & About)[] {
    return this.visits.filter((visit) => visit.enter <= event && (visit.end === 0 || visit.end > event));
  }

  #enter(event: HistoryEvent, before: (Visit & About) | undefined, type: string): Visit & About {
    const { name = "" } = detailsOf(event);
    const thread = this.#threadAfter(event, before);
    const visit = {
      id: this.visits.length,
      state: name,
      type,
      enter: event.id,
      exit: 0,
      end: 0,
      around: thread.around,
      thread: thread.id,
      attempts: 0,
      ...this.#about(),
    };
    this.visits.push(visit);
    this.#entered.set(event.id, visit);
    this.#begin(visit);
    const list = this.#byState.get(name);
    if (list) list.push(visit);
    else this.#byState.set(name, [visit]);
    return visit;
  }

  /** Returns the thread of a state that is entered: that of the previous visit, or a new one if a branch or an iteration begins. */
  #threadAfter({ id: enter, previousEventId: start }: HistoryEvent, before: Visit | undefined): Thread {
    const beginsIteration = this.#types[start - 1] === "MapIterationStarted";
    if (before !== undefined && !beginsIteration && !SCOPE_START.test(this.#types[start - 1] ?? "")) return this.threadOf(before);
    const outer = before === undefined ? [] : this.threadOf(before).iterations;
    const iteration = beginsIteration ? (this.#indices[start - 1] ?? -1) : -1;
    const isIteration = iteration >= 0;
    const thread = {
      id: this.threads.length,
      around: before?.id ?? -1,
      attempt: before?.attempts ?? 1,
      start,
      iterations: isIteration ? [...outer, iteration] : outer,
      slot: before === undefined ? 0 : isIteration ? iteration : this.#branches(before, start),
      isIteration,
      enter,
    };
    this.threads.push(thread);
    this.#openIn.push([]);
    if (before !== undefined) {
      const threads = this.#threadsIn.get(before.id);
      if (threads) threads.push(thread);
      else this.#threadsIn.set(before.id, [thread]);
      if (isIteration) {
        const iterations = this.#iterationsIn.get(before.id);
        if (iterations) iterations.set(iteration, thread);
        else this.#iterationsIn.set(before.id, new Map([[iteration, thread]]));
      }
    }
    return thread;
  }

  /** Returns how many branches the present attempt of a Parallel has begun. */
  #branches(container: Visit, start: number): number {
    const last = this.#threadsIn.get(container.id)?.at(-1);
    return last?.start === start ? last.slot + 1 : 0;
  }

  /** Returns the nearest open visit that fits, of a visit and those around it. */
  #around(from: Visit | undefined, fits: (visit: Visit) => boolean): (Visit & About) | undefined {
    for (let at = from && this.visits[from.id]; at !== undefined; at = this.visits[at.around]) if (at.end === 0 && fits(at)) return at;
    return undefined;
  }

  /**
   * Returns the visit of a state that is left after an event of a visit. After a redrive it may be elsewhere: it is the first open
   * one.
   */
  #left(before: Visit | undefined, state: string): (Visit & About) | undefined {
    return this.#around(before, (at) => at.state === state) ?? this.#byState.get(state)?.find(({ end }) => end === 0);
  }

  /** Reopens the visits with which a redriven execution continues: those of the last attempts that were never left. */
  #redriven(): void {
    this.#failed.clear();
    for (const visit of this.visits) {
      const container = this.visits[visit.around];
      const isLast = container === undefined || (this.#open.has(container) && this.threadOf(visit).attempt === container.attempts);
      if (visit.exit > 0 || !isLast) continue;
      visit.end = 0;
      this.#begin(visit);
    }
  }

  #begin(visit: Visit & About): void {
    this.#open.add(visit);
    this.#openIn[visit.thread]!.push(visit);
  }

  #end(visit: Visit & About, event: number): void {
    visit.end = event;
    this.#open.delete(visit);
    const open = this.#openIn[visit.thread]!;
    open.splice(open.indexOf(visit), 1);
  }

  #close(visit: Visit & About, event: number): void {
    if (this.#open.has(visit)) this.#end(visit, event);
    else visit.end = event;
    if (visit.type === "Parallel" || visit.type === "Map") this.#closeInside(visit, event);
  }

  #closeInside(container: Visit, event: number): void {
    for (const thread of this.#threadsIn.get(container.id) ?? []) this.#closeThread(thread, event);
  }

  #closeThread({ id }: Thread, event: number): void {
    for (const open of [...this.#openIn[id]!]) {
      this.#end(open, event);
      this.#closeInside(open, event);
    }
  }

  #endIteration(container: Visit, index: number, event: number): void {
    const thread = this.#iterationsIn.get(container.id)?.get(index);
    if (thread) this.#closeThread(thread, event);
  }
}
