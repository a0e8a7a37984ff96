// What the page and the interpreter's worker say to each other.

import type {
  AskedTask,
  Breakpoint,
  ChildVisit,
  ComparedVisit,
  DebugExecution,
  DebugSession,
  DebugThread,
  EditReport,
  Evaluated,
  MeasuredCoverage,
  Mock as PackageMock,
  RunDifference,
  SavedSession,
  StackFrame,
  Stop,
  Variable,
} from "stepglass/debug";
import type { Config } from "./share.ts";
import type { FieldAnswer, FieldQuestion } from "./field.ts";
import type { Decided, Handled, Formed, Unformed } from "./form.ts";
import type { Graph } from "./graph.ts";
import type { HistoryEvent } from "./recorded.ts";
import type {
  DefinitionComparison,
  Edited,
  Gesture,
  PossibleGesture,
  RecordedTask,
  RefusedEdit,
  ServiceShape,
  TextWidths,
} from "stepglass";
import type { LogChunk } from "./log.ts";
import type { Path } from "./stages.ts";

export type Answered = ReturnType<DebugSession["calls"]>[number];

export interface Place {
  line: number;
  column: number;
  offset: number;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  message: string;
  pointer: string;
  help?: string;
  range?: { start: Place; end: Place };
  fix?: { title: string; pointer: string; range?: { start: Place; end: Place }; replacement: string };
  /// What AWS says about it.
  aws?: { code: string; message: string; location?: string }[];
  /// All changes that would put it right; `fix` is one of them.
  fixes?: Fix[];
  /// Other places that the message is about.
  labels?: { pointer: string; range?: { start: Place; end: Place }; message: string }[];
}

export interface TaskInfo {
  state: string;
  resource: string;
  /// The function of a `lambda:invoke`, where the definition names it.
  functionName?: string;
}

/// A state of the definition, also one that is not drawn because it is inside of a folded one.
export interface StateInfo {
  name: string;
  type: string;
  pointer: string;
  /// What a Task calls; empty for others.
  detail: string;
}

export interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Fix {
  title: string;
  /// None where nothing can be done, as the title says.
  edits: Edit[];
  /// What puts no problem right stands behind what does.
  last?: true;
}

/// What came of turning states to JSONata.
export interface Conversion {
  edits: Edit[];
  converted: string[];
  left: { state: string; reason: string }[];
}

export interface HoverInfo {
  from: number;
  to: number;
  kind: string;
  title: string;
  text: string;
  state?: string;
  path?: string;
  field?: string;
  /// What the last run had there: a label and JSON.
  seen?: { label: string; value: string }[];
}

export interface NamePlaces {
  from: number;
  to: number;
  kind: "state" | "variable";
  name: string;
  places: { from: number; to: number; definition: boolean }[];
}

/// Where a state and its name, with quotes, stand in the text.
export interface StatePlace {
  name: string;
  pointer: string;
  from: number;
  to: number;
  nameFrom: number;
  nameTo: number;
}

export interface Analysis {
  diagnostics: Diagnostic[];
  /// In the order of the text; absent where it cannot be read at all.
  places?: StatePlace[];
  states: StateInfo[];
  /// There are so many that whatever can be folded begins so.
  crowded?: true;
  tasks: TaskInfo[];
  /// Milliseconds that reading took.
  took: number;
}

/// The graph of a text.
export interface Drawing {
  /// Absent where the text cannot be read at all: the page keeps its last graph.
  graphId?: number;
  /// Absent too where the page has this graph already. Of what is as in the graph that it has comes only the place there, so that
  /// the page knows what it need not draw again: first its nodes are counted, then its edges. Where most parts would move by the same
  /// they stay, and the drawing begins at another `corner`.
  graph?: Omit<Graph, "nodes" | "edges"> & {
    nodes: (Graph["nodes"][number] | number)[];
    edges: (Graph["edges"][number] | number)[];
    corner: [x: number, y: number];
  };
  /// Milliseconds that laying out took.
  took: number;
}

export type { Breakpoint, ComparedVisit, DebugThread, EditReport, Evaluated, RunDifference, StackFrame, Stop, Variable };

/// An execution that a task has started, and the name of the one that has.
export type ChildExecution = DebugExecution & { by: string };

/// A started execution that is looked at in place of the run's own.
export interface Inside {
  id: number;
  machine: string;
  name: string;
  /// The executions that it is inside of, the run's own first and itself last, with the states that have started them.
  way: { id: number; name: string; machine: string; state?: string }[];
  /// The machine's definition, JSON.
  definition: string;
}

/// What stands for a task. JavaScript is the text of a function, which runs in the sandbox.
export type Mock = Exclude<PackageMock, { mode: "function" }> | { mode: "javascript"; code: string };

/// A definition that tasks start, by its name or ARN.
export interface Machine {
  name: string;
  type: "STANDARD" | "EXPRESS";
  definition: string;
}

export type ClockMode = "skip" | "real" | "x10" | "x60" | "x3600" | "manual";

export type Exceptions = "none" | "uncaught" | "all";

export interface RunRequest {
  definition: string;
  format: "json" | "yaml";
  input: string;
  clock: ClockMode;
  seed: number;
  /// Names of the handlers that the tasks' module exports.
  handlers: string[];
  /// Whether the module's default export is one function for all tasks.
  resolver: boolean;
  /// Whether a task without a handler waits for a person's answer; otherwise it fails.
  ask: boolean;
  breakpoints: Breakpoint[];
  /// Whether breakpoints count.
  stops: boolean;
  exceptions: Exceptions;
  mocks: Record<string, Mock>;
  machines: Machine[];
  /// Whether it stops before the first state.
  paused: boolean;
  /// Its first step, or the state that it goes to first.
  step?: StepCommand;
  runTo?: string;
  /// Runs of a session file, which are there again in place of a new one.
  saved?: SavedSession;
  /// What the run of these that is looked at is kept as; empty where another tab keeps it.
  kept?: string;
  /// For one that goes on: to which of its times the page was gone.
  until?: number;
  /// Whether the runs that there are stay beside it.
  beside: boolean;
  config: Config;
  /// What tasks answered in a recorded execution: they answer so again.
  recorded?: { tasks: RecordedTask[]; startTime?: number };
}

/// What came of running a recorded execution again.
export interface ReplayReport {
  matches: boolean;
  compared: number;
  divergences: { event?: number; state?: string; iterations?: number[]; message: string; reason?: string }[];
  /// Gaps of the recording.
  missing: { event?: number; message: string }[];
  /// How many values no run repeats.
  unreproducible: number;
  tasks: RecordedTask[];
  input?: unknown;
  startTime?: number;
}

/// What makes a run again, and what a list says of it. Times are its own, in milliseconds since 1970.
export interface KeptRun {
  id: string;
  /// Its number in the session.
  run: number;
  name: string;
  status: RunResult["status"] | "RUNNING";
  began: number;
  now: number;
  /// How many times as fast as real time it flows; 0 where its time stands still.
  speed: number;
  /// States whose tasks wait for somebody.
  waits: string[];
  /// What happens by itself next.
  timer?: { state: string; at: number };
  /// JSON text of a session with this run alone.
  saved?: string;
}

/// Commands that take nothing.
export type StepCommand = "continue" | "runOut" | "pause" | "next" | "stepIn" | "stepOut" | "stepStage" | "stepBack" | "reverseContinue";

/// Where the interpreter stands.
export interface Position {
  stop: Stop;
  /// The last event that has happened there, and how many were ever seen.
  event: number;
  events: number;
  place: number;
  /// Whether it is the very present.
  atRest: boolean;
  /// Whether the execution has ended, wherever one looks; and whether one that it has started goes on beside it all the same.
  over: boolean;
  beside: boolean;
  now: number;
  stack: StackFrame[];
  /// The states around the tasks that have started the execution which is looked at.
  callers: StackFrame[];
  /// Whether the innermost state of the stack has been left.
  left: boolean;
  threads: DebugThread[];
  timers: PendingTimer[];
  hits: Record<number, number>;
}

export interface PendingTimer {
  at: number;
  kind: "wait" | "retry" | "timeout";
  state: string;
  iterations: number[];
  retries: number;
  /// How many retries there may be.
  of?: number;
  /// The name of its execution, where that is not the one that is looked at.
  execution?: string;
}

export interface RunInfo {
  id: number;
  parent?: number;
  at?: number;
  /// Of a fork: the event after which it goes its own way, in words.
  after?: string;
  /// What was changed in it by hand since it began.
  changed: string[];
  label: string;
  current: boolean;
  events: number;
  outcome?: { status: string };
}

/// One visit of a state, to choose among iterations and repetitions.
export interface VisitInfo {
  id: number;
  enter: number;
  exit: number;
  end: number;
  iterations: number[];
  attempts: number;
}

/// What all runs have used of the definition.
export interface Covered extends Pick<MeasuredCoverage, "places" | "totals" | "percent"> {
  hits: Record<string, number>;
  /// How many runs of this very definition are counted, and how many of others are not.
  runs: number;
  others: number;
}

/// The data of one visit on its way through a state.
export interface Flow {
  visit: number;
  /// The event that was asked for.
  enter: number;
  state: string;
  type: string;
  iterations: number[];
  attempt: number;
  attempts: number;
  input: unknown;
  stages: FlowStage[];
  /// What retriers have taken in this visit, in all attempts up to this one.
  retries: { retrier: number; attempt: number; delayMilliseconds: number }[];
  /// The definition of the state.
  fields: Record<string, unknown>;
  language: "JSONPath" | "JSONata";
  /// The place on the tape that is looked at.
  place: number;
  /// The item that was asked for, of stages that a Map has for each.
  item: number | undefined;
}

export interface FlowStage {
  place: number;
  stage: string;
  /// Of a stage that a Map has for each item: which, and how many there are.
  index?: number;
  of?: number;
  value: unknown;
  /// Bytes of JSON.
  size: number;
}

/// One step of where a value came from.
export interface Origin {
  text: string;
  /// The event to look at.
  event?: number;
  state?: string;
  /// The stage of that state.
  stage?: number;
  /// Of several sources of one value, each goes one deeper.
  depth: number;
  /// Whether it is only known that it depends on it.
  approximate?: boolean;
}

/// What a part of a stage's value, or an expression of its field, goes back to among the values before it.
export interface Lights {
  /// The leaf of the field, its text, and the part of the value that it makes.
  expression?: Path;
  text?: string;
  makes?: Path;
  /// The nodes that it read; `at` is the place among the stages, -1 for the state's input.
  places: { at: number; path: Path }[];
  variables: string[];
  /// Whether it reads the Context Object.
  context: boolean;
  approximate: boolean;
  /// It stands in the definition as it is.
  literal: boolean;
}

/// A payload close to AWS's limit, and the event that it came with.
export interface LargePayload {
  event: number;
  state: string;
  /// In bytes.
  size: number;
}

/// What went wrong in a state.
export interface FailureInfo {
  /// The cause without the words that only name the state.
  said?: string;
  /// The field whose evaluation has failed, its expression, and the part of that which is at fault.
  field?: string;
  expression?: string;
  from?: number;
  to?: number;
  /// Why there is nothing at that part.
  why?: string;
  /// The data that the expression saw.
  saw: { label: string; value: unknown }[];
  /// The state around that has taken the error.
  outer?: { state: string; catcher?: number; next?: string; retrier?: number };
}

/// What a rule looks at: its value, or why there is none.
export interface Operand {
  text: string;
  value?: unknown;
  missing?: string;
}

/// The variables that one scope has; those of scopes further out may be hidden by them.
export interface VariableScope {
  name: string;
  /// Whether it lies further out than the visit.
  outer: boolean;
  variables: {
    name: string;
    value: unknown;
    state: string;
    event: number;
    /// The state before has assigned it, or this one.
    fresh: boolean;
    /// One of the same name lies further in.
    hidden: boolean;
    /// What it was before in the same scope.
    was?: { value: unknown; state: string };
  }[];
}

/// A branch or iteration on the time line; its bars reach from event to event.
export interface Lane {
  name: string;
  bars: Bar[];
}

export interface Bar {
  /// Empty for a bar of several states.
  state: string;
  from: number;
  to: number;
  kind: "run" | "wait" | "backoff" | "attempt" | "failed" | "task";
  /// How many bars this one stands for, where they are too narrow to be drawn by themselves, and how many of them failed.
  bars?: number;
  failed?: number;
}

export interface RunResult {
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  output?: unknown;
  error?: string;
  cause?: string;
}

/// What has come of a run, from its events.
export interface RunOutcome {
  /// The event that says what failed first, and the state's visit that it is of.
  failure?: { event: number; state: string; type: string; resource?: string; iterations: number[]; attempts: number; enter: number };
  /// States that were not left when the run ended.
  running: string[];
  /// By the time that all their visits took together, in ms; `enter` begins the longest.
  slowest: { state: string; visits: number; took: number; longest: number; enter: number }[];
  retried: { state: string; retries: number; enter: number }[];
  /// Retries of all states.
  retries: number;
  caught: { state: string; times: number; event: number }[];
  /// How many of the states were entered.
  used: number;
  states: number;
}

/// A task that waits for a person: it has no handler, or it waits for its token.
export interface WaitingTask {
  id: number;
  kind: AskedTask["kind"];
  state: string;
  resource: string;
  attempt: number;
  iterations: number[];
  input: unknown;
  token?: string;
  /// Of an activity's: whether a worker has taken it.
  taken?: boolean;
  /// The execution that asks, where a task has started it.
  execution?: string;
  /// When it times out, in the execution's time.
  timeoutAt?: number;
  /// Nobody is going to answer: it is left to time out.
  silent?: boolean;
}

export type Answer =
  | { kind: "succeed"; output: unknown; after?: number }
  | { kind: "fail"; error: string; cause: string; after?: number }
  | { kind: "heartbeat" }
  | { kind: "silence" };

export interface EventRow {
  /// The event's id, from 1.
  id: number;
  previous: number;
  type: string;
  state: string;
  iterations: number[];
  note: string;
  tone: "" | "good" | "bad" | "warn";
  /// Milliseconds since the start.
  at: number;
}

export interface EventFilter {
  text: string;
  kind: "all" | "states" | "errors";
  /// Only this state and what is inside of it.
  state: string;
  /// Only events of this type; absent for all.
  type?: string;
  /// Only this branch or iteration and what is inside of it, by its number among those that `facets` tells of.
  scope?: number;
}

/// The last visit of a state: where it was, and how many bytes of JSON went in and came out.
export interface LastVisit {
  iterations: number[];
  input: number;
  /// Absent where nothing has come out yet.
  output?: number;
}

/// What events may be filtered by.
export interface Facets {
  types: string[];
  /// Branches and iterations in the order of their beginning; of very many the first.
  scopes: { id: number; name: string }[];
}

export interface Visit {
  /// Of a visit in a child execution, the event of the run that had happened last.
  enter: number;
  exit: number;
  caught: boolean;
  failed: boolean;
  iterations: number[];
  attempts: { scheduled: number; ended: number; failed: boolean }[];
  /// Of one in a child execution.
  child?: ChildVisit;
}

export interface Completions {
  replace: { start: number; end: number };
  items: Proposal[];
  /// The path into the data that is being written, whose members may follow.
  reads?: Reads;
}

export interface Proposal {
  label: string;
  kind: string;
  detail: string;
  insert: string;
  /// Where in `insert` the cursor goes; its end where absent.
  caret?: number;
}

/// A path into the data, in a field of a state.
export interface Reads {
  state: string;
  field: string;
  path: string;
  language: "jsonpath" | "jsonata";
}

export interface AtPlace {
  text: string;
  format: "json" | "yaml";
  offset: number;
}

/// How a graph is laid out for the page.
export interface Drawn {
  collapsed: string[];
  expanded: string[];
  direction: "TB" | "LR";
  /// Of the font that it is drawn in.
  widths: TextWidths;
  /// Width by height of the pane, once that is known.
  aspect?: number;
}

/// The worker's methods, by name: what they take and what they give.
export interface Methods {
  ping: { params: Record<string, never>; value: string };
  draw: { params: { text: string; format: "json" | "yaml"; have: number } & Drawn; value: Drawing };
  analyze: { params: { text: string; format: "json" | "yaml"; type: "STANDARD" | "EXPRESS" }; value: Analysis };
  /// What an editor asks about a place of a definition, in JSON or YAML.
  hover: { params: AtPlace; value: HoverInfo | null };
  references: { params: AtPlace; value: NamePlaces | null };
  rename: { params: AtPlace & { to: string }; value: { edits: Edit[] } | { refused: string } };
  actions: { params: AtPlace & { end: number }; value: Fix[] };
  /// What the paths and expressions of a state are in the present run, each with the end of its text.
  values: { params: { text: string; format: "json" | "yaml"; state: string }; value: { at: number; text: string }[] };
  /// Turns a state, or all, from JSONPath to JSONata, as far as that means the same.
  convert: { params: { text: string; format: "json" | "yaml"; state?: string }; value: Conversion };
  /// What AWS's TestState says against a result of a service, whose shape is in AWS's model of it; empty where it fits.
  checkResult: { params: { resource: string; result: unknown; shape: ServiceShape }; value: string };
  format: { params: { text: string; format: "json" | "yaml" }; value: Edit[] };
  /// What a gesture on the graph does to the text, and which are possible at a place of it.
  /// The graph of the new text is laid out ahead, as `ahead` says, while the page writes the text. Without `problems` nobody looks for
  /// what the gesture introduces, which takes longer than the gesture.
  edit: {
    params: { text: string; format: "json" | "yaml"; gesture: Gesture; problems?: boolean; ahead?: Drawn };
    value: Edited | RefusedEdit;
  };
  gestures: { params: { text: string; format: "json" | "yaml"; place: string | string[] }; value: PossibleGesture[] };
  /// A state, or the machine, as its form shows it.
  form: { params: { text: string; format: "json" | "yaml"; pointer: string }; value: Formed | Unformed };
  /// What the rules of a Choice, as they are written, make of the data of its last visit.
  decide: {
    params: {
      text: string;
      format: "json" | "yaml";
      state: string;
      language: "JSONPath" | "JSONata";
      rules: unknown[];
      input: string;
    };
    value: Decided;
  };
  /// What the retriers and catchers of a state, as they are written, make of the errors of its last run.
  handled: {
    params: {
      text: string;
      format: "json" | "yaml";
      state: string;
      name: string;
      language: "JSONPath" | "JSONata";
      retriers: readonly unknown[];
      catchers: readonly unknown[];
      input: string;
    };
    value: Handled;
  };
  /// What may be written at a place, with what the last run had there.
  complete: { params: AtPlace; value: Completions };
  /// The graph as a document of its own, with the package's options of a drawing.
  svg: { params: { text: string; format: "json" | "yaml"; options: Record<string, unknown> }; value: string };
  mermaid: { params: { text: string; format: "json" | "yaml"; direction: "TB" | "LR" }; value: string };
  /// A definition as JSON text.
  json: { params: { text: string; format: "json" | "yaml" }; value: string };
  /// Shows events that were recorded elsewhere as if they were a run; `showMore` adds to them.
  show: {
    params: { definition: string; format: "json" | "yaml"; events: HistoryEvent[]; result: RunResult | undefined };
    value: { run: number; graph: Graph };
  };
  /// Runs the recorded execution that is shown again, with its answers.
  replay: { params: { definition: string; format: "json" | "yaml" }; value: ReplayReport };
  showMore: { params: { run: number; events: HistoryEvent[]; result: RunResult | undefined }; value: null };
  run: { params: RunRequest; value: { run: number; graph: Graph } };
  stop: { params: Record<string, never>; value: null };
  /// Lets time pass: until what comes next, or so many milliseconds.
  advance: { params: { milliseconds?: number }; value: boolean };
  step: { params: { command: StepCommand }; value: null };
  runTo: { params: { state: string }; value: null };
  /// Looks at another execution of the run; 0 is its own.
  selectExecution: { params: { id: number }; value: null };
  /// The graph of a definition in JSON, and what can be read off its text.
  layOut: { params: { json: string } & Drawn; value: { graph: Graph; analysis: Analysis } };
  goTo: { params: { event: number }; value: null };
  goToPlace: { params: { place: number }; value: null };
  setStops: { params: { breakpoints: Breakpoint[]; stops: boolean; exceptions: Exceptions }; value: null };
  setMocks: { params: { mocks: Record<string, Mock> }; value: null };
  setClock: { params: { clock: ClockMode }; value: null };
  variables: { params: { visit?: number }; value: Record<string, Variable> };
  visitsOf: { params: { state: string }; value: VisitInfo[] };
  /// `enter` is the event with which the visit began.
  /// `child` is a visit of a child execution, by its number; `item` of which item the stages are that a Map has for each.
  flow: {
    params: { state: string; enter?: number; attempt?: number; child?: Pick<ChildVisit, "id" | "enter" | "iterations">; item?: number };
    value: Flow | null;
  };
  evaluate: {
    params: { question: string; language: "jsonata" | "jsonpath" | "template"; visit?: number; input?: unknown };
    value: Evaluated;
  };
  /// What a field of a state would give with other text in it, where the stage reads what it reads.
  /// `item`, here and below, is that of the flow.
  tryField: {
    params: {
      visit: number;
      attempt: number;
      stage: number;
      item: number | undefined;
      language: "jsonata" | "jsonpath" | "template";
      text: string;
    };
    value: Evaluated;
  };
  /// What an expression field of a state sees and gives.
  field: { params: FieldQuestion; value: FieldAnswer };
  /// The edits that write a value at a place of a state; undefined where the text cannot take it.
  put: {
    params: { text: string; format: "json" | "yaml"; state: string; path: Path; value: unknown };
    value: { edits: Edit[] } | { refused: string };
  };
  addCatch: {
    params: { text: string; format: "json" | "yaml"; state: string; error: string };
    value: { edits: Edit[] } | { refused: string };
  };
  failure: { params: { visit: number; attempt: number }; value: FailureInfo | null };
  operands: { params: { visit: number; attempt: number; stage: number; texts: string[] }; value: Operand[][] };
  scopes: { params: { visit: number }; value: VariableScope[] };
  lights: {
    params: { visit: number; attempt: number; stage: number; item: number | undefined; path?: Path; expression?: Path };
    value: Lights;
  };
  origin: {
    params: { visit: number; attempt: number; stage: number; item: number | undefined; path: (string | number)[] };
    value: Origin[];
  };
  setValue: { params: { target: "input" | "result" | "variable"; name?: string; value: unknown; visit?: number }; value: null };
  fork: { params: { event: number }; value: null };
  applyDefinition: { params: { definition: string; format: "json" | "yaml" }; value: EditReport };
  runs: { params: Record<string, never>; value: RunInfo[] };
  selectRun: { params: { id: number }; value: null };
  removeRun: { params: { id: number }; value: null };
  compare: { params: { a: number; b: number }; value: RunDifference };
  /// Input, output and variables of a visit in any run, from the events that entered and left it.
  visitData: { params: { run: number; enter: number; exit: number }; value: { input?: unknown; output?: unknown; variables?: unknown } };
  /// An input made up of what a definition reads.
  exampleResults: { params: { text: string; format: "json" | "yaml" }; value: Record<string, unknown> };
  exampleInput: { params: { text: string; format: "json" | "yaml" }; value: unknown };
  coverage: { params: { text: string; format: "json" | "yaml" }; value: Covered };
  coverageFile: { params: { text: string; format: "json" | "yaml"; file: string; form: "json" | "lcov" }; value: string };
  /// Of the events from one to another.
  outcome: { params: Record<string, never>; value: RunOutcome | null };
  lanes: { params: { from: number; to: number; width: number }; value: Lane[] };
  /// The sandbox had to end the handlers: what they owe will not come.
  handlersDied: { params: { message: string }; value: null };
  answer: { params: { id: number; answer: Answer }; value: null };
  /// Takes an activity's task as a worker.
  take: { params: { id: number; workerName: string }; value: boolean };
  /// The runs of this session, for a file.
  saveRuns: { params: Record<string, never>; value: SavedSession | null };
  /// What makes the run on screen again, without what was told the last time where that is kept, which `have` says by its id.
  kept: { params: { have: string | null }; value: KeptRun | null };
  /// Whether a task waits for the token.
  answerToken: { params: { token: string; method: "succeed" | "fail" | "heartbeat"; value?: unknown }; value: boolean };
  /// The name of the mock that is meant for each task, which may be a rule for many.
  ruled: { params: { names: string[]; tasks: TaskInfo[] }; value: (string | null)[] };
  /// What is wrong with a machine's definition, or null.
  /// Two definitions in JSON, state by state.
  change: { params: { before: string; after: string }; value: DefinitionComparison };
  checkMachine: { params: Machine; value: string | null };
  childHistory: { params: { arn: string }; value: string };
  rows: { params: { filter: EventFilter; from: number; count: number }; value: { from: number; total: number; rows: EventRow[] } };
  /// Where an event stands among those that pass the filter: the place of the last one at or before it.
  place: { params: { filter: EventFilter; id: number }; value: number };
  /// The last visits of states up to an event; null for one that was not entered by then.
  lastVisits: { params: { states: string[]; upTo: number }; value: (LastVisit | null)[] };
  /// What states gave when they were left last, in a few words; `pins` are places in it that stand for the whole.
  outputs: { params: { states: string[]; pins: Record<string, Path> }; value: (string | null)[] };
  facets: { params: Record<string, never>; value: Facets };
  /// The events that led to one, itself included, the first one first.
  chain: { params: { id: number }; value: number[] };
  /// What an event is, in two words; null where there is none.
  brief: { params: { id: number }; value: { type: string; state: string } | null };
  event: { params: { id: number }; value: Record<string, unknown> | null };
  /// Those in child executions too, the last ones of the iterations that are looked at.
  visits: { params: { state: string; iterations?: (number | undefined)[] }; value: Visit[] };
  history: { params: Record<string, never>; value: string };
  calls: { params: Record<string, never>; value: { name: string; arn?: string; seed: number; config: Config; calls: Answered[] } | null };
}

export type Note =
  | { note: "ready"; version: string }
  | { note: "broken"; message: string }
  /// Something was not done, and may be tried again.
  | { note: "lacking"; message: string }
  | { note: "log"; run: number; chunk: LogChunk; now: number }
  | { note: "waiting"; run: number; tasks: WaitingTask[]; children: ChildExecution[] }
  | { note: "timer"; run: number; due: number | null; now: number; speed: number; timers: PendingTimer[] }
  | { note: "stopped"; run: number; position: Position }
  | { note: "continued"; run: number }
  /// Another execution of the run is looked at: its own where `inside` is null.
  | { note: "entered"; run: number; graph: Graph; inside: Inside | null }
  | { note: "large"; run: number; large: LargePayload[] }
  /// Another run is shown from here on.
  | { note: "switched"; run: number; graph: Graph; label: string; parent?: number; inside: Inside | null }
  /// With the event at which a log point has written it.
  | { note: "console"; run: number; level: string; text: string; event?: number; execution?: number }
  /// `goesOn`: an execution beside it is looked at, and runs.
  | { note: "ended"; run: number; result: RunResult; took: number; goesOn?: boolean }
  /// What is of one moment, in order.
  | { note: "together"; notes: Note[] };

/// What runs cannot go on, and a new thread is needed.
export type Lost = { note: "lost"; message: string };

export type Call = { [M in keyof Methods]: { id: number; method: M; params: Methods[M]["params"] } }[keyof Methods];
export type Reply = { id: number; value: unknown } | { id: number; error: string };
