// Whole executions at once, on virtual time, with results from a script: for tests.

import { VirtualClock } from "./driver/clock.js";
import { EngineHandle } from "./instance.js";
import { handlerInput, jsonText, resultText, submittedText, failure, TaskResponse } from "./integration.js";
import { StateMachine, checkOptions, engineSettings, handleOf, seedOf, tellUse } from "./machine.js";
import { Handlers } from "./resource.js";
import { TaskError, misuse } from "./errors.js";

const OPTIONS = ["name", "seed", "startTime", "until", "abortAt", "type", "history", "payloadLimit", "historyLimit", "trace"];
const RESULT = ["after", "output", "response", "error", "cause", "heartbeats", "submitted", "never"];

/**
 * Runs a definition to its end without waiting. `script` maps what `tasks` of `machine.start()` maps to results: one
 * `{after?, output | response | error, cause?, heartbeats?}` for all calls, an array with one for each call, or a
 * function of input and task that returns one. Equal arguments give equal results.
 */
export function simulate(definition, input, script = {}, options = {}) {
  checkOptions(options, OPTIONS, "simulate()");
  const machine = definition instanceof StateMachine ? definition : new StateMachine(definition, options.type ? { type: options.type } : {});
  return new Simulation(machine, script, options).run(input);
}

class Simulation {
  #engine;
  #script;
  #clock;
  #until;
  #start;
  // Scripted facts to come, ordered by time, then by order of making.
  #coming = [];
  #open = new Set();
  #calls = [];
  #outcome;
  #abort;

  constructor(machine, script, options) {
    this.machine = machine;
    this.options = options;
    this.#engine = new EngineHandle(handleOf(machine), engineSettings(options, machine.type));
    this.#script = new Handlers(typeof script === "function" ? script : asFunctions(script));
    this.#start = options.startTime ?? Date.UTC(2025, 0, 1);
    this.#clock = new VirtualClock(this.#start);
    this.#until = options.until ?? Infinity;
    this.#abort = options.abortAt;
  }

  run(input) {
    const info = { name: this.options.name ?? "simulation", stateMachineName: this.machine.name };
    let step = this.#feed(["start", input === undefined ? "{}" : jsonText(input), info, seedOf(this.options.seed ?? 0)]);
    while (this.#outcome === undefined) {
      const fact = step.more ? ["tick"] : this.#next(step.deadline);
      if (fact === undefined) break;
      step = this.#feed(fact);
    }
    const outcome = this.#outcome ?? { status: "RUNNING" };
    const end = this.#clock.now();
    const report = { ...outcome, history: JSON.parse(this.#engine.ask("history", 0)), calls: this.#calls, startTime: this.#start, endTime: end, duration: end - this.#start };
    if (this.options.trace) report.trace = JSON.parse(this.#engine.ask("takeTrace"));
    tellUse(this.machine, () => JSON.parse(this.#engine.ask("coverage")));
    this.#engine.release();
    return report;
  }

  /** The next thing that happens: a scripted fact, or the engine's deadline. A tie is the engine's. */
  #next(deadline) {
    if (this.#abort !== undefined && this.#abort <= Math.min(this.#coming[0]?.at ?? Infinity, deadline ?? Infinity, this.#until)) {
      this.#clock.jump(this.#abort);
      return ["stop"];
    }
    while (this.#coming.length > 0 && !this.#open.has(this.#coming[0].fact[1])) this.#coming.shift();
    const scripted = this.#coming[0];
    const at = Math.min(scripted?.at ?? Infinity, deadline ?? Infinity);
    if (at === Infinity || at > this.#until) {
      if (at !== Infinity) this.#clock.jump(this.#until);
      return undefined;
    }
    this.#clock.jump(at);
    if (scripted === undefined || (deadline !== null && deadline <= scripted.at)) return ["tick"];
    this.#coming.shift();
    return scripted.fact;
  }

  #feed([method, ...rest]) {
    const step = this.#engine.feed(method, this.#clock.now(), ...rest);
    for (const command of step.commands) {
      if (command.type === "Invoke") this.#invoke(command);
      else if (command.type === "Cancel") this.#open.delete(command.task);
      else if (command.type === "Finish") {
        const { type, ...outcome } = command;
        this.#outcome = outcome;
      }
    }
    return step;
  }

  #invoke(command) {
    const { task, state, resource: arn, input, attempt } = command;
    const now = this.#clock.now();
    const resource = this.#script.resource(arn);
    this.#open.add(task);
    this.#calls.push({ state, resource: arn, input: handlerInput(resource, input), attempt, at: now });
    const find = this.#script.find(arn, state, input);
    const result = find ? find(handlerInput(resource, input), about(command)) : this.#script.missing(arn, state, input);
    if (typeof result !== "object" || result === null) throw misuse("INVALID_SCRIPT", `the script for state ${JSON.stringify(state)} must give an object with output, response or error`);
    checkOptions(result, RESULT, `the scripted result for state ${JSON.stringify(state)}`);
    if (resource.kind === "activity") this.#at(now, ["started", task, undefined]);
    if (Object.hasOwn(result, "submitted")) this.#at(now, ["submitted", task, jsonText(result.submitted)]);
    else if (resource.pattern !== "") this.#at(now, ["submitted", task, submittedText(resource, command, now)]);
    for (const beat of result.heartbeats ?? []) this.#at(now + beat, ["heartbeat", task]);
    if (result.never) return;
    const at = now + (result.after ?? 0);
    if (Object.hasOwn(result, "error")) {
      const { error, cause } = failure(resource, command, new TaskError(result.error, result.cause), at);
      this.#at(at, ["fail", task, error, cause]);
    } else {
      const value = Object.hasOwn(result, "response") ? new TaskResponse(result.response) : result.output;
      this.#at(at, ["succeed", task, resultText(resource, command, value, at)]);
    }
  }

  #at(at, fact) {
    let i = this.#coming.length;
    while (i > 0 && this.#coming[i - 1].at > at) i--;
    this.#coming.splice(i, 0, { at, fact });
  }
}

/** Results as functions, each with its own count of calls. */
function asFunctions(script) {
  if (typeof script !== "object" || script === null) throw misuse("INVALID_SCRIPT", "a script is an object or a Map of results, or one function");
  const entries = script instanceof Map ? script : Object.entries(script);
  return new Map([...entries].map(([name, results]) => [name, asFunction(name, results)]));
}

function asFunction(name, results) {
  if (typeof results === "function") return results;
  if (!Array.isArray(results)) return () => results;
  let calls = 0;
  return () => {
    calls += 1;
    return results[calls - 1] ?? { error: "States.TaskFailed", cause: `the script for ${JSON.stringify(String(name))} has ${results.length} results, and this is call ${calls}` };
  };
}

function about({ task, state, resource, input, attempt, token, purpose = "Task", iterations = [] }) {
  return { id: task, stateName: state, resource, parameters: input, attempt, token, purpose, iterations };
}
