/**
 * Tests of state machines: the entry `stepglass/testing`, for `node:test`, Vitest, Jest and any other runner.
 *
 * @example
 * ```js
 * import { test } from "node:test";
 * import { expectRun, returns, testMachine, throws } from "stepglass/testing";
 *
 * const order = testMachine(new URL("./order.asl.json", import.meta.url));
 *
 * test("a declined card is tried again an hour later", async () => {
 *   const run = await order.run({ order: 7 }, {
 *     mocks: { Charge: [throws("Declined"), returns({ amount: 120 })] },
 *   });
 *   expectRun(run).succeeded().tookPath("Charge", "Enough", "Gift", "Done").waited("Charge", "1h");
 * });
 * ```
 *
 * @packageDocumentation
 */

import type {
  ChildExecution,
  Definition,
  Execution,
  ExecutionCoverage,
  ExecutionStatus,
  HistoryEvent,
  MachineOptions,
  PlatformUrl,
  StartOptions,
  StateMachine,
  Task,
  TaskHandlers,
} from "./index.js";

// ------------------------------------------------------------------------------------------------------- mocks

/**
 * A length of time as a text with units: "90 s", "1h 30m", "2 days". Numbers are refused, because they could be seconds or
 * milliseconds, except 0.
 */
export type Duration = string | 0;

/** The answer to one call, made by {@link returns}, {@link responds}, {@link throws} or {@link never}. */
export interface MockResult {
  /** Delays the answer by this much of the run's own time. With virtual time, no real time passes. */
  after(duration: Duration): MockResult;
}

/** The task succeeds with this result; for `lambda:invoke` it is the function's payload. Default: null. */
export function returns(value?: unknown): MockResult;

/** The task succeeds with this value as the service's whole response, without wrapping it. */
export function responds(value: unknown): MockResult;

/** The task fails with this `Error` and `Cause`. A cause that is not a string is converted to JSON. */
export function throws(error: string, cause?: unknown): MockResult;

/** No answer comes: the task reaches its `TimeoutSeconds`, or the execution waits for ever. */
export function never(): MockResult;

/** A result in the format of Step Functions Local: the whole response, or the error. */
export type LocalResult = { Return: unknown } | { Throw: { Error: string; Cause?: string } };

/** One answer, or a function that returns an answer or an output. The function receives what a task handler receives. */
export type MockAnswer = MockResult | LocalResult | ((input: any, task: Task) => unknown);

/**
 * The answers of a state, function or resource:
 *
 * - one answer for all calls;
 * - an array with one answer for each call of the execution, retries included;
 * - an object of answers by the number of the call, from 0, as in Step Functions Local: `{ "0": …, "1-3": … }`;
 * - answers for iterations: {@link eachIteration}, {@link iterations}.
 *
 * A call without an answer ends the run with a {@link MockError}.
 */
export type Mock = MockAnswer | readonly MockAnswer[] | Readonly<Record<string, MockAnswer>> | IterationMock;

/**
 * Mocks by the names of {@link TaskHandlers}: the name of the state, Lambda function or activity, the Resource, or an
 * integration such as `"sqs:sendMessage"`; `*` stands for any characters. Or one function for all tasks.
 */
export type Mocks = Readonly<Record<string, Mock>> | ReadonlyMap<string, Mock> | ((input: any, task: Task) => unknown);

/** Answers for the iterations of a Map. */
export interface IterationMock {
  readonly each?: Mock;
  readonly some?: Readonly<Record<string, Mock>>;
}

/**
 * Gives the same answers in every iteration of the enclosing Map. Calls are counted from 0 in each iteration.
 *
 * @example
 * ```js
 * mocks: { Resize: eachIteration([throws("Busy"), returns({ ok: true })]) } // every item succeeds at its second attempt
 * ```
 */
export function eachIteration(mock: Mock): IterationMock;

/**
 * Answers by the index of the iteration, by a range of indices, or `"*"` for all others. An array has one entry for each iteration.
 *
 * @example
 * ```js
 * mocks: { Resize: iterations({ 3: throws("Corrupt"), "*": returns({ ok: true }) }) }
 * ```
 */
export function iterations(mocks: Readonly<Record<string, Mock>> | readonly Mock[]): IterationMock;

/** A mock configuration of Step Functions Local. */
export class MockConfig {
  constructor(config: object);
  /** The names of the state machines in it. */
  readonly stateMachines: string[];
  /**
   * Messages about unknown members, which Stepglass ignores. {@link testMachine}, `stepglass test` and the server write
   * them to standard error.
   */
  readonly warnings: string[];
  /** The names of a state machine's test cases. */
  testCases(stateMachine: string): string[];
  /** The mocks of a test case, for the option `mocks`. */
  mocks(stateMachine: string, testCase: string): Record<string, Record<string, LocalResult>>;
}

/**
 * Reads a mock configuration file of Step Functions Local (`MockConfigFile.json`), or takes its contents. Throws a
 * {@link TestKitError} that names the place of the mistake if the file is invalid.
 *
 * @example
 * ```js
 * const machine = testMachine("LambdaSQSIntegration.asl.json", { mockConfig: loadMockConfig("MockConfigFile.json") });
 * expectRun(await machine.test("RetryPath")).succeeded().retried("LambdaState", 3);
 * ```
 */
export function loadMockConfig(source: string | PlatformUrl | object): MockConfig;

// --------------------------------------------------------------------------------------------------------- runs

/** Options of a run. Options passed to {@link testMachine} are the defaults of its runs. */
export interface TestRunOptions extends Pick<StartOptions, "machines" | "seed" | "name" | "signal" | "payloadLimit" | "historyLimit"> {
  /** The answers of tasks. Mocks of a run take precedence over those of the machine. A mock of a run must match a task of the definition. */
  mocks?: Mocks;
  /** Real handlers, for tasks without a mock. */
  tasks?: TaskHandlers;
  /** When the run's time begins, in milliseconds since 1970. Default: the start of 2025. */
  startTime?: number;
  /** `"virtual"` (the default): waits, back-offs and timeouts take no real time. */
  clock?: StartOptions["clock"];
  /**
   * Milliseconds of real time to wait for an answer from outside when nothing else can move the execution. After that the run
   * ends as one that waits for ever. Default: 0, or 1000 while a task token is open that the mocks do not answer.
   */
  idleTimeout?: number;
}

/** Options of a run of a {@link TestMachine}. */
export interface OneRunOptions extends TestRunOptions {
  /** `Execution.Id` in the Context Object. Default: an ARN made of the names. */
  arn?: string;
}

/** Options of {@link testMachine}. */
export interface TestMachineOptions extends Omit<MachineOptions, "name">, TestRunOptions {
  /** The machine's name, in the Context Object and in the mock configuration. Default: the file's name up to its first dot. */
  name?: string;
  /** A mock configuration of Step Functions Local, for `machine.test()`: the file's path or URL, its contents, or a loaded {@link MockConfig}. */
  mockConfig?: string | PlatformUrl | object;
  /** The input of runs that do not pass one. Default: `{}`. */
  input?: unknown;
}

/**
 * Makes a machine to test from a definition: the path or URL of a JSON or YAML file, JSON text, an object, or a StateMachine. The
 * path can name a machine in a template (`template.yaml#OrderMachine`, `cdk.out#Orders`, `main.tf#orders`).
 * Throws a DefinitionError if the definition has errors.
 */
export function testMachine(source: string | PlatformUrl | object | StateMachine, options?: TestMachineOptions): TestMachine;

/** A machine under test. */
export interface TestMachine {
  readonly machine: StateMachine;
  /** The file of the definition. */
  readonly file: string | undefined;
  /** The test cases of the mock configuration. */
  readonly testCases: string[];
  /**
   * Runs the machine to its end, whatever its outcome. Rejects with a {@link MockError} when a task has neither a mock nor a
   * handler, or when its mock has no answer left, even if the machine would catch the error.
   */
  run(input?: unknown, options?: OneRunOptions): Promise<TestRun>;
  /**
   * Runs a test case of the mock configuration. States that the test case does not name use the machine's mocks and handlers.
   *
   * Rejects as {@link TestMachine.run} does, and if the test case does not exist.
   */
  test(testCase: string, input?: unknown, options?: OneRunOptions): Promise<TestRun>;
}

/** The result of one run: its outcome, and everything that happened in it. */
export interface TestRun<Output = any> {
  readonly input: any;
  /** `"RUNNING"` is a run that would wait for ever: no answer comes, and nothing times out. */
  readonly status: ExecutionStatus;
  readonly output: Output | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  /** The machine's top-level states in the order in which they were entered. States in branches and iterations are in `visits`. */
  readonly path: string[];
  /** Every visit of a state, at any depth, in the order of entry. */
  readonly visits: StateVisit[];
  /** The calls of tasks, in order. Every attempt is a call. */
  readonly calls: TaskCall[];
  readonly retries: RetriedError[];
  readonly caught: CaughtError[];
  /** How long each Wait lasted, in milliseconds. */
  readonly waits: { state: string; duration: number; iterations: number[] }[];
  /** From the first event to the last, in milliseconds of the run's own time. */
  readonly duration: number;
  /** The states that wait, if the run would wait for ever. */
  readonly waiting: string[];
  /** All events, as GetExecutionHistory returns them. */
  readonly history: HistoryEvent[];
  /** How often each part of the definition was used. The keys are JSON Pointers. */
  readonly hits: ExecutionCoverage["hits"];
  /** The child executions of Distributed Maps. */
  readonly children: ChildExecution[];
  /** The executions that tasks started, with the option `machines`. */
  readonly nested: Execution[];
  /** The outcome of the run, in a sentence. */
  readonly ending: string;
  /** The calls of a state, a function or a resource, by any name that a mock can have. */
  callsOf(name: string): TaskCall[];
  /**
   * What happened, line by line, the same in every run: for snapshots.
   *
   * @example
   * ```js
   * assert.equal(run.text({ payloads: false }), `start
   * → Charge (Task)
   *     call charge
   *     ✓
   * → Done (Succeed)
   * SUCCEEDED
   * `);
   * ```
   */
  text(options?: TextOptions): string;
  /** The history without times and ids, with payloads as values: for snapshots. */
  historySnapshot(options?: { ids?: boolean; times?: boolean }): Record<string, any>[];
  /** The outcome and the lines of `text()`: what a snapshot of the run itself shows. */
  toJSON(): { status: ExecutionStatus; output?: any; error?: string; cause?: string; story: string[] };
}

/** Options of {@link TestRun.text}. */
export interface TextOptions {
  /** Begins every line with the run's own time. Default: false. */
  times?: boolean;
  /** Shows inputs, results and causes, each truncated to one line. Default: true. */
  payloads?: boolean;
  /** The largest number of lines; lines in the middle are left out. Default: all. */
  lines?: number;
}

/** One visit of a state. */
export interface StateVisit {
  state: string;
  type: string;
  /** The iteration index in each enclosing Map, the innermost last. */
  iterations: number[];
  /** When the state was entered, in milliseconds from the start of the execution. */
  at: number;
  /** How long the visit lasted, in milliseconds; absent if the state was never exited. */
  duration?: number;
  readonly input: any;
  /** Undefined if the state was never exited. */
  readonly output: any;
  /** Id of the event that entered the state. */
  event: number;
  /** The child execution of a Distributed Map that the state ran in. */
  child?: string;
}

/** One call of a task. */
export interface TaskCall {
  state: string;
  resource: string;
  /** The input of the handler; for `lambda:invoke` the payload. */
  input: any;
  /** The whole request. */
  parameters: any;
  /** 0 for the first attempt, and one more for each retry. */
  attempt: number;
  iterations: number[];
  purpose: Task["purpose"];
  /** Whether a mock answered; false for a real handler. */
  mocked: boolean;
  /** The result; absent if none came. */
  result?: unknown;
  /** The error's name, if the call failed. */
  error?: string;
}

/** An error that a catcher caught. */
export interface CaughtError {
  state: string;
  error: string | undefined;
  cause: string | undefined;
  /** The position in `Catch`. */
  index: number;
  iterations: number[];
  /** The child execution of a Distributed Map that the state ran in. */
  child?: string;
}

/** An error that a retrier retried; `index` is the position in `Retry`. */
export interface RetriedError extends CaughtError {
  /** Milliseconds until the next attempt. */
  delay: number;
}

// ------------------------------------------------------------------------------------------------- expectations

/**
 * Starts a chain of expectations about a run. An expectation that does not hold throws an AssertionError that says what happened
 * and what differs. Each expectation returns the same object, so you can chain them. In place of any value you can use a RegExp,
 * a predicate, or an asymmetric matcher of Vitest or Jest.
 */
export function expectRun(run: TestRun): RunExpectation;

/** Expectations of a run. */
export interface RunExpectation {
  /** The run succeeded, with exactly this output if one is given. */
  succeeded(output?: unknown): this;
  /** The run failed, with this error and this cause if they are given. */
  failedWith(error?: string | RegExp, cause?: string | RegExp): this;
  /** The run reached the machine's own `TimeoutSeconds`. */
  timedOut(): this;
  /** The run was aborted. */
  aborted(): this;
  /** The run would wait for ever, in these states if any are given. */
  waitsForEver(...states: string[]): this;
  /** The run succeeded with exactly this output. */
  outputEquals(expected: unknown): this;
  /** The run succeeded with an output that has at least these members. */
  outputMatches(expected: unknown): this;
  /** The machine's top-level states were entered in exactly this order. States in branches and iterations do not count. */
  tookPath(...states: (string | readonly string[])[]): this;
  /** These states were entered in this order, at any depth, with any states between them. */
  passedThrough(...states: (string | readonly string[])[]): this;
  /** The state was entered, this many times if a number is given. */
  entered(state: string, times?: number): this;
  /** The state was not entered. */
  neverEntered(state: string): this;
  /** The state, function or resource was called, this many times if a number is given. Every attempt is a call. */
  called(name: string, times?: number): this;
  /** The state, function or resource was never called. */
  neverCalled(name: string): this;
  /** One of the calls, or call number `call` counted from 1, had an input with at least these members. */
  calledWith(name: string, input: unknown, call?: number): this;
  /** The state was retried, this many times in total if a number is given. With `on`, only retries of that error count. */
  retried(state: string, times?: number, options?: { on?: string | RegExp }): this;
  /** The state was never retried. */
  neverRetried(state: string): this;
  /** The Wait, or the delay before a retry of the state, lasted this long. */
  waited(state: string, duration: Duration): this;
  /** The whole run lasted this long, in its own time. */
  lasted(duration: Duration): this;
  /** A catcher caught this error, in this state and at this position of its `Catch` if they are given. */
  caught(error: string | RegExp, state?: string, index?: number): this;
  /** No catcher caught an error. */
  caughtNothing(): this;
  /** The state's input, on one of its visits, had at least these members. */
  inputOf(state: string, expected: unknown): this;
  /** The state's output, on one of its visits, had at least these members. */
  outputOf(state: string, expected: unknown): this;
}

/** A custom matcher of Vitest and Jest. */
export type RunMatcher = (
  this: any,
  run: TestRun,
  ...args: any[]
) => { pass: boolean; message: () => string; actual?: unknown; expected?: unknown };

/**
 * The expectations as matchers of Vitest and Jest.
 *
 * @example
 * ```js
 * expect.extend(matchers);
 * expect(await order.run({ order: 7 })).toTakePath("Charge", "Enough", "Gift", "Done");
 * ```
 */
export const matchers: Record<keyof RunMatchers<void>, RunMatcher>;

/**
 * The types of {@link matchers}.
 *
 * @example
 * ```ts
 * import type { RunMatchers } from "stepglass/testing";
 * declare module "vitest" { interface Matchers<T> extends RunMatchers<T> {} }
 * ```
 */
export interface RunMatchers<R = unknown> {
  toSucceed(output?: unknown): R;
  toFailWith(error?: string | RegExp, cause?: string | RegExp): R;
  toTimeOut(): R;
  toWaitForEver(...states: string[]): R;
  toOutput(expected: unknown): R;
  toOutputMatching(expected: unknown): R;
  toTakePath(...states: (string | readonly string[])[]): R;
  toPassThrough(...states: (string | readonly string[])[]): R;
  toEnter(state: string, times?: number): R;
  toCall(name: string, times?: number): R;
  toCallWith(name: string, input: unknown, call?: number): R;
  toRetry(state: string, times?: number, options?: { on?: string | RegExp }): R;
  toWait(state: string, duration: Duration): R;
  toLast(duration: Duration): R;
  toCatch(error: string | RegExp, state?: string, index?: number): R;
}

// --------------------------------------------------------------------------------------------------- properties

/** Numbers from a seed. */
export interface Random {
  /** 32 random bits. */
  bits(): number;
  /** A number from 0 up to, but not including, 1. */
  fraction(): number;
  /** An integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
  /** Returns a random element of the list. */
  pick<T>(list: readonly T[]): T;
}

/** Options of {@link property}. */
export interface PropertyOptions extends Pick<MachineOptions, "name" | "type"> {
  /** The number of runs. Default: 100. */
  runs?: number;
  /** The seed of everything that is generated: equal seeds give equal runs. Default: random; a failure reports it. */
  seed?: number;
  /** Runs only this schedule, with `input`: copy it from a failure's message. */
  schedule?: Record<string, string | GeneratedOutcome>;
  /** Your own condition, checked for every run in addition to the built-in ones. It throws or returns false if it does not hold. */
  check?: (run: TestRun) => unknown;
  input?: unknown;
  /** Inputs to choose from, or a function that makes one. */
  inputs?: readonly unknown[] | ((random: Random) => unknown);
  /** The result of a task that succeeds, by state or for `"*"`: a value, an array to choose from, or a function. Default: `{}`. */
  outputs?: Record<string, unknown>;
  /** Additional errors that tasks may fail with, for all states or by state. */
  errors?: readonly string[] | Record<string, readonly string[]>;
  /**
   * Which tasks may get no answer: `"declared"` (the default), those with a timeout of their own or of the machine; `"all"`, which
   * also finds executions that wait for ever; or `"none"`.
   */
  timeouts?: "declared" | "all" | "none";
  /** How many seconds answers may take; one call in three is delayed. Default: no delays. */
  delays?: readonly number[];
  /** The share of calls that do not succeed. Default: 0.4. */
  failures?: number;
  /** Outcomes that do not count as failures: `"States.Runtime"`, `"hang"`. Default: none. */
  allow?: readonly ("States.Runtime" | "hang")[];
  /** After this many calls in a run, all further calls succeed. Default: 2000. */
  maxCalls?: number;
  /** The largest number of attempts to shrink a failing schedule. Default: 2000. */
  maxShrinks?: number;
  /** Mocks of states whose outcomes are not generated. */
  mocks?: Readonly<Record<string, Mock>>;
  /** Handlers of states whose outcomes are not generated. */
  tasks?: Record<string, (input: any, task: Task) => unknown>;
  machines?: StartOptions["machines"];
  startTime?: number;
}

/** The outcome of a task in a generated run. */
export interface GeneratedOutcome {
  kind: "return" | "throw" | "never";
  /** The error of a `"throw"`. */
  error?: string;
  /** The index in `outputs`, for a `"return"`. */
  pick?: number;
  /** Milliseconds until the outcome. */
  delay?: number;
}

/** The report of a property that holds. */
export interface PropertyReport {
  seed: number;
  runs: number;
  /** The number of task calls in all runs. */
  calls: number;
  /** The number of runs by status. */
  statuses: Partial<Record<ExecutionStatus, number>>;
}

/**
 * Runs a machine many times with generated outcomes of its tasks: success, each error that a surrounding `Retry` or `Catch`
 * names, an error that none names, and no answer in time. Every execution must end, and not with `States.Runtime`.
 *
 * Rejects with a {@link PropertyError} that has the smallest failing schedule and the seed that reproduces it.
 *
 * @example
 * ```js
 * await property("order.asl.json", {
 *   runs: 500,
 *   outputs: { Charge: [{ amount: 5 }, { amount: 500 }] },
 *   check: (run) => run.status === "SUCCEEDED" || expectRun(run).failedWith("OrderRefused"),
 *   input: { order: 7 },
 * });
 * ```
 */
export function property(
  source: string | PlatformUrl | object | StateMachine | TestMachine,
  options?: PropertyOptions,
): Promise<PropertyReport>;

/** A property does not hold. The message has the schedule, the seed and what happened. */
export class PropertyError extends Error {
  private constructor();
  /** The seed of the run that failed: `property(machine, { …, seed, runs: 1 })` runs it again. */
  readonly seed: number;
  /** The smallest schedule found, by state, iteration and number of the call: `{ "Resize[2]#0": { kind: "throw", error: "Busy" } }`. */
  readonly schedule: Record<string, GeneratedOutcome>;
  readonly input: unknown;
  /** The condition that did not hold. */
  readonly problem: string;
  /** The run of the smallest schedule; undefined if it could not be run to its end. */
  readonly run: TestRun | undefined;
}

// ----------------------------------------------------------------------------------------------------- coverage

/**
 * Starts to collect coverage of all executions in this process, however they are started. With a folder, the data is also written
 * there. The environment variable `STEPGLASS_COVERAGE` has the same effect from the first import on.
 */
export function startCoverage(options?: { folder?: string }): void;

/** Stops collecting. The data collected so far is kept. */
export function stopCoverage(): void;

/** Discards the collected data. */
export function resetCoverage(): void;

/** Options of {@link coverageReport}. */
export interface CoverageOptions {
  /** A folder that test processes have written to. Default: the data of this process. */
  folder?: string;
  /** Definition files to include in the report even if no test ran them. */
  definitions?: readonly string[];
  /** The folder that paths are relative to. Default: the working directory. */
  root?: string;
}

/** The coverage of a test run. */
export function coverageReport(options?: CoverageOptions): CoverageReport;

/** Coverage of one or more definitions. */
export class CoverageReport {
  private constructor();
  readonly machines: DefinitionCoverage[];
  readonly totals: CoverageTotals;
  /** The share of all places that were used, from 0 to 100. */
  readonly percent: number;
  /** A table, and a list of what was never used. */
  text(options?: { color?: boolean; missing?: boolean }): string;
  /** The report as JSON. */
  json(): string;
  /**
   * An lcov tracefile: states are functions; rules, retriers, catchers and transitions are branches. It leaves out definitions
   * without a file and those inside a string of a template.
   */
  lcov(): string;
  /** One self-contained HTML document: graphs in colours, a list of what was never used, the definitions line by line. */
  html(options?: { title?: string }): string;
}

/** Coverage of one definition. */
export interface DefinitionCoverage {
  /** The file, or the machine's name. */
  title: string;
  name: string;
  /** The file, relative to the root; absent if the definition did not come from a file. */
  file?: string;
  digest: string;
  /** The number of executions that have run the definition. */
  executions: number;
  places: CoveredPlace[];
  totals: CoverageTotals;
}

/** A part of a definition that coverage counts. */
export interface CoveredPlace {
  kind: "state" | "transition" | "rule" | "retry" | "catch";
  pointer: string;
  state: string;
  label: string;
  /** The line in the file. */
  line: number;
  count: number;
}

/** The number of places that were used, and of all places. */
export interface CoverageSum {
  covered: number;
  total: number;
}

/** Sums by kind. */
export type CoverageTotals = Record<"states" | "transitions" | "rules" | "retries" | "catches" | "all", CoverageSum>;

// ------------------------------------------------------------------------------------------------------- errors

/** A test cannot run as it is written. */
export class TestKitError extends Error {
  readonly code: "TEST_KIT" | "NO_MOCK";
}

/** No mock answers a task: the task has no mock, or its mock has no answer left. */
export class MockError extends TestKitError {
  private constructor();
  readonly code: "NO_MOCK";
  readonly state: string;
  readonly resource: string;
  /** The number of the call, from 0. */
  readonly invocation: number;
}
