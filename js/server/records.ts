// The records of executions in the store, with the revisions of the machines that they run.

import type { HistoryEvent, MachineType } from "../api/index.d.ts";
import type { ExecutionRecord, Snapshot, Store } from "../api/server.d.ts";
import type { EncryptionConfiguration, LoggingConfiguration, TracingConfiguration } from "./shapes.ts";

/** The record of a machine's revision. The text of the definition is stored by its hash. */
export interface RevisionRecord {
  hash: string;
  roleArn: string;
  loggingConfiguration: LoggingConfiguration;
  tracingConfiguration: TracingConfiguration;
  encryptionConfiguration?: EncryptionConfiguration;
  /** Milliseconds since 1970. */
  updateDate: number;
  /** Its revisionId; the first revision has none. */
  id?: string;
  variableReferences?: Record<string, string[]>;
}

/** A tag of a machine or an activity. */
export interface Tag {
  key: string;
  value: string;
}

/** The record of an execution. Times are milliseconds since 1970, payloads are JSON texts. */
export interface StoredExecution extends ExecutionRecord {
  name: string;
  type: MachineType;
  machineName: string;
  versionArn?: string;
  aliasArn?: string;
  testCase?: string;
  traceHeader?: string;
  /** The number of items of a child of a Map Run. */
  itemCount?: number;
  revision: RevisionRecord;
  error?: string;
  cause?: string;
  /** The number of events of an ended execution. */
  events?: number;
  redriveCount: number;
  redriveDate?: number;
  redrivable?: boolean;
}

/** The store with the records of this server: a store returns the records that were put into it. */
export interface ExecutionStore extends Omit<Store, "create" | "get" | "load" | "history" | "list"> {
  create(about: StoredExecution): Promise<{ outcome: "created" | "exists"; about: StoredExecution }>;
  get(id: string): Promise<StoredExecution | undefined>;
  load(id: string): Promise<{ about: StoredExecution; seq: number; fence: number; snapshot?: Snapshot; facts: unknown[] } | undefined>;
  history(
    id: string,
    page?: { from?: number; limit?: number; reverse?: boolean },
  ): Promise<{ events: HistoryEvent[]; total: number } | undefined>;
  list(filter?: ExecutionFilter, page?: { before?: number; limit?: number }): Promise<{ items: StoredExecution[]; before?: number }>;
}

/** Selects executions: those of a machine, those of a Map Run, or all except the children of Map Runs. */
export interface ExecutionFilter {
  machine?: string;
  mapRun?: string;
  matches?: (about: StoredExecution) => boolean;
}
