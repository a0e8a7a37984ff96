// Runs whole executions at once, on virtual time and with scripted results, for tests.

import type {
  CancelReason,
  Definition,
  InvokeCommand,
  Script,
  ScriptedResult,
  ScriptedResults,
  ScriptedTask,
  SimulateOptions,
  SimulationReport,
  StateMachine as PublicMachine,
} from "../api/index.d.ts";
import type { Fact, FactArguments } from "../border/facts.ts";
import { VirtualClock } from "../driver/clock.ts";
import type { Outcome } from "../driver/driver.ts";
import type { Completion, EndedCall, TaskCall } from "../tasks/call.ts";
import { HistoryEngine } from "../border/history-engine.ts";
import {
  answeredFailure,
  argumentText,
  handlerInput,
  jsonText,
  resultText,
  submittedText,
  failure,
  TaskResponse,
} from "../tasks/integration.ts";
import { seedOf } from "../base/random.ts";
import { machineSettings } from "../definition/settings.ts";
import { StateMachine, checkStart, handleOf, isCurious, tellUse } from "./machine.ts";
import { engineSettings } from "./settings.ts";
import type { ExecutionInfo } from "./execution.ts";
import { Family, type FamilyDriver, type Launch, Machines } from "./nested.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { Handlers } from "../tasks/resource.ts";
import { TaskError, misuse } from "../base/errors.ts";

const OPTIONS = [
  "name",
  "seed",
  "startTime",
  "until",
  "abortAt",
  "type",
  "jsonata",
  "substitutions",
  "machines",
  "history",
  "payloadLimit",
  "historyLimit",
  "trace",
];
const RESULT = ["after", "output", "response", "error", "cause", "heartbeats", "submitted", "never"];

/**
 * Runs a definition to its end without waiting. `script` has the same keys as `tasks` of `machine.start()`. Its values are results: one
 * `{after?, output | response | error, cause?, heartbeats?}` for all calls, an array with one for each call, or a
 * function of input and task that returns one. Equal arguments give equal results.
 */
export function simulate<Output = any>(
  definition: Definition | PublicMachine,
  input?: unknown,
  script: Script = {},
  options: SimulateOptions = {},
): SimulationReport<Output> {
  checkOptions(options, OPTIONS, "simulate()");
  const machine = definition instanceof StateMachine ? definition : new StateMachine(definition, machineSettings(options));
  return new Simulation(machine, script, options).run(machine, input);
}

/** A function in a script. */
type Scripted = (input: unknown, task: ScriptedTask) => ScriptedResult;

/** A simulation on one clock: an execution, and the executions that its tasks start. */
class Simulation {
  readonly options: SimulateOptions;
  readonly clock: VirtualClock;
  readonly script: Handlers<Scripted>;
  readonly family: Family | undefined;
  /** The running executions, and all executions. */
  #runs: Run[] = [];
  #started: Run[] = [];
  #until: number;
  #abort: number | undefined;

  constructor(machine: StateMachine, script: Script, options: SimulateOptions) {
    this.options = options;
    this.clock = new VirtualClock(options.startTime ?? Date.UTC(2025, 0, 1));
    const { machines } = options;
    const registered = machines === undefined ? undefined : new Machines(machines, (one) => one instanceof StateMachine);
    this.script = new Handlers<Scripted>(typeof script === "function" ? script : asFunctions(script), registered);
    if (registered) {
      const launch = (one: StateMachine, { text = "{}", info, seed, family, onFinish }: Launch) =>
        this.#launch(one, info, seed, text, family, onFinish);
      this.family = new Family({ launch, keeps: [machine, ...registered.all].some(isCurious), payloadLimit: options.payloadLimit });
    }
    this.#until = options.until ?? Infinity;
    this.#abort = options.abortAt;
  }

  run(machine: StateMachine, input: unknown): SimulationReport {
    const { family, options } = this;
    const text = input === undefined ? "{}" : argumentText(input, "the input");
    const name = options.name ?? "simulation";
    checkStart(name, text, options);
    const info = { name, stateMachineName: machine.name, ...(machine.arn !== undefined && { stateMachineArn: machine.arn }) };
    let ended: Launch["onFinish"] | undefined;
    const root = this.#launch(machine, info, seedOf(options.seed ?? 0), text, family, (outcome, now) => ended?.(outcome, now));
    if (family) {
      const entry = family.found({
        name: info.name,
        arn: root.arn,
        machineArn: machine.arn,
        machineName: machine.name,
        input: text,
        startDate: root.startTime,
      });
      entry.begun(root);
      ended = entry.ended;
    }
    while (root.outcome === undefined && this.#step(root)) {
      // Each step processes one fact of one execution.
    }
    // Executions that the end of the root execution stops are stopped at the same time.
    for (const run of this.#runs) run.stop();
    const report = root.report();
    if (options.machines !== undefined)
      report.nested = this.#started.slice(1).map((run) => ({ name: run.name, arn: run.arn, ...run.report() }));
    for (const run of this.#started) run.release();
    return report;
  }

  #launch(
    machine: StateMachine,
    info: ExecutionInfo,
    seed: bigint,
    text: string,
    family: Family | undefined,
    onFinish: Launch["onFinish"],
  ): Run {
    const run = new Run(this, machine, info, seed, family, onFinish);
    run.at(this.clock.now(), ["start", text, info, seed]);
    this.#runs.push(run);
    this.#started.push(run);
    family?.drivers.add(run);
    return run;
  }

  /**
   * Processes the next fact of all executions. Returns false if there is none. If several are due at the same time, the oldest
   * execution comes first, and in it the engine's own timer.
   */
  #step(root: Run): boolean {
    let first: Run | undefined;
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

/** One execution. It also implements what nested.ts needs of a driver. */
class Run implements FamilyDriver {
  #simulation: Simulation;
  #machine: StateMachine;
  #engine: HistoryEngine;
  #onFinish: Launch["onFinish"];
  #step: { more: boolean; deadline: number | null } = { more: false, deadline: null };
  // Scripted facts of the future, ordered by time, then by the order in which they were added.
  #coming: { at: number; fact: Fact }[] = [];
  #open = new Map<number, TaskCall>();
  #tokens = new Map<string, TaskCall>();
  #calls: SimulationReport["calls"] = [];
  #endTime: number | undefined;

  readonly seed: bigint;
  readonly name: string;
  readonly arn: string;
  readonly startTime: number;
  outcome: Outcome | undefined;
  #family: Family | undefined;

  constructor(
    simulation: Simulation,
    machine: StateMachine,
    info: ExecutionInfo,
    seed: bigint,
    family: Family | undefined,
    onFinish: Launch["onFinish"],
  ) {
    this.#simulation = simulation;
    this.#machine = machine;
    this.#engine = new HistoryEngine(handleOf(machine), engineSettings(simulation.options, machine.type));
    this.#onFinish = onFinish;
    this.#family = family;
    this.seed = seed;
    this.name = info.name;
    this.arn = info.arn ?? `arn:aws:states:us-east-1:123456789012:execution:${info.stateMachineName}:${info.name}`;
    this.startTime = this.now();
  }

  /** Only tasks that start machines use this, and they exist only if there is a family. */
  get family(): Family {
    return this.#family!;
  }

  /** The object itself, because nested executions need the ARN of their parent. */
  get execution(): this {
    return this;
  }

  now(): number {
    return this.#simulation.clock.now();
  }

  /** Returns the time of the next fact; Infinity if there is none. */
  nextAt(): number {
    for (let next = this.#coming[0]; next !== undefined && this.#isSpent(next.fact); next = this.#coming[0]) this.#coming.shift();
    if (this.#step.more) return this.now();
    return Math.min(this.#coming[0]?.at ?? Infinity, this.#step.deadline ?? Infinity);
  }

  /** Removes and returns the next fact. */
  takeNext(): Fact {
    const { more, deadline } = this.#step;
    const scripted = this.#coming[0];
    if (more || scripted === undefined || (deadline !== null && deadline <= scripted.at)) return ["tick"];
    this.#coming.shift();
    return scripted.fact;
  }

  feed([method, ...rest]: Fact): void {
    // A fact consists of the name of a method and its arguments.
    const step = this.#engine.feed(method, this.now(), ...(rest as FactArguments<Fact[0]>));
    this.#step = step;
    for (const command of step.commands) {
      if (command.type === "Invoke") this.#invoke(command);
      else if (command.type === "Cancel") this.#cancel(command.task, command.reason);
      else if (command.type === "Finish") {
        const { type: _, ...outcome } = command;
        this.#end(outcome);
      }
    }
  }

  /** Adds a fact at a time. */
  at(at: number, fact: Fact): void {
    let i = this.#coming.length;
    while (i > 0 && this.#coming[i - 1]!.at > at) i--;
    this.#coming.splice(i, 0, { at, fact });
  }

  report(): SimulationReport {
    const endTime = this.#endTime ?? this.now();
    const outcome = this.outcome ?? { status: "RUNNING" as const };
    const report: SimulationReport = {
      ...outcome,
      history: this.#engine.history(),
      calls: this.#calls,
      startTime: this.startTime,
      endTime,
      duration: endTime - this.startTime,
    };
    if (this.#simulation.options.trace) report.trace = JSON.parse(this.#engine.ask("takeTrace"));
    return report;
  }

  release(): void {
    tellUse(this.#machine, () => JSON.parse(this.#engine.ask("coverage")));
    this.#engine.release();
  }

  // The methods below are those that takers use to answer calls.

  post(...fact: Fact): void {
    this.at(this.now(), fact);
  }

  /** Ends a call, or reports that it is alive. Returns false if it has already ended. */
  complete(call: TaskCall | EndedCall, ...[method, ...rest]: Completion): boolean {
    if (call.ended || this.outcome !== undefined) return false;
    call.ended = method !== "heartbeat";
    // A fact also has the number of its task.
    this.post(...([method, call.command.task, ...rest] as Fact));
    return true;
  }

  abort(error?: string, cause?: string): void {
    if (this.outcome === undefined) this.post("stop", error, cause);
  }

  findCall(token: string): TaskCall | undefined {
    return this.#tokens.get(token);
  }

  /** Applies a stop that was posted, if there is one. */
  stop(): void {
    const stop = this.outcome === undefined ? this.#coming.find(({ fact }) => fact[0] === "stop") : undefined;
    if (stop) this.feed(stop.fact);
  }

  /** Returns whether a fact is about a task that is no longer open. */
  #isSpent([method, task]: Fact): boolean {
    return method !== "start" && method !== "stop" && !(typeof task === "number" && this.#open.has(task));
  }

  #end(outcome: Outcome): void {
    this.outcome = outcome;
    this.#endTime = this.now();
    for (const task of [...this.#open.keys()]) this.#cancel(task, "Stopped");
    this.#family?.drivers.delete(this);
    this.#onFinish(outcome, this.now());
  }

  #cancel(task: number, reason: CancelReason): void {
    const call = this.#open.get(task);
    if (call === undefined) return;
    this.#open.delete(task);
    // A call that was already answered is not notified of the cancellation.
    if (!call.ended) call.onCancel?.(reason);
    call.ended = true;
  }

  #invoke(command: InvokeCommand): void {
    const { task, state, resource: arn, input, attempt, token } = command;
    const { script } = this.#simulation;
    const resource = script.resource(arn);
    const call: TaskCall = { command, resource, ended: false, onCancel: undefined };
    this.#open.set(task, call);
    if (token !== undefined) this.#tokens.set(token, call);
    this.#calls.push({ state, resource: arn, input: handlerInput(resource, input), attempt, at: this.now() });
    const found = script.find(arn, state, input);
    if (typeof found === "object") return found.take(call, this);
    const result = found ? found(handlerInput(resource, input), about(command)) : failureOf(script.missing(arn, state, input));
    checkResult(result, state);
    this.#answer(call, result);
  }

  /** Adds the facts of a scripted result. */
  #answer({ command, resource }: TaskCall, result: ScriptedResult): void {
    const { task } = command;
    const now = this.now();
    const at = now + (result.after ?? 0);
    if (resource.kind === "activity") this.at(now, ["started", task, undefined]);
    if (Object.hasOwn(result, "submitted")) this.at(now, ["submitted", task, jsonText(result.submitted)]);
    else if (resource.pattern !== "") this.at(now, ["submitted", task, submittedText(resource, command, now)]);
    for (const beat of result.heartbeats ?? []) this.at(now + beat, ["heartbeat", task]);
    if (result.never) return;
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

/**
 * Returns the scripted result for a task that is missing in the script. It is a failure, even if a host would wait for the handler.
 */
function failureOf({ error, cause }: { error: string; cause: string }): ScriptedResult {
  return { error, cause };
}

/** Checks the result that a script gives for a state. Throws INVALID_SCRIPT. */
function checkResult(result: unknown, state: string): asserts result is ScriptedResult {
  if (typeof result !== "object" || result === null)
    throw misuse("INVALID_SCRIPT", `the script for state ${JSON.stringify(state)} must give an object with output, response or error`);
  const where = `the scripted result for state ${JSON.stringify(state)}`;
  checkOptions(result, RESULT, where);
  const { after = 0, heartbeats = [] }: { after?: unknown; heartbeats?: unknown } = result;
  if (!isDelay(after)) throw misuse("INVALID_SCRIPT", `${where}: after must be a number of milliseconds, not ${shown(after)}`);
  if (!Array.isArray(heartbeats) || !heartbeats.every(isDelay))
    throw misuse("INVALID_SCRIPT", `${where}: heartbeats must be an array of numbers of milliseconds, not ${shown(heartbeats)}`);
}

/** Returns whether the results of a script are a list. */
function isList(results: ScriptedResult | readonly ScriptedResult[]): results is readonly ScriptedResult[] {
  return Array.isArray(results);
}

/** Returns whether a value is a delay in milliseconds that a time of JavaScript can hold. */
function isDelay(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 8.64e15;
}

/** Returns the results as functions. Each of them counts its own calls. */
function asFunctions(script: Exclude<Script, Function>): Map<string, Scripted> {
  if (typeof script !== "object" || script === null)
    throw misuse("INVALID_SCRIPT", "a script must be an object or a Map of results, or one function");
  const entries: Iterable<[string, ScriptedResults]> = script instanceof Map ? script : Object.entries(script);
  return new Map([...entries].map(([name, results]) => [name, asFunction(name, results)]));
}

function asFunction(name: string, results: ScriptedResults): Scripted {
  if (typeof results === "function") return results;
  if (!isList(results)) return () => results;
  let calls = 0;
  return () => {
    calls += 1;
    return (
      results[calls - 1] ?? {
        error: "States.TaskFailed",
        cause: `the script for ${JSON.stringify(String(name))} has ${results.length} results, but this is call ${calls}`,
      }
    );
  };
}

/** Returns the task as the function of a script receives it. */
function about({
  task: id,
  state: stateName,
  resource,
  input: parameters,
  attempt,
  token,
  purpose,
  iterations = [],
}: InvokeCommand): ScriptedTask {
  return { id, stateName, resource, parameters, attempt, token, purpose: purpose ?? "Task", iterations };
}
