// @ts-nocheck: has no types yet.
// Everything this package throws is an Error with a `code` that stays: one of these classes, or a TypeError, RangeError,
// SyntaxError or Error for misuse. docs/errors.md has the table.

/**
 * A bundle has a copy of this package: classes differ then, marks do not. So `instanceof` asks for the mark, which is on the
 * class's prototype; a class that extends it is asked for as usual.
 */
function marked(name, Class) {
  const mark = Symbol.for(`stepglass.${name}`);
  Object.defineProperty(Class.prototype, mark, { value: true });
  const usual = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(Class, Symbol.hasInstance, { value(thrown) { return this === Class ? has(thrown, mark) : usual.call(this, thrown); } });
}

/** Thrown by a task handler to say exactly which `Error` and `Cause` the state sees. */
export class TaskError extends Error {
  constructor(error, errorCause, options) {
    const text = errorCause === undefined || typeof errorCause === "string" ? errorCause : JSON.stringify(errorCause);
    super(text === undefined ? String(error) : `${error}: ${text}`, options);
    this.name = "TaskError";
    this.code = "TASK_ERROR";
    this.error = error === undefined ? undefined : String(error);
    this.errorCause = text;
  }
}

/** Whether a thrown value is a TaskError, of this copy of the package or another. */
export function isTaskError(thrown) {
  return thrown instanceof TaskError;
}

/** Whether a thrown value is an ExecutionError, of this copy of the package or another. */
export function isExecutionError(thrown) {
  return thrown instanceof ExecutionError;
}

function has(thrown, mark) {
  try {
    return typeof thrown === "object" && thrown !== null && thrown[mark] === true;
  } catch {
    return false;
  }
}

/** Rejects `machine.run()` when the execution does not succeed; `thrown` is the error that it comes of, where there is one. */
export class ExecutionError extends Error {
  constructor(execution, { status, error, cause }, state, thrown) {
    const where = state === undefined ? "" : ` in state ${JSON.stringify(state)}`;
    const what = { FAILED: "failed", TIMED_OUT: "timed out", ABORTED: "was aborted" }[status] ?? status;
    const why = [error, cause].filter((part) => part !== undefined && part !== "").join(": ");
    super(`the execution ${what}${where}${why ? `: ${why}` : ""}`, thrown && { cause: thrown.value });
    this.name = "ExecutionError";
    this.code = `EXECUTION_${status}`;
    this.status = status;
    this.error = error;
    this.errorCause = cause;
    this.state = state;
    // Kept out of console output: it holds everything.
    Object.defineProperty(this, "execution", { value: execution });
  }
}

/** Thrown by `new StateMachine()` for a definition with errors; `diagnostics` has all of them, warnings included. */
export class DefinitionError extends Error {
  constructor(diagnostics, rendered) {
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
    super(`the definition has ${errors === 1 ? "an error" : `${errors} errors`}\n${rendered.trimEnd()}`);
    this.name = "DefinitionError";
    this.code = "DEFINITION";
    this.diagnostics = diagnostics;
  }
}

/** A snapshot that cannot be restored: of another definition, of an unknown version, or no snapshot at all. */
export class RestoreError extends Error {
  constructor(message) {
    super(message);
    this.name = "RestoreError";
    this.code = "RESTORE";
  }
}

/** The WebAssembly instance trapped: its memory ran out, or there is a bug. A new instance is in place when this is thrown. */
export class InternalError extends Error {
  constructor(trap, memory) {
    const ranOut = memory && `the interpreter's memory ran out: ${Math.round(memory.used / 1e6)} of ${Math.round(memory.most / 1e6)} MB were in use and more was needed for ${memory.needed}; use smaller payloads, or keep less history (history: "none")`;
    super(ranOut ?? `internal error, please report it: ${trap?.message ?? trap}`, { cause: trap });
    this.name = "InternalError";
    this.code = ranOut ? "OUT_OF_MEMORY" : "INTERNAL";
  }
}

/** Why a task's `signal` is aborted; its name is AbortError, which is what `fetch` and others look for. */
export class TaskCancelled extends Error {
  constructor(reason, state, options) {
    const why = {
      Timeout: "its TimeoutSeconds have passed",
      Heartbeat: "no heartbeat came within its HeartbeatSeconds",
      SiblingFailed: "another branch or iteration has failed",
      Stopped: "the execution has ended",
    };
    super(`the task of state ${JSON.stringify(state)} was cancelled: ${why[reason] ?? reason}`, options);
    this.name = "AbortError";
    this.code = "TASK_CANCELLED";
    this.reason = reason;
  }
}

for (const [name, Class] of Object.entries({ TaskError, ExecutionError, DefinitionError, RestoreError, InternalError, TaskCancelled })) marked(name, Class);

/** A mistake in the use of this package, with a code that stays. */
export function misuse(code, message, Kind = TypeError) {
  return Object.assign(new Kind(message), { code });
}

// The class of an error that the module has refused with, by its code; an Error where none is named.
const KINDS = { __proto__: null, INVALID_OPTION: TypeError, NOT_JSON: SyntaxError, UNKNOWN_TASK: RangeError, ValidationException: RangeError };

/** The error for what the module throws, an object with `code` and `message`. */
export function refusal({ code, message }) {
  return code === "RESTORE" ? new RestoreError(message) : misuse(code ?? "INTERNAL", message, KINDS[code] ?? Error);
}
