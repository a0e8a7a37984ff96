// One call of a task's handler, and the facts of its answer.

import type { Execution, InvokeCommand, TaskHandler } from "../../core/api/index.d.ts";
import { TaskCancelled, misuse } from "../../core/base/errors.ts";
import { Call, answerOf, beatText } from "../../core/driver/calls.ts";
import { Task, type TaskHost } from "../../core/driver/task.ts";
import type { ExecutionInfo } from "../../core/execution/execution.ts";
import { failure, submittedText, taskInput } from "../../core/tasks/integration.ts";
import type { Handlers, MissingHandler } from "../../core/tasks/resource.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { Answer } from "./events.ts";

// The longest delay of setTimeout; a longer one fires at once.
const LONGEST = 2 ** 31 - 1;

/** The surroundings of an attempt. */
export interface AttemptOptions {
  handlers: Handlers;
  info: ExecutionInfo;
  now: () => number;
  /** Aborts when the task was cancelled, or when another worker may have taken over. */
  signal: AbortSignal;
  beats?: { get(key: string): string | undefined } | undefined;
  /** Is called for each heartbeat. */
  onBeat?: (details?: string) => void;
}

/** The task's view of its execution, which may run in another process. */
class Surroundings implements TaskHost {
  readonly execution: TaskHost["execution"];
  readonly beats: TaskHost["beats"];
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.beats = options.beats;
    const { name, arn } = options.info;
    const elsewhere = (): never => {
      throw misuse("INVALID_ARGUMENT", "the execution is on Restate: answer tasks with the methods of a RestateClient", Error);
    };
    this.execution = { name, arn: arn as string, succeed: elsewhere, fail: elsewhere, heartbeat: elsewhere } as Pick<
      Execution,
      "name" | "arn" | "succeed" | "fail" | "heartbeat"
    >;
  }

  heartbeat(_task: number, details?: unknown): void {
    this.#options.onBeat?.(details === undefined ? undefined : beatText(details));
  }

  sleep(task: Task, milliseconds: number): Promise<void> {
    const duration = Number(milliseconds);
    if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
    return new Promise((resolve, reject) => {
      const { signal } = task;
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const end = Date.now() + duration;
      let timer: ReturnType<typeof setTimeout>;
      const wait = () => {
        const left = end - Date.now();
        if (left > 0) return void (timer = setTimeout(wait, Math.min(left, LONGEST)));
        signal.removeEventListener("abort", stop);
        resolve();
      };
      wait();
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }
}

/** Returns the facts that come before the handler's answer. */
export function begunFacts(handlers: Handlers, command: InvokeCommand, now: number): Fact[] {
  const { resource: text, state, input, task } = command;
  if (typeof handlers.find(text, state, input) !== "function") return [];
  const resource = handlers.resource(text);
  if (resource.kind === "activity") return [["started", task, undefined]];
  if (resource.pattern.startsWith("sync")) return [["submitted", task, submittedText(resource, command, now)]];
  return [];
}

/**
 * Makes an attempt within an invocation. If the invocation's attempt has ended, its answer is obsolete, so the promise is never
 * resolved.
 */
export async function attemptIn(ended: AbortSignal, command: InvokeCommand, options: AttemptOptions): Promise<Answer> {
  const answer = await attempt(command, { ...options, signal: AbortSignal.any([options.signal, ended]) });
  return ended.aborted ? new Promise(() => {}) : answer;
}

/**
 * Calls the handler of a task. Rejects only if this worker lacks the handler and the task waits for it. A cancelled task has an
 * answer
 * without facts.
 */
export async function attempt(command: InvokeCommand, options: AttemptOptions): Promise<Answer> {
  const { handlers, now, signal } = options;
  const { resource: text, state, input, task: id } = command;
  const handler = handlers.find(text, state, input);
  if (typeof handler !== "function") {
    const { error, cause, waits } = handler === undefined ? handlers.missing(text, state, input) : notHere(text);
    // Restate retries the invocation until a worker has the handler.
    if (waits) throw misuse("EXECUTION_SUSPENDED", cause, Error);
    return { at: now(), facts: [["fail", id, error, cause]] };
  }
  const resource = handlers.resource(text);
  const task = new Task(command, new Surroundings(options));
  const call = new Call(command, resource, task);
  const cancelled = cancellation(task, signal);
  try {
    const value = await Promise.race([answered(handler, taskInput(resource, input), task), cancelled.promise]);
    if (value === CANCELLED) return { at: now(), facts: [] };
    return { at: now(), facts: [answerOf(call, value, { now }, handlers.isStrict)] };
  } catch (thrown) {
    if (signal.aborted) return { at: now(), facts: [] };
    const { error, cause } = failure(resource, command, thrown, now());
    return { at: now(), facts: [["fail", id, error, cause]] };
  } finally {
    cancelled.leave();
  }
}

async function answered(handler: TaskHandler, input: unknown, task: Task): Promise<unknown> {
  return handler(input, task);
}

function notHere(resource: string): MissingHandler {
  const cause = `The handler of ${JSON.stringify(resource)} takes tasks like an activity. On Restate, a handler must be a function.`;
  return { error: "States.TaskFailed", cause };
}

const CANCELLED = Symbol("cancelled");

/** Aborts a task's signal when another signal aborts. The promise resolves at the same time. */
function cancellation(task: Task, signal: AbortSignal): { promise: Promise<typeof CANCELLED>; leave: () => void } {
  let leave = () => {};
  const promise = new Promise<typeof CANCELLED>((resolve) => {
    const cancel = () => {
      Task.cancel(task, reasonOf(signal));
      resolve(CANCELLED);
    };
    if (signal.aborted) return cancel();
    signal.addEventListener("abort", cancel, { once: true });
    leave = () => signal.removeEventListener("abort", cancel);
  });
  return { promise, leave };
}

function reasonOf({ reason }: AbortSignal): TaskCancelled["reason"] {
  return reason instanceof TaskCancelled ? reason.reason : "Stopped";
}
