// The errors of Lambda functions.

import { TaskError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";

/** Returns the error of a failed function, from the payload that describes it. */
export function functionError(payload: string): TaskError {
  const { errorType, errorMessage } = membersOf(payload);
  // The payload of a timeout or a crash has no error type.
  const timedOut = typeof errorMessage === "string" && /Task timed out after/.test(errorMessage);
  return new TaskError(typeof errorType === "string" ? errorType : timedOut ? "Sandbox.Timedout" : "Lambda.Unknown", payload);
}

/** Returns the members of an object in JSON; none if the text is anything else. */
export function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
