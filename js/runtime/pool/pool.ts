// Runs executions on worker threads. Distributes the executions, and handles the end of a thread.

import type {
  Execution,
  ExecutionResult,
  HistoryEvent,
  MachineOptions,
  PlatformSignal,
  StateMachine as PublicMachine,
} from "../../core/api/index.d.ts";
import type { Pool as PublicPool, PoolExecution, PoolMachine, PoolStartOptions } from "../../core/api/pool.d.ts";
import { asyncDispose } from "../../core/base/dispose.ts";
import { ExecutionError, messageOf, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { text } from "../../core/execution/execution.ts";
import { StateMachine, checkStart, reasonText } from "../../core/execution/machine.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import type { Broken, Ended, JobMessage, JobOptions } from "./messages.ts";
import { Thread, type ThreadOwner } from "./thread.ts";

const START_OPTIONS = [
  ...["name", "arn", "clock", "startTime", "signal", "seed", "history", "payloadLimit", "historyLimit", "stepBudget", "strict"],
] as const;
/** How many times an execution is started again because its thread has ended. */
const RESTARTS = 3;
/** How many threads may end in a row while no execution ends on any of them. */
const DEATHS = 10;

/** The settings of a pool. */
export interface Plan {
  /** The program of a thread. */
  file: URL;
  handlers: string | undefined;
  threads: number;
  concurrency: number;
  lost: "fail" | "restart";
}

/** An execution that has not ended. */
interface Job extends JobMessage {
  source: Source;
  starts: number;
  thread?: Thread;
  settle: (ended: Ended | Broken | Error) => void;
}

/** A machine, as it is described to threads. */
interface Source {
  number: number;
  machine: PublicMachine;
  options: MachineOptions;
}

export class Pool implements PublicPool, ThreadOwner {
  #plan: Plan;
  #threads: Thread[] = [];
  #jobs = new Map<number, Job>();
  /** The executions that wait for a thread. Those before `#next` have been given to one. */
  #queue: Job[] = [];
  #next = 0;
  #numbers = 0;
  #deaths = 0;
  #waiters: (() => void)[] = [];
  #closed: Promise<void> | undefined;
  /** The error because of which the pool runs nothing any more. */
  #broken: Error | undefined;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Starts the threads. */
  async open(): Promise<this> {
    this.#threads = Array.from({ length: this.#plan.threads }, () => this.#thread());
    try {
      await Promise.all(this.#threads.map(({ ready }) => ready));
    } catch (error) {
      this.#broken = misuse("LOAD_FAILED", `a thread of the pool could not be started: ${messageOf(error)}`, Error);
      await Promise.all(this.#threads.map((thread) => thread.end()));
      throw this.#broken;
    }
    return this;
  }

  get threads(): number {
    return this.#plan.threads;
  }

  get running(): number {
    return this.#jobs.size - this.waiting;
  }

  get waiting(): number {
    return this.#queue.length - this.#next;
  }

  machine(definition: object | string, options: MachineOptions = {}): PoolMachine {
    const machine = new StateMachine(definition, options);
    // The text of the machine already contains the substitutions.
    const { substitutions: _, ...others } = options;
    const source: Source = { number: this.#numbers++, machine, options: others };
    return new Machine(this, source);
  }

  async room(): Promise<void> {
    while (this.waiting >= this.#most && this.#broken === undefined) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** The number of executions that run at once. */
  get #most(): number {
    return this.#plan.threads * this.#plan.concurrency;
  }

  /** Maximum number of results of `each()` that wait for an earlier result. */
  get width(): number {
    return this.#most;
  }

  /** Adds an execution to the queue. */
  add(source: Source, input: string, options: JobOptions | undefined, settle: Job["settle"]): number {
    if (this.#closed) throw misuse("POOL_CLOSED", "the pool is closed", Error);
    if (this.#broken) throw this.#broken;
    const job = this.#numbers++;
    const entry: Job = { job, machine: source.number, input, options, source, starts: 0, settle };
    this.#jobs.set(job, entry);
    this.#queue.push(entry);
    this.#dispatch();
    return job;
  }

  abort(number: number, error: string | undefined, cause: string | undefined): void {
    const job = this.#jobs.get(number);
    if (job?.thread !== undefined) job.thread.abort({ job: number, error, cause });
    else if (job !== undefined) {
      // The execution has not started, so there is nothing to end in a thread.
      this.#queue.splice(this.#queue.indexOf(job, this.#next), 1);
      this.#settle(job, {
        job: number,
        status: "ABORTED",
        ...(error !== undefined && { error }),
        ...(cause !== undefined && { cause }),
      });
      this.#wake();
    }
  }

  close(options: { grace?: number } = {}): Promise<void> {
    checkOptions(options, ["grace"], "close()");
    return (this.#closed ??= this.#close(options.grace));
  }

  async [asyncDispose](): Promise<void> {
    await this.close();
  }

  succeeded(job: number, output: string): void {
    this.ended({ job, status: "SUCCEEDED", output });
  }

  ended(ended: Ended | Broken): void {
    this.#deaths = 0;
    const job = this.#jobs.get(ended.job);
    if (job !== undefined) this.#settle(job, ended);
  }

  rested(): void {
    this.#dispatch();
    this.#wake();
  }

  died(thread: Thread, lost: number[], why: string): void {
    const at = this.#threads.indexOf(thread);
    if (at < 0 || this.#broken) return;
    this.#deaths += 1;
    const again: Job[] = [];
    for (const number of lost) {
      const job = this.#jobs.get(number) as Job;
      delete job.thread;
      if (this.#plan.lost === "restart" && job.starts <= RESTARTS) again.push(job);
      else this.#settle(job, misuse("THREAD_ENDED", `the thread that ran the execution has ended: ${why}`, Error));
    }
    this.#queue = [...again, ...this.#queue.slice(this.#next)];
    this.#next = 0;
    if (this.#deaths > DEATHS) {
      this.#break(misuse("THREAD_ENDED", `${DEATHS} threads of the pool have ended in a row, the last one because: ${why}`, Error));
      return;
    }
    const other = this.#thread();
    this.#threads[at] = other;
    other.ready.catch(() => {});
    this.#dispatch();
    this.#wake();
  }

  #thread(): Thread {
    return new Thread(this.#plan.file, { handlers: this.#plan.handlers }, this);
  }

  /** Gives waiting executions to the threads that run the fewest. */
  #dispatch(): void {
    while (this.waiting > 0) {
      let idlest: Thread | undefined;
      for (const thread of this.#threads) if (idlest === undefined || thread.jobs.size < idlest.jobs.size) idlest = thread;
      if (idlest === undefined || idlest.jobs.size >= this.#plan.concurrency) return;
      const job = this.#queue[this.#next++] as Job;
      if (this.#next > 1000 && this.#next * 2 > this.#queue.length) {
        this.#queue = this.#queue.slice(this.#next);
        this.#next = 0;
      }
      job.starts += 1;
      job.thread = idlest;
      const { job: number, machine, input, options, source } = job;
      idlest.start({ job: number, machine, input, options }, () => ({
        machine,
        definition: source.machine.definition,
        options: source.options,
      }));
    }
  }

  #settle(job: Job, ended: Ended | Broken | Error): void {
    this.#jobs.delete(job.job);
    job.settle(ended);
  }

  /** Wakes those who wait for room or for the end, so that they check again. */
  #wake(): void {
    const waiters = this.#waiters;
    if (waiters.length === 0) return;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  #break(why: Error): void {
    this.#broken = why;
    this.#queue = [];
    this.#next = 0;
    for (const job of [...this.#jobs.values()]) this.#settle(job, why);
    this.#wake();
    for (const thread of this.#threads) void thread.end();
  }

  async #close(grace: number | undefined): Promise<void> {
    let over = false;
    const timer =
      grace === undefined || grace === Infinity
        ? undefined
        : setTimeout(() => {
            over = true;
            this.#wake();
          }, grace);
    while (this.#jobs.size > 0 && !over && this.#broken === undefined) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    clearTimeout(timer);
    const threads = this.#threads;
    this.#break(this.#broken ?? misuse("POOL_CLOSED", "the pool was closed before the execution had ended", Error));
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

class Machine implements PoolMachine {
  #pool: Pool;
  #source: Source;

  constructor(pool: Pool, source: Source) {
    this.#pool = pool;
    this.#source = source;
  }

  get diagnostics(): PublicMachine["diagnostics"] {
    return this.#source.machine.diagnostics;
  }

  start<Output = any>(input?: unknown, options: PoolStartOptions = {}): PoolExecution<Output> {
    return this.#begin(input, options, "start") as PoolExecution<Output>;
  }

  async run<Output = any>(input?: unknown, options: PoolStartOptions = {}): Promise<Output> {
    const execution = this.#begin(input, options, "run");
    const ended = await execution.ended;
    const result = resultOf(ended);
    if (result.status === "SUCCEEDED") return result.output;
    throw new ExecutionError(execution as unknown as Execution, result, ended.state, ended.thrown);
  }

  async *each<Output = any>(
    inputs: Iterable<unknown> | AsyncIterable<unknown>,
    options: Omit<PoolStartOptions, "name" | "arn"> = {},
  ): AsyncGenerator<ExecutionResult<Output>, void, undefined> {
    const begun: Started[] = [];
    const next = async () => resultOf(await (begun[0] as Started).ended);
    try {
      for await (const input of inputs) {
        begun.push(this.#begin(input, options, "each"));
        if (begun.length >= this.#pool.width) {
          yield await next();
          begun.shift();
        }
      }
      for (; begun.length > 0; begun.shift()) yield await next();
    } finally {
      for (const execution of begun) execution.abort();
    }
  }

  #begin(input: unknown, options: PoolStartOptions, where: string): Started {
    checkOptions(options, START_OPTIONS, `${where}() of a pool's machine`);
    const { signal, ...others } = options;
    if (options.clock !== undefined && options.clock !== "real" && options.clock !== "virtual")
      throw misuse("INVALID_OPTION", 'clock must be "real" or "virtual": a thread cannot have a clock of yours');
    const text = input === undefined ? "{}" : argumentText(input, "the input", options.strict);
    checkStart(options.name ?? "-", text, options);
    const execution = new Started(this.#pool);
    execution.number = this.#pool.add(this.#source, text, Object.keys(others).length > 0 ? others : undefined, execution.settle);
    if (signal !== undefined) listen(signal, execution);
    return execution;
  }
}

function listen(signal: PlatformSignal, execution: Started): void {
  const stop = () => execution.abort(undefined, reasonText(signal.reason));
  if (signal.aborted) return stop();
  signal.addEventListener("abort", stop, { once: true });
  const over = () => signal.removeEventListener("abort", stop);
  execution.ended.then(over, over);
}

class Started implements PoolExecution {
  readonly ended: Promise<Ended>;
  number = -1;
  #pool: Pool;
  #resolve!: (ended: Ended) => void;
  #reject!: (error: Error) => void;
  #result: Promise<ExecutionResult> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get result(): Promise<ExecutionResult> {
    return (this.#result ??= this.ended.then(resultOf));
  }

  readonly settle = (end: Ended | Broken | Error): void => {
    if (!(end instanceof Error) && !("problem" in end)) return this.#resolve(end);
    // A caller who does not ask for the result must not get an unhandled rejection when a thread ends.
    this.ended.catch(() => {});
    this.#reject(end instanceof Error ? end : Object.assign(new Error(end.problem.message), end.problem));
  };

  abort(error?: string, cause?: string): void {
    this.#pool.abort(this.number, text(error, "error"), text(cause, "cause"));
  }

  async history(): Promise<HistoryEvent[]> {
    const { history } = await this.ended;
    return history === undefined ? [] : JSON.parse(history);
  }
}

function resultOf({ status, output, error, cause }: Ended): ExecutionResult {
  if (status === "SUCCEEDED") return { status, output: JSON.parse(output as string) };
  return { status, ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
}
