// The responses of the operations, by the names of the API's model. Times are seconds since 1970, as on the wire.

import type { ExecutionStatus, HistoryEvent, MachineType, TestStateResponse } from "../api/index.d.ts";
import type { EncryptionConfiguration, LoggingConfiguration, Operation, RoutingConfigurationListItem, TracingConfiguration } from "./shapes.ts";

/** A time in milliseconds as the API returns it. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** The response of an operation: `Output<"StartExecution">` is StartExecutionOutput. */
export type Output<Name extends Operation> = Responses[Name];

/** A response without members. */
export type Empty = Record<string, never>;

export interface Tag {
  key: string;
  value: string;
}

/** A response with one page of a list. */
interface Paged {
  nextToken?: string;
}

interface CreateActivityOutput {
  activityArn: string;
  creationDate: number;
}

interface DescribeActivityOutput extends CreateActivityOutput {
  name: string;
  encryptionConfiguration: EncryptionConfiguration;
}

interface ListActivitiesOutput extends Paged {
  activities: { activityArn: string; name: string; creationDate: number }[];
}

/** The task, if there was one in the time of a poll. */
interface GetActivityTaskOutput {
  taskToken?: string;
  input?: string;
}

interface CreateStateMachineOutput {
  stateMachineArn: string;
  creationDate: number;
  stateMachineVersionArn?: string;
}

interface UpdateStateMachineOutput {
  updateDate: number;
  revisionId?: string;
  stateMachineVersionArn?: string;
}

/** The members of both DescribeStateMachine and DescribeStateMachineForExecution. */
interface MachineDescription {
  stateMachineArn: string;
  name: string;
  definition: string | undefined;
  roleArn: string;
  loggingConfiguration: LoggingConfiguration;
  tracingConfiguration: TracingConfiguration;
  revisionId?: string;
  encryptionConfiguration: EncryptionConfiguration;
  variableReferences?: Record<string, string[]>;
}

export interface DescribeStateMachineOutput extends MachineDescription {
  status: "ACTIVE" | "DELETING";
  type: MachineType;
  creationDate: number;
  description?: string;
}

interface DescribeStateMachineForExecutionOutput extends MachineDescription {
  updateDate: number;
  mapRunArn?: string;
  label?: string;
}

interface ListStateMachinesOutput extends Paged {
  stateMachines: { stateMachineArn: string; name: string; type: MachineType; creationDate: number }[];
}

interface PublishStateMachineVersionOutput {
  creationDate: number;
  stateMachineVersionArn: string;
}

interface ListStateMachineVersionsOutput extends Paged {
  stateMachineVersions: { stateMachineVersionArn: string; creationDate: number }[];
}

interface CreateStateMachineAliasOutput {
  stateMachineAliasArn: string;
  creationDate: number;
}

interface DescribeStateMachineAliasOutput extends CreateStateMachineAliasOutput {
  name: string;
  description?: string;
  routingConfiguration: RoutingConfigurationListItem[];
  updateDate: number;
}

interface ListStateMachineAliasesOutput extends Paged {
  stateMachineAliases: CreateStateMachineAliasOutput[];
}

interface StartExecutionOutput {
  executionArn: string;
  startDate: number;
}

/** Whether a payload is in the response. */
interface DataDetails {
  included: boolean;
}

interface StartSyncExecutionOutput {
  executionArn: string;
  stateMachineArn: string;
  name: string;
  startDate: number;
  stopDate: number;
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT";
  error?: string;
  cause?: string;
  input?: string;
  inputDetails: DataDetails;
  output?: string;
  outputDetails: DataDetails;
  traceHeader?: string;
  billingDetails: { billedMemoryUsedInMB: number; billedDurationInMilliseconds: number };
}

/** The members of DescribeExecution about redrives. */
export interface RedriveDetails {
  redriveCount: number;
  redriveDate?: number;
  redriveStatus: "REDRIVABLE" | "NOT_REDRIVABLE";
  redriveStatusReason?: string;
}

/** The members of DescribeExecution that are not about redrives. */
export interface ExecutionDescription {
  executionArn: string;
  stateMachineArn: string;
  name: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  input?: string;
  inputDetails?: DataDetails;
  output?: string;
  outputDetails?: DataDetails;
  traceHeader?: string;
  mapRunArn?: string;
  error?: string;
  cause?: string;
  stateMachineVersionArn?: string;
  stateMachineAliasArn?: string;
}

export interface ExecutionListItem {
  executionArn: string;
  stateMachineArn: string;
  name: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  mapRunArn?: string;
  itemCount?: number;
  stateMachineVersionArn?: string;
  stateMachineAliasArn?: string;
  redriveCount: number;
  redriveDate?: number;
}

interface ListExecutionsOutput extends Paged {
  executions: ExecutionListItem[];
}

/** An event of GetExecutionHistory, whose time is a number. */
export type WireEvent = Omit<HistoryEvent, "timestamp"> & { timestamp: number };

interface GetExecutionHistoryOutput extends Paged {
  events: WireEvent[];
}

interface ValidateStateMachineDefinitionOutput {
  result: "OK" | "FAIL";
  diagnostics: { severity: "ERROR" | "WARNING"; code: string; message: string; location?: string }[];
  truncated: boolean;
}

interface ListMapRunsOutput extends Paged {
  mapRuns: { executionArn: string; mapRunArn: string; stateMachineArn: string; startDate: number; stopDate?: number }[];
}

/** The items or child executions of a Map Run, by status. */
export interface MapRunItemCounts {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  aborted: number;
  total: number;
  resultsWritten: number;
  failuresNotRedrivable: number;
  pendingRedrive: number;
}

interface DescribeMapRunOutput {
  mapRunArn: string;
  executionArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  startDate: number;
  stopDate?: number;
  maxConcurrency: number;
  toleratedFailurePercentage: number;
  toleratedFailureCount: number;
  itemCounts: MapRunItemCounts;
  executionCounts: MapRunItemCounts;
  redriveCount: number;
  redriveDate?: number;
}

interface Responses {
  CreateActivity: CreateActivityOutput;
  CreateStateMachine: CreateStateMachineOutput;
  CreateStateMachineAlias: CreateStateMachineAliasOutput;
  DeleteActivity: Empty;
  DeleteStateMachine: Empty;
  DeleteStateMachineAlias: Empty;
  DeleteStateMachineVersion: Empty;
  DescribeActivity: DescribeActivityOutput;
  DescribeExecution: ExecutionDescription & RedriveDetails;
  DescribeMapRun: DescribeMapRunOutput;
  DescribeStateMachine: DescribeStateMachineOutput;
  DescribeStateMachineAlias: DescribeStateMachineAliasOutput;
  DescribeStateMachineForExecution: DescribeStateMachineForExecutionOutput;
  GetActivityTask: GetActivityTaskOutput;
  GetExecutionHistory: GetExecutionHistoryOutput;
  ListActivities: ListActivitiesOutput;
  ListExecutions: ListExecutionsOutput;
  ListMapRuns: ListMapRunsOutput;
  ListStateMachineAliases: ListStateMachineAliasesOutput;
  ListStateMachineVersions: ListStateMachineVersionsOutput;
  ListStateMachines: ListStateMachinesOutput;
  ListTagsForResource: { tags: Tag[] };
  PublishStateMachineVersion: PublishStateMachineVersionOutput;
  RedriveExecution: { redriveDate: number };
  SendTaskFailure: Empty;
  SendTaskHeartbeat: Empty;
  SendTaskSuccess: Empty;
  StartExecution: StartExecutionOutput;
  StartSyncExecution: StartSyncExecutionOutput;
  StopExecution: { stopDate: number };
  TagResource: Empty;
  TestState: TestStateResponse;
  UntagResource: Empty;
  UpdateMapRun: Empty;
  UpdateStateMachine: UpdateStateMachineOutput;
  UpdateStateMachineAlias: { updateDate: number };
  ValidateStateMachineDefinition: ValidateStateMachineDefinitionOutput;
}
