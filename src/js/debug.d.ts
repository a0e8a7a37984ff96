/**
 * A debugger of state machines without a face: run, pause, step, go back in time, fork, and look into everything.
 *
 * @example
 * ```js
 * import { DebugSession } from "stepglass/debug";
 *
 * const session = new DebugSession(definition, { input: { orders: [1, 2, 3] }, tasks: { charge } });
 * session.setBreakpoints([{ kind: "entry", state: "Charge", condition: "$iteration = 2" }]);
 * session.on("stopped", ({ reason, description }) => {
 *   console.log(reason, description, session.stackTrace(), session.scopes());
 *   session.stepBack();
 * });
 * session.continue();
 * ```
 *
 * @packageDocumentation
 */

import type { CoverageTotals, CoveredPlace } from "./testing.js";
import type { Definition, ExecutionResult, Frame, HistoryEvent, MachineType, RecordedTask, StateMachine, TaskHandler, TaskHandlers } from "./index.js";

/** A step of a child execution of a Distributed Map: an event of its own history, or its end. */
export interface ChildStep {
  /** Where it stands on the tape of events and stages, and the last event before it. */
  place: number;
  after: number;
  /** In the execution's time, milliseconds since 1970. */
  time: number;
  /** The child execution's name. */
  child: string;
  /** Of its first event: the child execution that its Map is a state of, if it is one, and the event there with which its Map Run began. */
  parent?: string;
  run?: number;
  /** Of its first event: its place among the children of the Map Run. */
  index?: number;
  /** With ids of the child's own history; what has happened long ago may be without `input`, `output` and the like. */
  event?: HistoryEvent;
  /** Of its end. */
  status?: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
}

/** A visit of a state in a child execution of a Distributed Map. */
export interface ChildVisit {
  /** The number that `stages()`, `scopes()` and the like take. */
  id: number;
  /** Events of the child's own history; 0 while there is none. */
  enter: number;
  exit: number;
  end: number;
  iterations: number[];
  slot: number;
  attempts: number;
  /** The child execution's name. */
  child: string;
  /** The last event of the run before it. */
  after: number;
  /** Where on the tape it was entered and left; 0 while it is not. */
  place: number;
  left: number;
  /** When it was entered and, if it was, left: ISO 8601. */
  times: string[];
}

/** Where a run is to stop. All members but `kind` are for some kinds only. */
export interface Breakpoint {
  /** Given by the session where it is absent. */
  id?: number;
  /**
   * - `entry`, `exit`: before InputPath, and after the output, of `state`.
   * - `stage`: before or after a `stage` of `state`.
   * - `error`: an attempt of `state`, or of any, has failed, and Retry and Catch are not looked at yet.
   * - `retry`, `catch`: a retrier or catcher of `state`, or of any, has taken an error.
   * - `transition`: from the state `from` to the state `to`.
   * - `iteration`: the Map `state` begins or ends one of `indices`.
   * - `change`: the variable or JSONPath `path` is another after `state`, or any state, than before.
   */
  kind: "entry" | "exit" | "stage" | "error" | "retry" | "catch" | "transition" | "iteration" | "change";
  state?: string;
  /**
   * The name of the machine among `machines` whose executions it is for. Default: the session's own machine; one that names no
   * state either is for all.
   */
  machine?: string;
  /** A stage's name as {@link TraceStage} has it: `afterParameters`. */
  stage?: string;
  /** Default: `after`. */
  when?: "before" | "after";
  /** Of an `error`: these names only. */
  errors?: string[];
  /** Of an `error`: only where nothing takes it. */
  uncaught?: boolean;
  from?: string;
  to?: string;
  /** `"0"`, `"1-3"`, `"4+"`, `"0,2-4"`; default: all. */
  indices?: string;
  /** Of an `iteration`; default: `start`. */
  at?: "start" | "end";
  /** `$name`, or a path into the state's data: `$.order.total`. */
  path?: string;
  /**
   * Stops only where this holds. In JSONata `$` is the data as it is there, and there are `$states`, the variables, `$input`,
   * `$result`, `$output`, `$error`, `$attempt` (0 for the first) and `$iteration`. In JSONPath a path, or two sides with one
   * of `= != < <= > >=` between them. A condition that cannot be told stops, and says so.
   */
  condition?: string;
  /** Of the condition; default: `jsonata`. */
  language?: "jsonata" | "jsonpath";
  /** `"3"`, `">= 3"`, `"% 3"`: counted after the condition. */
  hit?: string;
  /** Does not stop, but writes this text; what stands in `{% … %}` is evaluated. */
  log?: string;
  /** Default: true. */
  enabled?: boolean;
  /** How often it was met in this run. */
  hits?: number;
}

/**
 * What stands for a task. Times (`after`) are in milliseconds of the execution.
 *
 * @example
 * ```js
 * const mocks = {
 *   Charge: { mode: "script", steps: [{ attempt: "0", error: "Busy", after: 500 }, { result: { paid: true } }] },
 *   "dynamodb:*": { mode: "result", response: { Item: {} } },
 *   "*": { mode: "echo" },
 * };
 * ```
 */
export type Mock =
  /** The task waits for {@link DebugSession.answer}. */
  | { mode: "ask" }
  /** The input is the result. */
  | { mode: "echo"; after?: number }
  /** A result, which is wrapped as the service would (`Payload` of `lambda:invoke`); or the service's whole `response`. */
  | { mode: "result"; result?: unknown; response?: unknown; after?: number }
  | { mode: "error"; error: string; cause?: string; after?: number }
  | { mode: "script"; steps: MockStep[]; after?: number }
  /** JSONata over `$states.input`, `$attempt`, `$iteration`. */
  | { mode: "expression"; expression: string; after?: number }
  /** A function that is called as a handler of `tasks` is. */
  | { mode: "function"; handler: TaskHandler }
  /** The answers of a recorded execution, in turn: those that `replayHistory()` tells of for the state. */
  | { mode: "recorded"; answers: RecordedTask[] }
  /** No mock: the handler is called, also where a wider mock would be meant for the task. */
  | { mode: "handler" };

/** One reply of a script; the first whose `attempt`, `iteration` and `call` fit counts. */
export interface MockStep {
  /** `"0"`, `"1-3"`, `"4+"`; default: all. The first attempt is 0. */
  attempt?: string;
  /** The index in the innermost Map. */
  iteration?: string;
  /** The number of the state's call in the whole execution, from 0 on, as in mock files of Step Functions Local. */
  call?: string;
  result?: unknown;
  /** The service's whole response, in place of `result`. */
  response?: unknown;
  error?: string;
  cause?: string;
  after?: number;
  /** No answer at all. */
  silent?: boolean;
}

/** How a session runs. */
export interface DebugOptions {
  input?: unknown;
  name?: string;
  /** What `$$.Execution.Id` is. Default: one of a made-up account, with the names of machine and execution. */
  arn?: string;
  /** Of random numbers, UUIDs and jitter. Default: 0. */
  seed?: number | bigint;
  /** Milliseconds since 1970. Default: now. */
  startTime?: number;
  tasks?: TaskHandlers;
  /**
   * State machines that tasks start (`states:startExecution` and its kin), by name or ARN. Their executions are on the
   * session's time, with its mocks and handlers, and can be stepped into: {@link DebugSession.executions}. They start each other
   * at most 32 deep. Without this option such tasks are like any other.
   */
  machines?: Record<string, Definition | StateMachine> | Map<string, Definition | StateMachine> | StateMachine[];
  /**
   * They go before `tasks`. A state's own comes first; then by resource, function or activity, and patterns with `*`, of which
   * the one that says most counts: `"*"` is for all that is left.
   */
  mocks?: Record<string, Mock>;
  /** Whether a task without handler and mock waits for {@link DebugSession.answer}. Default: it fails. */
  ask?: boolean;
  /**
   * `"skip"` (the default) jumps to what comes next when nobody is at work; `"manual"` moves by {@link DebugSession.advance}
   * only; a number is so many times as fast as real time.
   */
  clock?: "skip" | "manual" | number;
  breakpoints?: Breakpoint[];
  exceptions?: "none" | "uncaught" | "all" | string[];
  type?: MachineType;
  payloadLimit?: number;
  historyLimit?: number;
  /**
   * The tasks of a recorded execution, as `replayHistory()` tells of them: each call without a mock is answered as it was
   * there. Calls that it did not have, and answers that it has left out, come from handlers.
   */
  recorded?: RecordedTask[];
}

/** Why it has stopped. */
export interface Stop {
  reason: "start" | "step" | "breakpoint" | "exception" | "pause" | "goto" | "edit" | "end";
  description: string;
  /** The id of the breakpoint. */
  breakpoint?: number;
  /** The execution in which it has stopped, where a task has started that; absent for the run's own. */
  execution?: { id: number; name: string; machine: string };
}

/** A state that is being run, of a stack of such. */
export interface StackFrame {
  /** The number of the execution that it is of. */
  execution: number;
  visit: number;
  state: string;
  type: string;
  thread: number;
  /** The indices in the Maps around it, the innermost last. */
  iterations: number[];
  slot: number;
  isIteration: boolean;
  /** Retries so far. */
  attempt: number;
  /** The event that entered it; of a state in a child execution the last of the run before that. */
  event: number;
  /** The name of the child execution of a Distributed Map that it runs in. */
  child?: string;
  /** The last stage that has been seen. */
  stage?: string;
}

/** A branch, an iteration, or the execution's own chain of states. */
export interface DebugThread {
  id: number;
  name: string;
  state: string;
  type: string;
  iterations: number[];
  slot: number;
  visit: number;
  event: number;
}

/** A variable in reach: its value, and the state and event that assigned it. */
export interface Variable {
  value: any;
  state: string;
  event: number;
  visit: number;
  /** Whether it is of a scope further out. */
  outer: boolean;
}

/** An answer to a question: `value`, `nothing`, or the `message` of what is wrong at an `offset` in bytes. */
export interface Evaluated {
  value?: any;
  nothing?: true;
  message?: string;
  code?: string;
  offset?: number;
}

/** A task that waits for somebody's answer. */
export interface AskedTask {
  task: number;
  /** `token` for the callback of a `.waitForTaskToken` task, `activity` for one that is to be taken by a worker first. */
  kind: "ask" | "token" | "activity";
  state: string;
  resource: string;
  attempt: number;
  iterations: number[];
  input: any;
  token?: string;
  timeoutAt?: number;
  heartbeatSeconds?: number;
  silent: boolean;
  /** Of an `activity`: whether {@link DebugSession.take} has taken it. */
  taken?: boolean;
  /** The name of the execution that asks, where it is one that a task has started. */
  execution?: string;
  /** When it was scheduled, in milliseconds since 1970; the oldest comes first. */
  since: number;
}

/** An execution of a run: its own, or one that a task has started. */
export interface DebugExecution {
  /** 0 is the run's own. */
  id: number;
  name: string;
  arn: string;
  /** The machine's name. */
  machine: string;
  /** Whether it is the one that is looked at. */
  current: boolean;
  /** How many executions have started each other up to this one; 0 for the run's own. */
  depth: number;
  /** The execution that has started it, and there the state, its visit, the event that entered it and the indices of Maps. */
  parent?: number;
  state?: string;
  visit?: number;
  event?: number;
  iterations?: number[];
  /** As far as it was seen. */
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  output?: any;
  error?: string;
  cause?: string;
  /** How many of its events have been seen. */
  events: number;
}

/** An execution that a task has started. */
export interface ChildExecution {
  name: string;
  arn: string;
  /** The machine's name. */
  machine: string;
  /** The name of the execution that has started it. */
  parent: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  output?: any;
  error?: string;
  cause?: string;
  /** How many events it has. */
  events: number;
}

/** What somebody answers; `after` so many milliseconds of the execution. `silence` lets the task time out. */
export type TaskAnswer =
  | { kind: "succeed"; output?: unknown; after?: number }
  | { kind: "fail"; error?: string; cause?: string; after?: number }
  | { kind: "heartbeat" }
  | { kind: "silence" };

/** What became of a definition that was changed. */
export type EditReport = { same: true } | { same?: undefined; event: number; was: string; now: string };

/** What listeners are told. */
export interface DebugEvents {
  stopped: Stop;
  continued: undefined;
  /**
   * All has been seen, the run's own execution has ended. Those that nobody waits for may go on: with the next command, or at once
   * where one of them is looked at.
   */
  terminated: ExecutionResult;
  /** A log point; `execution` where it is not in the run's own. */
  output: { breakpoint: number; text: string; event: number; execution?: number };
  /** The waiting tasks are others. */
  tasks: undefined;
  /** Another run is looked at. */
  run: { run: number };
  /** Another execution of the run is looked at. */
  execution: { execution: number };
  /** There is more to be seen. */
  progress: undefined;
}

/**
 * Runs a machine under a debugger. Commands are as the Debug Adapter Protocol has them; those that go on return at once,
 * and "stopped" or "terminated" tells when they are done. Equal definitions, options, answers and seeds give equal runs.
 */
export class DebugSession {
  /** Paused before the first state. Throws DefinitionError, and a RangeError for a name or an input that StartExecution refuses. */
  constructor(definition: Definition | StateMachine, options?: DebugOptions);
  on<Name extends keyof DebugEvents>(name: Name, listener: (what: DebugEvents[Name]) => void): () => void;

  /** "ended" where all executions have, and all of that was seen. */
  readonly status: "running" | "paused" | "ended";
  readonly stopped: Stop;
  /** How the run's own execution has ended, once that has been seen. */
  readonly outcome: ExecutionResult | undefined;
  /** The execution's time where one looks. */
  readonly now: number;
  /** The place on the tape of events and stages where one looks. */
  readonly position: number;
  /** Whether one looks at the very present, and not into the past or the middle of a state. */
  readonly atRest: boolean;
  /** The last event there. */
  readonly event: number;
  /** How many events have been seen. */
  readonly events: number;
  /** The definition of the execution that is looked at. */
  readonly definition: Definition | StateMachine;
  /** The definition of an execution of this run, by its number: 0 is the run's own. */
  definitionOf(execution: number): Definition | StateMachine;
  /** The run that is looked at. */
  readonly run: number;
  /**
   * The number of the execution that is looked at: 0 is the run's own. Where a started execution stops, it is the one that is
   * looked at from there on; events, stack, variables, values and steps are its own.
   */
  readonly execution: number;
  /**
   * The executions of this run as far as they were seen: its own, and those that tasks have started, in turn.
   *
   * @example
   * ```js
   * const session = new DebugSession(order, { machines: { Payment: payment } });
   * session.setBreakpoints([{ kind: "entry", state: "Charge", machine: "Payment" }]);
   * session.on("stopped", ({ execution }) => {
   *   if (execution) console.log(`in ${execution.machine}, ${execution.name}`, session.stackTrace());
   * });
   * ```
   */
  executions(): DebugExecution[];
  /** Looks at another execution at the same moment; what runs goes on. Throws a RangeError for a number that no execution has. */
  selectExecution(id: number): void;
  /**
   * The events that have been seen, from an index on: of the execution that is looked at, or of another of this run or another;
   * of another run its own where no `execution` is given.
   */
  history(from?: number, run?: number, execution?: number): HistoryEvent[];
  /** What child executions of Distributed Maps were seen to do, which no event of the run tells, from an index on. */
  childSteps(from?: number): ChildStep[];

  continue(options?: { ignoreBreakpoints?: boolean }): void;
  pause(): void;
  /**
   * Step over: to the next state of the same scope. After the last state of a started execution that is where the task which
   * waits for it has its answer.
   */
  next(): void;
  /** Into a Parallel or Map, or the execution that a Task starts; in any other state to its first stage. */
  stepIn(): void;
  /** To the end of the branch or iteration; else of the execution, back to the task that has started it. */
  stepOut(): void;
  /** One stage of the data's flow. */
  stepStage(): void;
  /** One event back, along the branch; before the first event of a started execution is the task that has started it. */
  stepBack(): void;
  /** Back to where a breakpoint would have stopped. */
  reverseContinue(): void;
  /** Looks at the moment after an event, which is the same moment in all executions; changes nothing. */
  goto(event: number): void;
  /** Looks at the moment after a stage, by its `place`. */
  gotoPlace(place: number): void;
  /** Goes on until a state of the machine that is looked at is entered. */
  runTo(state: string): void;
  /**
   * Begins anew, as another run beside those there are. Options stand from here on in place of those that the session began
   * with; what is absent stays, also the input, the seed and the start time. Throws as the constructor does, and the runs that there
   * are stay.
   */
  restart(definition?: Definition | StateMachine, options?: DebugOptions & { label?: string }): void;
  /** Ends the execution as ABORTED, and all that tasks have started. */
  stop(error?: string, cause?: string): void;
  /** Ends everything; the session is of no use after it. */
  dispose(): void;

  setBreakpoints(breakpoints: Breakpoint[]): Required<Pick<Breakpoint, "id" | "kind" | "hits">>[];
  readonly breakpoints: Breakpoint[];
  set breakpointsEnabled(enabled: boolean);
  setExceptionBreakpoints(filter: "none" | "uncaught" | "all" | string[]): void;

  setTasks(tasks: TaskHandlers): void;
  setMocks(mocks: Record<string, Mock>): void;
  /** The machines that tasks may start from now on. Throws DefinitionError. */
  setMachines(machines: DebugOptions["machines"]): void;
  setClock(clock: "skip" | "manual" | number): void;
  /** Lets time pass: so many milliseconds, or as many as it takes until something happens. */
  advance(milliseconds?: number): boolean;
  /** When something happens by itself next, in milliseconds since 1970. */
  readonly due: number | null;
  /** What time moves, the next first; `execution` is the name of one that a task has started. */
  timers(): { at: number; kind: "wait" | "retry" | "timeout"; state: string; iterations: number[]; retries: number; execution?: string }[];
  /** The tasks that wait for an answer, of all executions, the oldest first. */
  waiting(): AskedTask[];
  /** False where no such task waits. */
  answer(task: number, answer: TaskAnswer): boolean;
  /** Takes an activity's task as a worker, which an answer does by itself. False where none waits, or it is taken. */
  take(task: number, options?: { workerName?: string }): boolean;
  /** SendTaskSuccess, SendTaskFailure, SendTaskHeartbeat; of executions that tasks have started, too. False for an unknown token. */
  answerToken(token: string, method: "succeed" | "fail" | "heartbeat", value?: unknown): boolean;

  /**
   * The calls of the run's own tasks in turn and what they were answered, as far as the run has gone, as `replayHistory()` tells of a
   * recording's; those of a Distributed Map's children and of its readers are there, too. One that nobody answered has no `after`.
   *
   * @example
   * ```js
   * session.calls(); // [{ state: "Charge", iterations: [], attempt: 0, resource: "arn:…", after: 0, output: { paid: 42 } }, …]
   * ```
   */
  calls(): (Omit<RecordedTask, "event" | "input" | "unknown"> & { resource: string })[];
  /** The executions that tasks of this run have started, in turn, also what of them was not seen yet. */
  children(): ChildExecution[];
  /** The events of one of them, by its ARN; undefined where there is none. */
  childHistory(arn: string): HistoryEvent[] | undefined;

  threads(): DebugThread[];
  /** The innermost first; behind the states of a started execution those around the task that has started it. */
  stackTrace(thread?: number): StackFrame[];
  scopes(visit?: number): Record<string, Variable>;
  /**
   * The values after the stages of a visit, up to where one looks; with `all` of those that were seen at any time. Of stages that
   * a Map has for each item (`afterItemSelector`) or batch (`afterItemBatcher`) there is one each: that of the `item` of that
   * index, or the last before where one looks; `items` says how many there are.
   */
  stages(
    visit?: number,
    attempt?: number,
    options?: { all?: boolean; item?: number },
  ): { attempts: number; input?: any; stages: { place: number; stage: string; value: any; after: number; index?: number }[]; items: Record<string, number> };
  visits(state: string): { id: number; enter: number; exit: number; end: number; iterations: number[]; slot: number; attempts: number }[];
  /** Visits in child executions of Distributed Maps, the last ones (1000), of iterations with these indices in the Maps around. */
  childVisits(state: string, options?: { iterations?: (number | undefined)[]; most?: number }): ChildVisit[];
  /**
   * The events of the history that a visit is in, as far as they have been seen: the execution's own, or a child execution's, each
   * with the last event of the run before it.
   */
  historyOf(visit: number): (HistoryEvent & { after?: number })[];
  /**
   * All visits of the execution's own history, or of that which a visit is in, in the order of their entering; `end` is the event
   * with which one was over, `exit` the one that left it.
   */
  visitsInOrder(visit?: number): IterableIterator<{ id: number; state: string; type: string; enter: number; exit: number; end: number; around: number; thread: number; slot: number; threadName: string; attempts: number; backoffs: { failed: number; again: number }[] }>;
  evaluate(question: string, options?: { language?: "jsonata" | "jsonpath" | "template"; visit?: number; values?: Values }): Evaluated;
  values(visit?: number): Values;
  /** The engine's frames where one looks, from the nearest snapshot on. */
  frames(): Frame[];

  /** The tree of runs. A fork has left its `parent` at the event `at`, of the execution `atExecution` where not of its own. */
  runs(): { id: number; parent?: number; at?: number; atExecution?: number; label: string; current: boolean; events: number; outcome?: ExecutionResult }[];
  selectRun(id: number): void;
  /** Forgets a run that is not looked at. Its forks stay. */
  removeRun(id: number): void;
  /**
   * How often each part of the definition was used, as far as the run was seen: by JSON Pointer, as `execution.coverage().hits`
   * has it. A fork counts from where it left its parent, so that a sum over all runs counts nothing twice; with `whole` from
   * the beginning.
   *
   * @example
   * ```js
   * session.coverage(); // { "/States/Ship": 1, "/States/Ship/Next": 1, "/States/Enough/Choices/0": 1, … }
   * ```
   */
  coverage(run?: number, options?: { whole?: boolean }): Record<string, number>;
  /** Two runs beside each other, as far as they were seen. */
  compare(a: number, b: number): RunDifference;
  /**
   * Another run that is the same up to an event of the execution that is looked at. Executions that tasks had started by then are
   * in it as they were, and are not started again.
   */
  fork(options?: { event?: number; label?: string }): void;
  /** A fork in which something is another where one looks. Throws an Error with code `NOT_SETTABLE` where that is impossible. */
  setValue(change: { target: "input" | "result" | "variable"; name?: string; value: unknown; visit?: number }): void;
  setVariable(name: string, value: unknown): void;
  /** Takes another definition over at the same place, as far as the way there is the same. Throws DefinitionError. */
  applyDefinition(definition: Definition): EditReport;
}

/** Two runs beside each other. */
export interface RunDifference {
  /** How many events they have in common from the beginning on, with all their data. */
  common: number;
  /** The visits of both in the order of their entering. */
  visits: ComparedVisit[];
  /** Which run has used a part of the definition, by its JSON Pointer. */
  ways: Record<string, "a" | "b" | "both">;
}

/** A visit of a state in two runs: the how manieth it is in the same branch or iteration. */
export interface ComparedVisit {
  state: string;
  type: string;
  iterations: number[];
  /** Absent where that run has none. */
  a?: VisitOfRun;
  b?: VisitOfRun;
  /** What differs; `only` where one run alone has the visit. Empty: all is the same. */
  changes: ("only" | "input" | "output" | "variables" | "attempts" | "end")[];
}

/** A visit in one of two runs that are compared. */
export interface VisitOfRun {
  visit: number;
  /** The event that entered it, and the one that left it or 0. */
  enter: number;
  exit: number;
  attempts: number;
  /** `failed` also where it was aborted. */
  end: "left" | "failed" | "open";
}

/**
 * The name in `mocks` of the one that is meant for a task, or undefined.
 *
 * @example
 * ```js
 * mockFor({ "lambda:*": { mode: "echo" } }, { state: "Charge", resource: "arn:aws:states:::lambda:invoke" }); // "lambda:*"
 * ```
 */
export function mockFor(mocks: Record<string, Mock>, task: { state: string; resource: string; input?: unknown }): string | undefined;

/** The runs of a session as JSON data: what their engines were fed, which is enough to make them again. */
export interface SavedSession {
  version: 1;
  /** The run that is looked at. */
  current: number;
  runs: { id: number; label: string; definition: string; [member: string]: unknown }[];
}

/**
 * The runs of a session with their forks and started executions, as data that goes through JSON. Mocks, handlers and breakpoints are not in it.
 *
 * @example
 * ```js
 * localStorage.session = JSON.stringify(saveSession(session));
 * const later = restoreSession(JSON.parse(localStorage.session), { tasks: { charge }, breakpoints });
 * ```
 */
export function saveSession(session: DebugSession): SavedSession;

/**
 * A session with the runs of a saved one, paused where it was; nothing is called before it goes on. Tasks that were at work
 * are called again then. Of the options those that runs begin with (`input`, `name`, `seed`, `startTime`) are the saved
 * ones. Throws RestoreError for what is none, and DefinitionError.
 */
export function restoreSession(saved: SavedSession, options?: DebugOptions): DebugSession;

/** What expressions see. */
export interface Values {
  input?: unknown;
  context?: unknown;
  variables?: Record<string, unknown>;
  now?: number;
}

/** Evaluates a question over values: JSONata, a path or an intrinsic call, or the JSON text of a payload template. */
export function ask(dialect: "jsonata" | "jsonpath" | "template", question: string, values?: Values): Evaluated;

/** Coverage of one definition. */
export interface MeasuredCoverage {
  /** Every state, transition, rule, retrier and catcher, in the definition's order, with its count. */
  places: CoveredPlace[];
  totals: CoverageTotals;
  /** The share of all places that were used, from 0 to 100. */
  percent: number;
  /** The report that `stepglass coverage --format json` writes. */
  json(): string;
  /** An lcov tracefile, as `stepglass coverage --format lcov` writes it. */
  lcov(): string;
}

/**
 * What counts of uses come to, as {@link DebugSession.coverage} and `execution.coverage().hits` give them. `file` is what a
 * tracefile calls the definition, `line` tells on which line of it a JSON Pointer stands.
 *
 * @example
 * ```js
 * const { percent, places } = measureCoverage(definition, session.coverage());
 * const never = places.filter(({ count }) => count === 0).map(({ state, label }) => `${state}: ${label}`);
 * ```
 */
export function measureCoverage(definition: Definition | StateMachine, hits: Record<string, number>, options?: { file?: string; executions?: number; line?(pointer: string): number | undefined }): MeasuredCoverage;

/**
 * An input made up of what a definition reads of it, in JSONPath and JSONata, as far as that can be told without running it:
 * lists have one element, numbers are 1, texts say what they stand for. Throws a SyntaxError for what is no JSON.
 *
 * @example
 * ```js
 * exampleInput(definition); // { order: { id: "id", total: 1 }, items: [{ sku: "sku" }] }
 * ```
 */
export function exampleInput(definition: Definition | StateMachine): any;
