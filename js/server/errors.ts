// @ts-nocheck: has no types yet.
// Errors of the API, by AWS's names and in its words.

/** An error that the caller sees: `{__type, message}` and the status. */
export class ApiError extends Error {
  constructor(type, message, { status = 400, ...members } = {}) {
    super(message);
    this.name = "ApiError";
    this.type = type;
    this.code = type;
    this.status = status;
    this.members = members;
  }
}

/** A constraint of one operation that its shape does not say. */
export function invalid(message, reason) {
  return new ApiError("ValidationException", message, reason === undefined ? {} : { reason });
}

/** An ARN that is none, or names another kind of thing. */
export function invalidArn(why) {
  return new ApiError("InvalidArn", `Invalid Arn: '${why}'`);
}

/** A task token that was never given out, or a page token of another list. */
export function invalidToken() {
  return new ApiError("InvalidToken", "Invalid Token: 'Invalid token'");
}

/** No machine, version or alias has this ARN. */
export function noMachine(arn) {
  return new ApiError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}'`);
}

/** No execution has this ARN, or none any more. */
export function noExecution(arn) {
  return new ApiError("ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`);
}

/** No activity has this ARN. */
export function noActivity(arn) {
  return new ApiError("ActivityDoesNotExist", `Activity Does Not Exist: '${arn}'`);
}

/** No tagged resource or map run has this ARN. */
export function noResource(arn) {
  return new ApiError("ResourceNotFound", `Resource not found: '${arn}'`, { resourceName: arn });
}

/** An operation for the other type of machine. */
export function wrongType() {
  return new ApiError("StateMachineTypeNotSupported", "This operation is not supported by this type of state machine");
}
