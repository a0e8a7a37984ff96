// The type of the operations: functions of what they need of the server, of a checked request and of its caller.

import type { ServiceModels } from "../../core/api/index.d.ts";
import type { Caller } from "../protocol/caller.ts";
import type { Context } from "../executions/context.ts";
import type { TaskRouter } from "../executions/router.ts";
import type { Input, Operation } from "../protocol/shapes.ts";

/** What operations need of the server. */
export interface OperationContext extends Context {
  readonly router: TaskRouter;
  /** The polls of workers that wait for a task. */
  readonly polls: Set<AbortController>;
  /** The models with which TestState checks mocks. */
  readonly serviceModel: () => ServiceModels | undefined;
}

/** The functions of operations by the operations' names, for a family's responses. */
export type OperationsOf<Responses> = {
  [Name in keyof Responses & Operation]: (context: OperationContext, input: Input<Name>, caller: Caller) => Promise<Responses[Name]>;
};
