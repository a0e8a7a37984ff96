// The documents of /debugger: the list of executions, and one execution.

import type { MapRunDescription } from "../../core/api/durable.d.ts";
import type { ExecutionStatus, HistoryEvent, MachineType } from "../../core/api/index.d.ts";
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
  redrivable: boolean;
  import: string;
  debugger: string;
}

/** A page of the list of executions. `before` is the cursor of the next page. */
export interface ExecutionList {
  executions: ExecutionSummary[];
  before?: number;
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
  /** Set while the execution runs. */
  signals?: ServerExecutionSignals;
  /** If it has any. */
  mapRuns?: MapRunDescription[];
  events: HistoryEvent[];
  /** The address of the event stream, set while the execution runs. */
  live?: string;
  list: string;
}
