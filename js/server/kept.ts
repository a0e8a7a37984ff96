// Records that are written with the facts of another execution: Map Runs, and their children.

import type { Batch, BatchResult, ExecutionRecord, Texts } from "../api/durable.d.ts";
import type { Committer, Source } from "../durable/committer.ts";

/** A record that is created and changed with what an execution has to keep, in one write of the store. */
export class KeptRecord<Kind extends ExecutionRecord> implements Source {
  readonly #committer: Committer;
  readonly group: string;
  /** The record as it will be when all is written. */
  record: Kind;
  #version: number;
  #create: boolean;
  #change: Partial<ExecutionRecord> | undefined;
  #events: Texts | undefined;

  /** `execution` is the one whose facts it is written with. */
  constructor(committer: Committer, execution: string, record: Kind) {
    this.group = execution;
    this.#committer = committer;
    this.record = record;
    this.#version = record.version ?? 0;
    this.#create = record.version === undefined;
  }

  /** Writes the record, with events of its history. */
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
      // Changed while this write was composed.
      if (this.#change !== undefined || this.#events !== undefined) this.#committer.add(this);
      return;
    }
    // Removed meanwhile.
    if (result.record === undefined) return;
    // It was written already, with facts that were not: it is as they say now.
    this.#version = result.record.version ?? 0;
    this.#create = false;
    const { id, machineArn, mapRunArn, order, version, ...change } = this.record as ExecutionRecord;
    this.#change = change;
    this.#committer.add(this);
  }

  broken(): void {}
}
