// The type of the operations: functions of the service and a checked request.

import type { Output } from "./responses.ts";
import type { Service } from "./service.ts";
import type { Input, Operation } from "./shapes.ts";

/** The region and the account that a caller's credentials name; the server's own where they name none. */
export interface Scope {
  region?: string;
  account?: string;
}

/** The caller of an operation. */
export interface Caller {
  scope?: Scope;
  /** Aborts when the caller no longer waits. */
  signal?: AbortSignal;
}

/** The functions of operations, by the operations' names. */
export type Operations = { [Name in Operation]: (service: Service, input: Input<Name>, caller: Caller) => Promise<Output<Name>> };
