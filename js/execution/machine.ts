// A definition that can be run.

import * as module from "../../dist/glue.js";
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
import { Driver, type Outcome } from "../driver/driver.ts";
import { type VirtualClock, clockOf, timeOf } from "../driver/clock.ts";
import type { Journal } from "../driver/journal.ts";
import { soon } from "../driver/scheduler.ts";
import { Archive } from "../border/archive.ts";
import { HistoryEngine } from "../border/history.ts";
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
import { Execution, type ExecutionInfo, driverOf, release } from "./execution.ts";
import { type ChildDetails, Family, type Launch, Machines } from "./nested.ts";
import { LIMITS, collector, counting, engineSettings } from "./settings.ts";
import { startProblem } from "./start.ts";

const MACHINE_OPTIONS = ["name", "arn", "roleArn", "type", "jsonata", "substitutions"];
const OBSERVERS = ["onEvent", "onStage", "onChild", "onNested", "onIdle"];
const START_OPTIONS = ["tasks", "machines", "name", "arn", "clock", "startTime", "signal", "seed", "coverage", ...OBSERVERS, ...LIMITS];

/** For the other classes of this package: the compiled machine behind the public one. */
export let handleOf: (machine: StateMachine) => MachineHandle;

/** Options of an execution; whoever starts several shares their handlers. */
export interface ExecutionOptions extends Omit<StartOptions, "tasks"> {
  tasks?: TaskHandlers | Handlers;
  /** Whether an activity may be missing when a task needs it: the engine asks for a confirmation of each. */
  confirmedActivities?: boolean;
}

/** What an execution shares with those that its tasks start. */
interface Surroundings {
  handlers: Handlers;
  clock: Clock | VirtualClock;
  family?: Family;
  /** Of one that a task or a host has started: what is done when it ends. */
  onFinish?: Launch["onFinish"];
  /** Of one that outlives its process. */
  journal?: Journal;
}

/** What runs an execution that outlives its process. */
interface Keeping {
  handlers: Handlers;
  clock: Clock | VirtualClock;
  options: ExecutionOptions;
  info: ExecutionInfo;
  seed: bigint;
  journal: Journal;
  onFinish: Launch["onFinish"];
}

/** What launches an execution, which may have no family. */
type Launched = Omit<Launch, "family" | "record"> & { family?: Family | undefined };

/** What is known of an execution when it begins. */
type Beginning = Pick<ChildDetails, "input"> & Partial<Pick<ChildDetails, "startDate">>;

export class StateMachine implements PublicMachine {
  #handle: MachineHandle;
  #options: MachineOptions;
  #diagnostics: Diagnostic[] | undefined;

  static {
    handleOf = (machine) => machine.#handle;
  }

  /** Compiles a definition, JSON text or object. Throws DefinitionError with all diagnostics if it has errors. */
  constructor(definition: Definition, options: MachineOptions = {}) {
    checkOptions(options, MACHINE_OPTIONS, "new StateMachine()");
    this.#options = options;
    const settings = compileSettings(options);
    this.#handle = compile(definition, settings, options.substitutions);
  }

  /** "STANDARD" or "EXPRESS". */
  get type(): MachineType {
    return this.#options.type ?? "STANDARD";
  }

  /** What the Context Object calls the machine. */
  get name(): string {
    return this.#options.name ?? "StateMachine";
  }

  /** The machine's ARN, where one was given. */
  get arn(): string | undefined {
    return this.#options.arn;
  }

  /** The definition's JSON text. */
  get definition(): string {
    return this.#handle.text;
  }

  /** The variables that each state reads, as DescribeStateMachine tells them: `{state: [names]}`. */
  get variableReferences(): Record<string, string[]> {
    return JSON.parse(this.#handle.raw().variableReferences());
  }

  /** Names this very definition: snapshots are restored only with a machine of the same digest. */
  get digest(): string {
    return this.#handle.raw().digest;
  }

  /** The warnings about the definition. */
  get diagnostics(): Diagnostic[] {
    return (this.#diagnostics ??= this.#handle.raw().diagnostics(this.definition) as Diagnostic[]);
  }

  /** Starts an execution. Handlers are first called after the present code has run. */
  start<Output = any>(input?: unknown, options: ExecutionOptions = {}): Execution<Output> {
    checkOptions(options, START_OPTIONS, "machine.start()");
    const text = input === undefined ? "{}" : argumentText(input, "the input");
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

  /** Runs an execution to its end; returns its output or rejects with ExecutionError. */
  async run<Output = any>(input?: unknown, options: ExecutionOptions = {}): Promise<Output> {
    const execution = this.start<Output>(input, options);
    const outcome = await execution.result;
    if (outcome.status === "SUCCEEDED") {
      release(execution);
      return outcome.output;
    }
    throw new ExecutionError(execution, outcome, failedState(driverOf(execution)), driverOf(execution).thrown);
  }

  /** Goes on with an execution where `execution.snapshot()` was taken. Tasks in flight are invoked again. */
  restore<Output = any>(snapshot: ExecutionSnapshot, options: ExecutionOptions = {}): Execution<Output> {
    checkOptions(options, START_OPTIONS, "machine.restore()");
    checkSnapshot(snapshot);
    return this.#resume(snapshot, options, this.#surroundings(snapshot, options));
  }

  /**
   * Takes up an execution that failed, timed out or was aborted where it stood (RedriveExecution): the state that failed
   * runs again, what was done stays done. Takes the execution or its snapshot; returns a new Execution with the history
   * so far.
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
    // Without a seed nobody can repeat the execution, nor work its task tokens out from what it shows.
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
    // What a task started is in the family already.
    let ended = onFinish;
    let finish: (outcome: Outcome) => void;
    const result = new Promise<Outcome>((resolve) => (finish = resolve));
    const stop = () => driver.stop({ value: signal?.reason }, reasonText(signal?.reason));
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
    if (signal?.aborted) soon(stop);
    else signal?.addEventListener("abort", stop, { once: true });
    return { driver, execution };
  }

  /** For executions that outlive their process: the engine of one, a new one or one that a lean snapshot describes. */
  static engine(machine: StateMachine, options: ExecutionOptions, lean?: { text: string; events: number }): HistoryEngine {
    const archive = new Archive(lean?.events);
    return new HistoryEngine(machine.#handle, engineSettings(options, machine.type), lean?.text, archive);
  }

  /** The execution of such an engine. */
  static kept(machine: StateMachine, engine: HistoryEngine, keeping: Keeping): Execution {
    const { info, seed, options, ...surroundings } = keeping;
    return machine.#execution(engine, info, seed, options, surroundings, { input: "{}" }).execution;
  }

  /** For tasks that start machines: an execution with the surroundings of its parent. */
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

/** What an execution shares with those that its tasks start: handlers, clock, and the family itself. */
function around(options: ExecutionOptions, clock: Clock | VirtualClock): Surroundings {
  const { tasks, machines, onNested } = options;
  const registered = machines === undefined ? undefined : new Machines(machines, (machine) => machine instanceof StateMachine);
  const handlers = tasks instanceof Handlers ? tasks : new Handlers<TaskHandler>(tasks, registered);
  if (registered === undefined) return { handlers, clock };
  // Observers are told of the execution that they were given to.
  const names = ([...LIMITS, "seed"] as const).filter((name) => name !== "trace" && options[name] !== undefined);
  const inherited: ExecutionOptions = Object.fromEntries(names.map((name) => [name, options[name]]));
  const launch = (machine: StateMachine, how: Launch) => StateMachine.launch(machine, { handlers, clock, options: inherited }, how);
  return {
    handlers,
    clock,
    family: new Family({ launch, onNested, keeps: registered.all.some(isCurious), payloadLimit: options.payloadLimit }),
  };
}

/** Throws what StartExecution answers to a name or an input that it does not take. */
export function checkStart(name: string, input: string, { payloadLimit }: { payloadLimit?: number }): void {
  const problem = startProblem(name, input, payloadLimit);
  if (problem) throw misuse(...problem, RangeError);
  checkSize(input, "the input");
}

/** Whether a machine asks for the results of executions: then those that have ended are kept. */
export function isCurious(machine: StateMachine): boolean {
  return /:(?:describe|stop)Execution/.test(handleOf(machine).text);
}

function checkSnapshot(snapshot: ExecutionSnapshot): void {
  if (typeof snapshot !== "object" || snapshot === null || snapshot.version !== 1 || typeof snapshot.engine !== "object") {
    throw new RestoreError("the value is not a snapshot of an execution");
  }
}

/** Tells the process's collector, where there is one, what an execution that has ended has used of its definition. */
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

// How many events are read at a time to find the state in which an execution failed.
const TAIL = 64;

/** The state in which an execution failed, from the end of its history: it may be long. */
/** In which state an execution has failed, and the error that it comes of, where there is one. */
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
  // The first event of a chain, and the end of an aborted execution, point at nothing: then the last state entered.
  let event = at(at(driver.events)?.previousEventId ?? 0) ?? at(driver.events - 1);
  while (event !== undefined && !isStateEntered(event)) event = at(event.previousEventId);
  return event && detailsOf(event).name;
}

/** A snapshot of an engine as a HistoryEngine takes it: with the events in an archive. */
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
