// An execution of a store while it is in memory.

import type { ExecutionStatus, HistoryEvent, MapRunChange, Step } from "../../core/api/index.d.ts";
import type { Batch, BatchResult, ExecutionRecord } from "../../core/api/durable.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import type { Beats } from "../../core/driver/calls.ts";
import type { Driver, Outcome } from "../../core/driver/driver.ts";
import type { Unhandled } from "../../core/driver/journal.ts";
import { later, untilLater } from "../../core/driver/scheduler.ts";
import type { Execution } from "../../core/execution/execution.ts";
import type { StateMachine } from "../../core/execution/machine.ts";
import { driverOf } from "../../core/execution/execution.ts";
import type { Note } from "./facts.ts";
import type { ExecutionJournal } from "./journal.ts";

/** AWS does not redrive an execution with this number of events or more. */
const FULL = 24_999;

/** Callbacks of an execution. */
export interface LiveEvents {
  /** A write was refused, or the engine has a bug. The execution was removed from memory. */
  onLost(live: Live, why: BatchResult | string): void;
  /** A task has no handler here, so the execution waits for a process that has one. */
  onUnhandled(live: Live, task: Unhandled): void;
  /** A new execution is in the store. */
  onBegun(live: Live): void;
  /** All changes are stored. */
  onStored(live: Live): void;
  /** A task was cancelled before it ended. */
  onCancelled?: ((live: Live, task: number) => void) | undefined;
  /** Called before a snapshot of `state` is made. */
  onSnapshot?: ((live: Live) => void) | undefined;
}

/** An observer that stores further records, which follow from the steps of an execution. */
export interface Watcher {
  /** The execution was restored. Its engine has the events that the store does not have. */
  restored(live: Live): void;
  /** The engine has made a step that is not stored yet. Changes that are added to the committer now are part of the same write. */
  stepped(live: Live, step: Step): void;
  /** The limits of a Map Run have changed. */
  limited(mapRunArn: string, limits: MapRunChange): void;
}

export class Live {
  /** The record, including changes that are not stored yet. */
  record: ExecutionRecord;
  readonly engine: HistoryEngine;
  readonly isExpress: boolean;
  execution!: Execution;
  journal!: ExecutionJournal;
  readonly watcher: Watcher | undefined;
  /** The number of events before the snapshot from which the engine was restored. The engine does not have them. */
  before = 0;
  /** Resolves when the record of a new execution is in the store, or to the refusal. */
  readonly created: Promise<BatchResult | undefined>;
  #hasLeft = false;
  #created!: (refused?: BatchResult) => void;
  readonly #events: LiveEvents;
  readonly #now: () => number;
  /** The state that notes have made. Each kind of note owns its members. */
  state: Record<string, unknown> = {};

  constructor(
    record: ExecutionRecord,
    engine: HistoryEngine,
    isExpress: boolean,
    now: () => number,
    events: LiveEvents,
    watcher?: Watcher,
  ) {
    this.record = record;
    this.engine = engine;
    this.isExpress = isExpress;
    this.#now = now;
    this.#events = events;
    this.watcher = watcher;
    this.created = new Promise((resolve) => {
      this.#created = resolve;
    });
  }

  get id(): string {
    return this.record.id;
  }

  get driver(): Driver {
    return driverOf(this.execution);
  }

  get status(): ExecutionStatus {
    return this.record.status;
  }

  /** The state machine that the execution runs. */
  machine!: StateMachine;

  /** The execution that continues this one. It starts in the write in which this one ends, or never. */
  next: Live | undefined;

  /** The number of events that are stored. */
  get events(): number {
    return this.driver.events;
  }

  /** Returns the events from an index on that the store does not have. */
  tail(from: number): HistoryEvent[] {
    return this.driver.history(from);
  }

  post(...fact: Fact): void {
    this.driver.post(...fact);
  }

  /** Records what the host does for the execution, so that it is still known after a restart. */
  note(name: string, ...details: unknown[]): void {
    const note: Note = ["note", name, ...details];
    this.journal.note(this.#now(), note);
  }

  /** The last heartbeat details of tasks. They are written with the next fact, as heartbeats are. */
  readonly beats: Beats = {
    get: (key) => storedHeartbeats(this.state).find(([known]) => known === key)?.[1],
    set: (key, text) => {
      this.journal.note(this.#now(), ["note", "heartbeat", key, text], true);
      noteBeat(this.state, [key, text]);
    },
  };

  /** Changes members of the record. */
  change(change: Partial<ExecutionRecord>): Promise<void> {
    this.record = { ...this.record, ...change };
    this.journal.change(change);
    return this.journal.flushed();
  }

  // --------------------------------------------------------------------------------------- called by the journal

  get wakeAt(): number | null {
    return this.driver.wakeAt;
  }

  stepped(step: Step): void {
    const finish = step.commands.find(({ type }) => type === "Finish");
    if (finish !== undefined && this.next !== undefined) this.#continue(finish as unknown as Outcome);
    this.watcher?.stepped(this, step);
  }

  #continue({ status }: Outcome): void {
    const { next } = this;
    if (next === undefined || next.hasLeft) return;
    if (status === "SUCCEEDED") next.journal.release();
    else this.continueNot();
  }

  /** Drops the execution that was to continue this one. */
  continueNot(): void {
    const { next } = this;
    this.next = undefined;
    if (next?.journal.isHeld === true) next.refused({ ok: false, error: new Error(`${this.id} has not ended with it`) });
  }

  notes(): unknown {
    this.#events.onSnapshot?.(this);
    return this.state;
  }

  ending(outcome: Outcome): { change: Partial<ExecutionRecord>; redrivable: boolean } {
    const { status, error, cause } = outcome;
    const { events } = this.engine;
    const [last] = this.engine.history(events - 1);
    const redrivable = status !== "SUCCEEDED" && !this.isExpress && events < FULL;
    const change: Partial<ExecutionRecord> = {
      status,
      stopDate: last === undefined ? this.#now() : Date.parse(last.timestamp),
      events,
      redrivable,
      ...(status === "SUCCEEDED" && { output: outputText(last, outcome.output) }),
      ...(status === "SUCCEEDED" && this.next !== undefined && { continuedTo: this.next.id }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    };
    this.record = { ...this.record, ...change };
    return { change, redrivable };
  }

  /** The batch that has created the execution is in the store. */
  begun(order: number, version: number): void {
    this.record = { ...this.record, order, version };
    this.#created(undefined);
    this.#events.onBegun(this);
  }

  stored(): void {
    if (this.driver.isAtRest) return this.#events.onStored(this);
    // Driver and handlers act on the write in this turn, so the callback comes after it.
    later(() => this.#events.onStored(this));
  }

  refused(result: BatchResult & { ok: false }): void {
    this.#created(result);
    this.leave(result.error);
    this.#events.onLost(this, result);
  }

  cancelled(task: number): void {
    this.#events.onCancelled?.(this, task);
  }

  broken(cause: string): void {
    this.#created({ ok: false, error: new Error(cause) });
    this.#events.onLost(this, cause);
  }

  unhandled(task: Unhandled): void {
    this.#events.onUnhandled(this, task);
  }

  /** Whether the execution was removed from memory. `take` then returns another object. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Removes the execution from memory. Its facts can restore it. */
  leave(reason: unknown): void {
    this.journal.abandon(reason);
    this.#created({ ok: false, error: reason instanceof Error ? reason : new Error(String(reason)) });
    this.quit(reason);
  }

  /** Marks the execution as removed and stops its driver; the journal still writes what it has. */
  quit(reason: unknown): void {
    this.#hasLeft = true;
    this.continueNot();
    this.driver.abandon({ value: reason });
  }
}

/** Number of tasks whose last heartbeat details are stored per execution. */
const REMEMBERED = 100;

/** Returns the details of the last heartbeats, by the keys of their tasks; an empty object if there are none. */
export function heartbeatsOf(state: Record<string, unknown>): { heartbeats?: Record<string, unknown> } {
  const all = storedHeartbeats(state);
  return all.length === 0 ? {} : { heartbeats: Object.fromEntries(all.map(([key, text]): [string, unknown] => [key, JSON.parse(text)])) };
}

function storedHeartbeats(state: Record<string, unknown>): [key: string, text: string][] {
  return (state.heartbeats as [string, string][] | undefined) ?? [];
}

/** Applies a note about a heartbeat to the state. */
export function noteBeat(state: Record<string, unknown>, details: unknown[]): void {
  const [key, text] = details as [string, string];
  state.heartbeats = [...storedHeartbeats(state).filter(([known]) => known !== key), [key, text]].slice(-REMEMBERED);
}

/** Returns the JSON text of an output. Its numbers keep all digits. */
function outputText(last: HistoryEvent | undefined, output: unknown): string {
  return last?.type === "ExecutionSucceeded" ? (last.executionSucceededEventDetails.output ?? "null") : JSON.stringify(output);
}

/** Returns a batch that only changes the record of an execution that is not in memory. */
export function changeOf({ id, version = 0 }: ExecutionRecord, change: Partial<ExecutionRecord>): Batch {
  return { id, version, change };
}

/** Resolves when everything that was posted to an execution is stored. */
export async function settle(live: Live): Promise<void> {
  // A driver feeds its engine at once or in a later turn.
  while (!live.driver.isFed) await untilLater();
  await live.journal.flushed();
}
