// Reads the requests of tasks that a runtime handles itself.

import { isObject } from "../../core/base/json.ts";
import { shown } from "../../core/base/shown.ts";
import type { TaskCall, TaskDriver, TaskFailure } from "../../core/tasks/call.ts";

/** Returns the members of a task's request. */
export function membersOf({ command }: TaskCall): Record<string, unknown> {
  return isObject(command.input) ? command.input : {};
}

/** Returns the failure of a task whose request has an invalid member. */
export function invalid(member: string, wanted: string, given: unknown): TaskFailure {
  const found = given === undefined ? "it is missing" : `it is ${shown(given)}`;
  return { error: "Stepglass.InvalidRequest", cause: `${member} has to be ${wanted}: ${found}` };
}

export function refuse(driver: TaskDriver, call: TaskCall, { error, cause }: TaskFailure): void {
  driver.complete(call, "fail", error, cause);
}

/** Returns whether the runtime was closed. Work that it left is continued when it is opened again. */
export function isClosed(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return code === "NOT_OPEN" || code === "RUNTIME_CLOSED" || code === "STORE_CLOSED";
}
