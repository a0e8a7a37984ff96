// Errors of the API, by AWS's names and in its words.

import type { ApiError as PublicApiError } from "../api/server.d.ts";

/** What an error has besides its type and message: the status of the HTTP response, and members of its body. */
export interface ErrorMembers {
  status?: number;
  [member: string]: unknown;
}

/** An error that the caller sees: `{__type, message}` and the status. */
export class ApiError extends Error implements PublicApiError {
  override name = "ApiError";
  readonly type: string;
  readonly code: string;
  readonly status: number;
  /** Members of the response's body besides `__type` and `message`. */
  readonly members: Record<string, unknown>;

  constructor(type: string, message: string, { status = 400, ...members }: ErrorMembers = {}) {
    super(message);
    this.type = type;
    this.code = type;
    this.status = status;
    this.members = members;
  }
}

/** A constraint of one operation that its shape does not say. */
export function invalid(message: string, reason?: string): ApiError {
  return new ApiError("ValidationException", message, reason === undefined ? {} : { reason });
}

/** An ARN that is none, or names another kind of thing. */
export function invalidArn(why: string): ApiError {
  return new ApiError("InvalidArn", `Invalid Arn: '${why}'`);
}

/** A task token that was never given out, or a page token of another list. */
export function invalidToken(): ApiError {
  return new ApiError("InvalidToken", "Invalid Token: 'Invalid token'");
}

/** No machine, version or alias has this ARN. */
export function noMachine(arn: string): ApiError {
  return new ApiError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}'`);
}

/** No execution has this ARN, or none any more. */
export function noExecution(arn: string): ApiError {
  return new ApiError("ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`);
}

/** No activity has this ARN. */
export function noActivity(arn: string): ApiError {
  return new ApiError("ActivityDoesNotExist", `Activity Does Not Exist: '${arn}'`);
}

/** No tagged resource or map run has this ARN. */
export function noResource(arn: string): ApiError {
  return new ApiError("ResourceNotFound", `Resource not found: '${arn}'`, { resourceName: arn });
}

/** An operation for the other type of machine. */
export function wrongType(): ApiError {
  return new ApiError("StateMachineTypeNotSupported", "This operation is not supported by this type of state machine");
}

/** A thrown value with its stack, for the log. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
