// A definition that can be run.

import * as module from "../../../dist/glue.js";
import type {
  Clock,
  Definition,
  Diagnostic,
  EngineSnapshot,
  Execution as PublicExecution,
  ExecutionCoverage,
  ExecutionSnapshot,
  HistoryEvent,
  MachineOptions,
  MachineType,
  StartOptions,
  StateMachine as PublicMachine,
  TaskHandler,
  TaskHandlers,
} from "../api/index.d.ts";
import { Driver } from "../driver/driver.ts";
import { type VirtualClock, clockOf, timeOf } from "../driver/clock.ts";
import type { Journal } from "../driver/journal.ts";
import { soon } from "../driver/scheduler.ts";
import { Archive } from "../border/archive.ts";
import { HistoryEngine } from "../border/history-engine.ts";
import { type MachineHandle, call, checkSize } from "../border/instance.ts";
import { ExecutionError, RestoreError, misuse } from "../base/errors.ts";
import type { Thrown } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { randomKey, randomUuid, seedOf } from "../base/random.ts";
import { compile } from "../definition/compile.ts";
import { compileSettings } from "../definition/settings.ts";
import { argumentText, jsonText } from "../tasks/integration.ts";
import { Handlers } from "../tasks/resource.ts";
import { detailsOf, isStateEntered } from "../history/events.ts";
import { Execution, type ExecutionInfo, driverOf, release, settle } from "./execution.ts";
import { type ChildDetails, Family, type Launch, Machines } from "./nested.ts";
import { LIMITS, collector, counting, engineSettings } from "./settings.ts";
import { startProblem } from "./start.ts";

const MACHINE_OPTIONS = ["name", "arn", "roleArn", "type", "jsonata", "substitutions"];
const OBSERVERS = ["onEvent", "onStage", "onChild", "onNested", "onIdle"];
const START_OPTIONS = ["tasks", "machines", "name", "arn", "clock", "startTime", "signal", "seed", "coverage", ...OBSERVERS, ...LIMITS];

/** For the other classes of this package: returns the compiled machine of a public one. */
export let handleOf: (machine: StateMachine) => MachineHandle;

/** The options of an execution. Callers that start several executions pass parsed handlers, which the executions share. */
export interface ExecutionOptions extends Omit<StartOptions, "tasks"> {
  tasks?: TaskHandlers | Handlers;
  /** Whether an activity may be missing when a task needs it. The engine then asks for a confirmation of each activity. */
  confirmedActivities?: boolean;
}

/** What an execution shares with the executions that its tasks start. */
interface Surroundings {
  handlers: Handlers;
  clock: Clock | VirtualClock;
  family?: Family;
  /** Called at the end of an execution that a task or a host has started. */
  onFinish?: Launch["onFinish"];
  /** The journal of an execution that survives its process. */
  journal?: Journal;
}

/** What is needed to run an execution that survives its process. */
interface DurableSettings {
  handlers: Handlers;
  clock: Clock | VirtualClock;
  options: ExecutionOptions;
  info: ExecutionInfo;
  seed: bigint;
  journal: Journal;
  onFinish: Launch["onFinish"];
}

/** The details of a launched execution, which may have no family. */
type Launched = Omit<Launch, "family" | "record"> & { family?: Family | undefined };

/** The details that are known when an execution begins. */
type Beginning = Pick<ChildDetails, "input"> & Partial<Pick<ChildDetails, "startDate">>;

export class StateMachine implements PublicMachine {
  #handle: MachineHandle;
  #options: MachineOptions;
  #diagnostics: Diagnostic[] | undefined;

  static {
    handleOf = (machine) => machine.#handle;
  }

  /** Compiles a definition, which is JSON text or an object. Throws DefinitionError with all diagnostics if it has errors. */
  constructor(definition: Definition, options: MachineOptions = {}) {
    checkOptions(options, MACHINE_OPTIONS, "new StateMachine()");
    this.#options = options;
    const settings = compileSettings(options);
    this.#handle = compile(definition, settings, options.substitutions);
  }

  /** The type: "STANDARD" or "EXPRESS". */
  get type(): MachineType {
    return this.#options.type ?? "STANDARD";
  }

  /** The name of the machine in the Context Object. */
  get name(): string {
    return this.#options.name ?? "StateMachine";
  }

  /** The machine's ARN, if one was given. */
  get arn(): string | undefined {
    return this.#options.arn;
  }

  /** The definition's JSON text. */
  get definition(): string {
    return this.#handle.text;
  }

  /** The variables that each state reads, as DescribeStateMachine returns them: `{state: [names]}`. */
  get variableReferences(): Record<string, string[]> {
    return JSON.parse(this.#handle.raw().variableReferences());
  }

  /** Identifies this definition. A snapshot can only be restored with a machine of the same digest. */
  get digest(): string {
    return this.#handle.raw().digest;
  }

  /** The warnings about the definition. */
  get diagnostics(): Diagnostic[] {
    return (this.#diagnostics ??= this.#handle.raw().diagnostics(this.definition) as Diagnostic[]);
  }

  /** Starts an execution. Handlers are first called after the current code has run. */
  start<Output = any>(input?: unknown, options: ExecutionOptions = {}): Execution<Output> {
    checkOptions(options, START_OPTIONS, "machine.start()");
    const text = input === undefined ? "{}" : argumentText(input, "the input", options.strict);
    const seed = seedOf(options.seed);
    const name = options.name ?? (options.seed === undefined ? randomUuid() : `seed-${seed}`);
    checkStart(name, text, options);
    const { roleArn, arn: stateMachineArn } = this.#options;
    const info = {
      name,
      stateMachineName: this.name,
      ...(options.arn !== undefined && { arn: options.arn }),
      ...(roleArn !== undefined && { roleArn }),
      ...(stateMachineArn !== undefined && { stateMachineArn }),
    };
    return this.#start(text, info, seed, options, around(options, clockOf(options.clock, options.startTime)));
  }

  /** Runs an execution to its end. Resolves to its output, or rejects with ExecutionError. */
  async run<Output = any>(input?: unknown, options: ExecutionOptions = {}): Promise<Output> {
    const execution = this.start<Output>(input, options);
    const outcome = await execution.result;
    if (outcome.status === "SUCCEEDED") {
      release(execution);
      return outcome.output;
    }
    throw new ExecutionError(execution, outcome, failedState(driverOf(execution)), driverOf(execution).thrown);
  }

  /** Continues an execution from a snapshot. Tasks that were running are invoked again. */
  restore<Output = any>(snapshot: ExecutionSnapshot, options: ExecutionOptions = {}): Execution<Output> {
    checkOptions(options, START_OPTIONS, "machine.restore()");
    checkSnapshot(snapshot);
    return this.#resume(snapshot, options, this.#surroundings(snapshot, options));
  }

  /**
   * Continues an execution that failed, timed out or was aborted, as RedriveExecution does: the failed state runs again, and
   * finished states are not repeated. Accepts the execution or its snapshot, and returns a new Execution with the history so far.
   */
  redrive<Output = any>(ended: PublicExecution | ExecutionSnapshot, options: ExecutionOptions = {}): Execution<Output> {
    const snapshot = ended instanceof Execution ? ended.snapshot() : (ended as ExecutionSnapshot);
    checkOptions(options, START_OPTIONS, "machine.redrive()");
    checkSnapshot(snapshot);
    const { driver, execution } = this.#restored(snapshot, options, this.#surroundings(snapshot, options));
    driver.redrive();
    return execution;
  }

  #start(text: string, info: ExecutionInfo, seed: bigint, options: ExecutionOptions, surroundings: Surroundings): Execution {
    const engine = new HistoryEngine(this.#handle, engineSettings(options, this.type), undefined, new Archive());
    const { driver, execution } = this.#execution(engine, info, seed, options, surroundings, { input: text });
    // Without a seed, nobody may be able to repeat the execution, or to compute its task tokens from what it shows.
    driver.begin([["start", text, options.seed === undefined ? { ...info, tokenKey: randomKey() } : info, seed]]);
    return execution;
  }

  #surroundings({ engine }: ExecutionSnapshot, options: ExecutionOptions): Surroundings {
    return around(options, clockOf(options.clock, options.startTime ?? (engine as { clock?: number } | null)?.clock));
  }

  #resume(snapshot: ExecutionSnapshot, options: ExecutionOptions, surroundings: Surroundings): Execution {
    const { driver, execution } = this.#restored(snapshot, options, surroundings);
    driver.resume(new Set(snapshot.submitted ?? []), new Map((snapshot.nested ?? []).map((child) => [child.task, child])));
    return execution;
  }

  #restored(snapshot: ExecutionSnapshot, options: ExecutionOptions, surroundings: Surroundings): { driver: Driver; execution: Execution } {
    const { archive, text } = archived(snapshot.engine);
    const engine = new HistoryEngine(this.#handle, counting(options), text, archive);
    const { executions } = snapshot.engine as { executions?: { input?: unknown; startedAt?: number }[] };
    const { input, startedAt } = executions?.[0] ?? {};
    return this.#execution(engine, { ...snapshot.execution }, seedOf(options.seed), options, surroundings, {
      input: jsonText(input),
      ...(startedAt !== undefined && { startDate: startedAt }),
    });
  }

  #execution(
    engine: HistoryEngine,
    info: ExecutionInfo,
    seed: bigint,
    { signal, confirmedActivities, ...observers }: ExecutionOptions,
    surroundings: Surroundings,
    begun: Beginning,
  ): { driver: Driver; execution: Execution } {
    const { handlers, clock, family, journal, onFinish } = surroundings;
    // An execution that a task has started is already in the family.
    let ended = onFinish;
    const stop = signal && (() => driver.stop({ value: signal.reason }, reasonText(signal.reason)));
    const driver = new Driver({
      engine,
      handlers,
      clock,
      family,
      seed,
      observers,
      journal,
      confirmedActivities,
      onFinish: (outcome, now) => {
        if (stop !== undefined) signal?.removeEventListener("abort", stop);
        tellUse(this, () => driver.coverage());
        settle(execution, outcome);
        ended?.(outcome, now);
      },
    });
    const execution = new Execution(driver, info);
    driver.execution = execution;
    if (family !== undefined && onFinish === undefined) {
      family.keeps ||= isCurious(this);
      const entry = family.found({
        name: info.name,
        arn: execution.arn,
        machineArn: info.stateMachineArn,
        machineName: info.stateMachineName ?? this.name,
        startDate: timeOf(clock),
        ...begun,
      });
      entry.begun(execution);
      ended = entry.ended;
    }
    if (stop !== undefined) {
      if (signal?.aborted) soon(stop);
      else signal?.addEventListener("abort", stop, { once: true });
    }
    return { driver, execution };
  }

  /** Returns a machine with another definition and the other options of this one. */
  static variant(machine: StateMachine, definition: string): StateMachine {
    const { substitutions, ...options } = machine.#options;
    return new StateMachine(definition, options);
  }

  /** Returns an engine for an execution that survives its process: a new one, or the one that a lean snapshot describes. */
  static engine(machine: StateMachine, options: ExecutionOptions, lean?: { text: string; events: number }): HistoryEngine {
    const archive = new Archive(lean?.events);
    return new HistoryEngine(machine.#handle, engineSettings(options, machine.type), lean?.text, archive);
  }

  /** Returns the execution of an engine that `engine()` has returned. */
  static durable(machine: StateMachine, engine: HistoryEngine, settings: DurableSettings): Execution {
    const { info, seed, options, ...surroundings } = settings;
    return machine.#execution(engine, info, seed, options, surroundings, { input: "{}" }).execution;
  }

  /** Starts an execution for a task, with the surroundings of its parent. */
  static launch(
    machine: StateMachine,
    { options, ...surroundings }: Surroundings & { options: ExecutionOptions },
    { text = "{}", snapshot, info, seed, family, onFinish }: Launched,
  ): Execution {
    const { roleArn } = machine.#options;
    const about = { ...info, ...(roleArn !== undefined && { roleArn }) };
    const own = { ...surroundings, ...(family && { family }), onFinish };
    return snapshot === undefined ? machine.#start(text, about, seed, options, own) : machine.#resume(snapshot, options, own);
  }
}

/** Returns what an execution shares with the executions that its tasks start: the handlers, the clock and the family. */
function around(options: ExecutionOptions, clock: Clock | VirtualClock): Surroundings {
  const { tasks, machines, onNested } = options;
  const registered = machines === undefined ? undefined : new Machines(machines, (machine) => machine instanceof StateMachine);
  const handlers = tasks instanceof Handlers ? tasks : new Handlers<TaskHandler>(tasks, registered, undefined, options.strict);
  if (registered === undefined) return { handlers, clock };
  // Observers only observe the execution to which they were given, so `trace` is not inherited.
  const names = ([...LIMITS, "seed"] as const).filter((name) => name !== "trace" && options[name] !== undefined);
  const inherited: ExecutionOptions = Object.fromEntries(names.map((name) => [name, options[name]]));
  const launch = (machine: StateMachine, how: Launch) => StateMachine.launch(machine, { handlers, clock, options: inherited }, how);
  return {
    handlers,
    clock,
    family: new Family({ launch, onNested, keeps: registered.all.some(isCurious), payloadLimit: options.payloadLimit }),
  };
}

/** Throws the error with which StartExecution refuses a name or an input. */
export function checkStart(name: string, input: string, { payloadLimit }: { payloadLimit?: number }): void {
  const problem = startProblem(name, input, payloadLimit);
  if (problem) throw misuse(...problem, RangeError);
  checkSize(input, "the input");
}

/** Returns whether a machine describes or stops executions. If it does, executions must stay known after their end. */
export function isCurious(machine: StateMachine): boolean {
  return /:(?:describe|stop)Execution/.test(handleOf(machine).text);
}

function checkSnapshot(snapshot: ExecutionSnapshot): void {
  if (typeof snapshot !== "object" || snapshot === null || snapshot.version !== 1 || typeof snapshot.engine !== "object") {
    throw new RestoreError("the value is not a snapshot of an execution");
  }
}

/** Reports to the process's collector, if there is one, which parts of its definition an ended execution has used. */
export function tellUse(machine: StateMachine, ask: () => ExecutionCoverage): void {
  const collect = collector();
  if (collect === undefined) return;
  const { digest, name } = machine;
  try {
    collect({ digest, name, definition: handleOf(machine).text, hits: ask().hits });
  } catch (thrown) {
    console.error("stepglass: coverage could not be collected", thrown);
  }
}

// The number of events that are read at a time to find the state in which an execution failed.
const TAIL = 64;

/**
 * Returns the state in which an execution failed, and the thrown value that caused it, if there is one. The history is read from
 * its end, because it may be long.
 */
export function failureOf(execution: Execution): { state?: string; thrown?: Thrown } {
  const driver = driverOf(execution);
  const [state, thrown] = [failedState(driver), driver.thrown];
  return { ...(state !== undefined && { state }), ...(thrown !== undefined && { thrown }) };
}

function failedState(driver: Driver): string | undefined {
  const events = new Map<number, HistoryEvent>();
  let from = driver.events;
  const at = (id: number) => {
    // Ids are numbered from 1 without gaps.
    while (id > 0 && id <= from) {
      const to = from;
      from = Math.max(0, from - TAIL);
      for (const event of driver.history(from, to)) events.set(event.id, event);
    }
    return events.get(id);
  };
  // The first event of a chain, and the end of an aborted execution, have no previous event. In these cases the last entered state
  // is used.
  let event = at(at(driver.events)?.previousEventId ?? 0) ?? at(driver.events - 1);
  while (event !== undefined && !isStateEntered(event)) event = at(event.previousEventId);
  return event && detailsOf(event).name;
}

/** Returns a snapshot in the form in which a HistoryEngine accepts it: its events are in an archive. */
export function archived(
  snapshot: EngineSnapshot,
  write: (snapshot: EngineSnapshot) => string = JSON.stringify,
): { archive: Archive; text: string } {
  return Archive.of(snapshot, (text) => call(module.isPage, text), write);
}

export function reasonText(reason: unknown): string {
  if (typeof reason === "string") return reason;
  const { message } = (reason ?? {}) as { message?: unknown };
  if (typeof message === "string") return message;
  try {
    return JSON.stringify(reason) ?? "the execution's signal was aborted";
  } catch {
    return "the execution's signal was aborted";
  }
}
