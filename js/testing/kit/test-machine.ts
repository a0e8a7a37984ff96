// A machine under test, and its runs.

import type {
  Activity,
  ChildExecution,
  Execution,
  ExecutionResult,
  StartOptions,
  StateMachine,
  Task,
  TaskHandler,
} from "../../core/api/index.d.ts";
import type { Mocks, OneRunOptions, TaskCall, TestMachine as Machine, TestMachineOptions } from "../../core/api/testing.d.ts";
import { collectFile } from "../coverage/collect.ts";
import { Outline } from "../../core/definition/outline.ts";
import type { MachineDefinition } from "../../core/definition/fields.ts";
import type { Taker } from "../../core/tasks/call.ts";
import { Handlers } from "../../core/tasks/resource.ts";
import { load } from "./definition.ts";
import { MockError, TestKitError } from "../mocks/errors.ts";
import type { MockConfig } from "../mocks/config.ts";
import { loadMockConfig } from "../mocks/file.ts";
import type { Source } from "../../language/files/source.ts";
import { say } from "../../language/files/problem.ts";
import { answerer, isPromise } from "../mocks/answers.ts";
import { TestRun } from "./run-result.ts";

const MACHINE_OPTIONS = ["name", "arn", "roleArn", "type", "jsonata", "substitutions"] as const;
const RUN_OPTIONS = [
  "mocks",
  "tasks",
  "machines",
  "seed",
  "startTime",
  "name",
  "clock",
  "signal",
  "payloadLimit",
  "historyLimit",
  "idleTimeout",
] as const;
/** Overrides the machine's names, which are not those of its executions. */
const UNNAMED = { name: undefined, arn: undefined };

// The real timers, even if a test has replaced them by fake ones.
const { setTimeout: realTimeout, clearTimeout: clearRealTimeout } = globalThis;

/** The start time of every run, so that the times in histories are always the same. */
export const START = Date.UTC(2025, 0, 1);

/** Creates a machine to test from a definition: a file's path or URL (JSON or YAML), JSON text, an object, a StateMachine. */
export function testMachine(source: unknown, options: TestMachineOptions = {}): TestMachine {
  return new TestMachine(source, options);
}

export class TestMachine implements Machine {
  /** The machine itself. */
  readonly machine: StateMachine;
  /** The file from which it was loaded. */
  readonly file: string | undefined;
  #source: Source | undefined;
  #options: TestMachineOptions;
  #config: MockConfig | undefined;
  #outline: Outline | undefined;
  #definition: MachineDefinition;

  constructor(given: unknown, options: TestMachineOptions) {
    check(options, [...MACHINE_OPTIONS, ...RUN_OPTIONS, "mockConfig", "input"], "testMachine()");
    const { machine, definition, file, source } = load(given, pick(options, MACHINE_OPTIONS));
    this.machine = machine;
    this.file = file;
    this.#source = source;
    this.#definition = definition;
    this.#options = options;
    this.#config =
      options.mockConfig === undefined ? undefined : loadMockConfig(options.mockConfig, (message) => say(`warning: ${message}`));
    if (file !== undefined) collectFile(machine.digest, file);
  }

  /** The states and tasks of the definition. */
  get outline(): Outline {
    return (this.#outline ??= new Outline(this.#definition));
  }

  /** The test cases of the mock configuration. */
  get testCases(): string[] {
    return this.#config === undefined ? [] : this.#config.testCases(this.#configured(this.#config));
  }

  /** Returns the position in the file of the value at a JSON Pointer, as `FILE:LINE:COLUMN`. Undefined if there is no file. */
  place(pointer: string): string | undefined {
    return this.#source?.place(pointer);
  }

  /** Runs the machine to its end. */
  async run(input: unknown = this.#options.input ?? {}, options: OneRunOptions = {}): Promise<TestRun> {
    check(options, [...RUN_OPTIONS, "arn"], "run()");
    return this.#attempt(input, options, undefined);
  }

  /** Runs a test case of the mock configuration to its end. States without a mock there use the machine's own mocks. */
  async test(testCase: string, input: unknown = this.#options.input ?? {}, options: OneRunOptions = {}): Promise<TestRun> {
    check(options, [...RUN_OPTIONS, "arn"], "test()");
    return this.#attempt(input, options, testCase);
  }

  /** Mocks of the run take precedence over those of the test case, and these over the machine's own. */
  #attempt(input: unknown, options: OneRunOptions, testCase: string | undefined): Promise<TestRun> {
    this.#checkNames(options);
    const layers = [options.mocks, testCase === undefined ? undefined : this.#mocksOf(testCase), this.#options.mocks];
    return new Attempt(this, input, { ...this.#options, ...UNNAMED, ...options }, layers).result;
  }

  #mocksOf(testCase: string): Mocks {
    if (this.#config === undefined)
      throw new TestKitError('test() needs a mock configuration: testMachine(definition, { mockConfig: "MockConfigFile.json" })');
    return this.#config.mocks(this.#configured(this.#config), testCase);
  }

  /** Throws for a mock of a run that matches no task: its name is misspelt, unless machines that tasks start may use it. */
  #checkNames({ mocks, machines = this.#options.machines }: OneRunOptions): void {
    if (machines !== undefined || typeof mocks !== "object" || mocks === null) return;
    for (const [name] of entriesOf(mocks)) {
      if (this.outline.calls(name) !== false) continue;
      const { tasks } = this.outline;
      throw new TestKitError(
        `the mock of ${JSON.stringify(name)} matches nothing in the definition; its tasks are ${tasks.slice(0, 20).join(", ") || "none"}${tasks.length > 20 ? " …" : ""}`,
      );
    }
  }

  #configured(config: MockConfig): string {
    return config.nameFor(this.#options.name, this.machine.name);
  }
}

function entriesOf<T>(named: Readonly<Record<string, T>> | ReadonlyMap<string, T>): [string, T][] {
  return named instanceof Map ? [...named] : Object.entries(named);
}

/** One run: the handlers that answer from mocks, and their calls. */
class Attempt {
  /** Resolves to the result of the run. */
  readonly result: Promise<TestRun>;
  #execution: Execution;
  #machine: TestMachine;
  #options: OneRunOptions;
  /** The mocks. The first ones take precedence. */
  #mocks: Handlers[] = [];
  #tasks: Handlers;
  #calls: TaskCall[] = [];
  #children: ChildExecution[] = [];
  #nested: Execution[] = [];
  /** An error of the test itself. */
  #problem: TestKitError | undefined;
  /** Whether the last called handler has answered from a mock. */
  #mocked = false;
  /** The number of tasks that may still be completed by their token. */
  #byToken = 0;
  /** Ends the run after a number of milliseconds. */
  #idle: ((patience: number) => void) | undefined;

  constructor(machine: TestMachine, input: unknown, options: OneRunOptions, layers: readonly (Mocks | undefined)[]) {
    this.#machine = machine;
    this.#options = options;
    for (const mocks of layers) if (mocks !== undefined) this.#mocks.push(this.#answerers(mocks));
    this.#tasks = new Handlers<TaskHandler>(options.tasks);
    this.#execution = machine.machine.start(input, this.#startOptions());
    this.result = this.#finish(input);
  }

  #startOptions(): StartOptions {
    const { clock = "virtual", startTime = START, seed = 1, name = "test" } = this.#options;
    return {
      ...pick(this.#options, ["arn", "machines", "signal", "payloadLimit", "historyLimit"]),
      clock,
      startTime,
      seed,
      name,
      coverage: true,
      tasks: this.#handlers(),
      onChild: (child) => this.#children.push(child),
      onNested: (child) => this.#nested.push(child),
      onIdle: () => this.#wait(),
    };
  }

  #answerers(mocks: Mocks): Handlers {
    if (typeof mocks === "function") return this.#answerers({ "*": mocks });
    if (typeof mocks !== "object" || mocks === null)
      throw new TestKitError("mocks must be an object of mocks by state, function or resource, or one function");
    return new Handlers<TaskHandler>(
      new Map(entriesOf(mocks).map(([name, mock]) => [name, answerer(name, mock, () => (this.#mocked = true))])),
    );
  }

  /** Returns a handler for each state, by name, so that it takes precedence over `machines`, and one for all others. */
  #handlers(): NonNullable<StartOptions["tasks"]> {
    const handle: TaskHandler = (input, task) => this.#handle(input, task);
    const handlers = new Map<string, TaskHandler | Activity>([["*", handle]]);
    for (const { name, fields, type } of this.#machine.outline.states) {
      if (type !== "Task") continue;
      const { Resource: resource = "", Parameters, Arguments } = fields;
      const given = Parameters ?? Arguments;
      const mock = this.#find(resource, name, given);
      const real = mock === undefined ? this.#tasks.find(resource, name, given) : undefined;
      // A handler that takes its tasks itself is an Activity. A machine that the task starts is run.
      if (real !== undefined && typeof real !== "function") handlers.set(name, real as Taker & Activity);
      else if (
        mock !== undefined ||
        real !== undefined ||
        this.#options.machines === undefined ||
        !/states:startExecution|sfn:/i.test(resource)
      )
        handlers.set(name, handle);
    }
    return handlers;
  }

  #find(resource: string, state: string, parameters: unknown): TaskHandler | Taker | undefined {
    for (const mocks of this.#mocks) {
      const found = mocks.find(resource, state, parameters);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #handle(input: unknown, task: Task): unknown {
    const { stateName: state, resource, parameters, attempt, iterations, purpose } = task;
    const call: TaskCall = { state, resource, input, parameters, attempt, iterations: [...iterations], purpose, mocked: true };
    this.#calls.push(call);
    try {
      const mock = this.#find(resource, state, parameters);
      const handler = mock ?? this.#tasks.find(resource, state, parameters);
      if (typeof handler !== "function") throw this.#missing(task);
      call.mocked = mock !== undefined;
      this.#mocked = false;
      const answer = handler(input, task);
      if (task.token !== undefined && !this.#mocked) this.#byToken += 1;
      if (!isPromise(answer)) return this.#returned(call, answer);
      return answer.then(
        (value) => this.#returned(call, value),
        (thrown) => this.#thrown(call, task, thrown),
      );
    } catch (thrown) {
      return this.#thrown(call, task, thrown);
    }
  }

  #returned(call: TaskCall, value: unknown): unknown {
    call.result = value;
    return value;
  }

  #thrown(call: TaskCall, task: Task, thrown: unknown): never {
    call.error = errorName(thrown);
    if (thrown instanceof TestKitError && this.#problem === undefined) {
      this.#problem = thrown;
      this.#execution.abort(thrown.name, thrown.message);
      if (task.execution !== this.#execution) task.execution.abort(thrown.name, thrown.message);
    }
    throw thrown;
  }

  #missing(task: Task): MockError {
    const known = this.#mocks.length === 0 ? "No mocks were given. " : "";
    const state = JSON.stringify(task.stateName);
    const problem = `No mock and no handler for state ${state}, which calls ${task.resource}. ${known}`;
    const advice = `Add one: mocks: { ${state}: returns({ … }) }, or a handler in tasks.`;
    return new MockError(problem, { state: task.stateName, resource: task.resource, invocation: 0 }, advice);
  }

  /** Handles a run that nothing moves: it ends at once, or, if a token may still be answered, a while later. */
  #wait(): void {
    const patience = this.#options.idleTimeout ?? (this.#byToken > 0 ? 1000 : 0);
    this.#idle?.(patience);
  }

  async #finish(input: unknown): Promise<TestRun> {
    const execution = this.#execution;
    const outcome = await this.#outcome();
    if (this.#problem !== undefined) throw this.#problem;
    const isOver = outcome.status !== "RUNNING";
    const run = new TestRun({
      machine: this.#machine,
      input,
      outcome,
      waiting: isOver ? [] : execution.frames().filter(({ phase }) => phase !== "joining"),
      history: execution.history(),
      coverage: execution.coverage(),
      calls: this.#calls,
      children: this.#children,
      nested: this.#nested,
    });
    // Nobody is going to answer, so the memory of the execution is freed.
    if (!isOver) execution.abort("Stepglass.Idle", "nothing can move the execution any more");
    return run;
  }

  /** Returns the execution's result, or "RUNNING" as soon as nothing moves it any more. */
  async #outcome(): Promise<ExecutionResult | { status: "RUNNING" }> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const idle = new Promise<{ status: "RUNNING" }>((resolve) => {
      this.#idle = (patience) => {
        clearRealTimeout(timer);
        if (patience === 0) resolve({ status: "RUNNING" });
        else timer = realTimeout(() => resolve({ status: "RUNNING" }), patience);
      };
    });
    const outcome = await Promise.race([this.#execution.result, idle]);
    clearRealTimeout(timer);
    return outcome;
  }
}

/** Returns the error name that a state gets for a value that its handler threw. */
function errorName(thrown: unknown): string {
  const { error, name } = (thrown ?? {}) as { error?: string; name?: string };
  return error ?? name ?? "Error";
}

/** Returns the given members that are not undefined. */
export function pick<T extends object, Name extends keyof T>(options: T, names: readonly Name[]): Partial<Pick<T, Name>> {
  const out: Partial<Pick<T, Name>> = {};
  for (const name of names) if (options[name] !== undefined) out[name] = options[name];
  return out;
}

/** Throws for options that do not exist. */
export function check(options: unknown, known: readonly string[], where: string): void {
  if (typeof options !== "object" || options === null) throw new TestKitError(`the options of ${where} must be an object`);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TestKitError(`${where} has no option ${JSON.stringify(name)}; it has ${known.join(", ")}`);
  }
}
