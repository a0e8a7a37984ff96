// Everything this package throws is one of these classes, or a TypeError or RangeError with a `code` for misuse.

// A program may hold two copies of this package, one of them from CommonJS: classes differ then, marks do not.
const TASK_ERROR = Symbol.for("stepglass.TaskError");
const EXECUTION_ERROR = Symbol.for("stepglass.ExecutionError");

/** Thrown by a task handler to say exactly which `Error` and `Cause` the state sees. */
export class TaskError extends Error {
  constructor(error, cause, options) {
    const text = cause === undefined || typeof cause === "string" ? cause : JSON.stringify(cause);
    super(text === undefined ? String(error) : `${error}: ${text}`, options);
    this.name = "TaskError";
    this.error = error === undefined ? undefined : String(error);
    this.cause = text;
  }

  get [TASK_ERROR]() {
    return true;
  }
}

/** Whether a thrown value is a TaskError, of this copy of the package or another. */
export function isTaskError(thrown) {
  return has(thrown, TASK_ERROR);
}

/** Whether a thrown value is an ExecutionError, of this copy of the package or another. */
export function isExecutionError(thrown) {
  return has(thrown, EXECUTION_ERROR);
}

function has(thrown, mark) {
  try {
    return typeof thrown === "object" && thrown !== null && thrown[mark] === true;
  } catch {
    return false;
  }
}

/** Rejects `machine.run()` when the execution does not succeed. */
export class ExecutionError extends Error {
  constructor(execution, { status, error, cause }, state) {
    const where = state === undefined ? "" : ` in state ${JSON.stringify(state)}`;
    const what = { FAILED: "failed", TIMED_OUT: "timed out", ABORTED: "was aborted" }[status] ?? status;
    const why = [error, cause].filter((part) => part !== undefined && part !== "").join(": ");
    super(`the execution ${what}${where}${why ? `: ${why}` : ""}`);
    this.name = "ExecutionError";
    this.status = status;
    this.error = error;
    this.cause = cause;
    this.state = state;
    // Kept out of console output: it holds everything.
    Object.defineProperty(this, "execution", { value: execution });
  }

  get [EXECUTION_ERROR]() {
    return true;
  }
}

/** Thrown by `new StateMachine()` for a definition with errors; `diagnostics` has all of them, warnings included. */
export class DefinitionError extends Error {
  constructor(diagnostics, rendered) {
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
    super(`the definition has ${errors === 1 ? "an error" : `${errors} errors`}\n${rendered.trimEnd()}`);
    this.name = "DefinitionError";
    this.diagnostics = diagnostics;
  }
}

/** A snapshot that cannot be restored: of another definition, of an unknown version, or no snapshot at all. */
export class RestoreError extends Error {
  constructor(message) {
    super(message);
    this.name = "RestoreError";
  }
}

/** A bug of this package: the WebAssembly instance trapped. A new instance is in place when this is thrown. */
export class InternalError extends Error {
  constructor(trap) {
    super(`internal error, please report it: ${trap?.message ?? trap}`, { cause: trap });
    this.name = "InternalError";
  }
}

/** Why a task's `signal` is aborted; its name is AbortError, which is what `fetch` and others look for. */
export class TaskCancelled extends Error {
  constructor(reason, state) {
    const why = {
      Timeout: "its TimeoutSeconds have passed",
      Heartbeat: "no heartbeat came within its HeartbeatSeconds",
      SiblingFailed: "another branch or iteration has failed",
      Stopped: "the execution has ended",
    };
    super(`the task of state ${JSON.stringify(state)} was cancelled: ${why[reason] ?? reason}`);
    this.name = "AbortError";
    this.reason = reason;
  }
}

/** A mistake in the use of this package, with a code that stays. */
export function misuse(code, message, Kind = TypeError) {
  return Object.assign(new Kind(message), { code });
}
