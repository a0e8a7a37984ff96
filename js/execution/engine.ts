// @ts-nocheck: has no types yet.
// The engine by itself, for hosts that keep their own clock, queue and store.

import { Archive } from "../border/archive.ts";
import { HistoryEngine } from "../border/history.ts";
import { dispose } from "../base/dispose.ts";
import { RestoreError, misuse } from "../base/errors.ts";
import { argumentText, jsonText } from "../tasks/integration.ts";
import { randomKey, seedOf } from "../base/random.ts";
import { StateMachine, archived, handleOf } from "./machine.ts";
import { engineSettings } from "./settings.ts";
import { checkOptions, isInstant, shown } from "../base/options.ts";

const OPTIONS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace", "childHistories"];
const NAMES = ["name", "arn", "roleArn", "stateMachineName", "stateMachineArn", "tokenKey"];

export class Engine {
  #handle;

  constructor(machine, options = {}) {
    checkOptions(options, OPTIONS, "new Engine()");
    const settings = engineSettings(options, of(machine).type);
    if (options.childHistories !== undefined) settings.childHistories = options.childHistories;
    this.#handle = new HistoryEngine(handleOf(machine), settings, undefined, new Archive());
  }

  /** The engine that a snapshot describes; `pending()` says which tasks wait. */
  static restore(machine, snapshot) {
    if (typeof snapshot !== "object" || snapshot === null) throw new RestoreError("the value is not a snapshot of an engine");
    const engine = new Engine(machine);
    const { archive, text } = archived(snapshot, (whole) => argumentText(whole, "the snapshot"));
    engine.#handle = new HistoryEngine(handleOf(machine), {}, text, archive);
    return engine;
  }

  start(now, input = {}, execution = {}, seed) {
    checkOptions(execution, NAMES, "the execution of start()");
    // Whoever gives no seed wants no two executions with the same task tokens.
    const about = seed === undefined ? { tokenKey: randomKey(), ...execution } : execution;
    return this.#handle.feed("start", at(now), argumentText(input, "the input"), about, seedOf(seed ?? 0));
  }

  started(now, task, worker) {
    return this.#handle.feed("started", at(now), number(task), text(worker, "worker"));
  }

  submitted(now, task, output) {
    return this.#handle.feed("submitted", at(now), number(task), argumentText(output, "the output"));
  }

  succeed(now, task, output) {
    return this.#handle.feed("succeed", at(now), number(task), argumentText(output, "the output"));
  }

  fail(now, task, error, cause) {
    return this.#handle.feed("fail", at(now), number(task), text(error, "error"), text(cause, "cause"));
  }

  heartbeat(now, task) {
    return this.#handle.feed("heartbeat", at(now), number(task));
  }

  tick(now) {
    return this.#handle.feed("tick", at(now));
  }

  redrive(now) {
    return this.#handle.feed("redrive", at(now));
  }

  updateMapRun(now, mapRunArn, change) {
    if (typeof mapRunArn !== "string") throw misuse("INVALID_ARGUMENT", `mapRunArn must be a string, not ${shown(mapRunArn)}`);
    return this.#handle.feed("updateMapRun", at(now), mapRunArn, argumentText(change ?? {}, "the change"));
  }

  stop(now, error, cause) {
    return this.#handle.feed("stop", at(now), text(error, "error"), text(cause, "cause"));
  }

  /** Where it stands: `{status, output?, error?, cause?}`. */
  get status() {
    return JSON.parse(this.#handle.ask("status"));
  }

  /** When to call `tick` next, in milliseconds since the epoch; `undefined` if only tasks can move it. */
  get deadline() {
    return this.#handle.ask("deadline");
  }

  history(from = 0) {
    if (!(Number.isInteger(from) && from >= 0)) throw misuse("INVALID_ARGUMENT", `from must be a whole number from 0 on, not ${shown(from)}`);
    return this.#handle.history(from);
  }

  pending() {
    return JSON.parse(this.#handle.ask("pending"));
  }

  frames() {
    return JSON.parse(this.#handle.ask("frames"));
  }

  trace() {
    return JSON.parse(this.#handle.ask("takeTrace"));
  }

  snapshot() {
    return this.#handle.snapshot();
  }

  /**
   * Runs a started engine to its end in real time, with one handler for all tasks; resolves to the status. A small
   * driver in Rust: `StateMachine.start()` has the whole one.
   */
  async drive(handler) {
    if (typeof handler !== "function") throw misuse("INVALID_ARGUMENT", `drive() takes a function, not ${shown(handler)}`);
    const answer = (command) => {
      const value = handler(JSON.parse(command));
      return typeof value?.then === "function" ? Promise.resolve(value).then(jsonText) : jsonText(value);
    };
    return JSON.parse(await this.#handle.drive(answer));
  }

  /** Gives its memory back at once; otherwise the garbage collector does. */
  free() {
    this.#handle.release();
  }

  [dispose]() {
    this.free();
  }
}

function of(machine) {
  if (machine instanceof StateMachine) return machine;
  throw misuse("INVALID_ARGUMENT", `new Engine() takes a StateMachine, not ${shown(machine)}`);
}

function at(now) {
  if (isInstant(now)) return now;
  throw misuse("INVALID_ARGUMENT", `now must be a number of milliseconds since 1970, not ${shown(now)}`);
}

function number(task) {
  if (Number.isInteger(task) && task >= 0 && task < 2 ** 32) return task;
  throw misuse("INVALID_ARGUMENT", `task must be the number of a task, not ${shown(task)}`);
}

function text(value, name) {
  if (value === undefined || value === null || typeof value === "string") return value;
  throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
}
