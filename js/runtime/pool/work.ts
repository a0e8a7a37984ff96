// The work of a pool's thread: runs executions, and reports how they end.

import type { MessagePort } from "node:worker_threads";
import type { StateMachine as PublicMachine, TaskHandlers } from "../../core/api/index.d.ts";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import { type Execution, release } from "../../core/execution/execution.ts";
import { StateMachine, failureOf } from "../../core/execution/machine.ts";
import { exportedHandlers } from "../../core/tasks/handlers.ts";
import { jsonText } from "../../core/tasks/integration.ts";
import { KnownText } from "../../core/tasks/known-text.ts";
import type { Broken, Ended, JobMessage, JobOptions, Report, Results, ThreadData, Work } from "./messages.ts";

/** Loads the handlers, and runs executions until the thread is ended. */
export async function work(port: MessagePort, { handlers }: ThreadData): Promise<void> {
  const say = (report: Report): void => port.postMessage(report);
  try {
    const tasks = handlers === undefined ? {} : exportedHandlers((await import(handlers)) as Record<string, unknown>, handlers);
    const worker = new Worker(say, tasks as TaskHandlers);
    port.on("message", (message: Work) => worker.take(message));
    say({ ready: true });
  } catch (error) {
    say({ unready: messageOf(error) });
  }
}

class Worker {
  #say: (report: Report) => void;
  #tasks: TaskHandlers;
  #machines = new Map<number, PublicMachine>();
  #running = new Map<number, Execution>();
  #results: Results | undefined;

  constructor(say: (report: Report) => void, tasks: TaskHandlers) {
    this.#say = say;
    this.#tasks = tasks;
  }

  take({ machines, jobs, aborts }: Work): void {
    for (const { machine, definition, options } of machines) this.#machines.set(machine, new StateMachine(definition, options));
    for (let at = 0; at < jobs.length; at += 4) {
      const [job, machine, input, options] = jobs.slice(at, at + 4) as [number, number, string, JobOptions | undefined];
      this.#start({ job, machine, input, options });
    }
    for (const { job, error, cause } of aborts) this.#running.get(job)?.abort(error, cause);
  }

  #start({ job, machine, input, options }: JobMessage): void {
    let execution: Execution;
    try {
      const found = this.#machines.get(machine) as PublicMachine;
      execution = found.start(new KnownText(input), { history: "none", ...options, tasks: this.#tasks }) as Execution;
    } catch (error) {
      this.#report({ job, problem: problemOf(error) });
      return;
    }
    this.#running.set(job, execution);
    execution.result
      .then((result) => {
        const ended: Ended = { job, status: result.status };
        if (result.status === "SUCCEEDED") ended.output = jsonText(result.output);
        else Object.assign(ended, result, failed(execution));
        if (options?.history === "full") ended.history = JSON.stringify(execution.history());
        release(execution);
        return ended;
      })
      .catch((error): Broken => ({ job, problem: problemOf(error) }))
      .then((ended) => {
        this.#running.delete(job);
        this.#report(ended);
      });
  }

  /** Reports an end. All ends of one turn of the event loop are sent in one message. */
  #report(ended: Ended | Broken): void {
    if (this.#results === undefined) {
      const results: Results = { succeeded: [], others: [] };
      this.#results = results;
      setImmediate(() => {
        this.#results = undefined;
        this.#say(results);
      });
    }
    if ("output" in ended && ended.history === undefined) this.#results.succeeded.push(ended.job, ended.output as string);
    else this.#results.others.push(ended);
  }
}

/** Returns the details of a failure. */
function failed(execution: Execution): Pick<Ended, "state" | "thrown"> {
  const { state, thrown } = failureOf(execution);
  return { ...(state !== undefined && { state }), ...(thrown !== undefined && { thrown: { value: cloneable(thrown.value) } }) };
}

function problemOf(error: unknown): Broken["problem"] {
  const code = codeOf(error);
  return { name: error instanceof Error ? error.name : "Error", message: messageOf(error), ...(typeof code === "string" && { code }) };
}

/** Returns what a handler threw, as far as it can be copied to another thread. */
function cloneable(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return new Error(messageOf(value));
  }
}
