// What the parts of the server around the runner need: the runner, built-in tasks and operations.

import type { OwnTasks } from "../../runtime/durable/tasks.ts";
import type { Caller } from "../protocol/caller.ts";
import type { Parent, StoredExecution } from "../storage/records.ts";
import type { Registry } from "../storage/registry.ts";
import type { Runner } from "./runner.ts";

/** The state of a server, and what runs its executions. */
export interface Context extends Registry {
  readonly runner: Runner;
  /** The built-in tasks. */
  readonly tasks: OwnTasks;
  /** Performs an operation of the API. Throws ApiError. */
  call(operation: string, input: unknown, caller?: Caller): Promise<object>;
  /** Starts an execution for a task. `input` is a request of StartExecution. */
  startNamed(input: unknown, parent: Parent): Promise<StoredExecution>;
}
