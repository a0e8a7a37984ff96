// Errors of the API, with AWS's names and messages.

import type { ApiError as PublicApiError } from "../../core/api/server.d.ts";

/** The status of the HTTP response, and the members of its body besides type and message. */
interface ErrorMembers {
  status?: number;
  [member: string]: unknown;
}

/** An error that the caller sees. The response is `{__type, message}` with the status. */
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

/** The error for a request that breaks a constraint which the shape of the request does not state. */
export function invalid(message: string, reason?: string): ApiError {
  return new ApiError("ValidationException", message, reason === undefined ? {} : { reason });
}

/** The error for a text that is not an ARN, or is the ARN of another kind of resource. */
export function invalidArn(why: string): ApiError {
  return new ApiError("InvalidArn", `Invalid Arn: '${why}'`);
}

/** The error for a task token that was never issued, or a page token of another list. */
export function invalidToken(): ApiError {
  return new ApiError("InvalidToken", "Invalid Token: 'Invalid token'");
}

/** The error for an ARN that no machine, version or alias has. */
export function noMachine(arn: string): ApiError {
  return new ApiError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}'`);
}

/** The error for an ARN that no execution has, or none any more. */
export function noExecution(arn: string): ApiError {
  return new ApiError("ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`);
}

/** The error for an ARN that no activity has. */
export function noActivity(arn: string): ApiError {
  return new ApiError("ActivityDoesNotExist", `Activity Does Not Exist: '${arn}'`);
}

/** The error for an ARN that no tagged resource and no Map Run has. */
export function noResource(arn: string): ApiError {
  return new ApiError("ResourceNotFound", `Resource not found: '${arn}'`, { resourceName: arn });
}

/** The error for an operation that the type of the machine does not have. */
export function wrongType(): ApiError {
  return new ApiError("StateMachineTypeNotSupported", "This operation is not supported by this type of state machine");
}

/** Returns a thrown value with its stack, for the log. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** The error for a request to change an execution that an application runs which shares the store. */
export function runsElsewhere(message: string): ApiError {
  return new ApiError("ExecutionRunsElsewhere", message);
}
