// The engine by itself, for hosts that keep their own clock, queue and store.

import { EngineHandle } from "./instance.js";
import { jsonText } from "./integration.js";
import { RestoreError, misuse } from "./errors.js";
import { StateMachine, checkOptions, engineSettings, handleOf, seedOf } from "./machine.js";

const OPTIONS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace", "childHistories"];

export class Engine {
  #handle;

  constructor(machine, options = {}) {
    checkOptions(options, OPTIONS, "new Engine()");
    const settings = engineSettings(options, of(machine).type);
    if (options.childHistories !== undefined) settings.childHistories = options.childHistories;
    this.#handle = new EngineHandle(handleOf(machine), settings);
  }

  /** The engine that a snapshot describes; `pending()` says which tasks wait. */
  static restore(machine, snapshot) {
    if (typeof snapshot !== "object" || snapshot === null) throw new RestoreError("the value is not a snapshot of an engine");
    const engine = new Engine(machine);
    engine.#handle = new EngineHandle(handleOf(machine), {}, JSON.stringify(snapshot));
    return engine;
  }

  start(now, input = {}, execution = {}, seed = 0) {
    return this.#handle.feed("start", now, jsonText(input), execution, seedOf(seed));
  }

  started(now, task, worker) {
    return this.#handle.feed("started", now, task, worker);
  }

  submitted(now, task, output) {
    return this.#handle.feed("submitted", now, task, jsonText(output));
  }

  succeed(now, task, output) {
    return this.#handle.feed("succeed", now, task, jsonText(output));
  }

  fail(now, task, error, cause) {
    return this.#handle.feed("fail", now, task, error, cause);
  }

  heartbeat(now, task) {
    return this.#handle.feed("heartbeat", now, task);
  }

  tick(now) {
    return this.#handle.feed("tick", now);
  }

  redrive(now) {
    return this.#handle.feed("redrive", now);
  }

  updateMapRun(now, arn, change) {
    return this.#handle.feed("updateMapRun", now, arn, JSON.stringify(change));
  }

  stop(now, error, cause) {
    return this.#handle.feed("stop", now, error, cause);
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
    return JSON.parse(this.#handle.ask("history", from));
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
    return JSON.parse(this.#handle.ask("snapshot"));
  }

  /**
   * Runs a started engine to its end in real time, with one handler for all tasks; resolves to the status. A small
   * driver in Rust: `StateMachine.start()` has the whole one.
   */
  async drive(handler) {
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
}

function of(machine) {
  if (machine instanceof StateMachine) return machine;
  throw misuse("INVALID_ARGUMENT", "new Engine() takes a StateMachine");
}
