// Activities: queues of tasks that workers fetch (GetActivityTask).

import { misuse } from "../base/errors.ts";
import { argumentText } from "./integration.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import type { Activity as PublicActivity, ActivityTask } from "../api/index.d.ts";
import { type Completion, type HandlerCall, TAKER, type TaskDriver, type Taker } from "./call.ts";

/** A task that waits for a worker, or for the answer of its worker. */
interface Offer {
  call: HandlerCall;
  driver: TaskDriver;
}

/** A worker that waits for a task. */
interface Worker {
  workerName: string | undefined;
  resolve(task: ActivityTask): void;
}

/**
 * A queue of tasks that workers fetch. As a value of `tasks`, it takes the tasks of its activity from any number of executions. A
 * task is reported as started when a worker takes it.
 */
export class Activity implements PublicActivity, Taker {
  // Tasks that no worker has taken, and workers that wait for a task. One of the two lists is always empty.
  #offers: Offer[] = [];
  #workers: Worker[] = [];
  #taken = new Map<string, Offer>();

  get [TAKER](): boolean {
    return true;
  }

  /** The number of tasks that wait for a worker. */
  get waiting(): number {
    return this.#offers.filter(({ call }) => !call.ended).length;
  }

  /** The number of tasks that workers have taken and that have not ended. */
  get active(): number {
    return this.#taken.size;
  }

  /** Resolves to the next task, as soon as there is one. Rejects if `signal` is aborted. */
  getTask(options: { workerName?: string; signal?: AbortSignal } = {}): Promise<ActivityTask> {
    checkOptions(options, ["workerName", "signal"], "getTask()");
    const { workerName, signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const worker: Worker = { workerName, resolve: (task) => (signal?.removeEventListener("abort", leave), resolve(task)) };
      const leave = () => {
        this.#workers = this.#workers.filter((other) => other !== worker);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#workers.push(worker);
      this.#match();
    });
  }

  /** Completes the task with this token, as SendTaskSuccess does. Returns false if the task has already ended. */
  succeed(token: string, output?: unknown): boolean {
    return this.#complete(token, "succeed", argumentText(output, "the output"));
  }

  /** Fails the task with this token, as SendTaskFailure does. Returns false if the task has already ended. */
  fail(token: string, failure: { error?: string; cause?: string } = {}): boolean {
    if (typeof failure !== "object" || failure === null)
      throw misuse("INVALID_ARGUMENT", `fail() takes an object with error and cause, not ${shown(failure)}`);
    const { error, cause } = failure;
    for (const [name, value] of Object.entries({ error, cause })) {
      if (value !== undefined && value !== null && typeof value !== "string")
        throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
    }
    return this.#complete(token, "fail", error, cause);
  }

  /** Reports that the task with this token is alive, as SendTaskHeartbeat does. Returns false if the task has already ended. */
  heartbeat(token: string): boolean {
    return this.#complete(token, "heartbeat");
  }

  /** Called by the driver when a task of the activity is scheduled. */
  take(call: HandlerCall, driver: TaskDriver): void {
    this.#offers.push({ call, driver });
    this.#match();
  }

  /** Called by the driver after a restart, for a task that a worker had taken before. */
  taken(call: HandlerCall, driver: TaskDriver): void {
    const { token = "" } = call.command;
    call.onEnd = () => this.#taken.delete(token);
    this.#taken.set(token, { call, driver });
  }

  #complete(token: string, ...completion: Completion): boolean {
    const task = this.#taken.get(token);
    if (task === undefined) return false;
    return task.driver.complete(task.call, ...completion);
  }

  #match() {
    for (;;) {
      const worker = this.#workers[0];
      const offer = worker && this.#offers.shift();
      if (worker === undefined || offer === undefined) return;
      // The task may have timed out, or its execution may have ended.
      if (offer.call.ended) continue;
      this.#workers.shift();
      // Every task of an activity has a token.
      const { task, token = "", input } = offer.call.command;
      this.taken(offer.call, offer.driver);
      offer.driver.post("started", task, worker.workerName);
      worker.resolve({ taskToken: token, input, task: offer.call.task });
    }
  }
}
