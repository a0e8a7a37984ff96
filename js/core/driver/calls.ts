// Keeps the open calls of an execution's tasks, converts the answers of their handlers to facts, and has the number of their sleeps.

import { isObject } from "../base/json.ts";
import { messageOf, misuse } from "../base/errors.ts";
import type { CodedError } from "../base/errors.ts";
import type { CancelReason, ExecutionSnapshot, HistoryEvent, InvokeCommand, TaskHandler } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";
import type { EndedCall, HandlerCall, NestedExecution, TaskCall, TaskDriver, Taker } from "../tasks/call.ts";
import { answerText } from "./answer.ts";
import { answeredFailure, answeredValue, argumentText, resultText } from "../tasks/integration.ts";
import { checkLoss } from "../tasks/json-loss.ts";
import type { Resource } from "../tasks/resource.ts";
import { Task } from "./task.ts";

/** One task between its invocation and its end. */
export class Call implements HandlerCall {
  readonly command: InvokeCommand;
  readonly resource: Resource;
  readonly task: Task;
  /** Whether the handler's promise is pending. */
  pending = false;
  /** The number of the handler's current sleeps. A sleeping handler does not stop virtual time. */
  sleeps = 0;
  /** Whether the next answer is only that of the request, as with a task token. */
  submits: boolean;
  answered = false;
  ended = false;
  onCancel: ((reason: CancelReason) => void) | undefined = undefined;
  onEnd: (() => void) | undefined = undefined;
  onEndRequest: (() => void) | undefined = undefined;
  child: NestedExecution | undefined = undefined;

  constructor(command: InvokeCommand, resource: Resource, task: Task) {
    this.command = command;
    this.resource = resource;
    this.task = task;
    this.submits = resource.pattern === "waitForTaskToken";
  }

  /** Asks the handler to end: its signal is aborted, but its answer is still accepted. */
  requestEnd(): void {
    Task.cancel(this.task, "Cancelled");
    this.onEndRequest?.();
  }

  /** Whether the task waits for an answer from outside, by its token. Such a task is not called again after a restart. */
  get isOutside(): boolean {
    return this.child === undefined && !this.pending && this.submits && this.answered;
  }

  /** Whether the task waits for an execution with a record of its own, whose end is reported in this process. */
  get isWatched(): boolean {
    return this.child?.isStored === true && !this.pending;
  }
}

/**
 * The calls of an execution that have not ended, the oldest first. Most executions have one call at a time, so the first one needs
 * no map.
 */
export class OpenCalls {
  /** The oldest call. */
  #first: Call | undefined;
  #others: Map<number, Call> | undefined;

  add(call: Call): void {
    if (this.isEmpty) this.#first = call;
    else (this.#others ??= new Map()).set(call.command.task, call);
  }

  get(task: number): Call | undefined {
    return this.#first?.command.task === task ? this.#first : this.#others?.get(task);
  }

  delete(call: Call): void {
    if (this.#first === call) this.#first = undefined;
    else this.#others?.delete(call.command.task);
  }

  get isEmpty(): boolean {
    return this.#first === undefined && (this.#others === undefined || this.#others.size === 0);
  }

  /** Returns a list of the current calls. */
  list(): Call[] {
    const others = this.#others === undefined ? [] : [...this.#others.values()];
    if (this.#first !== undefined) others.unshift(this.#first);
    return others;
  }
}

/** The drivers of executions that have started each other. */
export interface DriverFamily {
  readonly drivers: Set<TaskDriver>;
}

/** The details of the last heartbeats, as JSON texts by the keys of the tasks. */
export interface Beats {
  get(key: string): string | undefined;
  set(key: string, details: string): unknown;
}

// Maximum length of a heartbeat's details, in characters, as in the Flow Framework.
const LONGEST_DETAILS = 2048;

/** Returns the JSON text of a heartbeat's details. */
export function beatText(details: unknown): string {
  const text = argumentText(details, "the details of a heartbeat");
  if (text.length > LONGEST_DETAILS)
    throw misuse(
      "INVALID_ARGUMENT",
      `the details of a heartbeat have at most ${LONGEST_DETAILS} characters as JSON, not ${text.length}`,
      RangeError,
    );
  return text;
}

/** Returns the last event of an execution that its engine could not end. */
export function crashEvent(last: number, now: number, error: string, cause: string): HistoryEvent {
  return {
    id: last + 1,
    previousEventId: last,
    timestamp: new Date(now).toISOString(),
    type: "ExecutionFailed",
    executionFailedEventDetails: { error, cause },
  };
}

/** Stands for every ended call, so that its token is still recognized although the call itself is released. */
export const ENDED: EndedCall = { ended: true };

/** Returns the fact for the answer of a task's handler. */
export function answerOf({ command, resource, submits }: Call, value: unknown, clock: { now(): number }, strict = false): Fact {
  const { task } = command;
  const reads = command.purpose === "ItemReader";
  if (reads && isObject(value) && typeof value.Body === "string" && value.Contents === undefined) return ["items", task, value.Body, true];
  const failed = answeredFailure(resource, value);
  if (failed !== undefined) return ["fail", task, failed.error, failed.cause];
  let text: string;
  let plain: string | undefined;
  try {
    plain = resource.kind === "service" ? undefined : answerText(value);
    text = plain ?? resultText(resource, command, value, clock.now());
  } catch (thrown) {
    return ["fail", task, "States.TaskFailed", `${nameOf(command)} cannot be written as JSON: ${messageOf(thrown)}`];
  }
  try {
    // A plain answer can have lone surrogates, which are written as escapes, but nothing else that JSON would change.
    if (plain === undefined || plain.includes("\\ud")) checkLoss(answeredValue(value), nameOf(command), strict);
  } catch (thrown) {
    return ["fail", task, "States.TaskFailed", messageOf(thrown)];
  }
  if (reads) return ["items", task, text, false];
  return [submits ? "submitted" : "succeed", task, text];
}

/** Returns what messages call the answer of a task. It is not written for each answer, because that takes a tenth of a small Task. */
function nameOf({ state }: InvokeCommand): string {
  return `the answer of the handler for state ${JSON.stringify(state)}`;
}

/** Returns the fact that replaces an answer which the engine refuses, because it is too large or nested too deeply. */
export function refusedAnswer(method: Fact[0], task: number, thrown: unknown): Fact | undefined {
  const why = messageOf(thrown);
  if (thrown instanceof Error && (thrown as Partial<CodedError>).code === "PAYLOAD_TOO_LARGE")
    return ["fail", task, "States.DataLimitExceeded", why];
  if (method === "succeed" || method === "submitted")
    return ["fail", task, "States.TaskFailed", `the handler's answer cannot be read: ${why}`];
  return undefined;
}

/** An execution that a task waited for when the snapshot was taken. */
export type NestedSnapshot = NonNullable<ExecutionSnapshot["nested"]>[number];

/** A handler that starts executions, and can wait for a restored one. */
interface Resumer extends Taker {
  resume(call: TaskCall, driver: TaskDriver, child: NestedSnapshot): void;
}

/** Returns whether a handler can wait for a restored execution. */
export function isResumer(handler: Taker | TaskHandler): handler is Resumer {
  return "resume" in handler;
}
