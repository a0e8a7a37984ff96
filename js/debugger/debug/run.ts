// One run of a machine: the main execution, the nested executions, their common clock and the order of everything that happens.
//
// Each execution has a recording. The entries of all recordings form one sequence, in the order in which they happened. A position
// in this sequence determines what is shown for every execution.

import type { ExecutionResult } from "../../core/api/index.d.ts";
import { LAST } from "../../core/base/instant.ts";
import type { EngineSettings, Fact } from "../../core/border/facts.ts";
import type { Child } from "../../core/execution/nested.ts";
import { Execution, type ExecutionHost, type ExecutionInit, type ExecutionRelations, type ExecutionRun } from "./execution.ts";
import type { NestedData } from "./model.ts";
import { type EngineSnapshot, Recording } from "./recording.ts";
import { lowerBound } from "./search.ts";

const now = performance.now.bind(performance);

/** The origin of a run. */
interface Origin {
  id: number;
  /** The run that this one was derived from, and the event there at which they part. */
  parent: number | undefined;
  at: number | undefined;
  label: string;
}

/** The beginning of an execution: a recording, or settings for a new one. */
type Begun = Omit<ExecutionInit, "recording"> &
  ({ recording: Recording; settings?: undefined } | { recording?: undefined; settings: EngineSettings });

/** Begins an execution of a run. */
export type Begin = (about: Begun) => Execution;

/** An execution of another run or of a saved one. `parent` is the number of the execution whose task started it. */
type Adopted = Omit<ExecutionInit, "parent" | "record"> & { parent?: number; record?: NestedData | undefined };

/** The relations between the executions of a run. */
export interface Nested extends ExecutionRelations {
  /** Registers an execution that was begun earlier, in a run that was forked or in a saved session. */
  restore(execution: Execution, data: NestedData): void;
}

/** What a run needs of its surroundings. */
export interface RunHost extends ExecutionHost {
  /** Creates the relations between the executions of a run. Undefined if tasks cannot start executions. */
  readonly nested: ((run: Run, begin: Begin) => Nested) | undefined;
  /** Called when tasks of a run were answered or are waiting again. */
  readonly changed: (run: Run) => void;
}

export class Run implements ExecutionRun {
  readonly id: number;
  parent: number | undefined;
  at: number | undefined;
  /** The number of the execution that a fork changes. Undefined if it is the main execution. */
  atExecution: number | undefined;
  readonly label: string;
  readonly start: number;
  readonly host: RunHost;
  /** The main execution, then the nested ones in the order in which they began. The index is the execution's number. */
  executions: Execution[] = [];
  /** The selected execution. */
  focus!: Execution;
  /** The current position: the number of entries of the sequence that precede it. */
  position = 0;
  /** The furthest position that was ever reached. */
  frontier = 0;
  /** The position at which this run's own part begins. A fork has what precedes it from its parent. */
  own = 0;
  /** Whether listeners were notified of the end of the main execution. */
  isEndReported = false;
  /** For each entry of the sequence, the number of its execution. */
  #owners: number[] = [];
  /** For each fact, in the order in which they were fed, the number of its execution and the length of the sequence before it. */
  #fed: { owner: number; row: number }[] = [];
  #base: number;
  #since = 0;
  #speed = 0;
  /** The parent-child relations of the executions. Undefined if tasks cannot start executions. */
  readonly nested: Nested | undefined;

  /** Without `first`, the run has no execution yet: it adopts those of another run. */
  constructor({ id, parent, at, label, start, host }: Origin & { start: number; host: RunHost }, first?: Omit<Begun, "start">) {
    this.id = id;
    this.parent = parent;
    this.at = at;
    this.label = label;
    this.start = start;
    this.host = host;
    this.#base = start;
    this.nested = host.nested?.(this, (about) => this.#begin(about));
    if (first) this.focus = this.#begin({ ...first, start } as Begun);
  }

  get first(): Execution {
    // Every run has an execution once it is complete.
    return this.executions[0]!;
  }

  get definition(): Execution["definition"] {
    return this.first.definition;
  }

  /** The result of the main execution. */
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

  /** The number of facts that were fed to all executions together. */
  get fed(): number {
    return this.#fed.length;
  }

  /** Returns the execution of the entry at a position, and the position in that execution's recording. */
  entryAt(position: number): { execution: Execution; position: number } {
    const execution = this.executions[this.#owners[position]!]!;
    return { execution, position: lowerBound(execution.positions, position) };
  }

  /** Returns the position after the first `entries` entries of an execution. */
  positionAfter(execution: Execution, entries: number): number {
    return entries > 0 ? execution.positions[entries - 1]! + 1 : (execution.positions[0] ?? this.length);
  }

  // Time.

  now(): number {
    return this.#speed === 0 ? this.#base : Math.min(Math.floor(this.#base + (now() - this.#since) * this.#speed), LAST);
  }

  /** Lets the clock run at `speed` times real time; 0 stops it. */
  flow(speed: number): void {
    this.#base = this.now();
    this.#since = now();
    this.#speed = speed;
  }

  jump(to: number): void {
    this.#base = Math.min(Math.max(to, this.now()), LAST);
    this.#since = now();
  }

  /** Returns when the next timer or scheduled answer of any execution is due, or null. */
  due(): number | null {
    let first: number | null = null;
    for (const execution of this.executions) {
      const due = execution.due();
      if (due !== null && (first === null || due < first)) first = due;
    }
    return first;
  }

  /** Whether an answer may come before the clock has to advance. */
  get busy(): boolean {
    return this.executions.some((execution) => !execution.ended && execution.busy);
  }

  // Facts.

  /**
   * Returns the next fact that can be fed now, and its execution. Executions take turns, and timers come in the order of their
   * times.
   */
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
      const fact = execution.nextDue();
      if (fact !== undefined) return { execution, fact };
    }
    return undefined;
  }

  feed({ execution, fact }: { execution: Execution; fact: Fact }): void {
    execution.feed(fact);
    this.#grown(execution);
  }

  /** The recording that was fed last, if it is about to take a snapshot. */
  get snapshotDue(): Recording | undefined {
    const last = this.executions[this.#fed.at(-1)?.owner ?? -1];
    return last !== undefined && !last.ended && last.recording.isSnapshotDue ? last.recording : undefined;
  }

  changed(): void {
    this.host.changed(this);
  }

  /** Performs the commands that have not been performed yet. */
  perform(): void {
    for (const execution of this.executions) execution.perform();
  }

  /** Aborts all executions. */
  stop(error: string, cause: string): void {
    for (const execution of this.executions) execution.stop(error, cause);
  }

  /** Frees the run. No task is called any more. */
  discard(): void {
    for (const { calls, recording } of this.executions) {
      for (const call of calls.values()) call.onCancel?.("Stopped");
      recording.discard();
    }
  }

  /** Appends the new entries and facts of an execution to the sequence. */
  #grown(execution: Execution): void {
    const { recording, positions, order, number } = execution;
    while (order.length < recording.facts.length) {
      order.push(this.#fed.length);
      this.#fed.push({ owner: number, row: this.#owners.length });
    }
    while (positions.length < recording.length) {
      positions.push(this.#owners.length);
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

  /** Returns the execution that a task of `parent` has started, or undefined. */
  startedBy(parent: Execution, task: number): Execution | undefined {
    return this.executions.find((execution) => execution.parent === parent && execution.task === task);
  }

  /**
   * Returns a run that equals this one when `fed` facts were fed. `change` may alter the snapshot of the execution `of`; the change
   * is then recorded as a fact.
   */
  forked(about: Origin, fed: number, { of, change }: { of: Execution; change?: ((snapshot: EngineSnapshot) => void) | undefined }): Run {
    const fork = new Run({ ...about, start: this.start, host: this.host });
    const copied = this.executions.filter(({ born }) => born <= fed);
    const last = copied.reduce(
      (time, { recording, order }) => Math.max(time, recording.facts[lowerBound(order, fed) - 1]?.fact[1] ?? time),
      this.start,
    );
    fork.jump(last);
    for (const old of copied) {
      const facts = lowerBound(old.order, fed);
      const recording = old.recording.forked(facts, old === of ? change : undefined);
      fork.adopt({ ...old, recording, performed: recording.facts.length, parent: old.parent?.number, record: nestedDataOf(old.record) });
      if (old === this.focus) fork.focus = fork.executions.at(-1)!;
    }
    fork.order(this.owners().slice(0, fed));
    fork.isEndReported = fork.ended;
    return fork;
  }

  /**
   * Adopts an execution of another run with its recording. `performed` is the number of facts whose commands have been performed.
   */
  adopt({ parent, record, ...about }: Adopted): Execution {
    const execution = this.#begin({ ...about, parent: parent === undefined ? undefined : this.executions[parent] });
    if (execution.parent && record) this.nested?.restore(execution, record);
    this.focus ??= execution;
    return execution;
  }

  /** Builds the sequence of the adopted executions, from the number of the execution of each fact, in order. */
  order(owners: number[]): void {
    for (const owner of owners) {
      const { number, recording, order, positions } = this.executions[owner]!;
      order.push(this.#fed.length);
      this.#fed.push({ owner: number, row: this.#owners.length });
      const until = recording.facts[order.length]?.entries ?? recording.length;
      while (positions.length < until) {
        positions.push(this.#owners.length);
        this.#owners.push(number);
      }
    }
    // A change by hand is a fact that `owners` does not contain.
    for (const execution of this.executions) this.#grown(execution);
  }

  /** Returns for each fact, in order, the number of the execution that was fed it. */
  owners(): number[] {
    return this.#fed.map(({ owner }) => owner);
  }
}

/** Returns the data about a nested execution that is copied into another run's family. */
export function nestedDataOf(record: Child | undefined): NestedData | undefined {
  if (record === undefined) return undefined;
  const { name, arn, machineArn, input, startDate, seed, named, stopDate } = record;
  return { name, arn, machineArn, input, startDate, seed, named, stopDate };
}
