// What an operation of the API is here: a function of the service and a checked request.

import type { Output } from "./responses.ts";
import type { Service } from "./service.ts";
import type { Input, Operation } from "./shapes.ts";

/** The region and the account that a caller's credentials name; the server's own where they name none. */
export interface Scope {
  region?: string;
  account?: string;
}

/** Who calls an operation. */
export interface Caller {
  scope?: Scope;
  /** Aborts when the caller waits no more. */
  signal?: AbortSignal;
}

/** The functions of operations, by the operations' names. */
export type Operations = { [Name in Operation]: (service: Service, input: Input<Name>, caller: Caller) => Promise<Output<Name>> };
