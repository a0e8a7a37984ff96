// What tasks ask of a runtime.

import { isObject } from "../base/json.ts";
import { shown } from "../base/shown.ts";
import type { TaskCall, TaskDriver, TaskFailure } from "../tasks/call.ts";

/** The members of a task's request. */
export function membersOf({ command }: TaskCall): Record<string, unknown> {
  return isObject(command.input) ? command.input : {};
}

/** The failure of a task whose request has something else than it has to. */
export function invalid(member: string, wanted: string, given: unknown): TaskFailure {
  const found = given === undefined ? "it is missing" : `it is ${shown(given)}`;
  return { error: "Stepglass.InvalidRequest", cause: `${member} has to be ${wanted}: ${found}` };
}

/** Fails a task. */
export function refuse(driver: TaskDriver, call: TaskCall, { error, cause }: TaskFailure): void {
  driver.complete(call, "fail", error, cause);
}

/** Whether the runtime was closed: what it has left undone it does when it is open again. */
export function isClosed(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return code === "NOT_OPEN" || code === "RUNTIME_CLOSED" || code === "STORE_CLOSED";
}
