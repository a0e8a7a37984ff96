// A thread of a pool, as the pool uses it.

import { Worker } from "node:worker_threads";
import { messageOf } from "../../core/base/errors.ts";
import type { AbortMessage, Broken, Ended, JobMessage, MachineMessage, Report, Results, ThreadData, Work } from "./messages.ts";

/** The owner of a thread, which receives its events. */
export interface ThreadOwner {
  /** An execution has succeeded. The output is a JSON text. */
  succeeded(job: number, output: string): void;
  /** An execution has ended in another way. */
  ended(ended: Ended | Broken): void;
  /** The executions that have ended in one turn were all reported. */
  rested(): void;
  /** The thread has ended. The executions that it was running are lost. */
  died(thread: Thread, lost: number[], why: string): void;
}

export class Thread {
  /** The executions that the thread is running. */
  readonly jobs = new Set<number>();
  /** Resolves when the thread has loaded the handlers. */
  readonly ready: Promise<void>;
  #worker: Worker;
  #owner: ThreadOwner;
  #known = new Set<number>();
  #work: Work | undefined;
  #problem: string | undefined;
  #exited: Promise<void>;

  constructor(file: URL, data: ThreadData, owner: ThreadOwner) {
    this.#owner = owner;
    this.#worker = new Worker(file, { workerData: data });
    let loaded: () => void;
    let refused: (why: Error) => void;
    this.ready = new Promise((resolve, reject) => ([loaded, refused] = [resolve, reject]));
    this.ready.catch(() => {});
    this.#worker.on("message", (report: Report) => {
      if ("succeeded" in report) this.#settle(report);
      else if ("ready" in report) {
        if (this.jobs.size === 0) this.#worker.unref();
        loaded();
      } else {
        this.#problem = report.unready;
        void this.end();
      }
    });
    this.#worker.on("error", (error) => (this.#problem = messageOf(error)));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        const why = this.#problem ?? `it exited with code ${code}`;
        refused(new Error(why));
        const lost = [...this.jobs];
        this.jobs.clear();
        owner.died(this, lost, why);
        resolve();
      });
    });
  }

  /** Starts an execution on the thread. `describe` returns the machine, if the thread does not know it yet. */
  start(job: JobMessage, describe: () => MachineMessage): void {
    const work = this.#planned();
    if (!this.#known.has(job.machine)) {
      this.#known.add(job.machine);
      work.machines.push(describe());
    }
    work.jobs.push(job.job, job.machine, job.input, job.options);
    // The process must stay alive while the thread is running executions.
    if (this.jobs.size === 0) this.#worker.ref();
    this.jobs.add(job.job);
  }

  abort(message: AbortMessage): void {
    this.#planned().aborts.push(message);
  }

  /** Ends the thread, even while it is running executions. */
  async end(): Promise<void> {
    void this.#worker.terminate();
    await this.#exited;
  }

  /** Returns the message of this turn. It is sent at the end of the turn. */
  #planned(): Work {
    if (this.#work !== undefined) return this.#work;
    const work: Work = { machines: [], jobs: [], aborts: [] };
    this.#work = work;
    queueMicrotask(() => {
      this.#work = undefined;
      this.#worker.postMessage(work);
    });
    return work;
  }

  #settle({ succeeded, others }: Results): void {
    for (let at = 0; at < succeeded.length; at += 2) {
      const job = succeeded[at] as number;
      this.jobs.delete(job);
      this.#owner.succeeded(job, succeeded[at + 1] as string);
    }
    for (const ended of others) {
      this.jobs.delete(ended.job);
      this.#owner.ended(ended);
    }
    this.#owner.rested();
    if (this.jobs.size === 0) this.#worker.unref();
  }
}
