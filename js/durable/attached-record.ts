// Records of Map Runs and their children, which are written together with the facts of the parent execution.

import type { Batch, BatchResult, ExecutionRecord, Texts } from "../api/durable.d.ts";
import type { Committer, Source } from "./committer.ts";

<<<<<<<< HEAD:js/durable/attached-record.ts
/** A record that is created and changed in the same write of the store as the facts of its execution. */
export class AttachedRecord<Kind extends ExecutionRecord> implements Source {
  readonly #committer: Committer;
  readonly group: string;
  /** The record, including changes that are not written yet. */
========
/** A record that is created and changed in the same write of the store as the facts of an execution. */
export class ChildRecord<Kind extends ExecutionRecord> implements Source {
  readonly #committer: Committer;
  readonly group: string;
  /** The record as it will be after all pending writes. */
>>>>>>>> 36dd2046 (server: name the parts by what they do):js/server/child-records.ts
  record: Kind;
  #version: number;
  #create: boolean;
  #change: Partial<ExecutionRecord> | undefined;
  #events: Texts | undefined;

<<<<<<<< HEAD:js/durable/attached-record.ts
  /** `execution` is the id of the execution whose facts it is written with. */
========
  /** `execution` is the execution with whose facts the record is written. */
>>>>>>>> 36dd2046 (server: name the parts by what they do):js/server/child-records.ts
  constructor(committer: Committer, execution: string, record: Kind) {
    this.group = execution;
    this.#committer = committer;
    this.record = record;
    this.#version = record.version ?? 0;
    this.#create = record.version === undefined;
  }

  /** Schedules a write of a change, and of events of the record's history. */
  write(change: Partial<Kind> = {}, events?: Texts): void {
    this.record = { ...this.record, ...change };
    if (!this.#create) this.#change = { ...this.#change, ...change };
    this.#events = events ?? this.#events;
    this.#committer.add(this);
  }

  compose(): Batch | undefined {
    const batch: Batch = { id: this.record.id, version: this.#version };
    if (this.#create) batch.create = this.record;
    else if (this.#change === undefined && this.#events === undefined) return undefined;
    else if (this.#change !== undefined) batch.change = this.#change;
    if (this.#events !== undefined) batch.events = this.#events;
    this.#change = undefined;
    this.#events = undefined;
    return batch;
  }

  written(result: BatchResult): void {
    if (result.ok) {
      this.#create = false;
      this.#version = result.version;
<<<<<<<< HEAD:js/durable/attached-record.ts
      // The record has changed since this write was composed.
      if (this.#change !== undefined || this.#events !== undefined) this.#committer.add(this);
      return;
    }
    // The record was removed meanwhile.
    if (result.record === undefined) return;
    // A write before this one has created it: its members now have the values of the current facts.
========
      // The record changed again while this write was in progress.
      if (this.#change !== undefined || this.#events !== undefined) this.#committer.add(this);
      return;
    }
    // The record was removed in the meantime.
    if (result.record === undefined) return;
    // A process before this one wrote the record, but crashed before the facts were stored. The current state replaces it.
>>>>>>>> 36dd2046 (server: name the parts by what they do):js/server/child-records.ts
    this.#version = result.record.version ?? 0;
    this.#create = false;
    const { id, machineArn, mapRunArn, order, version, ...change } = this.record as ExecutionRecord;
    this.#change = change;
    this.#committer.add(this);
  }

  broken(): void {}
}
