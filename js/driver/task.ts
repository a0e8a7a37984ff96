// @ts-nocheck: has no types yet.
// One attempt of a Task, as its handler sees it.

import { TaskCancelled } from "../base/errors.ts";

/** The second argument of a task handler. */
export class Task {
  #command;
  #driver;
  #controller;
  #cancelled;
  #heartbeat;
  #sleep;

  constructor(command, driver) {
    this.#command = command;
    this.#driver = driver;
  }

  /** Numbers the attempts of this execution from 1 on. */
  get id() {
    return this.#command.task;
  }

  /** The state's name. */
  get stateName() {
    return this.#command.state;
  }

  /** `Resource` as written. */
  get resource() {
    return this.#command.resource;
  }

  /** The whole request, before anything is taken out of it for the handler's first argument. */
  get parameters() {
    return this.#command.input;
  }

  /** 0 for the first attempt, +1 for each retry. */
  get attempt() {
    return this.#command.attempt;
  }

  /** The task token of `.waitForTaskToken`, `.sync` and activity tasks. */
  get token() {
    return this.#command.token;
  }

  /** Seconds until the task times out. */
  get timeoutSeconds() {
    return this.#command.timeout;
  }

  /** Seconds allowed between two heartbeats. */
  get heartbeatSeconds() {
    return this.#command.heartbeat;
  }

  /** `Credentials`, evaluated. */
  get credentials() {
    return this.#command.credentials;
  }

  /** The indices in the Maps around the state, the innermost last. */
  get iterations() {
    return this.#command.iterations ?? [];
  }

  /** "Task", or "ItemReader" and "ResultWriter" for the calls that a Distributed Map makes. */
  get purpose() {
    return this.#command.purpose ?? "Task";
  }

  /** The execution that the task is part of. */
  get execution() {
    return this.#driver.execution;
  }

  /** Aborts once, when nobody waits for the task any more. Made when it is first looked at. */
  get signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled !== undefined) this.#abort();
    }
    return this.#controller.signal;
  }

  /** Says that the work goes on: the heartbeat's time starts anew. */
  get heartbeat() {
    // Made when it is asked for: it may be taken off its object, and most tasks need none.
    return (this.#heartbeat ??= () => this.#driver.heartbeat(this.#command.task));
  }

  /** Resolves after so many milliseconds of the execution's time, which with a virtual clock pass at once. */
  get sleep() {
    return (this.#sleep ??= (milliseconds) => this.#driver.sleep(this, milliseconds));
  }

  /** The JSON text of the request, or of a member of it, with the digits of its numbers; undefined where nobody waits any more. */
  static inputText(task, member) {
    return task.#driver.inputOf(task.#command.task, member);
  }

  /** For the driver: nobody waits any more. */
  static cancel(task, reason, because) {
    if (task.#cancelled !== undefined) return;
    task.#cancelled = { reason, because };
    if (task.#controller !== undefined) task.#abort();
  }

  /** Tells the signal. Most tasks have none: for ten thousand that are cancelled at once, no error is made. */
  #abort() {
    const { reason, because } = this.#cancelled;
    this.#controller.abort(new TaskCancelled(reason, this.#command.state, because && { cause: because.value }));
  }
}
