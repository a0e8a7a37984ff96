// A definition that can be run.

import { Driver } from "./driver/driver.js";
import { clockOf } from "./driver/clock.js";
import { DefinitionError, ExecutionError, RestoreError, misuse } from "./errors.js";
import { Execution, release } from "./execution.js";
import { EngineHandle, MachineHandle, call } from "./instance.js";
import { jsonText } from "./integration.js";
import { Handlers } from "./resource.js";

const MACHINE_OPTIONS = ["name", "arn", "roleArn", "type"];
const LIMITS = ["history", "payloadLimit", "historyLimit", "stepBudget", "trace"];
const START_OPTIONS = ["tasks", "name", "arn", "clock", "startTime", "signal", "seed", "onEvent", ...LIMITS];

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
    this.#handle = compile(definition, settings);
  }

  /** "STANDARD" or "EXPRESS". */
  get type() {
    return this.#options.type ?? "STANDARD";
  }

  /** What the Context Object calls the machine. */
  get name() {
    return this.#options.name ?? "StateMachine";
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
    const text = input === undefined ? "{}" : jsonText(input);
    const seed = seedOf(options.seed);
    const name = options.name ?? (options.seed === undefined ? uuid() : `seed-${seed}`);
    const info = { name, stateMachineName: this.name };
    for (const [key, value] of [["arn", options.arn], ["roleArn", this.#options.roleArn], ["stateMachineArn", this.#options.arn]]) {
      if (value !== undefined) info[key] = value;
    }
    const engine = new EngineHandle(this.#handle, engineSettings(options, this.type));
    const { driver, execution } = this.#execution(engine, info, options, clockOf(options.clock, options.startTime));
    driver.begin([["start", text, info, seed]]);
    return execution;
  }

  /** Runs an execution to its end; returns its output or rejects with ExecutionError. */
  async run(input, options = {}) {
    const execution = this.start(input, options);
    const outcome = await execution.result;
    if (outcome.status === "SUCCEEDED") {
      release(execution);
      return outcome.output;
    }
    throw new ExecutionError(execution, outcome, failedState(execution));
  }

  /** Goes on with an execution where `execution.snapshot()` was taken. Tasks in flight are invoked again. */
  restore(snapshot, options = {}) {
    const { driver, execution, submitted } = this.#restored(snapshot, options, "machine.restore()");
    driver.resume(submitted);
    return execution;
  }

  /**
   * Takes up an execution that failed, timed out or was aborted where it stood (RedriveExecution): the state that failed
   * runs again, what was done stays done. Takes the execution or its snapshot; returns a new Execution with the history
   * so far.
   */
  redrive(ended, options = {}) {
    const snapshot = ended instanceof Execution ? ended.snapshot() : ended;
    const { driver, execution } = this.#restored(snapshot, options, "machine.redrive()");
    try {
      driver.redrive();
    } catch (thrown) {
      throw thrown?.code === "NOT_REDRIVABLE" ? misuse(thrown.code, thrown.message, Error) : thrown;
    }
    return execution;
  }

  #restored(snapshot, options, where) {
    checkOptions(options, START_OPTIONS, where);
    if (typeof snapshot !== "object" || snapshot === null || snapshot.version !== 1 || typeof snapshot.engine !== "object") {
      throw new RestoreError("this is no snapshot of an execution");
    }
    const engine = new EngineHandle(this.#handle, {}, JSON.stringify(snapshot.engine));
    const clock = clockOf(options.clock, options.startTime ?? snapshot.engine?.clock);
    return { ...this.#execution(engine, { ...snapshot.execution }, options, clock), submitted: new Set(snapshot.submitted ?? []) };
  }

  #execution(engine, info, { tasks, signal, onEvent }, clock) {
    if (onEvent !== undefined && typeof onEvent !== "function") throw misuse("INVALID_OPTION", "onEvent must be a function");
    const handlers = new Handlers(tasks);
    let finish;
    const result = new Promise((resolve) => (finish = resolve));
    let stop;
    const driver = new Driver({
      engine,
      handlers,
      clock,
      onEvent,
      onFinish: (outcome) => {
        signal?.removeEventListener("abort", stop);
        finish(outcome);
      },
    });
    const execution = new Execution(driver, info, result);
    driver.execution = execution;
    if (signal !== undefined) {
      stop = () => driver.post("stop", undefined, reasonText(signal.reason));
      if (signal.aborted) queueMicrotask(stop);
      else signal.addEventListener("abort", stop, { once: true });
    }
    return { driver, execution };
  }
}

/** A machine from a definition, or DefinitionError. */
function compile(definition, settings) {
  const text = definitionText(definition);
  try {
    return new MachineHandle(text, settings);
  } catch (thrown) {
    if (thrown?.code !== "DEFINITION") throw thrown;
    const rendered = call((module) => module.renderDiagnostics(text, "definition", settings, false));
    const ours = typeof definition === "string";
    throw new DefinitionError(ours ? thrown.diagnostics : thrown.diagnostics.map(withoutRange), ours ? rendered : plain(thrown.diagnostics));
  }
}

/** A definition's text: places in it mean something only where the caller has given it. */
export function definitionText(definition) {
  if (typeof definition === "string") return definition;
  if (typeof definition === "object" && definition !== null) return JSON.stringify(definition);
  throw misuse("INVALID_ARGUMENT", "a definition is JSON text or an object");
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
export function compileSettings({ type }) {
  if (type !== undefined && type !== "STANDARD" && type !== "EXPRESS") throw misuse("INVALID_OPTION", 'type must be "STANDARD" or "EXPRESS"');
  return type === undefined ? {} : { type };
}

/** What of the options concerns the engine. */
export function engineSettings(options, type) {
  const settings = { express: type === "EXPRESS" };
  for (const name of LIMITS) if (options[name] !== undefined) settings[name] = options[name];
  return settings;
}

/** The state in which an execution failed, from its history. */
function failedState(execution) {
  const events = execution.history();
  const byId = new Map(events.map((event) => [event.id, event]));
  // The first event of a chain, and the end of an aborted execution, point at nothing: then the last state entered.
  let event = byId.get(events.at(-1)?.previousEventId) ?? events.at(-2);
  while (event !== undefined) {
    if (event.stateEnteredEventDetails !== undefined) return event.stateEnteredEventDetails.name;
    event = byId.get(event.previousEventId);
  }
  return undefined;
}

/** Throws for an option that does not exist: a misspelt one would be lost without a word. */
export function checkOptions(options, known, where) {
  if (typeof options !== "object" || options === null) throw misuse("INVALID_OPTION", `the options of ${where} must be an object`);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw misuse("INVALID_OPTION", `${where} has no option ${JSON.stringify(name)}; it has ${known.join(", ")}`);
  }
}

/** 64 bits. */
export function seedOf(seed) {
  if (seed === undefined) return randomWords().getBigUint64(0);
  try {
    return BigInt.asUintN(64, BigInt(seed));
  } catch {
    throw misuse("INVALID_OPTION", "seed must be a whole number or a BigInt");
  }
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
  return reason instanceof Error ? reason.message : "the execution's signal was aborted";
}
