// Choices by data: the handler that a state calls, and the queue in which a task waits.

import type { Task as PublicTask, TaskHandler } from "../../core/api/index.d.ts";
import type { ExecutionRecord, TaskOptions } from "../../core/api/durable.d.ts";
import { TaskError } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { shown } from "../../core/base/shown.ts";
import type { Taker } from "../../core/tasks/call.ts";

/** The resource of a state whose input names the handler. */
export const INVOKE = "urn:stepglass:invoke";

/** Returns a handler that calls the one that the input names. */
export function invoked(given: unknown, find: (name: string, input: unknown) => TaskHandler | Taker | undefined): TaskHandler {
  const { Resource: name, Input: input = {} } = isObject(given) ? (given as { Resource?: unknown; Input?: unknown }) : {};
  const handler = typeof name === "string" ? find(name, input) : undefined;
  if (typeof handler === "function") return (_, task) => handler(input, task);
  const cause =
    typeof name === "string" ? `there is no handler ${shown(name)}` : `Resource has to be the name of a handler, not ${shown(name)}`;
  return () => {
    throw new TaskError("Stepglass.InvalidRequest", cause);
  };
}

/** Returns a handler that puts its task into the queue that a function chooses. */
export function chosen(
  choose: Exclude<TaskOptions["queue"], string | undefined>,
  recordOf: (arn: string) => ExecutionRecord | undefined,
  queued: (name: string) => TaskHandler,
): TaskHandler {
  return (input: unknown, task: PublicTask) => {
    const record = recordOf(task.execution.arn);
    const version = record?.machineVersion;
    const name = choose({ input, task, definition: String(record?.definition), ...(typeof version === "string" && { version }) });
    if (typeof name === "string" && name !== "") return queued(name)(input, task);
    throw new TaskError("Stepglass.NoQueue", `the function queue of taskOptions has to return the name of a queue, not ${shown(name)}`);
  };
}

/** A handler for a task that has no queue, although each needs one. */
export function withoutQueue(state: string): TaskHandler {
  return () => {
    throw new TaskError("Stepglass.NoQueue", `the task of state ${shown(state)} has no queue, and requireQueue is set`);
  };
}
