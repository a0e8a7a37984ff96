/**
 * State machines under test: the entry `stepglass/testing`, for `node:test`, Vitest, Jest and any other runner.
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

import type { ChildExecution, Definition, Execution, ExecutionCoverage, ExecutionStatus, HistoryEvent, MachineOptions, StartOptions, StateMachine, Task, TaskHandlers } from "./index.js";

// ------------------------------------------------------------------------------------------------------- mocks

/** A duration: a number of seconds, or a text such as `"90 s"`, `"1h 30m"`, `"2 days"`. */
export type Duration = number | string;

/** One answer to one call: made by {@link returns}, {@link responds}, {@link throws} and {@link never}. */
export interface MockResult {
  /** The same answer, so much later in the run's own time, which passes at once. */
  after(duration: Duration): MockResult;
}

/** The task succeeds with this result; of `lambda:invoke` it is the function's payload. Nothing given is null. */
export function returns(value?: unknown): MockResult;

/** The task succeeds with this as the service's whole response: nothing is put around it. */
export function responds(value: unknown): MockResult;

/** The task fails with this `Error` and `Cause`. A cause that is no text becomes its JSON. */
export function throws(error: string, cause?: unknown): MockResult;

/** No answer comes: the task runs into its `TimeoutSeconds`, or the execution waits for ever. */
export function never(): MockResult;

/** A result as Step Functions Local writes it: the whole response, or the error. */
export type LocalResult = { Return: unknown } | { Throw: { Error: string; Cause?: string } };

/** One answer, or a function that gives it or an output: it gets what a task handler gets. */
export type MockAnswer = MockResult | LocalResult | ((input: any, task: Task) => unknown);

/**
 * What a state, function or resource answers:
 *
 * - one answer for all calls;
 * - an array with one for each call of the execution, retries included;
 * - an object of answers by the number of the call, from 0 on, as in Step Functions Local: `{ "0": …, "1-3": … }`;
 * - answers for iterations: {@link eachIteration}, {@link iterations}.
 *
 * A call for which there is no answer ends the run with a {@link MockError}.
 */
export type Mock = MockAnswer | readonly MockAnswer[] | Readonly<Record<string, MockAnswer>> | IterationMock;

/**
 * Mocks by the names of {@link TaskHandlers}: the state's name, the Lambda function's or activity's, the Resource, an
 * integration such as `"sqs:sendMessage"`, with `*` for any characters. Or one function for all tasks.
 */
export type Mocks = Readonly<Record<string, Mock>> | ReadonlyMap<string, Mock> | ((input: any, task: Task) => unknown);

/** Answers for the iterations of a Map. */
export interface IterationMock {
  readonly each?: Mock;
  readonly some?: Readonly<Record<string, Mock>>;
}

/**
 * The same answers in every iteration of the Map around the state, counted anew in each.
 *
 * @example
 * ```js
 * mocks: { Resize: eachIteration([throws("Busy"), returns({ ok: true })]) } // every item succeeds at its second attempt
 * ```
 */
export function eachIteration(mock: Mock): IterationMock;

/**
 * Answers by the index of the iteration, a range of them, or `"*"` for all others; an array has one for each.
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
  /** The names of a state machine's test cases. */
  testCases(stateMachine: string): string[];
  /** The mocks of a test case, for the option `mocks`. */
  mocks(stateMachine: string, testCase: string): Record<string, Record<string, LocalResult>>;
}

/**
 * Reads a mock configuration file of Step Functions Local (`MockConfigFile.json`) as it is, or takes its contents. Throws a
 * {@link TestKitError} that names the place where it is not one.
 *
 * @example
 * ```js
 * const machine = testMachine("LambdaSQSIntegration.asl.json", { mockConfig: loadMockConfig("MockConfigFile.json") });
 * expectRun(await machine.test("RetryPath")).succeeded().retried("LambdaState", 3);
 * ```
 */
export function loadMockConfig(source: string | URL | object): MockConfig;

// --------------------------------------------------------------------------------------------------------- runs

/** Options of a run; those given to {@link testMachine} are the defaults of its runs. */
export interface TestRunOptions extends Pick<StartOptions, "machines" | "seed" | "name" | "signal" | "payloadLimit" | "historyLimit"> {
  /** What tasks answer. Mocks of a run come before those of the machine; one of a run that is for no task of the definition is refused. */
  mocks?: Mocks;
  /** Real handlers, for tasks that no mock is given for. */
  tasks?: TaskHandlers;
  /** When the run's time begins, in milliseconds since 1970. Default: the start of 2025. */
  startTime?: number;
  /** `"virtual"` (the default): waits, back-offs and time outs pass at once. */
  clock?: StartOptions["clock"];
  /**
   * Milliseconds of real time until an execution that nothing moves any more is given up as one that waits for ever. Default:
   * 0, or 1000 while somebody outside of the mocks has a task token.
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
  /** The machine's name, in the Context Object and in the mock configuration. Default: the file's, without what follows its first dot. */
  name?: string;
  /** A mock configuration of Step Functions Local, for `machine.test()`: the file's path or URL, its contents, or one that was loaded. */
  mockConfig?: string | URL | object;
  /** The input of runs that have none of their own. Default: `{}`. */
  input?: unknown;
}

/**
 * A machine to test, from a definition: the path or URL of a file in JSON or YAML, or of a template of CloudFormation, SAM, CDK
 * or Serverless with its logical id (`template.yaml#OrderMachine`), JSON text, an object, or a StateMachine. Throws a DefinitionError for one with errors.
 */
export function testMachine(source: string | URL | object | StateMachine, options?: TestMachineOptions): TestMachine;

/** A machine under test. */
export interface TestMachine {
  readonly machine: StateMachine;
  /** The file that the definition came from. */
  readonly file: string | undefined;
  /** The test cases of the mock configuration. */
  readonly testCases: string[];
  /**
   * Runs the machine to its end, however it ends. Rejects with a {@link MockError} when a task has neither mock nor handler,
   * or when its mock has no answer left: also where the machine would have caught the error.
   */
  run(input?: unknown, options?: OneRunOptions): Promise<TestRun>;
  /**
   * Runs a test case of the mock configuration. States that it does not name have the machine's mocks and handlers.
   *
   * Rejects as {@link TestMachine.run}, and for a test case that does not exist.
   */
  test(testCase: string, input?: unknown, options?: OneRunOptions): Promise<TestRun>;
}

/** What happened in one run. */
export interface TestRun<Output = any> {
  readonly input: any;
  /** `"RUNNING"` is a run that would wait for ever: no answer comes, and nothing times it out. */
  readonly status: ExecutionStatus;
  readonly output: Output | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  /** The machine's own states in the order in which they were entered; those in branches and iterations are in `visits`. */
  readonly path: string[];
  /** Every visit of a state, at any depth, in the order of entering. */
  readonly visits: StateVisit[];
  /** The calls of tasks, in order; every attempt is one. */
  readonly calls: TaskCall[];
  readonly retries: RetriedError[];
  readonly caught: CaughtError[];
  /** How long each Wait lasted, in milliseconds. */
  readonly waits: { state: string; duration: number; iterations: number[] }[];
  /** From the first event to the last, in milliseconds of the run's own time. */
  readonly duration: number;
  /** The states that wait, of a run that would wait for ever. */
  readonly waiting: string[];
  /** All events, as GetExecutionHistory returns them. */
  readonly history: HistoryEvent[];
  /** How often each part of the definition was used, by its JSON Pointer. */
  readonly hits: ExecutionCoverage["hits"];
  /** The child executions of Distributed Maps. */
  readonly children: ChildExecution[];
  /** The executions that tasks have started, with the option `machines`. */
  readonly nested: Execution[];
  /** How it ended, in a sentence. */
  readonly ending: string;
  /** The calls of a state, a function or a resource, by any name that a mock may have. */
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
  /** The history without times and ids, payloads as values: for snapshots. */
  historySnapshot(options?: { ids?: boolean; times?: boolean }): Record<string, any>[];
  /** How it ended, and the lines of `text()`: what a snapshot of the run itself shows. */
  toJSON(): { status: ExecutionStatus; output?: any; error?: string; cause?: string; story: string[] };
}

/** Options of {@link TestRun.text}. */
export interface TextOptions {
  /** Begins every line with the run's own time. Default: false. */
  times?: boolean;
  /** Shows inputs, results and causes, cut to a line. Default: true. */
  payloads?: boolean;
  /** The most lines; those in the middle are left out. Default: all. */
  lines?: number;
}

/** One visit of a state. */
export interface StateVisit {
  state: string;
  type: string;
  /** The indices of the Maps around it, the innermost last. */
  iterations: number[];
  /** Milliseconds from the start of the execution. */
  at: number;
  /** Milliseconds until it was left; absent where it was not. */
  duration?: number;
  readonly input: any;
  /** Undefined where it was not left. */
  readonly output: any;
  /** Id of the event that entered it. */
  event: number;
  /** The child execution of a Distributed Map that it ran in. */
  child?: string;
}

/** One call of a task. */
export interface TaskCall {
  state: string;
  resource: string;
  /** What the handler was given; of `lambda:invoke` the payload. */
  input: any;
  /** The whole request. */
  parameters: any;
  /** 0 for the first attempt, +1 for each retry. */
  attempt: number;
  iterations: number[];
  purpose: Task["purpose"];
  /** Whether a mock answered; false for a real handler. */
  mocked: boolean;
  /** What came back; absent where nothing did. */
  result?: unknown;
  /** The error's name, where it failed. */
  error?: string;
}

/** An error that a catcher took on. */
export interface CaughtError {
  state: string;
  error: string | undefined;
  cause: string | undefined;
  /** The place in `Catch`. */
  index: number;
  iterations: number[];
  /** The child execution of a Distributed Map that the state ran in. */
  child?: string;
}

/** An error that a retrier took on; `index` is the place in `Retry`. */
export interface RetriedError extends CaughtError {
  /** Milliseconds until the next attempt. */
  delay: number;
}

// ------------------------------------------------------------------------------------------------- expectations

/**
 * Begins expectations of a run. Each throws an AssertionError that tells what happened and how it differs, and returns the
 * same object, so that they can be chained. Where values are compared, RegExps, predicates and the asymmetric matchers of
 * Vitest and Jest may stand in the place of values.
 */
export function expectRun(run: TestRun): RunExpectation;

/** Expectations of a run. */
export interface RunExpectation {
  /** It succeeded; with exactly this output, where one is given. */
  succeeded(output?: unknown): this;
  /** It failed; with this error and this cause, where they are given. */
  failedWith(error?: string | RegExp, cause?: string | RegExp): this;
  /** It ran into the machine's own `TimeoutSeconds`. */
  timedOut(): this;
  /** It was aborted. */
  aborted(): this;
  /** It would wait for ever; in these states, where they are given. */
  waitsForEver(...states: string[]): this;
  /** It succeeded with exactly this output. */
  outputEquals(expected: unknown): this;
  /** It succeeded with an output that has at least these members. */
  outputMatches(expected: unknown): this;
  /** The machine's own states were entered in exactly this order. Those in branches and iterations do not count. */
  tookPath(...states: (string | readonly string[])[]): this;
  /** These states were entered in this order, at any depth, whatever came between. */
  passedThrough(...states: (string | readonly string[])[]): this;
  /** The state was entered; so many times, where a number is given. */
  entered(state: string, times?: number): this;
  /** The state was not entered. */
  neverEntered(state: string): this;
  /** The state, function or resource was called; so many times, where a number is given. Every attempt is a call. */
  called(name: string, times?: number): this;
  /** It was never called. */
  neverCalled(name: string): this;
  /** One of its calls had an input with at least these members; the call of that number, from 1 on, where one is given. */
  calledWith(name: string, input: unknown, call?: number): this;
  /** The state was retried; so many times in all and only counting this error, where they are given. */
  retried(state: string, times?: number, options?: { on?: string | RegExp }): this;
  /** The state was never retried. */
  neverRetried(state: string): this;
  /** The Wait, or the delay before a retry of the state, lasted so long. */
  waited(state: string, duration: Duration): this;
  /** The whole run lasted so long, in its own time. */
  lasted(duration: Duration): this;
  /** A catcher took this error on; in this state, at this place of its `Catch`, where they are given. */
  caught(error: string | RegExp, state?: string, index?: number): this;
  /** No catcher took an error on. */
  caughtNothing(): this;
  /** The state's input, on one of its visits, had at least these members. */
  inputOf(state: string, expected: unknown): this;
  /** The state's output, on one of its visits, had at least these members. */
  outputOf(state: string, expected: unknown): this;
}

/** A custom matcher of Vitest and Jest. */
export type RunMatcher = (this: any, run: TestRun, ...args: any[]) => { pass: boolean; message: () => string; actual?: unknown; expected?: unknown };

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
  /** From 0 to below 1. */
  fraction(): number;
  /** A whole number from 0 to below a limit. */
  below(limit: number): number;
  /** One of a list. */
  pick<T>(list: readonly T[]): T;
}

/** Options of {@link property}. */
export interface PropertyOptions extends Pick<MachineOptions, "name" | "type"> {
  /** How many runs. Default: 100. */
  runs?: number;
  /** Of all that is generated: equal seeds give equal runs. Default: random; a failure tells it. */
  seed?: number;
  /** Runs this schedule alone, with `input`: what a failure has printed. */
  schedule?: Record<string, string | GeneratedOutcome>;
  /** What must hold of every run besides what always must: throws, or returns false, where it does not. */
  check?: (run: TestRun) => unknown;
  input?: unknown;
  /** Inputs to choose from, or a function that makes one. */
  inputs?: readonly unknown[] | ((random: Random) => unknown);
  /** What a task that succeeds gives, by state or for `"*"`: a value, an array to choose from, or a function. Default: `{}`. */
  outputs?: Record<string, unknown>;
  /** More errors that tasks may fail with, of all states or by state. */
  errors?: readonly string[] | Record<string, readonly string[]>;
  /**
   * Which tasks may get no answer: those with a time out of their own or the machine's (`"declared"`, the default), all, which
   * finds executions that wait for ever, or none.
   */
  timeouts?: "declared" | "all" | "none";
  /** Seconds that answers may take; one call in three is late. Default: none is. */
  delays?: readonly number[];
  /** The share of calls that do not succeed. Default: 0.4. */
  failures?: number;
  /** What may happen after all: `"States.Runtime"`, `"hang"`. Default: neither. */
  allow?: readonly ("States.Runtime" | "hang")[];
  /** Calls of a run after which all succeed. Default: 2000. */
  maxCalls?: number;
  /** Tries to make a failing schedule smaller. Default: 2000. */
  maxShrinks?: number;
  /** Mocks of states whose outcomes are not to be generated. */
  mocks?: Readonly<Record<string, Mock>>;
  /** Handlers of such states. */
  tasks?: Record<string, (input: any, task: Task) => unknown>;
  machines?: StartOptions["machines"];
  startTime?: number;
}

/** What a task comes to in a generated run. */
export interface GeneratedOutcome {
  kind: "return" | "throw" | "never";
  /** The error of a `"throw"`. */
  error?: string;
  /** Which of the `outputs`, of a `"return"`. */
  pick?: number;
  /** Milliseconds until it comes. */
  delay?: number;
}

/** What a property that holds has tried. */
export interface PropertyReport {
  seed: number;
  runs: number;
  /** Tasks that were called, in all runs. */
  calls: number;
  /** How many runs ended how. */
  statuses: Partial<Record<ExecutionStatus, number>>;
}

/**
 * Runs a machine many times with generated outcomes of its tasks: success, each error that a `Retry` or `Catch` around the
 * task names, one that none names, no answer in time. Always must hold: the execution ends, and not with `States.Runtime`.
 *
 * Rejects with a {@link PropertyError} that has the smallest failing schedule and the seed that finds it again.
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
export function property(source: string | URL | object | StateMachine | TestMachine, options?: PropertyOptions): Promise<PropertyReport>;

/** A property that does not hold. The message has the schedule, the seed and what happened. */
export class PropertyError extends Error {
  private constructor();
  /** Of the run that failed: `property(machine, { …, seed, runs: 1 })` runs it again. */
  readonly seed: number;
  /** The smallest schedule found, by state, iteration and number of the call: `{ "Resize[2]#0": { kind: "throw", error: "Busy" } }`. */
  readonly schedule: Record<string, GeneratedOutcome>;
  readonly input: unknown;
  /** What did not hold. */
  readonly problem: string;
  /** The run of the smallest schedule; undefined where it could not be run to its end. */
  readonly run: TestRun | undefined;
}

// ----------------------------------------------------------------------------------------------------- coverage

/**
 * Begins to collect what all executions of this process use of their definitions, whoever starts them. With a folder, what is
 * seen is also written there; the environment variable `STEPGLASS_COVERAGE` does that from the first import on.
 */
export function startCoverage(options?: { folder?: string }): void;

/** Ends collecting. What was collected stays. */
export function stopCoverage(): void;

/** Forgets what was collected. */
export function resetCoverage(): void;

/** Options of {@link coverageReport}. */
export interface CoverageOptions {
  /** A folder that test processes have written to. Default: what this process has collected. */
  folder?: string;
  /** Files of definitions that are in the report even where no test has run them. */
  definitions?: readonly string[];
  /** What paths are shown relative to. Default: the working directory. */
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
  /** A table, and what was never used. */
  text(options?: { color?: boolean; missing?: boolean }): string;
  /** The same for programs. */
  json(): string;
  /** An lcov tracefile: states as functions, what decides between ways as branches. Definitions without a file, and those in a string of a template, are not in it. */
  lcov(): string;
  /** One HTML document that needs nothing else: graphs in colours, what was never used, the definitions line by line. */
  html(options?: { title?: string }): string;
}

/** Coverage of one definition. */
export interface DefinitionCoverage {
  /** The file, or the machine's name. */
  title: string;
  name: string;
  /** Relative to the root; absent where it did not come from one. */
  file?: string;
  digest: string;
  /** How many executions have run it. */
  executions: number;
  places: CoveredPlace[];
  totals: CoverageTotals;
}

/** Something in a definition that is used or not. */
export interface CoveredPlace {
  kind: "state" | "transition" | "rule" | "retry" | "catch";
  pointer: string;
  state: string;
  label: string;
  /** Where it stands in the file. */
  line: number;
  count: number;
}

/** Places that were used, and all. */
export interface CoverageSum {
  covered: number;
  total: number;
}

/** Sums by kind. */
export type CoverageTotals = Record<"states" | "transitions" | "rules" | "retries" | "catches" | "all", CoverageSum>;

// ------------------------------------------------------------------------------------------------------- errors

/** A test that cannot be run as it is written. */
export class TestKitError extends Error {}

/** A task that no mock answers: none is given for it, or its answers are used up. */
export class MockError extends TestKitError {
  private constructor();
  readonly state: string;
  readonly resource: string;
  /** The number of the call, from 0 on. */
  readonly invocation: number;
}
