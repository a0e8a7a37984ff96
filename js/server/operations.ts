// The type of the operations: functions of the service and a checked request.

import type { ActivityResponses } from "./activities.ts";
import type { ExecutionResponses } from "./executions.ts";
import type { MachineResponses } from "./machines.ts";
import type { MapRunResponses } from "./mapruns.ts";
import type { Service } from "./service.ts";
import type { Input, Operation } from "./shapes.ts";
import type { VersionResponses } from "./versions.ts";

/**
 * The region and the account of a caller's credentials. Members are undefined if the credentials do not name them; then the
 * server's own are used.
 */
export interface Scope {
  region?: string;
  account?: string;
}

/** The caller of an operation. */
export interface Caller {
  scope?: Scope;
  /** The X-Amzn-Trace-Id of the request. */
  traceHeader?: string;
  /** Aborts when the caller no longer waits. */
  signal?: AbortSignal;
}

/** The responses of all operations, by the names of the API's model. The file of an operation has the type of its response. */
interface Responses extends ActivityResponses, ExecutionResponses, MachineResponses, MapRunResponses, VersionResponses {}

/** The response of an operation: `Output<"StartExecution">` is StartExecutionOutput. */
export type Output<Name extends Operation> = Responses[Name];

/** The functions of operations, by the operations' names. */
export type Operations = { [Name in Operation]: (service: Service, input: Input<Name>, caller: Caller) => Promise<Output<Name>> };
