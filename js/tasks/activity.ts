// @ts-nocheck: has no types yet.
// Activities: work that is fetched, not brought (GetActivityTask).

import { misuse } from "../base/errors.ts";
import { argumentText } from "./integration.ts";
import { checkOptions, shown } from "../base/options.ts";

// Marks handlers that are no functions, also those of another copy of this package.
export const TAKER = Symbol.for("stepglass.Taker");

/** Whether a value of `tasks` takes calls itself. */
export function isTaker(handler) {
  return typeof handler === "object" && handler !== null && handler[TAKER] === true;
}

/**
 * A queue of tasks that workers fetch. As a value of `tasks` it takes the tasks of its activity, of any number of
 * executions; they are started when a worker takes them.
 */
export class Activity {
  // Tasks that nobody has taken, and workers that wait for one; never both.
  #offers = [];
  #workers = [];
  #taken = new Map();

  get [TAKER]() {
    return true;
  }

  /** How many tasks wait for a worker. */
  get waiting() {
    return this.#offers.filter(({ call }) => !call.ended).length;
  }

  /** The next task, as soon as there is one; rejects when `signal` aborts. */
  getTask(options = {}) {
    checkOptions(options, ["workerName", "signal"], "getTask()");
    const { workerName, signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const worker = { workerName, resolve: (task) => (signal?.removeEventListener("abort", leave), resolve(task)) };
      const leave = () => {
        this.#workers = this.#workers.filter((other) => other !== worker);
        reject(signal.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#workers.push(worker);
      this.#match();
    });
  }

  /** Completes the task with this token: SendTaskSuccess. False if the task has ended already. */
  succeed(token, output) {
    return this.#complete(token, "succeed", argumentText(output, "the output"));
  }

  /** Fails the task with this token: SendTaskFailure. False if the task has ended already. */
  fail(token, failure = {}) {
    if (typeof failure !== "object" || failure === null) throw misuse("INVALID_ARGUMENT", `fail() takes an object with error and cause, not ${shown(failure)}`);
    const { error, cause } = failure;
    for (const [name, value] of [["error", error], ["cause", cause]]) {
      if (value !== undefined && value !== null && typeof value !== "string") throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
    }
    return this.#complete(token, "fail", error, cause);
  }

  /** Says that the task with this token is alive: SendTaskHeartbeat. False if the task has ended already. */
  heartbeat(token) {
    return this.#complete(token, "heartbeat");
  }

  /** For the driver: a task of the activity is scheduled. */
  take(call, driver) {
    call.onEnd = () => this.#taken.delete(call.command.token);
    this.#offers.push({ call, driver });
    this.#match();
  }

  #complete(token, method, ...rest) {
    const task = this.#taken.get(token);
    if (task === undefined) return false;
    return task.driver.complete(task.call, method, ...rest);
  }

  #match() {
    while (this.#offers.length > 0 && this.#workers.length > 0) {
      const { call, driver } = this.#offers.shift();
      // It has timed out, or its execution has ended.
      if (call.ended) continue;
      const { workerName, resolve } = this.#workers.shift();
      const { task, token, input } = call.command;
      this.#taken.set(token, { call, driver });
      driver.post("started", task, workerName);
      resolve({ taskToken: token, input, task: call.task });
    }
  }
}
