// The engine without a driver, for hosts that have their own clock, queue and store.

import type {
  Engine as PublicEngine,
  EngineSnapshot,
  ExecutionNames,
  ExecutionResult,
  Frame,
  HistoryEvent,
  InvokeCommand,
  Limits,
  MapRunChange,
  PendingTask,
  StateMachine as PublicMachine,
  Step,
  TraceStage,
} from "../api/index.d.ts";
import { Archive } from "../border/archive.ts";
import { HistoryEngine } from "../border/history-engine.ts";
import { dispose } from "../base/dispose.ts";
import { isThenable } from "../base/thenable.ts";
import { RestoreError, misuse } from "../base/errors.ts";
import { argumentText, jsonText } from "../tasks/integration.ts";
import { randomKey, seedOf } from "../base/random.ts";
import { StateMachine, archived, handleOf } from "./machine.ts";
import { engineSettings } from "./settings.ts";
import { isInstant } from "../base/instant.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";

const OPTIONS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace", "childHistories"];
const NAMES = ["name", "arn", "roleArn", "stateMachineName", "stateMachineArn", "tokenKey"];

export class Engine implements PublicEngine {
  #handle: HistoryEngine;

  constructor(machine: PublicMachine, options: Limits & { childHistories?: boolean } = {}) {
    checkOptions(options, OPTIONS, "new Engine()");
    const own = of(machine);
    const settings = engineSettings(options, own.type);
    if (options.childHistories !== undefined) settings.childHistories = options.childHistories;
    this.#handle = new HistoryEngine(handleOf(own), settings, undefined, new Archive());
  }

  /** Returns the engine that a snapshot describes; `pending()` lists the waiting tasks. */
  static restore(machine: PublicMachine, snapshot: EngineSnapshot): Engine {
    if (typeof snapshot !== "object" || snapshot === null) throw new RestoreError("the value is not a snapshot of an engine");
    const engine = new Engine(machine);
    const { archive, text } = archived(snapshot, (whole) => argumentText(whole, "the snapshot"));
    engine.#handle = new HistoryEngine(handleOf(of(machine)), {}, text, archive);
    return engine;
  }

  start(now: number, input: unknown = {}, execution: ExecutionNames = {}, seed?: number | bigint): Step {
    checkOptions(execution, NAMES, "the execution of start()");
    // Without a seed, no two executions may have the same task tokens, so the tokens get a random key.
    const about = seed === undefined ? { tokenKey: randomKey(), ...execution } : execution;
    return this.#handle.feed("start", at(now), argumentText(input, "the input"), about, seedOf(seed ?? 0));
  }

  started(now: number, task: number, worker?: string): Step {
    return this.#handle.feed("started", at(now), number(task), text(worker, "worker"));
  }

  submitted(now: number, task: number, output?: unknown): Step {
    return this.#handle.feed("submitted", at(now), number(task), argumentText(output, "the output"));
  }

  succeed(now: number, task: number, output?: unknown): Step {
    return this.#handle.feed("succeed", at(now), number(task), argumentText(output, "the output"));
  }

  fail(now: number, task: number, error?: string, cause?: string): Step {
    return this.#handle.feed("fail", at(now), number(task), text(error, "error"), text(cause, "cause"));
  }

  heartbeat(now: number, task: number): Step {
    return this.#handle.feed("heartbeat", at(now), number(task));
  }

  tick(now: number): Step {
    return this.#handle.feed("tick", at(now));
  }

  recovered(now: number, again: readonly number[] = []): Step {
    if (!Array.isArray(again)) throw misuse("INVALID_ARGUMENT", `again must be an array of tasks, not ${shown(again)}`);
    return this.#handle.feed("recovered", at(now), again.map(number));
  }

  redrive(now: number): Step {
    return this.#handle.feed("redrive", at(now));
  }

  updateMapRun(now: number, mapRunArn: string, change: MapRunChange): Step {
    if (typeof mapRunArn !== "string") throw misuse("INVALID_ARGUMENT", `mapRunArn must be a string, not ${shown(mapRunArn)}`);
    return this.#handle.feed("updateMapRun", at(now), mapRunArn, argumentText(change ?? {}, "the change"));
  }

  stop(now: number, error?: string, cause?: string): Step {
    return this.#handle.feed("stop", at(now), text(error, "error"), text(cause, "cause"));
  }

  /** The result, or the status of an execution that has not ended. */
  get status(): ExecutionResult | { status: "NOT_STARTED" | "RUNNING" } {
    return JSON.parse(this.#handle.ask("status"));
  }

  /**
   * The time of the next call of `tick`, in milliseconds since 1970; `undefined` if only an answer to a task can continue the
   * execution.
   */
  get deadline(): number | undefined {
    return this.#handle.ask("deadline");
  }

  /** A digest of all commands so far. It shows whether two engines have given different commands. */
  get commandsDigest(): number {
    return this.#handle.ask("commandsDigest");
  }

  history(from = 0): HistoryEvent[] {
    if (!(Number.isInteger(from) && from >= 0))
      throw misuse("INVALID_ARGUMENT", `from must be a whole number, 0 or more, not ${shown(from)}`);
    return this.#handle.history(from);
  }

  pending(): PendingTask[] {
    return JSON.parse(this.#handle.ask("pending"));
  }

  frames(): Frame[] {
    return JSON.parse(this.#handle.ask("frames"));
  }

  trace(): TraceStage[] {
    return JSON.parse(this.#handle.ask("takeTrace"));
  }

  snapshot(options: Pick<Limits, "history"> = {}): EngineSnapshot {
    checkOptions(options, ["history"], "engine.snapshot()");
    return options.history === "none" ? JSON.parse(this.#handle.leanSnapshot().text) : this.#handle.snapshot();
  }

  /**
   * Runs a started engine to its end in real time, with one handler for all tasks. Resolves to the status. This is a small driver;
   * `StateMachine.start()` has the complete one.
   */
  async drive(handler: (command: InvokeCommand) => unknown): Promise<ExecutionResult> {
    if (typeof handler !== "function") throw misuse("INVALID_ARGUMENT", `drive() takes a function, not ${shown(handler)}`);
    const answer = (command: string) => {
      const value = handler(JSON.parse(command));
      return isThenable(value) ? Promise.resolve(value).then(jsonText) : jsonText(value);
    };
    return JSON.parse(await this.#handle.drive(answer));
  }

  /** Frees the memory at once. Otherwise, the garbage collector does it later. */
  free(): void {
    this.#handle.release();
  }

  [dispose](): void {
    this.free();
  }
}

function of(machine: unknown): StateMachine {
  if (machine instanceof StateMachine) return machine;
  throw misuse("INVALID_ARGUMENT", `new Engine() takes a StateMachine, not ${shown(machine)}`);
}

function at(now: unknown): number {
  if (isInstant(now)) return now;
  throw misuse("INVALID_ARGUMENT", `now must be a number of milliseconds since 1970, not ${shown(now)}`);
}

function number(task: unknown): number {
  if (typeof task === "number" && Number.isInteger(task) && task >= 0 && task < 2 ** 32) return task;
  throw misuse("INVALID_ARGUMENT", `task must be the number of a task, not ${shown(task)}`);
}

function text(value: unknown, name: string): string | null | undefined {
  if (value === undefined || value === null || typeof value === "string") return value;
  throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
}
