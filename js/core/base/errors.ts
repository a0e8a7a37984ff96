// Errors of this package. Each is an Error with a stable `code`: one of these classes, or a TypeError, RangeError, SyntaxError or
// Error for misuse. docs/error-codes.md has the table.

import type { CancelReason, Diagnostic, ErrorCode, Execution, ExecutionResult } from "../api/index.d.ts";

/** A value that was thrown, or the reason of an abort. It can be undefined. */
export interface Thrown {
  value: unknown;
}

/** The codes of AWS that errors of this package use. */
type AwsErrorCode = "ValidationException" | "InvalidName" | "InvalidExecutionInput" | "InvalidDefinition";

/** An error with its code. */
export type CodedError = Error & { code: string };

/** How many bytes of the module's memory were in use at a trap, how many it can have, and what needed more. */
interface MemoryUse {
  used: number;
  most: number;
  needed: string;
}

/**
 * A bundle has its own copy of this package, whose classes differ. So each class has a mark on its prototype, and `instanceof`
 * checks the mark. A class that extends it is checked as usual. A bundle leaves out the classes that it does not use.
 */
function marked<C extends abstract new (...given: never[]) => Error>(name: string, Class: C): C {
  const mark = markOf(name);
  Object.defineProperty(Class, "name", { value: name });
  Object.defineProperty(Class.prototype, mark, { value: true });
  const usual = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(Class, Symbol.hasInstance, {
    value(this: unknown, thrown: unknown): boolean {
      return this === Class ? has(thrown, mark) : usual.call(this as C, thrown);
    },
  });
  return Class;
}

function markOf(name: string): symbol {
  return Symbol.for(`stepglass.${name}`);
}

const TASK_ERROR = /* @__PURE__ */ markOf("TaskError");
const EXECUTION_ERROR = /* @__PURE__ */ markOf("ExecutionError");

/** Thrown by a task handler to say exactly which `Error` and `Cause` the state sees. */
export const TaskError = /* @__PURE__ */ marked(
  "TaskError",
  class extends Error {
    declare readonly code: "TASK_ERROR";
    declare readonly error: string | undefined;
    declare readonly errorCause: string | undefined;

    constructor(error?: string, errorCause?: unknown, options?: ErrorOptions) {
      // A value that JSON cannot express gives undefined.
      const text: string | undefined = errorCause === undefined || typeof errorCause === "string" ? errorCause : JSON.stringify(errorCause);
      super(text === undefined ? String(error) : `${error}: ${text}`, options);
      this.name = "TaskError";
      this.code = "TASK_ERROR";
      this.error = error === undefined ? undefined : String(error);
      this.errorCause = text;
    }
  },
);
export type TaskError = InstanceType<typeof TaskError>;

/** Returns whether a thrown value is a TaskError, of this copy of the package or of another. */
export function isTaskError(thrown: unknown): thrown is TaskError {
  return has(thrown, TASK_ERROR);
}

/** Returns whether a thrown value is an ExecutionError, of this copy of the package or of another. */
export function isExecutionError(thrown: unknown): thrown is ExecutionError {
  return has(thrown, EXECUTION_ERROR);
}

function has(thrown: unknown, mark: symbol): boolean {
  try {
    return typeof thrown === "object" && thrown !== null && (thrown as Record<symbol, unknown>)[mark] === true;
  } catch {
    return false;
  }
}

/** The outcome of an execution that did not succeed. */
export interface Failure {
  status: Exclude<ExecutionResult["status"], "SUCCEEDED">;
  error?: string;
  cause?: string;
}

/** Rejects `machine.run()` if the execution does not succeed. `thrown` is the error that caused it, if there is one. */
export const ExecutionError = /* @__PURE__ */ marked(
  "ExecutionError",
  class extends Error {
    declare readonly code: "EXECUTION_FAILED" | "EXECUTION_TIMED_OUT" | "EXECUTION_ABORTED";
    declare readonly status: "FAILED" | "TIMED_OUT" | "ABORTED";
    declare readonly error: string | undefined;
    declare readonly errorCause: string | undefined;
    declare readonly state: string | undefined;
    declare readonly execution: Execution;

    constructor(execution: Execution, { status, error, cause }: Failure, state?: string, thrown?: Thrown) {
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
      // The property is not enumerable, because it would fill the console.
      Object.defineProperty(this, "execution", { value: execution });
    }
  },
);
export type ExecutionError = InstanceType<typeof ExecutionError>;

/** Thrown by `new StateMachine()` for a definition with errors; `diagnostics` has all of them, warnings included. */
export const DefinitionError = /* @__PURE__ */ marked(
  "DefinitionError",
  class extends Error {
    declare readonly code: "DEFINITION";
    declare readonly diagnostics: Diagnostic[];

    constructor(diagnostics: Diagnostic[], rendered: string) {
      const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
      super(`the definition has ${errors === 1 ? "an error" : `${errors} errors`}\n${rendered.trimEnd()}`);
      this.name = "DefinitionError";
      this.code = "DEFINITION";
      this.diagnostics = diagnostics;
    }
  },
);
export type DefinitionError = InstanceType<typeof DefinitionError>;

/**
 * Thrown for a snapshot that cannot be restored: one of another definition, of an unknown version, or a text that is no snapshot.
 */
export const RestoreError = /* @__PURE__ */ marked(
  "RestoreError",
  class extends Error {
    declare readonly code: "RESTORE";

    constructor(message: string) {
      super(message);
      this.name = "RestoreError";
      this.code = "RESTORE";
    }
  },
);
export type RestoreError = InstanceType<typeof RestoreError>;

/** The WebAssembly instance trapped: its memory ran out, or there is a bug. A new instance is in place when this is thrown. */
export const InternalError = /* @__PURE__ */ marked(
  "InternalError",
  class extends Error {
    declare readonly code: "INTERNAL" | "OUT_OF_MEMORY";

    constructor(trap: unknown, memory?: MemoryUse) {
      const ranOut =
        memory &&
        `the interpreter's memory ran out: ${Math.round(memory.used / 1e6)} of ${Math.round(memory.most / 1e6)} MB were in use and more was needed for ${memory.needed}; use smaller payloads, or keep less history (history: "none")`;
      super(ranOut ?? `internal error, please report it: ${messageOf(trap)}`, { cause: trap });
      this.name = "InternalError";
      this.code = ranOut ? "OUT_OF_MEMORY" : "INTERNAL";
    }
  },
);
export type InternalError = InstanceType<typeof InternalError>;

/** The reason of a task's aborted `signal`. Its name is AbortError, which `fetch` and others check. */
export const TaskCancelled = /* @__PURE__ */ marked(
  "TaskCancelled",
  class extends Error {
    declare readonly code: "TASK_CANCELLED";
    declare readonly reason: CancelReason;

    constructor(reason: CancelReason, state: string, options?: ErrorOptions) {
      const why = {
        Timeout: "its TimeoutSeconds have passed",
        Heartbeat: "no heartbeat came within its HeartbeatSeconds",
        SiblingFailed: "another branch or iteration has failed",
        Stopped: "the execution has ended",
        Cancelled: "the execution was asked to end",
      };
      super(`the task of state ${JSON.stringify(state)} was cancelled: ${why[reason] ?? reason}`, options);
      this.name = "AbortError";
      this.code = "TASK_CANCELLED";
      this.reason = reason;
    }
  },
);
export type TaskCancelled = InstanceType<typeof TaskCancelled>;

/** Creates an error for misuse of this package, with a stable code. */
export function misuse(code: ErrorCode | AwsErrorCode, message: string, Kind: new (message: string) => Error = TypeError): CodedError {
  return Object.assign(new Kind(message), { code });
}

// The class of the module's errors by code. All other errors are an Error.
const KINDS: Readonly<Record<string, new (message: string) => Error>> = {
  INVALID_ARGUMENT: TypeError,
  INVALID_OPTION: TypeError,
  NOT_JSON: SyntaxError,
  UNKNOWN_TASK: RangeError,
  ValidationException: RangeError,
};

/** An error as the module throws it. */
export interface ModuleError {
  code?: string;
  message: string;
  /** What the service's model refuses in a mocked result of TestState. */
  mockProblem?: string;
}

/** Converts an object that the module has thrown to an error. */
export function refusal({ code = "INTERNAL", message, ...facts }: ModuleError): CodedError {
  return code === "RESTORE" ? new RestoreError(message) : Object.assign(new (KINDS[code] ?? Error)(message), { code }, facts);
}

/** Returns the message of an error, or any other thrown value as text. */
export function messageOf(thrown: unknown): string {
  try {
    return String((thrown as Partial<Error> | null | undefined)?.message ?? thrown);
  } catch {
    return "unknown error";
  }
}

/** Returns the code of an error. Undefined for other thrown values. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
