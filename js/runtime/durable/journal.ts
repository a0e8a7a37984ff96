// The journal of one execution collects the facts that its engine was fed and that the store does not have yet, and makes the batch
// that stores them.

import type { Step } from "../../core/api/index.d.ts";
import type { Batch, BatchResult, ExecutionRecord } from "../../core/api/durable.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import type { Outcome } from "../../core/driver/driver.ts";
import type { Journal, Unhandled } from "../../core/driver/journal.ts";
import type { Committer, Source } from "./committer.ts";
import { type Note, factText, ledTo, snapshotText } from "./facts.ts";

// A snapshot replaces the facts when they are longer than this and than twice the last snapshot, in characters.
const SNAPSHOT_FACTS = 2 ** 16;

/**
 * Number of events that are written before the execution has ended or has a snapshot. Writing out the 25,000 events of a loop at once
 * would block the event loop for 200 milliseconds.
 */
const EVENTS_A_WRITE = 500;
/** The execution waits for the store when this number of its events is not written yet. */
const EVENTS_AHEAD = 1000;

/** The methods of an execution that its journal needs. */
interface JournalOwner {
  readonly engine: HistoryEngine;
  /** The time at which the execution has to be loaded again after a restart. */
  readonly wakeAt: number | null;
  /** The engine has made a step whose fact will be written now. Other changes of the same write can be added to the committer. */
  stepped(step: Step): void;
  /** Returns the state that notes have made, for a snapshot. */
  notes(): unknown;
  /** Returns the change of the record with which the execution ends, and whether it can be redriven. */
  ending(outcome: Outcome): { change: Partial<ExecutionRecord>; redrivable: boolean };
  /** The batch that creates the execution is in the store. */
  begun(order: number, version: number): void;
  /** A write has finished. */
  stored(): void;
  /** A write was refused: another process has the execution, or there is one with its name. */
  refused(result: BatchResult & { ok: false }): void;
  broken(cause: string): void;
  /** A task has no handler here. */
  unhandled(task: Unhandled): void;
  /** A task was cancelled before it ended. */
  cancelled(task: number): void;
}

/** The state with which a journal begins. */
export interface JournalStart {
  id: string;
  /** The time of the last fact. */
  at: number;
  version: number;
  /** The record of a new execution. */
  create?: ExecutionRecord;
  /** The number of events in the store. */
  events: number;
  /** The length of the facts since the last snapshot, and the length of that snapshot, in characters. */
  factsLength: number;
  snapshotLength: number;
  wakeAt: number | null;
}

export class ExecutionJournal implements Journal, Source {
  readonly #id: string;
  group: string;
  readonly #committer: Committer;
  readonly #owner: JournalOwner;
  #version: number;
  #create: ExecutionRecord | undefined;
  #change: Partial<ExecutionRecord> | undefined;
  #facts: string[] = [];
  // The length of the facts in `#facts`, in characters.
  #unkept = 0;
  #events: number;
  /** The number of events after the last fact. */
  #engineEvents: number;
  #factsLength: number;
  #snapshotLength: number;
  #wakeAt: number | null;
  #finished: Outcome | undefined;
  #snapshotWanted = false;
  // The last batch if the execution continues from another snapshot.
  #move: Pick<Batch, "change" | "events" | "snapshot"> | undefined;
  // Whether the next batch is the last one because the execution is suspended until a process has the missing handler.
  #suspends = false;
  #lost = false;
  #isPaused = false;
  #lastAt: number;
  // The number of facts and changes, and how many of them were composed into a write.
  #count = 0;
  #asked = 0;
  #waiters: { count: number; stored: () => void; lost?: (reason: unknown) => void }[] = [];
  #reason: unknown;

  constructor(committer: Committer, stored: JournalOwner, start: JournalStart) {
    this.#committer = committer;
    this.#owner = stored;
    this.#id = start.id;
    this.group = start.id;
    this.#version = start.version;
    this.#create = start.create;
    this.#events = start.events;
    this.#engineEvents = start.events;
    this.#factsLength = start.factsLength;
    this.#snapshotLength = start.snapshotLength;
    this.#wakeAt = start.wakeAt;
    this.#lastAt = start.at;
  }

  /** Whether the execution has ended, even if its end is not stored yet. */
  get isEnding(): boolean {
    return this.#finished !== undefined;
  }

  /** The number of events in the store. */
  get events(): number {
    return this.#events;
  }

  /** The version of the record in the store. */
  get version(): number {
    return this.#version;
  }

  get isBehind(): boolean {
    return this.#engineEvents >= this.#events + EVENTS_AHEAD;
  }

  fed(now: number, fact: Fact, step: Step): void {
    this.#engineEvents = step.events;
    const finish = step.commands.find((command) => command.type === "Finish");
    if (finish !== undefined) {
      const { type, ...outcome } = finish;
      this.#finished = outcome;
    } else if (fact[0] === "redrive") this.#finished = undefined;
    this.#committer.metrics.fed(fact, step);
    this.#lastAt = now;
    this.#append(factText(now, ledTo(step), fact));
    // A scope can be cancelled again, but the whole execution only once.
    if (fact[0] === "cancel" && fact[3] === undefined)
      this.#change = { ...this.#change, cancelRequested: { at: now, spared: fact[2] ?? [] } };
    for (const command of step.commands) if (command.type === "Cancel") this.#owner.cancelled(command.task);
    // A heartbeat, or a part of a long step, that leads to no command is written with the next fact: if it is lost, it just happens
    // again. But a start is answered at once, and a loop that never waits must not collect facts without limit.
    const rides = step.commands.length === 0 && (fact[0] === "heartbeat" || (step.more && fact[0] !== "start"));
    if (rides && this.#unkept < SNAPSHOT_FACTS && step.events < this.#events + EVENTS_A_WRITE) return;
    this.#owner.stepped(step);
    this.#add();
  }

  /** Writes nothing until `release`. From then on, this journal is written together with another execution. */
  hold(group: string): void {
    this.group = group;
    this.#isPaused = true;
  }

  get isHeld(): boolean {
    return this.#isPaused;
  }

  /** Writes the held facts. Everything that is added to the committer in the same turn is part of the same write. */
  release(): void {
    this.#isPaused = false;
    this.#add();
  }

  #add(): void {
    if (!this.#isPaused) this.#committer.add(this);
  }

  whenStored(stored: () => void): void {
    this.#waiters.push({ count: this.#count, stored });
  }

  broken(cause: string): void {
    this.abandon(new Error(cause));
    this.#owner.broken(cause);
  }

  unhandled(task: Unhandled): void {
    // A later step has already ended the execution.
    if (this.#finished === undefined) this.#owner.unhandled(task);
  }

  /** Writes the facts with a last change of the record. Afterwards nothing can be fed, and the engine is not used any more. */
  suspend(change: Partial<ExecutionRecord>): void {
    this.#suspends = true;
    this.change(change);
  }

  /** Writes a note. With `rides`, it is written with the next fact. */
  note(now: number, note: Note, rides = false): void {
    this.#append(factText(now, 0, note));
    if (!rides) this.#add();
  }

  /** Changes members of the record. */
  change(change: Partial<ExecutionRecord>): void {
    this.#change = { ...this.#change, ...change };
    this.#count += 1;
    this.#add();
  }

  /** Resolves when all facts and changes until now are stored. Rejects if they cannot be stored any more. */
  flushed(): Promise<void> {
    if (this.#asked >= this.#count && this.#waiters.length === 0) return Promise.resolve();
    if (this.#lost) return Promise.reject(this.#reason);
    this.#add();
    const flushed = new Promise<void>((stored, lost) => this.#waiters.push({ count: this.#count, stored, lost }));
    // A caller may ignore the rejection.
    flushed.catch(() => {});
    return flushed;
  }

  /** Replaces the facts with a snapshot, if there are any. */
  compact(): void {
    if (this.#factsLength === 0 || this.#finished !== undefined) return;
    this.#snapshotWanted = true;
    this.#count += 1;
    this.#add();
  }

  /** Replaces all facts with another engine's snapshot and changes the record. Nothing can be fed afterwards. */
  move(engine: string, change: Partial<ExecutionRecord>): void {
    const { events } = this.#owner.engine;
    const batch: Pick<Batch, "change" | "events" | "snapshot"> = { change };
    this.#writeEvents(batch);
    batch.snapshot = snapshotText({ at: this.#lastAt, events, notes: this.#owner.notes(), engine });
    this.#move = batch;
    this.#count += 1;
    this.#add();
  }

  /** Stops writing. Everything that waits for the journal rejects with `reason`. */
  abandon(reason: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#reason = reason;
    for (const { lost } of this.#waiters.splice(0)) lost?.(reason);
  }

  #append(text: string): void {
    this.#facts.push(text);
    this.#unkept += text.length;
    this.#factsLength += text.length;
    this.#count += 1;
  }

  compose(): Batch | undefined {
    if (this.#lost || (this.#asked === this.#count && this.#create === undefined)) return undefined;
    this.#asked = this.#count;
    const batch: Batch = { id: this.#id, version: this.#version };
    if (this.#create !== undefined) batch.create = this.#create;
    if (this.#change !== undefined) batch.change = this.#change;
    this.#change = undefined;
    if (this.#move !== undefined) return this.#moved({ ...batch, ...this.#move, change: { ...batch.change, ...this.#move.change } });
    if (this.#suspends) return this.#suspended(batch);
    if (this.#finished !== undefined) this.#end(batch, this.#finished);
    else if (this.#snapshotWanted || this.#factsLength > Math.max(SNAPSHOT_FACTS, 2 * this.#snapshotLength)) this.#snapshot(batch);
    else if (this.#facts.length > 0) {
      batch.facts = { text: `[${this.#facts.join(",")}]`, count: this.#facts.length };
      // A replay of the facts makes these events again, so they are written only in larger parts.
      if (this.#owner.engine.events >= this.#events + EVENTS_A_WRITE) this.#writeEvents(batch);
    }
    this.#facts = [];
    this.#unkept = 0;
    this.#create = undefined;
    const { wakeAt } = this.#owner;
    if (wakeAt !== this.#wakeAt) batch.wakeAt = this.#wakeAt = wakeAt;
    return batch;
  }

  /** The last batch of an execution has its outcome, its history and, if it can be redriven, a snapshot. */
  #end(batch: Batch, outcome: Outcome): void {
    const { change, redrivable } = this.#owner.ending(outcome);
    batch.change = { ...batch.change, ...change };
    this.#writeEvents(batch);
    batch.snapshot = redrivable ? this.#standing() : null;
    this.#compacted(batch.snapshot?.length ?? 0);
  }

  /** The execution is due at once, so it is loaded again even if this process ends first. */
  #moved(batch: Batch): Batch {
    this.#facts = [];
    this.#unkept = 0;
    this.#create = undefined;
    return { ...batch, wakeAt: 0 };
  }

  /** The next process that opens the store checks whether it has the handler. */
  #suspended(batch: Batch): Batch {
    if (this.#facts.length > 0) batch.facts = { text: `[${this.#facts.join(",")}]`, count: this.#facts.length };
    return this.#moved(batch);
  }

  #snapshot(batch: Batch): void {
    this.#writeEvents(batch);
    batch.snapshot = this.#standing();
    this.#compacted(batch.snapshot.length);
  }

  #compacted(length: number): void {
    this.#snapshotWanted = false;
    this.#snapshotLength = length;
    this.#factsLength = 0;
  }

  #writeEvents(batch: Pick<Batch, "events">): void {
    const { engine } = this.#owner;
    const total = engine.events;
    if (total === this.#events) return;
    batch.events = { text: engine.historyText(this.#events), count: total - this.#events };
    this.#events = total;
  }

  #standing(): string {
    const { text, events } = this.#owner.engine.leanSnapshot();
    return snapshotText({ at: this.#lastAt, events, notes: this.#owner.notes(), engine: text });
  }

  written(result: BatchResult): void {
    if (!result.ok) {
      this.abandon(result.error);
      this.#owner.refused(result);
      return;
    }
    if (this.#version === 0) this.#owner.begun(result.order, result.version);
    this.#version = result.version;
    const { length } = this.#waiters;
    let done = 0;
    while (done < length && this.#waiters[done]!.count <= this.#asked) done += 1;
    for (const { stored } of this.#waiters.splice(0, done)) stored();
    this.#owner.stored();
  }
}
