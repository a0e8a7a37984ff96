/**
 * A headless debugger for state machines: run, pause, step, go back in time, fork, and inspect everything.
 *
 * @example
 * ```js
 * import { DebugSession } from "stepglass/debug";
 *
 * const session = new DebugSession(definition, { input: { orders: [1, 2, 3] }, tasks: { charge } });
 * session.setBreakpoints([{ kind: "entry", state: "Charge", condition: "$iteration = 2" }]);
 * session.on("stopped", ({ reason, description }) => {
 *   console.log(reason, description, session.stackTrace(), session.scopes());
 *   if (reason === "breakpoint") session.stepBack();
 * });
 * session.continue();
 * ```
 *
 * @packageDocumentation
 */

import type { CoverageTotals, CoveredPlace } from "./testing.js";
import type {
  Definition,
  ErrorFacts,
  ExecutionResult,
  Frame,
  HistoryEvent,
  MachineType,
  RecordedTask,
  StateMachine,
  Substitutions,
  TaskHandler,
  TaskHandlers,
} from "./index.js";

/** A step of a child execution of a Distributed Map: an event of its own history, or its end. */
export interface ChildStep {
  /** Its position in the recording of events and stages, and the last event before it. */
  place: number;
  after: number;
  /** The time in the execution, in milliseconds since 1970. */
  time: number;
  /** The child execution's name. */
  child: string;
  /** On the first event: the child execution that contains the Map, if there is one, and the event there that started the Map Run. */
  parent?: string;
  run?: number;
  /** On the first event: the child's index in the Map Run. */
  index?: number;
  /** The event, with ids of the child's own history. Old events may lack `input`, `output` and so on. */
  event?: HistoryEvent;
  /** The child's final status, at its end. */
  status?: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
}

/** A visit of a state in a child execution of a Distributed Map. */
export interface ChildVisit {
  /** The id to pass to `stages()`, `scopes()` and other methods. */
  id: number;
  /** Events of the child's own history; 0 if there is none yet. */
  enter: number;
  exit: number;
  end: number;
  iterations: number[];
  slot: number;
  attempts: number;
  /** The child execution's name. */
  child: string;
  /** The last event of the run before the visit. */
  after: number;
  /** The positions in the recording where the state was entered and exited; 0 if not yet. */
  place: number;
  left: number;
  /** When the state was entered and, if it was, exited: ISO 8601. */
  times: string[];
}

/** A place where a run stops. Except `kind`, every member applies only to some kinds. */
export interface Breakpoint {
  /** Assigned by the session if absent. */
  id?: number;
  /**
   * - `entry`, `exit`: before InputPath, or after the output, of `state`.
   * - `stage`: before or after a `stage` of `state`.
   * - `error`: when an attempt of `state`, or of any state, has failed, before Retry and Catch are evaluated.
   * - `retry`, `catch`: when a retrier or catcher of `state`, or of any state, has matched an error.
   * - `transition`: from the state `from` to the state `to`.
   * - `iteration`: when the Map `state` starts or ends one of the iterations in `indices`.
   * - `change`: when `state`, or any state, has changed the variable or JSONPath `path`.
   */
  kind: "entry" | "exit" | "stage" | "error" | "retry" | "catch" | "transition" | "iteration" | "change";
  state?: string;
  /**
   * The name of one of the `machines`; the breakpoint stops in its executions. Default: the session's own machine, or all machines
   * if the breakpoint has no `state` either.
   */
  machine?: string;
  /** The name of a stage, as in {@link TraceStage}: `afterParameters`. */
  stage?: string;
  /** Default: `after`. */
  when?: "before" | "after";
  /** For `error`: stops only on errors with these names. */
  errors?: string[];
  /** For `error`: stops only on errors that nothing handles. */
  uncaught?: boolean;
  from?: string;
  to?: string;
  /** `"0"`, `"1-3"`, `"4+"`, `"0,2-4"`; default: all. */
  indices?: string;
  /** For `iteration`. Default: `start`. */
  at?: "start" | "end";
  /** `$name`, or a path into the state's data: `$.order.total`. */
  path?: string;
  /**
   * For `retry`, `catch` and the stage `choice`: stops only if this retrier, catcher or rule applies, counted from 0. `"default"` is
   * the `Default` of a Choice.
   */
  taken?: number | "default";
  /**
   * Stops only if this is true. In JSONata, `$` is the data at that point, and you can use `$states`, the variables, `$input`,
   * `$result`, `$output`, `$error`, `$attempt` (0 for the first) and `$iteration`. In JSONPath, it is a path, or a comparison with
   * one of `= != < <= > >=`. If the condition cannot be evaluated, the run stops and says so.
   */
  condition?: string;
  /** The language of the condition. Default: `jsonata`. */
  language?: "jsonata" | "jsonpath";
  /** `"3"`, `">= 3"`, `"% 3"`: counts only hits for which the condition is true. */
  hit?: string;
  /** Does not stop, but writes this text; expressions in `{% … %}` are evaluated. */
  log?: string;
  /** Default: true. */
  enabled?: boolean;
  /** How often the breakpoint was hit in this run. */
  hits?: number;
}

/**
 * The replacement of a task. `after` delays its answer by this many milliseconds of the execution's time.
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
  /** A result, which is wrapped as the service would wrap it (`Payload` of `lambda:invoke`); or the service's whole `response`. */
  | { mode: "result"; result?: unknown; response?: unknown; after?: number }
  | { mode: "error"; error: string; cause?: string; after?: number }
  | { mode: "script"; steps: MockStep[]; after?: number }
  /** JSONata over `$states.input`, `$attempt`, `$iteration`. */
  | { mode: "expression"; expression: string; after?: number }
  /** A function, called like a handler of `tasks`. */
  | { mode: "function"; handler: TaskHandler }
  /** The answers of a recorded execution, in order, as `replayHistory()` returns them for the state. */
  | { mode: "recorded"; answers: RecordedTask[] }
  /** No mock: the handler is called, even if a more general mock matches the task. */
  | { mode: "handler" };

/** One reply of a script. The first reply whose `attempt`, `iteration` and `call` match is used. */
export interface MockStep {
  /** `"0"`, `"1-3"`, `"4+"`; default: all. The first attempt is 0. */
  attempt?: string;
  /** The index in the innermost Map. */
  iteration?: string;
  /** The number of the state's call in the whole execution, from 0, as in mock files of Step Functions Local. */
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

/** Options of a session. */
export interface DebugOptions {
  input?: unknown;
  name?: string;
  /** `$$.Execution.Id`. Default: an ARN of an invented account, with the names of machine and execution. */
  arn?: string;
  /** The seed of random numbers, UUIDs and jitter. Default: 0. */
  seed?: number | bigint;
  /** When time begins, in milliseconds since 1970. Default: now. */
  startTime?: number;
  tasks?: TaskHandlers;
  /**
   * State machines that tasks can start (with `states:startExecution` and its variants), by name or ARN. Their executions share the
   * session's time, mocks and handlers, and you can step into them: {@link DebugSession.executions}. They can start each other up
   * to 32 levels deep. Without this option, such tasks are like any other.
   */
  machines?: Record<string, Definition | StateMachine> | Map<string, Definition | StateMachine> | StateMachine[];
  /**
   * Mocks take precedence over `tasks`. A mock under the state's name comes first, then one under the resource, function or
   * activity, then patterns with `*`, the most specific first; `"*"` is for all remaining tasks.
   */
  mocks?: Record<string, Mock>;
  /** Whether a task without a handler and a mock waits for {@link DebugSession.answer}. Default: it fails. */
  ask?: boolean;
  /**
   * `"skip"` (the default) jumps to the next event when no handler is at work; `"manual"` moves only with
   * {@link DebugSession.advance}; a number is a multiple of real time.
   */
  clock?: "skip" | "manual" | number;
  breakpoints?: Breakpoint[];
  exceptions?: "none" | "uncaught" | "all" | string[];
  type?: MachineType;
  /** As in {@link ValidateOptions}. Default: `"2.0.6"`. */
  jsonata?: "2.0.6" | "2.1";
  /** As in {@link ValidateOptions}: values of placeholders. */
  substitutions?: Substitutions;
  payloadLimit?: number;
  historyLimit?: number;
  /**
   * The tasks of a recorded execution, as `replayHistory()` returns them. Each call without a mock gets its recorded answer.
   * Handlers answer calls that the recording lacks, or whose answers it omits.
   */
  recorded?: RecordedTask[];
}

/** Why the run has stopped. */
export interface Stop {
  reason: "start" | "step" | "breakpoint" | "exception" | "pause" | "goto" | "edit" | "end";
  description: string;
  /** The id of the breakpoint. */
  breakpoint?: number;
  /** For `exception`: whether nothing handles the error. */
  uncaught?: boolean;
  /** The execution that has stopped, if a task started it; absent for the run's own execution. */
  execution?: { id: number; name: string; machine: string };
}

/** A running state on the stack. */
export interface StackFrame {
  /** The number of the execution that the state is in. */
  execution: number;
  visit: number;
  state: string;
  type: string;
  thread: number;
  /** The iteration index in each enclosing Map, the innermost last. */
  iterations: number[];
  slot: number;
  isIteration: boolean;
  /** Retries so far. */
  attempt: number;
  /** The event that entered the state; for a state in a child execution, the last event of the run before that. */
  event: number;
  /** The name of the child execution of a Distributed Map that the state runs in. */
  child?: string;
  /** The last stage that was reached. */
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

/** A variable in scope: its value, and the state and event that assigned it. */
export interface Variable {
  value: any;
  state: string;
  event: number;
  visit: number;
  /** Whether the variable is from an outer scope. */
  outer: boolean;
}

/** The result of an evaluation: `value`, `nothing`, or an error `message` with an `offset` in bytes. */
export interface Evaluated {
  value?: any;
  nothing?: true;
  message?: string;
  code?: string;
  offset?: number;
}

/** A task that waits for an answer. */
export interface AskedTask {
  task: number;
  /** `token` for the callback of a `.waitForTaskToken` task, `activity` for a task that a worker must take first. */
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
  /** For an `activity`: whether {@link DebugSession.take} has taken it. */
  taken?: boolean;
  /** The name of the execution that asks, if a task started it. */
  execution?: string;
  /** When the task was scheduled, in milliseconds since 1970; the oldest comes first. */
  since: number;
}

/** An execution of a run: the run's own, or one that a task started. */
export interface DebugExecution {
  /** 0 is the run's own. */
  id: number;
  name: string;
  arn: string;
  /** The machine's name. */
  machine: string;
  /** Whether it is the selected execution. */
  current: boolean;
  /** The number of executions above this one in the chain of parents; 0 for the run's own. */
  depth: number;
  /** The execution that started it, and the state in it, with its visit, the event that entered it and its iteration indices. */
  parent?: number;
  state?: string;
  visit?: number;
  event?: number;
  iterations?: number[];
  /** The status as far as the run was played. */
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  output?: any;
  error?: string;
  cause?: string;
  /** The number of its events that were played. */
  events: number;
}

/** An execution that a task started. */
export interface ChildExecution {
  name: string;
  arn: string;
  /** The machine's name. */
  machine: string;
  /** The name of the execution that started it. */
  parent: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  output?: any;
  error?: string;
  cause?: string;
  /** The number of its events. */
  events: number;
}

/** An answer to a task, `after` this many milliseconds of the execution's time. `silence` lets the task time out. */
export type TaskAnswer =
  | { kind: "succeed"; output?: unknown; after?: number }
  | { kind: "fail"; error?: string; cause?: string; after?: number }
  | { kind: "heartbeat" }
  | { kind: "silence" };

/** The outcome of applying a changed definition. */
export type EditReport = { same: true } | { same?: undefined; event: number; was: string; now: string };

/** The events of a session. */
export interface DebugEvents {
  stopped: Stop;
  continued: undefined;
  /**
   * The run's own execution has ended and was played to its end. Executions that no task waits for may continue: with the next
   * command, or at once if one of them is selected.
   */
  terminated: ExecutionResult;
  /** A log point wrote a text; `execution` is absent for the run's own execution. */
  output: { breakpoint: number; text: string; event: number; execution?: number };
  /** The list of waiting tasks has changed. */
  tasks: undefined;
  /** Another run was selected. */
  run: { run: number };
  /** Another execution of the run was selected. */
  execution: { execution: number };
  /** The run has made progress. */
  progress: undefined;
}

/**
 * Runs a machine under a debugger. Commands are named as in the Debug Adapter Protocol. Commands that resume the run return at
 * once; the event "stopped" or "terminated" tells you when they are done. Equal definitions, options, answers and seeds give
 * equal runs.
 *
 * A session has a current position, on which everything that it returns depends. The position is at the end of what was played,
 * or before it after a step back or `goto()`.
 *
 * An invalid argument throws an Error with a `code`: `INVALID_ARGUMENT`, or `INVALID_OPTION` for a member of the options. A number
 * that refers to nothing (a visit, a thread or a task of another run) is not an error: the result is then empty or false, or the
 * same as without the number.
 */
export class DebugSession {
  /** Creates a session that is paused before the first state. Throws DefinitionError, or a RangeError for a name or an input that StartExecution refuses. */
  constructor(definition: Definition | StateMachine, options?: DebugOptions);
  on<Name extends keyof DebugEvents>(name: Name, listener: (what: DebugEvents[Name]) => void): () => void;

  /** "ended" when all executions have ended and were played to their ends. */
  readonly status: "running" | "paused" | "ended";
  readonly stopped: Stop;
  /** The outcome of the run's own execution, once its end was played. */
  readonly outcome: ExecutionResult | undefined;
  /** The execution's time at the current position. */
  readonly now: number;
  /** The current position in the recording of events and stages. */
  readonly position: number;
  /** Whether the position is at the end of the recording, and not in the past or in the middle of a state. */
  readonly atRest: boolean;
  /** The last event at the current position. */
  readonly event: number;
  /** The number of events that were played. */
  readonly events: number;
  /** The definition of the selected execution. */
  readonly definition: Definition | StateMachine;
  /** Returns the definition of an execution of this run, by its number: 0 is the run's own. */
  definitionOf(execution: number): Definition | StateMachine;
  /** The selected run. */
  readonly run: number;
  /**
   * The number of the selected execution: 0 is the run's own. When an execution that a task started stops, it is selected. Events,
   * stack, variables, values and steps are those of the selected execution.
   */
  readonly execution: number;
  /**
   * Returns the executions of this run as far as they were played: its own, and those that tasks started, in order.
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
  /** Selects another execution at the same moment; a running run continues. Throws a RangeError if no execution has this number. */
  selectExecution(id: number): void;
  /**
   * Returns the events that were played, from an index on. Default: those of the selected execution. With `run`, those of another
   * run: of its own execution, unless `execution` is given.
   */
  history(from?: number, run?: number, execution?: number): HistoryEvent[];
  /** Returns the steps of child executions of Distributed Maps, which are not in the run's events, from an index on. */
  childSteps(from?: number): ChildStep[];

  continue(options?: { ignoreBreakpoints?: boolean }): void;
  pause(): void;
  /**
   * Steps over: to the next state of the same scope. After the last state of an execution that a task started, it stops where the
   * waiting task has its result. The thread is that of the current position, unless `thread` names another one; so for all steps.
   */
  next(thread?: number): void;
  /** Steps into a Parallel or Map, or the execution that a Task starts; in other states, to the first stage. */
  stepIn(thread?: number): void;
  /** Runs to the end of the branch or iteration; otherwise to the end of the execution, back to the task that started it. */
  stepOut(thread?: number): void;
  /** Runs one data-flow stage. */
  stepStage(): void;
  /** Steps one event back, along the branch; from the first event of an execution, to the task that started it. */
  stepBack(): void;
  /** Goes back to the previous place where a breakpoint would stop. */
  reverseContinue(): void;
  /**
   * Moves the position to just after an event, in all executions. Does not change the run. A number beyond the last event means the
   * last event.
   */
  goto(event: number): void;
  /** Moves the position to just after a stage, by its `place`. */
  gotoPlace(place: number): void;
  /** Runs until a state of the selected execution's machine is entered. */
  runTo(state: string): void;
  /**
   * Starts a new run beside the existing ones. The given options replace those of the session; all others stay the same, including
   * the input, the seed and the start time. Throws as the constructor does; the existing runs are then kept.
   */
  restart(definition?: Definition | StateMachine, options?: DebugOptions & { label?: string }): void;
  /** Ends the execution as ABORTED, and all executions that tasks started. */
  stop(error?: string, cause?: string): void;
  /** Ends everything. The session cannot be used after that. */
  dispose(): void;
  /** For `using`: {@link DebugSession.dispose}. */
  [Symbol.dispose](): void;

  setBreakpoints(breakpoints: Breakpoint[]): Required<Pick<Breakpoint, "id" | "kind" | "hits">>[];
  readonly breakpoints: Breakpoint[];
  set breakpointsEnabled(enabled: boolean);
  setExceptionBreakpoints(filter: "none" | "uncaught" | "all" | string[]): void;

  setTasks(tasks: TaskHandlers): void;
  setMocks(mocks: Record<string, Mock>): void;
  /** Sets the machines that tasks can start from now on. Throws DefinitionError. */
  setMachines(machines: DebugOptions["machines"]): void;
  setClock(clock: "skip" | "manual" | number): void;
  /** Lets time pass: this many milliseconds, or by default until the next timer. Returns false if the position is in the past or there is no timer. */
  advance(milliseconds?: number): boolean;
  /**
   * Declares that this much time (in milliseconds) passed unattended, as after `restoreSession()`: waits end at their own times,
   * and tasks that are called again have their full timeouts. This takes effect when you continue. Returns false if everything has
   * ended.
   */
  recovered(milliseconds?: number): boolean;
  /** When the next timer is due, in milliseconds since 1970. */
  readonly due: number | null;
  /** Returns the pending timers, the next first; `execution` is the name of an execution that a task started. */
  timers(): { at: number; kind: "wait" | "retry" | "timeout"; state: string; iterations: number[]; retries: number; execution?: string }[];
  /** Returns the tasks that wait for an answer, in all executions, the oldest first. */
  waiting(): AskedTask[];
  /** Answers a task. Returns false if no such task waits. */
  answer(task: number, answer: TaskAnswer): boolean;
  /** Takes an activity's task as a worker; an answer does so by itself. Returns false if no such task waits or it is already taken. */
  take(task: number, options?: { workerName?: string }): boolean;
  /** SendTaskSuccess, SendTaskFailure or SendTaskHeartbeat, in any execution of the run. Returns false if the token is unknown. */
  answerToken(token: string, method: "succeed" | "fail" | "heartbeat", value?: unknown): boolean;

  /**
   * Returns the task calls of the run's own execution and their answers so far, in order, in the format of `replayHistory()`. They
   * include the calls of a Distributed Map's children and readers. A call without an answer has no `after`.
   *
   * @example
   * ```js
   * session.calls(); // [{ state: "Charge", iterations: [], attempt: 0, resource: "arn:…", after: 0, output: { paid: 42 } }, …]
   * ```
   */
  calls(): (Omit<RecordedTask, "event" | "input" | "unknown"> & { resource: string })[];
  /** Returns the executions that tasks of this run started, in order, including parts that were not played yet. */
  children(): ChildExecution[];
  /** Returns the events of one of them, by its ARN; undefined if there is none. */
  childHistory(arn: string): HistoryEvent[] | undefined;

  threads(): DebugThread[];
  /**
   * Returns the threads in running child executions of Distributed Maps, which can be thousands, a page at a time: at least `count`
   * (by default 100) from `start` on. `next` is the `start` of the following page; it is absent after the last.
   */
  childThreads(options?: { start?: number; count?: number }): { threads: DebugThread[]; next?: number };
  /** Returns the stack, innermost state first. The states of a started execution are followed by those around the task that started it. */
  stackTrace(thread?: number): StackFrame[];
  scopes(visit?: number): Record<string, Variable>;
  /**
   * Returns the values after the stages of a visit, up to the current position, or with `all` those played at any time. A Map has
   * one stage for each item (`afterItemSelector`) or batch (`afterItemBatcher`); only one of them is returned: the one with the
   * index `item`, or the last before the current position. `items` has their counts.
   */
  stages(
    visit?: number,
    attempt?: number,
    options?: { all?: boolean; item?: number },
  ): {
    attempts: number;
    input?: any;
    stages: { place: number; stage: string; value: any; after: number; index?: number; failure?: ErrorFacts }[];
    items: Record<string, number>;
  };
  visits(state: string): { id: number; enter: number; exit: number; end: number; iterations: number[]; slot: number; attempts: number }[];
  /** Returns visits in child executions of Distributed Maps, the last 1000 by default; `iterations` selects the indices in the enclosing Maps. */
  childVisits(state: string, options?: { iterations?: (number | undefined)[]; most?: number }): ChildVisit[];
  /**
   * Returns the events, as far as they were played, of the execution's own history, or of the history that a visit is in. Events of
   * a child execution have the last event of the run before them as `after`.
   */
  historyOf(visit?: number): (HistoryEvent & { after?: number })[];
  /**
   * Returns all visits of the execution's own history, or of the history that a visit is in, in the order of entry. `exit` is the
   * event that exited the state; `end` is the event that ended the visit in any way.
   */
  visitsInOrder(visit?: number): IterableIterator<{
    id: number;
    state: string;
    type: string;
    enter: number;
    exit: number;
    end: number;
    around: number;
    thread: number;
    slot: number;
    threadName: string;
    attempts: number;
    backoffs: { failed: number; again: number }[];
  }>;
  evaluate(question: string, options?: { language?: "jsonata" | "jsonpath" | "template"; visit?: number; values?: Values }): Evaluated;
  values(visit?: number): Values;
  /** Returns the engine's frames at the current position. */
  frames(): Frame[];

  /** Returns the tree of runs. A fork diverged from its `parent` at the event `at`, of the execution `atExecution` if that is not the run's own. */
  runs(): {
    id: number;
    parent?: number;
    at?: number;
    atExecution?: number;
    label: string;
    current: boolean;
    events: number;
    outcome?: ExecutionResult;
  }[];
  selectRun(id: number): void;
  /** Removes a run that is not selected. Its forks are kept. */
  removeRun(id: number): void;
  /**
   * Returns how often each part of the definition was used, as far as the run was played, by JSON Pointer, as in
   * `execution.coverage().hits`. A fork counts from the point where it diverged, so a sum over all runs counts nothing twice. With
   * `whole` it counts from the start.
   *
   * @example
   * ```js
   * session.coverage(); // { "/States/Ship": 1, "/States/Ship/Next": 1, "/States/Enough/Choices/0": 1, … }
   * ```
   */
  coverage(run?: number, options?: { whole?: boolean }): Record<string, number>;
  /** Compares two runs, as far as they were played. */
  compare(a: number, b: number): RunDifference;
  /**
   * Makes another run that is the same up to an event of the selected execution. Executions that tasks had started by then are kept
   * as they were and are not started again.
   */
  fork(options?: { event?: number; label?: string }): void;
  /** Makes a fork with a changed value at the current position. Throws an Error with code `NOT_SETTABLE` if the value cannot be set. */
  setValue(change: { target: "input" | "result" | "variable"; name?: string; value: unknown; visit?: number }): void;
  setVariable(name: string, value: unknown): void;
  /** Applies a changed definition and stays at the same position, as far as the path to it is the same. Throws DefinitionError. */
  applyDefinition(definition: Definition): EditReport;
}

/** The comparison of two runs. */
export interface RunDifference {
  /** The number of events, from the first on, that both runs have in common, with all their data. */
  common: number;
  /** The visits of both runs, in the order of entry. */
  visits: ComparedVisit[];
  /** Which run used each part of the definition, by its JSON Pointer. */
  ways: Record<string, "a" | "b" | "both">;
}

/** A visit of a state in two runs. Visits with the same number in the same branch or iteration are compared. */
export interface ComparedVisit {
  state: string;
  type: string;
  iterations: number[];
  /** Absent if that run does not have the visit. */
  a?: VisitOfRun;
  b?: VisitOfRun;
  /** The parts that differ; `only` if just one run has the visit. Empty if nothing differs. */
  changes: ("only" | "input" | "output" | "variables" | "attempts" | "end")[];
}

/** A visit in one of two compared runs. */
export interface VisitOfRun {
  visit: number;
  /** The event that entered the state, and the event that exited it, or 0. */
  enter: number;
  exit: number;
  attempts: number;
  /** `failed` also means aborted. */
  end: "left" | "failed" | "open";
}

/**
 * Returns the name of the mock that applies to a task, or undefined.
 *
 * @example
 * ```js
 * mockFor({ "lambda:*": { mode: "echo" } }, { state: "Charge", resource: "arn:aws:states:::lambda:invoke" }); // "lambda:*"
 * ```
 */
export function mockFor(mocks: Record<string, Mock>, task: { state: string; resource: string; input?: unknown }): string | undefined;

/** The runs of a session as JSON data: the facts fed to their engines, which are enough to restore them. */
export interface SavedSession {
  version: 1;
  /** The selected run. */
  current: number;
  runs: { id: number; label: string; definition: string; [member: string]: unknown }[];
}

/**
 * Returns the runs of a session with their forks and started executions, as JSON data. With `run`, it is only that run; a fork then
 * has no parent. Mocks, handlers and breakpoints are not included.
 *
 * @example
 * ```js
 * localStorage.session = JSON.stringify(saveSession(session));
 * const later = restoreSession(JSON.parse(localStorage.session), { tasks: { charge }, breakpoints });
 * ```
 */
export function saveSession(session: DebugSession, options?: { run?: number }): SavedSession;

/**
 * Restores a session with the runs of a saved one, paused where it was. Nothing is called before you continue; then tasks that were
 * in progress are called again. The saved values of `input`, `name`, `seed` and `startTime` replace those in the options. Throws
 * RestoreError if the data is not a saved session, or DefinitionError.
 */
export function restoreSession(saved: SavedSession, options?: DebugOptions): DebugSession;

/** The values that expressions can read. */
export interface Values {
  input?: unknown;
  context?: unknown;
  variables?: Record<string, unknown>;
  now?: number;
}

/** Evaluates an expression with values: JSONata, a path or an intrinsic call, or the JSON text of a payload template. */
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
 * Turns counts, from {@link DebugSession.coverage} or `execution.coverage().hits`, into a report. `file` is the definition's name in
 * the tracefile; `line` returns the line of a JSON Pointer in it.
 *
 * @example
 * ```js
 * const { percent, places } = measureCoverage(definition, session.coverage());
 * const never = places.filter(({ count }) => count === 0).map(({ state, label }) => `${state}: ${label}`);
 * ```
 */
export function measureCoverage(
  definition: Definition | StateMachine,
  hits: Record<string, number>,
  options?: { file?: string; executions?: number; line?(pointer: string): number | undefined },
): MeasuredCoverage;

/**
 * Generates an input from what a definition reads, in JSONPath and JSONata, as far as that can be determined without running it.
 * Lists have one element, numbers are 1, and strings have the name of their member. Throws a SyntaxError if the definition is not
 * JSON.
 *
 * @example
 * ```js
 * exampleInput(definition); // { order: { id: "id", total: 1 }, items: [{ sku: "sku" }] }
 * ```
 */
export function exampleInput(definition: Definition | StateMachine): any;

/**
 * Generates results of a definition's tasks, by state name. Each has what the definition reads from it later: in `ResultSelector`,
 * paths, variables, Choice rules and JSONata. A value that a Choice tests leads onwards, not into a Fail state or around a loop
 * again. Results are as handlers return them, without a service's wrapping. Tasks whose results are not read are left out. Throws a
 * SyntaxError if the definition is not JSON.
 *
 * @example
 * ```js
 * exampleResults(definition); // { GetJob: { status: "SUCCEEDED" }, Price: { amount: 1, currency: "currency" } }
 * ```
 */
export function exampleResults(definition: Definition | StateMachine): Record<string, any>;
