// One run of a machine: its execution, those that its tasks have started, and what they share: time, and one order of all things.
//
// Each execution has a tape of its own; what is on them stands in one row, in the order of its happening. A place in that row
// is all that there is to where one looks, so that all executions are seen at the same moment.

import type { ExecutionResult } from "../api/index.d.ts";
import { LAST } from "../base/instant.ts";
import type { EngineSettings, Fact } from "../border/facts.ts";
import type { Child, ChildDetails } from "../execution/nested.ts";
import type { Relatives } from "./children.ts";
import { type About, Execution } from "./execution.ts";
import type { Host } from "./host.ts";
import { type EngineSnapshot, Recording } from "./recording.ts";
import { lowerBound } from "./search.ts";

const now = performance.now.bind(performance);

/** What a run is known by. */
interface Origin {
  id: number;
  /** The run that it comes of, and the event there at which they part. */
  parent: number | undefined;
  at: number | undefined;
  label: string;
}

/** What an execution begins with: a recording, or settings for a new one. */
type Begun = Omit<About, "recording"> &
  ({ recording: Recording; settings?: undefined } | { recording?: undefined; settings: EngineSettings });

/** Begins an execution of a run. */
export type Begin = (about: Begun) => Execution;

/** An execution of another run, or a saved one; `parent` is the number of the one whose task has started it. */
type Adopted = Omit<About, "parent" | "record"> & { parent?: number; record?: RelationData | undefined };

/** What the family of another run is to know of an execution. */
export type RelationData = ChildDetails & { stopDate?: number | undefined };

export class Run {
  readonly id: number;
  parent: number | undefined;
  at: number | undefined;
  /** The number of the execution that a fork changes, where that is not the run's own. */
  atExecution: number | undefined;
  readonly label: string;
  readonly start: number;
  readonly host: Host;
  /** The run's own first, then those that tasks have started, in turn; each has its number for its place. */
  executions: Execution[] = [];
  /** The one that is looked at. */
  focus!: Execution;
  /** Where in the row one looks: so many entries have been seen. */
  position = 0;
  /** The furthest place in it that was ever seen. */
  frontier = 0;
  /** Where in it begins what this run has done itself: a fork has the rest from its parent. */
  own = 0;
  /** Whether its own execution's end was told. */
  told = false;
  /** Of each entry of the row: whose it is. */
  #owners: number[] = [];
  /** Of each fact, in the order of their feeding: whose it is, and how long the row was before it. */
  #fed: { owner: number; row: number }[] = [];
  #base: number;
  #since = 0;
  #speed = 0;
  /** What its executions know of each other; undefined where tasks start none. */
  readonly relatives: Relatives | undefined;

  /** Without a first execution it takes over those of another run. */
  constructor({ id, parent, at, label, start, host }: Origin & { start: number; host: Host }, first?: Omit<Begun, "start">) {
    this.id = id;
    this.parent = parent;
    this.at = at;
    this.label = label;
    this.start = start;
    this.host = host;
    this.#base = start;
    this.relatives = host.relatives?.(this, (about) => this.#begin(about));
    if (first) this.focus = this.#begin({ ...first, start } as Begun);
  }

  get first(): Execution {
    // There is one as soon as the run is made.
    return this.executions[0]!;
  }

  get definition(): Execution["definition"] {
    return this.first.definition;
  }

  /** How the run's own execution has ended. */
  get outcome(): ExecutionResult | undefined {
    return this.first.outcome;
  }

  get ended(): boolean {
    return this.first.ended;
  }

  /** Whether all executions have ended. */
  get over(): boolean {
    return this.executions.every(({ ended }) => ended);
  }

  get length(): number {
    return this.#owners.length;
  }

  /** How many facts all executions were fed. */
  get fed(): number {
    return this.#fed.length;
  }

  /** Whose the entry at a place of the row is, and where it is on the tape of that. */
  entryAt(place: number): { execution: Execution; place: number } {
    const execution = this.executions[this.#owners[place]!]!;
    return { execution, place: lowerBound(execution.places, place) };
  }

  /** The place in the row at which so many entries of an execution have been seen. */
  placeAfter(execution: Execution, entries: number): number {
    return entries > 0 ? execution.places[entries - 1]! + 1 : (execution.places[0] ?? this.length);
  }

  // Time.

  now(): number {
    return this.#speed === 0 ? this.#base : Math.min(Math.floor(this.#base + (now() - this.#since) * this.#speed), LAST);
  }

  /** Lets time flow so many times as fast as real time; 0 stops it. */
  flow(speed: number): void {
    this.#base = this.now();
    this.#since = now();
    this.#speed = speed;
  }

  jump(to: number): void {
    this.#base = Math.min(Math.max(to, this.now()), LAST);
    this.#since = now();
  }

  /** When something happens by itself next, or null. */
  due(): number | null {
    let first: number | null = null;
    for (const execution of this.executions) {
      const due = execution.due();
      if (due !== null && (first === null || due < first)) first = due;
    }
    return first;
  }

  /** Whether somebody may answer before time has to pass. */
  get busy(): boolean {
    return this.executions.some((execution) => !execution.ended && execution.busy);
  }

  // Facts.

  /** What to feed next without waiting, `{execution, fact}`: the executions take turns, and what is due comes by its time. */
  next(): { execution: Execution; fact: Fact } | undefined {
    const { executions } = this;
    const last = this.#fed.at(-1)?.owner ?? -1;
    for (let i = 1; i <= executions.length; i++) {
      const execution = executions[(last + i) % executions.length]!;
      const fact = execution.ready();
      if (fact !== undefined) return { execution, fact };
    }
    const dues = executions.flatMap((execution) => {
      const due = execution.due();
      return due !== null && due <= this.now() ? [{ execution, due }] : [];
    });
    for (const { execution } of dues.sort((a, b) => a.due - b.due)) {
      const fact = execution.timely();
      if (fact !== undefined) return { execution, fact };
    }
    return undefined;
  }

  feed({ execution, fact }: { execution: Execution; fact: Fact }): void {
    execution.feed(fact);
    this.#grown(execution);
  }

  /** The recording that was fed last, if it takes a snapshot before the next fact. */
  get snapshotDue(): Recording | undefined {
    const last = this.executions[this.#fed.at(-1)?.owner ?? -1];
    return last !== undefined && !last.ended && last.recording.isSnapshotDue ? last.recording : undefined;
  }

  /** Does what the engines wished and was not done yet. */
  perform(): void {
    for (const execution of this.executions) execution.perform();
  }

  /** Ends all executions. */
  stop(error: string, cause: string): void {
    for (const execution of this.executions) execution.stop(error, cause);
  }

  /** Nobody needs it any more. */
  discard(): void {
    for (const { calls, recording } of this.executions) {
      for (const call of calls.values()) call.onCancel?.("Stopped");
      recording.discard();
    }
  }

  /** What has come onto an execution's tape is the end of the row. */
  #grown(execution: Execution): void {
    const { recording, places, order, number } = execution;
    while (order.length < recording.facts.length) {
      order.push(this.#fed.length);
      this.#fed.push({ owner: number, row: this.#owners.length });
    }
    while (places.length < recording.length) {
      places.push(this.#owners.length);
      this.#owners.push(number);
    }
  }

  // Executions.

  #begin({ settings, ...about }: Begun): Execution {
    const recording = about.recording ?? new Recording(about.machine, settings ?? {});
    const execution = new Execution(this, { born: this.#fed.length, ...about, recording });
    this.executions.push(execution);
    return execution;
  }

  /** The execution that a task of another has started, or undefined. */
  startedBy(parent: Execution, task: number): Execution | undefined {
    return this.executions.find((execution) => execution.parent === parent && execution.task === task);
  }

  /**
   * A run that is as this one was when so many facts were fed; `change` may alter the snapshot of one of its executions,
   * which then counts as a fact.
   */
  forked(about: Origin, fed: number, { of, change }: { of: Execution; change?: ((snapshot: EngineSnapshot) => void) | undefined }): Run {
    const fork = new Run({ ...about, start: this.start, host: this.host });
    const kept = this.executions.filter(({ born }) => born <= fed);
    const last = kept.reduce(
      (time, { recording, order }) => Math.max(time, recording.facts[lowerBound(order, fed) - 1]?.fact[1] ?? time),
      this.start,
    );
    fork.jump(last);
    for (const old of kept) {
      const facts = lowerBound(old.order, fed);
      const recording = old.recording.forked(facts, old === of ? change : undefined);
      fork.adopt({ ...old, recording, performed: recording.facts.length, parent: old.parent?.number, record: dataOf(old.record) });
      if (old === this.focus) fork.focus = fork.executions.at(-1)!;
    }
    fork.order(this.owners().slice(0, fed));
    fork.told = fork.ended;
    return fork;
  }

  /** Takes an execution of another run over, with its recording, of which the commands of so many facts were done. */
  adopt({ parent, record, ...about }: Adopted): Execution {
    const execution = this.#begin({ ...about, parent: parent === undefined ? undefined : this.executions[parent] });
    if (execution.parent && record) this.relatives?.again(execution, record);
    this.focus ??= execution;
    return execution;
  }

  /** Puts all that was taken over in one row, by whose the facts are, in turn. */
  order(owners: number[]): void {
    for (const owner of owners) {
      const { number, recording, order, places } = this.executions[owner]!;
      order.push(this.#fed.length);
      this.#fed.push({ owner: number, row: this.#owners.length });
      const until = recording.facts[order.length]?.tape ?? recording.length;
      while (places.length < until) {
        places.push(this.#owners.length);
        this.#owners.push(number);
      }
    }
    // A change by hand is a fact that is not in that order.
    for (const execution of this.executions) this.#grown(execution);
  }

  /** Of each fact, in turn: the number of the execution that was fed it. */
  owners(): number[] {
    return this.#fed.map(({ owner }) => owner);
  }
}

/** What the family of another run is to know of an execution. */
export function dataOf(record: Child | undefined): RelationData | undefined {
  if (record === undefined) return undefined;
  const { name, arn, machineArn, input, startDate, seed, named, stopDate } = record;
  return { name, arn, machineArn, input, startDate, seed, named, stopDate };
}
