// The documents of /debugger: the list of executions, and one execution.

import type { MapRunDescription } from "../../core/api/durable.d.ts";
import type { ExecutionStatus, HistoryEvent, MachineType } from "../../core/api/index.d.ts";
import type { ActionName } from "../executions/actions.ts";
import type { ServerExecutionSignals } from "../../core/api/server.d.ts";

/** An execution in a list, with the addresses of its data and of its page. Times are ISO 8601. */
export interface ExecutionSummary {
  executionArn: string;
  name: string;
  stateMachineArn: string;
  stateMachineName: string;
  type: MachineType;
  status: ExecutionStatus;
  startDate: string;
  stopDate?: string;
  /** Why it is suspended. */
  suspended?: string;
  attributes?: Record<string, string | number | boolean>;
  redrivable: boolean;
  import: string;
  debugger: string;
}

/** A page of the list of executions. `before` is the cursor of the next page. */
export interface ExecutionList {
  executions: ExecutionSummary[];
  before?: number;
}

/** How many executions have each status. */
export type StatusCounts = Partial<Record<ExecutionStatus, number>>;

/** The counts of the executions that a filter selects, whatever their status. Times are ISO 8601. */
export interface ExecutionCounts {
  statuses: StatusCounts;
  /** All registered machines, and those that have executions, by name. */
  machines: { stateMachineArn: string; name: string; statuses: StatusCounts }[];
  /** When the first of `intervals` begins, and how long each is, in milliseconds. */
  from: string;
  width: number;
  intervals: StatusCounts[];
}

/** What a console is and can do. */
export interface ConsoleDescription {
  kind: "server" | "runtime" | "store";
  /** The actions that the reader may perform. */
  actions: ActionName[];
  /** Whether the playground is there. */
  page: boolean;
  /** The name of the reader's key, if the server checks access. */
  user?: string;
}

/** The result of an action on many executions. */
export interface BulkReport {
  done: string[];
  refused: { executionArn: string; type: string; reason: string }[];
}

/** The filters of a list, as the parameters of its address give them. An empty text is no filter. */
export interface ListQuery {
  status: string;
  stateMachineArn: string;
  name: string;
}

/** Everything about an execution; docs/server.md describes it. */
export interface ExecutionDocument {
  stepglass: "execution/1";
  executionArn: string;
  name: string;
  stateMachineArn: string;
  stateMachineName: string;
  type: MachineType;
  definition: string;
  status: ExecutionStatus;
  startDate: string;
  stopDate?: string;
  redriveCount: number;
  input: string | undefined;
  output?: string;
  error?: string;
  cause?: string;
  /** The state that the execution publishes with setState, as JSON text. */
  state?: string;
  /** Why the execution is suspended. */
  suspended?: string;
  redrivable: boolean;
  /** The actions that the reader may perform on it now. */
  actions: ActionName[];
  attributes?: Record<string, string | number | boolean>;
  /** Set while the execution runs. */
  signals?: ServerExecutionSignals;
  /** If it has any. */
  mapRuns?: MapRunDescription[];
  events: HistoryEvent[];
  /** The address of the event stream, set while the execution runs. */
  live?: string;
  list: string;
}
