// Records that are written together with the facts of another execution: Map Runs and their children.

import type { Batch, BatchResult, ExecutionRecord, Texts } from "../../core/api/durable.d.ts";
import type { Committer, Source } from "./committer.ts";

/** A record that is created and changed in the same write as the facts of its execution. */
export class AttachedRecord<Kind extends ExecutionRecord> implements Source {
  readonly #committer: Committer;
  readonly group: string;
  /** The record, including changes that are not stored yet. */
  record: Kind;
  #version: number;
  #create: boolean;
  #change: Partial<ExecutionRecord> | undefined;
  #events: Texts | undefined;

  /** `execution` is the id of the execution whose facts the record is written with. */
  constructor(committer: Committer, execution: string, record: Kind) {
    this.group = execution;
    this.#committer = committer;
    this.record = record;
    this.#version = record.version ?? 0;
    this.#create = record.version === undefined;
  }

  /** Writes a change of the record, and events of its history. */
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
      // The record has changed since this write was composed.
      if (this.#change !== undefined || this.#events !== undefined) this.#committer.add(this);
      return;
    }
    // The record was removed meanwhile.
    if (result.record === undefined) return;
    // A write before this one has created it: its members now have the values of the current facts.
    this.#version = result.record.version ?? 0;
    this.#create = false;
    const { id, machineArn, mapRunArn, order, version, ...change } = this.record as ExecutionRecord;
    this.#change = change;
    this.#committer.add(this);
  }

  broken(): void {}
}
