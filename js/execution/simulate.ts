// @ts-nocheck: has no types yet.
// Whole executions at once, on virtual time, with results from a script: for tests.

import { VirtualClock } from "../driver/clock.ts";
import { HistoryEngine } from "../border/history.ts";
import { answeredFailure, argumentText, handlerInput, jsonText, resultText, submittedText, failure, TaskResponse } from "../tasks/integration.ts";
import { seedOf } from "../base/random.ts";
import { machineSettings } from "../definition/settings.ts";
import { StateMachine, checkStart, handleOf, isCurious, tellUse } from "./machine.ts";
import { engineSettings } from "./settings.ts";
import { Family, Machines } from "./nested.ts";
import { checkOptions, shown } from "../base/options.ts";
import { Handlers } from "../tasks/resource.ts";
import { TaskError, misuse } from "../base/errors.ts";

const OPTIONS = ["name", "seed", "startTime", "until", "abortAt", "type", "jsonata", "substitutions", "machines", "history", "payloadLimit", "historyLimit", "trace"];
const RESULT = ["after", "output", "response", "error", "cause", "heartbeats", "submitted", "never"];

/**
 * Runs a definition to its end without waiting. `script` maps what `tasks` of `machine.start()` maps to results: one
 * `{after?, output | response | error, cause?, heartbeats?}` for all calls, an array with one for each call, or a
 * function of input and task that returns one. Equal arguments give equal results.
 */
export function simulate(definition, input, script = {}, options = {}) {
  checkOptions(options, OPTIONS, "simulate()");
  const machine = definition instanceof StateMachine ? definition : new StateMachine(definition, machineSettings(options));
  return new Simulation(machine, script, options).run(machine, input);
}

/** One time line, with an execution and those that its tasks start. */
class Simulation {
  #runs = [];
  #started = [];
  #until;
  #abort;

  constructor(machine, script, options) {
    this.options = options;
    this.clock = new VirtualClock(options.startTime ?? Date.UTC(2025, 0, 1));
    const { machines } = options;
    const registered = machines === undefined ? undefined : new Machines(machines, (one) => one instanceof StateMachine);
    this.script = new Handlers(typeof script === "function" ? script : asFunctions(script), registered);
    if (registered) {
      const launch = (one, { text, info, seed, family, onFinish }) => this.#launch(one, info, seed, text, family, onFinish);
      this.family = new Family({ launch, keeps: [machine, ...registered.all].some(isCurious), payloadLimit: options.payloadLimit });
    }
    this.#until = options.until ?? Infinity;
    this.#abort = options.abortAt;
  }

  run(machine, input) {
    const { family, options } = this;
    const text = input === undefined ? "{}" : argumentText(input, "the input");
    const name = options.name ?? "simulation";
    checkStart(name, text, options);
    const info = { name, stateMachineName: machine.name, ...(machine.arn !== undefined && { stateMachineArn: machine.arn }) };
    let ended;
    const root = this.#launch(machine, info, seedOf(options.seed ?? 0), text, family, (outcome, now) => ended?.(outcome, now));
    if (family) {
      const entry = family.found({ name: info.name, arn: root.arn, machineArn: machine.arn, machineName: machine.name, input: text, startDate: root.startTime });
      entry.begun(root);
      ended = entry.ended;
    }
    while (root.outcome === undefined && this.#step(root)) {
      // Each step is one fact of one execution.
    }
    // Whom its end stops is stopped with it.
    for (const run of this.#runs) run.stop();
    const report = root.report();
    if (options.machines !== undefined) report.nested = this.#started.slice(1).map((run) => ({ name: run.name, arn: run.arn, ...run.report() }));
    for (const run of this.#started) run.release();
    return report;
  }

  #launch(machine, info, seed, text, family, onFinish) {
    const run = new Run(this, machine, info, seed, family, onFinish);
    run.at(this.clock.now(), ["start", text, info, seed]);
    this.#runs.push(run);
    this.#started.push(run);
    family?.drivers.add(run);
    return run;
  }

  /** Feeds what happens next, anywhere; false where nothing does. A tie is the elder execution's, and in it the engine's. */
  #step(root) {
    let first;
    let at = Infinity;
    for (const run of this.#runs) {
      const next = run.nextAt();
      if (next < at) [first, at] = [run, next];
    }
    if (this.#abort !== undefined && this.#abort <= Math.min(at, this.#until)) {
      this.clock.jump(this.#abort);
      root.feed(["stop"]);
      return true;
    }
    if (at > this.#until || first === undefined) {
      if (first !== undefined) this.clock.jump(this.#until);
      return false;
    }
    this.clock.jump(at);
    first.feed(first.takeNext());
    if (first.outcome !== undefined) this.#runs = this.#runs.filter((run) => run.outcome === undefined);
    return true;
  }
}

/** One execution. What nested.js asks of a driver it answers, too. */
class Run {
  #simulation;
  #machine;
  #engine;
  #onFinish;
  #step = { more: false, deadline: null };
  // Scripted facts to come, ordered by time, then by order of making.
  #coming = [];
  #open = new Map();
  #tokens = new Map();
  #calls = [];
  #endTime;

  outcome;

  constructor(simulation, machine, info, seed, family, onFinish) {
    this.#simulation = simulation;
    this.#machine = machine;
    this.#engine = new HistoryEngine(handleOf(machine), engineSettings(simulation.options, machine.type));
    this.#onFinish = onFinish;
    this.family = family;
    this.seed = seed;
    this.name = info.name;
    this.arn = info.arn ?? `arn:aws:states:us-east-1:123456789012:execution:${info.stateMachineName}:${info.name}`;
    this.startTime = this.now();
  }

  /** Itself: what its tasks start learns its ARN. */
  get execution() {
    return this;
  }

  now() {
    return this.#simulation.clock.now();
  }

  /** When something happens next. */
  nextAt() {
    while (this.#coming.length > 0 && this.#isSpent(this.#coming[0].fact)) this.#coming.shift();
    if (this.#step.more) return this.now();
    return Math.min(this.#coming[0]?.at ?? Infinity, this.#step.deadline ?? Infinity);
  }

  /** What that is. */
  takeNext() {
    const { more, deadline } = this.#step;
    const scripted = this.#coming[0];
    if (more || scripted === undefined || (deadline !== null && deadline <= scripted.at)) return ["tick"];
    this.#coming.shift();
    return scripted.fact;
  }

  feed([method, ...rest]) {
    this.#step = this.#engine.feed(method, this.now(), ...rest);
    for (const command of this.#step.commands) {
      if (command.type === "Invoke") this.#invoke(command);
      else if (command.type === "Cancel") this.#cancel(command.task);
      else if (command.type === "Finish") {
        const { type, ...outcome } = command;
        this.#end(outcome);
      }
    }
  }

  /** Adds a fact to come. */
  at(at, fact) {
    let i = this.#coming.length;
    while (i > 0 && this.#coming[i - 1].at > at) i--;
    this.#coming.splice(i, 0, { at, fact });
  }

  report() {
    const endTime = this.#endTime ?? this.now();
    const outcome = this.outcome ?? { status: "RUNNING" };
    const report = { ...outcome, history: this.#engine.history(), calls: this.#calls, startTime: this.startTime, endTime, duration: endTime - this.startTime };
    if (this.#simulation.options.trace) report.trace = JSON.parse(this.#engine.ask("takeTrace"));
    return report;
  }

  release() {
    tellUse(this.#machine, () => JSON.parse(this.#engine.ask("coverage")));
    this.#engine.release();
  }

  // As a driver for those who take calls.

  post(method, ...rest) {
    this.at(this.now(), [method, ...rest]);
  }

  /** Ends a call, or says that it is alive. Whether it still counted. */
  complete(call, method, ...rest) {
    if (call.ended || this.outcome !== undefined) return false;
    call.ended = method !== "heartbeat";
    this.post(method, call.command.task, ...rest);
    return true;
  }

  abort(error, cause) {
    if (this.outcome === undefined) this.post("stop", error, cause);
  }

  findCall(token) {
    return this.#tokens.get(token);
  }

  /** Feeds the stop that has come, if one has. */
  stop() {
    const stop = this.outcome === undefined ? this.#coming.find(({ fact }) => fact[0] === "stop") : undefined;
    if (stop) this.feed(stop.fact);
  }

  /** Whether a fact is about a task that nobody waits for any more. */
  #isSpent([method, task]) {
    return method !== "start" && method !== "stop" && !this.#open.has(task);
  }

  #end(outcome) {
    this.outcome = outcome;
    this.#endTime = this.now();
    for (const task of [...this.#open.keys()]) this.#cancel(task);
    this.family?.drivers.delete(this);
    this.#onFinish?.(outcome, this.now());
  }

  #cancel(task) {
    const call = this.#open.get(task);
    if (call === undefined) return;
    this.#open.delete(task);
    // A result that has come ends the call without anybody's being told.
    if (!call.ended) call.onCancel?.();
    call.ended = true;
  }

  #invoke(command) {
    const { task, state, resource: arn, input, attempt, token } = command;
    const { script } = this.#simulation;
    const now = this.now();
    const resource = script.resource(arn);
    const call = { command, resource, ended: false, onCancel: undefined };
    this.#open.set(task, call);
    if (token !== undefined) this.#tokens.set(token, call);
    this.#calls.push({ state, resource: arn, input: handlerInput(resource, input), attempt, at: now });
    const find = script.find(arn, state, input);
    if (typeof find?.take === "function") return void find.take(call, this);
    const result = find ? find(handlerInput(resource, input), about(command)) : script.missing(arn, state, input);
    if (typeof result !== "object" || result === null) throw misuse("INVALID_SCRIPT", `the script for state ${JSON.stringify(state)} must give an object with output, response or error`);
    const where = `the scripted result for state ${JSON.stringify(state)}`;
    checkOptions(result, RESULT, where);
    const { after = 0, heartbeats = [] } = result;
    if (!isDelay(after)) throw misuse("INVALID_SCRIPT", `${where}: after must be a number of milliseconds, not ${shown(after)}`);
    if (!Array.isArray(heartbeats) || !heartbeats.every(isDelay)) throw misuse("INVALID_SCRIPT", `${where}: heartbeats must be an array of numbers of milliseconds, not ${shown(heartbeats)}`);
    if (resource.kind === "activity") this.at(now, ["started", task, undefined]);
    if (Object.hasOwn(result, "submitted")) this.at(now, ["submitted", task, jsonText(result.submitted)]);
    else if (resource.pattern !== "") this.at(now, ["submitted", task, submittedText(resource, command, now)]);
    for (const beat of heartbeats) this.at(now + beat, ["heartbeat", task]);
    if (result.never) return;
    const at = now + after;
    if (Object.hasOwn(result, "error")) {
      const { error, cause } = failure(resource, command, new TaskError(result.error, result.cause), at);
      this.at(at, ["fail", task, error, cause]);
    } else {
      const value = Object.hasOwn(result, "response") ? new TaskResponse(result.response) : result.output;
      const failed = answeredFailure(resource, value);
      this.at(at, failed ? ["fail", task, failed.error, failed.cause] : ["succeed", task, resultText(resource, command, value, at)]);
    }
  }
}

/** Milliseconds that can be waited for. */
function isDelay(value) {
  return typeof value === "number" && value >= 0 && value < 8.64e15;
}

/** Results as functions, each with its own count of calls. */
function asFunctions(script) {
  if (typeof script !== "object" || script === null) throw misuse("INVALID_SCRIPT", "a script must be an object or a Map of results, or one function");
  const entries = script instanceof Map ? script : Object.entries(script);
  return new Map([...entries].map(([name, results]) => [name, asFunction(name, results)]));
}

function asFunction(name, results) {
  if (typeof results === "function") return results;
  if (!Array.isArray(results)) return () => results;
  let calls = 0;
  return () => {
    calls += 1;
    return results[calls - 1] ?? { error: "States.TaskFailed", cause: `the script for ${JSON.stringify(String(name))} has ${results.length} results, but this is call ${calls}` };
  };
}

function about({ task, state, resource, input, attempt, token, purpose = "Task", iterations = [] }) {
  return { id: task, stateName: state, resource, parameters: input, attempt, token, purpose, iterations };
}
