// @ts-nocheck: has no types yet.
// A definition that can be run.

import type { ValidateOptions } from "../api/index.d.ts";
import type { CompileSettings } from "../border/facts.ts";
import * as module from "../../dist/glue.js";
import { Driver } from "../driver/driver.ts";
import { clockOf } from "../driver/clock.ts";
import { soon } from "../driver/scheduler.ts";
import { Archive } from "../border/archive.ts";
import { filledIn, problemsOf, renderProblems } from "../definition/diagnose.ts";
import { DefinitionError, ExecutionError, RestoreError, misuse } from "../base/errors.ts";
import { Execution, driverOf, release } from "./execution.ts";
import { EngineHandle, MachineHandle, call, checkSize } from "../border/instance.ts";
import { argumentText, jsonText } from "../tasks/integration.ts";
import { Family, Machines } from "./nested.ts";
import { checkOptions, shown } from "../base/options.ts";
import { isMarked, unmarked } from "../definition/placeholders.ts";
import { Handlers } from "../tasks/resource.ts";
import { startProblem } from "./start.ts";

const MACHINE_OPTIONS = ["name", "arn", "roleArn", "type", "jsonata", "substitutions"];
const LIMITS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace"];
const OBSERVERS = ["onEvent", "onStage", "onChild", "onNested", "onIdle"];
const START_OPTIONS = ["tasks", "machines", "name", "arn", "clock", "startTime", "signal", "seed", "coverage", ...OBSERVERS, ...LIMITS];

// Whoever collects the coverage of a process puts a function here; copies of this package share it.
const COLLECTOR = Symbol.for("stepglass.coverage");

/** For the other classes of this package: the compiled machine behind the public one. */
export let handleOf;

export class StateMachine {
  #handle;
  #options;

  static {
    handleOf = (machine) => machine.#handle;
  }

  /** Compiles a definition, JSON text or object. Throws DefinitionError with all diagnostics if it has errors. */
  constructor(definition, options = {}) {
    checkOptions(options, MACHINE_OPTIONS, "new StateMachine()");
    this.#options = options;
    const settings = compileSettings(options);
    this.#handle = compile(definition, settings, options.substitutions);
  }

  /** "STANDARD" or "EXPRESS". */
  get type() {
    return this.#options.type ?? "STANDARD";
  }

  /** What the Context Object calls the machine. */
  get name() {
    return this.#options.name ?? "StateMachine";
  }

  /** The machine's ARN, where one was given. */
  get arn() {
    return this.#options.arn;
  }

  /** The definition's JSON text. */
  get definition() {
    return this.#handle.text;
  }

  /** The variables that each state reads, as DescribeStateMachine tells them: `{state: [names]}`. */
  get variableReferences() {
    return JSON.parse(this.#handle.raw().variableReferences());
  }

  /** Names this very definition: snapshots are restored only with a machine of the same digest. */
  get digest() {
    return this.#handle.raw().digest;
  }

  /** The warnings about the definition. */
  get diagnostics() {
    return this.#handle.raw().diagnostics;
  }

  /** Starts an execution. Handlers are first called after the present code has run. */
  start(input, options = {}) {
    checkOptions(options, START_OPTIONS, "machine.start()");
    const text = input === undefined ? "{}" : argumentText(input, "the input");
    const seed = seedOf(options.seed);
    const name = options.name ?? (options.seed === undefined ? uuid() : `seed-${seed}`);
    checkStart(name, text, options);
    const info = { name, stateMachineName: this.name };
    for (const [key, value] of [["arn", options.arn], ["roleArn", this.#options.roleArn], ["stateMachineArn", this.#options.arn]]) {
      if (value !== undefined) info[key] = value;
    }
    return this.#start(text, info, seed, options, around(options, clockOf(options.clock, options.startTime)));
  }

  /** Runs an execution to its end; returns its output or rejects with ExecutionError. */
  async run(input, options = {}) {
    const execution = this.start(input, options);
    const outcome = await execution.result;
    if (outcome.status === "SUCCEEDED") {
      release(execution);
      return outcome.output;
    }
    throw new ExecutionError(execution, outcome, failedState(driverOf(execution)), driverOf(execution).thrown);
  }

  /** Goes on with an execution where `execution.snapshot()` was taken. Tasks in flight are invoked again. */
  restore(snapshot, options = {}) {
    checkOptions(options, START_OPTIONS, "machine.restore()");
    checkSnapshot(snapshot);
    return this.#resume(snapshot, options, this.#surroundings(snapshot, options));
  }

  /**
   * Takes up an execution that failed, timed out or was aborted where it stood (RedriveExecution): the state that failed
   * runs again, what was done stays done. Takes the execution or its snapshot; returns a new Execution with the history
   * so far.
   */
  redrive(ended, options = {}) {
    const snapshot = ended instanceof Execution ? ended.snapshot() : ended;
    checkOptions(options, START_OPTIONS, "machine.redrive()");
    checkSnapshot(snapshot);
    const { driver, execution } = this.#restored(snapshot, options, this.#surroundings(snapshot, options));
    driver.redrive();
    return execution;
  }

  #start(text, info, seed, options, surroundings) {
    const engine = new EngineHandle(this.#handle, engineSettings(options, this.type), undefined, new Archive());
    const { driver, execution } = this.#execution(engine, info, seed, options, surroundings, { input: text });
    // Without a seed nobody can repeat the execution, nor work its task tokens out from what it shows.
    driver.begin([["start", text, options.seed === undefined ? { ...info, tokenKey: randomKey() } : info, seed]]);
    return execution;
  }

  #surroundings(snapshot, options) {
    return around(options, clockOf(options.clock, options.startTime ?? snapshot.engine?.clock));
  }

  #resume(snapshot, options, surroundings) {
    const { driver, execution } = this.#restored(snapshot, options, surroundings);
    driver.resume(new Set(snapshot.submitted ?? []), new Map((snapshot.nested ?? []).map((child) => [child.task, child])));
    return execution;
  }

  #restored(snapshot, options, surroundings) {
    const { archive, text } = archived(snapshot.engine);
    const engine = new EngineHandle(this.#handle, counting(options), text, archive);
    const { input, startedAt } = snapshot.engine.executions?.[0] ?? {};
    return this.#execution(engine, { ...snapshot.execution }, seedOf(options.seed), options, surroundings, { input: jsonText(input), startDate: startedAt });
  }

  #execution(engine, info, seed, { signal, ...observers }, { handlers, clock, family, onFinish }, begun) {
    let finish;
    // What a task started is in the family already.
    let ended = onFinish;
    const result = new Promise((resolve) => (finish = resolve));
    let stop;
    const driver = new Driver({
      engine,
      handlers,
      clock,
      family,
      seed,
      observers,
      onFinish: (outcome, now) => {
        signal?.removeEventListener("abort", stop);
        tellUse(this, () => driver.coverage());
        finish(outcome);
        ended?.(outcome, now);
      },
    });
    const execution = new Execution(driver, info, result);
    driver.execution = execution;
    if (family !== undefined && onFinish === undefined) {
      family.keeps ||= isCurious(this);
      const entry = family.found({ name: info.name, arn: execution.arn, machineArn: info.stateMachineArn, machineName: info.stateMachineName, startDate: timeOf(clock), ...begun });
      entry.begun(execution);
      ended = entry.ended;
    }
    if (signal !== undefined) {
      stop = () => driver.stop({ value: signal.reason }, reasonText(signal.reason));
      if (signal.aborted) soon(stop);
      else signal.addEventListener("abort", stop, { once: true });
    }
    return { driver, execution };
  }

  /** For tasks that start machines: an execution with the surroundings of its parent. */
  static launch(machine, surroundings, { text, snapshot, info, seed, family, onFinish }) {
    const { options } = surroundings;
    const about = { ...info, ...(machine.#options.roleArn !== undefined && { roleArn: machine.#options.roleArn }) };
    const own = { ...surroundings, family, onFinish };
    return snapshot === undefined ? machine.#start(text, about, seed, options, own) : machine.#resume(snapshot, options, own);
  }
}

/** What an execution shares with those that its tasks start: handlers, clock, and the family itself. */
function around(options, clock) {
  const { tasks, machines, onNested } = options;
  const registered = machines === undefined ? undefined : new Machines(machines, (machine) => machine instanceof StateMachine);
  const handlers = tasks instanceof Handlers ? tasks : new Handlers(tasks, registered);
  if (registered === undefined) return { handlers, clock };
  // Observers are told of the execution that they were given to.
  const inherited = Object.fromEntries([...LIMITS, "seed"].filter((name) => name !== "trace" && options[name] !== undefined).map((name) => [name, options[name]]));
  const launch = (machine, how) => StateMachine.launch(machine, { handlers, clock, options: inherited }, how);
  return { handlers, clock, family: new Family({ launch, onNested, keeps: registered.all.some(isCurious), payloadLimit: options.payloadLimit }) };
}

/** Throws what StartExecution answers to a name or an input that it does not take. */
export function checkStart(name, input, { payloadLimit }) {
  const problem = startProblem(name, input, payloadLimit);
  if (problem) throw misuse(...problem, RangeError);
  checkSize(input, "the input");
}

/** A clock's time; one that throws is the execution's to fail by. */
function timeOf(clock) {
  try {
    return clock.now();
  } catch {
    return Date.now();
  }
}

/** Whether a machine asks what has become of executions: then those that have ended are kept in mind. */
export function isCurious(machine) {
  return /:(?:describe|stop)Execution/.test(handleOf(machine).text);
}

function checkSnapshot(snapshot) {
  if (typeof snapshot !== "object" || snapshot === null || snapshot.version !== 1 || typeof snapshot.engine !== "object") {
    throw new RestoreError("the value is not a snapshot of an execution");
  }
}

/** A machine from a definition, or DefinitionError. */
function compile(definition, settings, substitutions) {
  const text = definitionText(definition);
  const filled = filledIn(text, substitutions);
  try {
    if ((filled?.missing.length ?? 0) === 0) {
      const given = filled?.text ?? text;
      return new MachineHandle(isMarked(definition) ? given.slice(1) : given, settings);
    }
  } catch (thrown) {
    if (thrown?.code !== "DEFINITION") throw thrown;
  }
  const problems = problemsOf(text, filled, settings, "error");
  if (typeof definition !== "string") throw new DefinitionError(problems.map(withoutRange), plain(problems));
  throw new DefinitionError(problems, renderProblems(text, filled, settings, "error", "definition", false));
}

/** A definition's text: places in it mean something only where the caller has given it. */
export function definitionText(definition) {
  if (typeof definition === "string") return unmarked(definition);
  if (typeof definition === "object" && definition !== null) return argumentText(definition, "the definition");
  throw misuse("INVALID_ARGUMENT", `a definition must be JSON text or an object, not ${shown(definition)}`);
}

/** A diagnostic of a definition that came as an object. */
export function withoutRange({ range, ...diagnostic }) {
  const bare = ({ range: _, ...rest }) => rest;
  const out = { ...diagnostic, labels: diagnostic.labels.map(bare) };
  if (diagnostic.fix) out.fix = bare(diagnostic.fix);
  return out;
}

function plain(diagnostics) {
  return diagnostics.map(({ severity, code, message, pointer, help }) => `${severity}[${code}]: ${message}\n  at ${pointer || "the top"}${help ? `\n  help: ${help}` : ""}\n`).join("");
}

/** What of the options concerns the compiler. */
export function compileSettings({ type, jsonata }: ValidateOptions): CompileSettings {
  return { ...(type !== undefined && { type }), ...(jsonata !== undefined && { jsonata }) };
}

/** What of the options concerns the making of a machine. */
export function machineSettings({ substitutions, ...options }) {
  return { ...compileSettings(options), ...(substitutions !== undefined && { substitutions }) };
}

/** What of the options concerns the engine. */
export function engineSettings(options, type) {
  const settings = { express: type === "EXPRESS" };
  if (options.onStage !== undefined) settings.trace = true;
  if (options.onChild !== undefined) settings.childHistories = true;
  for (const name of LIMITS) if (options[name] !== undefined) settings[name] = options[name];
  return { ...settings, ...counting(options) };
}

/** Tells the process's collector, where there is one, what an execution that has ended has used of its definition. */
export function tellUse(machine, ask) {
  const collect = globalThis[COLLECTOR];
  if (collect === undefined) return;
  const { digest, name } = machine;
  try {
    collect({ digest, name, definition: handleOf(machine).text, hits: ask().hits });
  } catch (thrown) {
    console.error("stepglass: coverage could not be collected", thrown);
  }
}

/** Whether the engine counts what is used. */
function counting({ coverage }) {
  return coverage || globalThis[COLLECTOR] !== undefined ? { coverage: true } : {};
}

// How many events are read at a time to find the state in which an execution failed.
const TAIL = 64;

/** The state in which an execution failed, from the end of its history: it may be long. */
function failedState(driver) {
  const events = new Map();
  let from = driver.events;
  const at = (id) => {
    // Ids are numbered from 1 without gaps.
    while (id > 0 && id <= from) {
      const to = from;
      from = Math.max(0, from - TAIL);
      for (const event of driver.history(from, to)) events.set(event.id, event);
    }
    return events.get(id);
  };
  // The first event of a chain, and the end of an aborted execution, point at nothing: then the last state entered.
  let event = at(at(driver.events)?.previousEventId) ?? at(driver.events - 1);
  while (event !== undefined) {
    if (event.stateEnteredEventDetails !== undefined) return event.stateEnteredEventDetails.name;
    event = at(event.previousEventId);
  }
  return undefined;
}

/** A snapshot of an engine for an EngineHandle: `{archive, text}`. */
export function archived(snapshot, write = JSON.stringify) {
  return Archive.of(snapshot, (text) => call(module.isPage, text), write);
}

/** 64 bits. */
export function seedOf(seed) {
  if (seed === undefined) return randomWords().getBigUint64(0);
  try {
    return BigInt.asUintN(64, BigInt(seed));
  } catch {
    throw misuse("INVALID_OPTION", `seed must be a whole number or a BigInt, not ${shown(seed)}`);
  }
}

/** What task tokens are made with: 256 random bits as hexadecimal digits. */
export function randomKey() {
  const words = [randomWords(), randomWords()];
  return words.flatMap((pair) => [pair.getBigUint64(0), pair.getBigUint64(8)]).map((word) => word.toString(16).padStart(16, "0")).join("");
}

// crypto.randomUUID exists in secure contexts only.
function uuid() {
  const words = randomWords();
  const hex = words.getBigUint64(0).toString(16).padStart(16, "0") + words.getBigUint64(8).toString(16).padStart(16, "0");
  const variant = ((parseInt(hex[16], 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

// Asking the system for 16 bytes costs about as much as asking for thousands.
const pool = new DataView(new ArrayBuffer(4096));
let used = pool.byteLength;

/** 16 fresh random bytes. */
function randomWords() {
  if (used >= pool.byteLength) {
    crypto.getRandomValues(new Uint8Array(pool.buffer));
    used = 0;
  }
  const words = new DataView(pool.buffer, used, 16);
  used += 16;
  return words;
}

function reasonText(reason) {
  if (typeof reason === "string") return reason;
  if (typeof reason?.message === "string") return reason.message;
  try {
    return JSON.stringify(reason) ?? "the execution's signal was aborted";
  } catch {
    return "the execution's signal was aborted";
  }
}
