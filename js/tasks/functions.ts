// The errors of Lambda functions.

import { TaskError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";

/** The error of a function that has failed, from the payload that tells of it. */
export function functionError(payload: string): TaskError {
  const { errorType, errorMessage } = membersOf(payload);
  // Timeouts and crashes have no type.
  const timedOut = typeof errorMessage === "string" && /Task timed out after/.test(errorMessage);
  return new TaskError(typeof errorType === "string" ? errorType : timedOut ? "Sandbox.Timedout" : "Lambda.Unknown", payload);
}

/** The members of an object in JSON; none if the text is anything else. */
export function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
