/**
 * Executions in worker threads, for Node, Deno and Bun. The entry `stepglass/pool`.
 *
 * @example
 * ```js
 * import { createPool } from "stepglass/pool";
 *
 * const pool = await createPool({ handlers: new URL("./handlers.js", import.meta.url) });
 * const machine = pool.machine(definition);
 * const output = await machine.run({ order: 17 });
 * await pool.close();
 * ```
 *
 * @packageDocumentation
 */
import type { Definition, Diagnostic, ExecutionResult, HistoryEvent, MachineOptions, PlatformSignal, PlatformUrl } from "./index.js";

/** Options of {@link createPool}. */
export interface PoolOptions {
  /**
   * The module with the handlers of Task states, a URL or a path: an object of functions as its default export or as its export
   * `tasks`, or the functions that it exports by name, as for `stepglass run --tasks`. Every thread imports it. Default: no handlers.
   */
  handlers?: string | PlatformUrl;
  /** The number of threads. Default: the number of cores. */
  threads?: number;
  /** How many executions a thread runs at once; others wait for their turn. Default: 100. */
  concurrency?: number;
  /**
   * What happens to the executions of a thread that ends before they do, for example because a handler called `process.exit()`. With
   * `"fail"`, the default, their results reject with code `THREAD_ENDED`. With `"restart"`, they start again from the beginning in
   * another thread, at most three times, so handlers must be idempotent.
   */
  lost?: "fail" | "restart";
}

/** Starts the threads; resolves when all of them have loaded the handlers, and rejects if one cannot. */
export function createPool(options?: PoolOptions): Promise<Pool>;

/** Threads that run executions. A thread that ends is replaced. While nothing runs, a pool does not keep the process alive. */
export interface Pool {
  /** How many threads there are. */
  readonly threads: number;
  /** How many executions run in a thread. */
  readonly running: number;
  /** How many executions wait for a thread. */
  readonly waiting: number;
  /** Compiles a definition. Throws {@link DefinitionError} with all diagnostics if it has errors. */
  machine(definition: Definition, options?: MachineOptions): PoolMachine;
  /** Resolves when fewer executions wait than the threads can run at once: back pressure for a loop that starts them. */
  room(): Promise<void>;
  /**
   * Takes no more executions, waits for those that were started, and ends the threads. After `grace` milliseconds it stops waiting:
   * the results of the remaining executions reject with code `POOL_CLOSED`. Default: no limit.
   */
  close(options?: { grace?: number }): Promise<void>;
  /** Closes the pool: `await using pool = await createPool()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A definition whose executions run in the threads of a pool. */
export interface PoolMachine {
  /** The warnings about the definition. */
  readonly diagnostics: Diagnostic[];
  /** Starts an execution with an input, `{}` by default. Throws what `machine.start()` of {@link StateMachine} throws. */
  start<Output = any>(input?: unknown, options?: PoolStartOptions): PoolExecution<Output>;
  /** Runs an execution to its end: resolves to its output or rejects with {@link ExecutionError}. */
  run<Output = any>(input?: unknown, options?: PoolStartOptions): Promise<Output>;
  /**
   * Runs an execution for each input, and yields the results in the order of the inputs. It reads no more inputs than the threads can run
   * at once, so it can go through a list that is too large for the memory. Leaving the loop aborts the executions that still run.
   *
   * @example
   * ```js
   * for await (const result of machine.each(orders)) console.log(result.status);
   * ```
   */
  each<Output = any>(
    inputs: Iterable<unknown> | AsyncIterable<unknown>,
    options?: Omit<PoolStartOptions, "name" | "arn">,
  ): AsyncGenerator<ExecutionResult<Output>, void, undefined>;
}

/** Options of an execution in a pool: those of `machine.start()` that can be passed to a thread. */
export interface PoolStartOptions {
  /** `Execution.Name`. Default: a random UUID, or `seed-…` if a seed is given. */
  name?: string;
  /** `Execution.Id`. Default: an ARN made of the names. */
  arn?: string;
  /** `"real"` (the default) or `"virtual"`: waits and back-offs take no real time. */
  clock?: "real" | "virtual";
  /** When virtual time begins, in milliseconds since 1970. Default: now. */
  startTime?: number;
  /** Aborts the execution. */
  signal?: PlatformSignal;
  /** The seed of UUIDs, random numbers and jitter. Default: random. */
  seed?: number | bigint;
  /** `"full"` returns the history along with the result. Default: `"none"`. */
  history?: "full" | "none";
  /** The largest payload in bytes, as for `machine.start()`. */
  payloadLimit?: number;
  /** The largest number of history events, as for `machine.start()`. */
  historyLimit?: number;
  /** The largest number of transitions before the execution yields, as for `machine.start()`. */
  stepBudget?: number;
  /** Whether an input or an answer that JSON would silently change is refused. Default: false. */
  strict?: boolean;
}

/** An execution in a thread. */
export interface PoolExecution<Output = any> {
  /** Resolves to the outcome when it ends. Rejects with code `THREAD_ENDED` or `POOL_CLOSED` if its thread ends first. */
  readonly result: Promise<ExecutionResult<Output>>;
  /** Resolves to all events when the execution has ended; to none without `history: "full"`. */
  history(): Promise<HistoryEvent[]>;
  /** Ends the execution as ABORTED, with this error and cause. Has no effect once it has ended. */
  abort(error?: string, cause?: string): void;
}
