// One thread of a pool, as the pool sees it.

import { Worker } from "node:worker_threads";
import { messageOf } from "../base/errors.ts";
import type { AbortMessage, Broken, Ended, JobMessage, MachineMessage, Report, Results, ThreadData, Work } from "./messages.ts";

/** Whom a thread tells. */
export interface ThreadOwner {
  /** An execution has succeeded: its output as JSON text. */
  succeeded(job: number, output: string): void;
  /** An execution has ended otherwise. */
  ended(ended: Ended | Broken): void;
  /** A turn's executions have ended. */
  rested(): void;
  /** The thread has ended, with the executions that it had. */
  died(thread: Thread, lost: number[], why: string): void;
}

export class Thread {
  /** The executions that it has. */
  readonly jobs = new Set<number>();
  /** Resolves when it has loaded the handlers. */
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
      if ("succeeded" in report) this.#tell(report);
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

  /** Gives it an execution; `describe` has the machine, if it does not know that. */
  start(job: JobMessage, describe: () => MachineMessage): void {
    const work = this.#planned();
    if (!this.#known.has(job.machine)) {
      this.#known.add(job.machine);
      work.machines.push(describe());
    }
    work.jobs.push(job.job, job.machine, job.input, job.options);
    // As long as it works, the process lives.
    if (this.jobs.size === 0) this.#worker.ref();
    this.jobs.add(job.job);
  }

  abort(message: AbortMessage): void {
    this.#planned().aborts.push(message);
  }

  /** Ends it, whatever it does. */
  async end(): Promise<void> {
    void this.#worker.terminate();
    await this.#exited;
  }

  /** What it is told at the end of this turn: all at once. */
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

  #tell({ succeeded, others }: Results): void {
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
