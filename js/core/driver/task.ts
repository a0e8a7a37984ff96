// One attempt of a Task: the object that its handler gets.

import { TaskCancelled } from "../base/errors.ts";
import type { CancelReason, Execution, InvokeCommand, Task as PublicTask } from "../api/index.d.ts";
import type { Thrown } from "../base/errors.ts";

/** The part of a driver that a task's methods need. */
export interface TaskHost {
  /** Executions in the debugger have only these members. */
  readonly execution: Pick<Execution, "name" | "arn" | "succeed" | "fail" | "heartbeat">;
  heartbeat(task: number, details?: unknown): void;
  /** The details of the last heartbeats. */
  readonly beats?: { get(key: string): string | undefined } | undefined;
  sleep(task: Task, milliseconds: number): Promise<void>;
  inputOf?(task: number, member?: string): string | undefined;
  submission?(task: number): (text: string) => void;
  readonly isAbandoned?: boolean;
}

/** The second argument of a task handler. */
export class Task implements PublicTask {
  #command: InvokeCommand;
  #driver: TaskHost;
  #controller: AbortController | undefined;
  #cancelled: { reason: CancelReason; because: Thrown | undefined } | undefined;
  #heartbeat: ((details?: unknown) => void) | undefined;
  #sleep: ((milliseconds: number) => Promise<void>) | undefined;

  constructor(command: InvokeCommand, driver: TaskHost) {
    this.#command = command;
    this.#driver = driver;
  }

  /** Numbers the attempts of this execution from 1 on. */
  get id(): number {
    return this.#command.task;
  }

  /** The state's name. */
  get stateName(): string {
    return this.#command.state;
  }

  /** `Resource` as written. */
  get resource(): string {
    return this.#command.resource;
  }

  /** The whole request, including what is left out of the handler's first argument. */
  get parameters(): unknown {
    return this.#command.input;
  }

  /** 0 for the first attempt, +1 for each retry. */
  get attempt(): number {
    return this.#command.attempt;
  }

  /** Identifies this entry of the state, over all attempts. */
  get idempotencyKey(): string {
    const { entered, child, purpose, task } = this.#command;
    const key = `${this.#driver.execution.arn}/${child === undefined ? "" : `${child}/`}${entered}`;
    // A Distributed Map makes many such calls in one stay in its state.
    return purpose === undefined ? key : `${key}/${task}`;
  }

  /** The task token of `.waitForTaskToken`, `.sync` and activity tasks. */
  get token(): string | undefined {
    return this.#command.token;
  }

  /** Seconds until the task times out. */
  get timeoutSeconds(): number | undefined {
    return this.#command.timeout;
  }

  /** Seconds allowed between two heartbeats. */
  get heartbeatSeconds(): number | undefined {
    return this.#command.heartbeat;
  }

  /** `Credentials`, evaluated. */
  get credentials(): unknown {
    return this.#command.credentials;
  }

  /** The indices in the Maps around the state, the innermost last. */
  get iterations(): readonly number[] {
    return this.#command.iterations ?? [];
  }

  /** "Task", or "ItemReader" and "ResultWriter" for the calls that a Distributed Map makes. */
  get purpose(): PublicTask["purpose"] {
    return this.#command.purpose ?? "Task";
  }

  /** The execution that the task is part of. */
  get execution(): Execution {
    return this.#driver.execution as Execution;
  }

  /** Aborts once, when the task is cancelled. The signal is created when it is first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#abort();
    }
    return this.#controller.signal;
  }

  /** Reports that the task is still running, and restarts the heartbeat timeout. */
  get heartbeat(): (details?: unknown) => void {
    // The function is created at the first read, because most tasks need none. It is bound, so that it also works without its
    // object.
    return (this.#heartbeat ??= (details) => this.#driver.heartbeat(this.#command.task, details));
  }

  /** The details of the last heartbeat that had any, of this attempt or an earlier one. */
  get lastHeartbeat(): unknown {
    const text = this.#driver.beats?.get(this.idempotencyKey);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Resolves after this many milliseconds of the execution's time. */
  get sleep(): (milliseconds: number) => Promise<void> {
    return (this.#sleep ??= (milliseconds) => this.#driver.sleep(this, milliseconds));
  }

  /**
   * Returns the JSON text of the request, or of a member of it, with the original digits of its numbers; undefined after the task
   * has ended.
   */
  static inputText(task: Task, member?: string): string | undefined {
    return task.#driver.inputOf?.(task.#command.task, member);
  }

  /**
   * Returns the function that submits the service's answer to the request of a `.sync` task, as JSON text; undefined if the host
   * makes one up.
   * Must be called synchronously in the handler.
   */
  static submission(task: Task): ((text: string) => void) | undefined {
    return task.#driver.submission?.(task.#command.task);
  }

  /** Returns whether the execution continues elsewhere, so that what the task has started is still needed. */
  static isLeft(task: Task): boolean {
    return task.#driver.isAbandoned === true;
  }

  /** Called by the driver when the task is cancelled. */
  static cancel(task: Task, reason: CancelReason, because?: Thrown): void {
    if (task.#cancelled !== undefined) return;
    task.#cancelled = { reason, because };
    task.#abort();
  }

  /** Aborts the signal. If a task's signal was never read, no error is created: ten thousand tasks may be cancelled at once. */
  #abort(): void {
    if (this.#controller === undefined || this.#cancelled === undefined) return;
    const { reason, because } = this.#cancelled;
    this.#controller.abort(new TaskCancelled(reason, this.#command.state, because && { cause: because.value }));
  }
}
