// The records of executions in the store, with the revisions of the machines that they run.

import type { ExecutionStatus, MachineType } from "../../core/api/index.d.ts";
import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { Continued } from "../../runtime/durable/continuation.ts";
import type { EncryptionConfiguration, LoggingConfiguration, TracingConfiguration } from "../protocol/shapes.ts";

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

/** The task that started an execution. */
export interface Parent {
  /** The ARN of the task's execution. */
  arn: string;
  task: number;
}

/** The record of an execution. Times are milliseconds since 1970, payloads are JSON texts. */
export interface StoredExecution extends ExecutionRecord {
  type: MachineType;
  /** The name of the machine. */
  machine: string;
  versionArn?: string;
  aliasArn?: string;
  testCase?: string;
  traceHeader?: string;
  parent?: Parent;
  continued?: Continued;
  continuedTo?: string;
  /** The state that the execution published with setState, as JSON text. */
  state?: string;
  /** The number of items, for a child of a Map Run. */
  itemCount?: number;
  revision: RevisionRecord;
  /** The number of events of an ended execution. */
  events?: number;
  redriveCount: number;
  redriveDate?: number;
  /** The client token of the last redrive that had one. */
  redriveToken?: string;
  redrivable?: boolean;
  /** Whether its engine waits for a confirmation of each activity. Executions that an earlier version has begun have none. */
  confirmedActivities?: boolean;
  suspended?: { reason: string; at: number };
  attributes?: Record<string, string | number | boolean>;
}

/**
 * Returns a record of the store in the server's form. A record of a Runtime has no revision; it is shown like one of a machine
 * without a role.
 */
export function shownRecord(record: ExecutionRecord): StoredExecution {
  const { definition = "", startDate } = record;
  const revision: RevisionRecord = {
    hash: definition,
    roleArn: "",
    loggingConfiguration: { level: "OFF", includeExecutionData: false },
    tracingConfiguration: { enabled: false },
    updateDate: startDate,
  };
  return { redriveCount: 0, revision, ...record } as StoredExecution;
}

/** A record as lists contain it: without the payloads. */
export interface StoredSummary {
  id: string;
  name: string;
  machineArn: string;
  machine: string;
  type: MachineType;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  mapRunArn?: string;
  itemCount?: number;
  versionArn?: string;
  aliasArn?: string;
  events?: number;
  redriveCount: number;
  redriveDate?: number;
  suspended?: { reason: string; at: number };
  attributes?: Record<string, string | number | boolean>;
  order: number;
  version: number;
}

// Records have these tags, by which the store finds the executions of a version or an alias.
const VERSION = "stateMachineVersionArn";
const ALIAS = "stateMachineAliasArn";

/** Returns the tags for an execution that is started by a version or an alias. */
export function tagsOfTarget(versionArn: string | undefined, aliasArn: string | undefined): Record<string, string> | undefined {
  if (versionArn === undefined && aliasArn === undefined) return undefined;
  return { ...(versionArn !== undefined && { [VERSION]: versionArn }), ...(aliasArn !== undefined && { [ALIAS]: aliasArn }) };
}

/** Returns the tag by which the executions of a version or an alias are found. */
export function tagOfQualifier(arn: string, isVersion: boolean): Record<string, string> {
  return { [isVersion ? VERSION : ALIAS]: arn };
}
