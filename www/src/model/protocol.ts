// What the page and the interpreter's worker say to each other.

import type {
  Breakpoint,
  ChildVisit,
  ComparedVisit,
  DebugSession,
  DebugThread,
  EditReport,
  Evaluated,
  RunDifference,
  SavedSession,
  StackFrame,
  Stop,
  Variable,
} from "stepglass/debug";
import type { DefinitionComparison, Edited, Gesture, PossibleGesture, RefusedEdit, ServiceShape } from "stepglass";
import type { FieldAnswer, FieldQuestion } from "./field.ts";
import type { Decided, Handled, Formed, Unformed } from "./form.ts";
import type { Graph } from "./graph.ts";
import type { LogChunk } from "./log.ts";
import type {
  ChildExecution,
  Inside,
  Mock,
  Machine,
  ClockMode,
  Exceptions,
  RunRequest,
  ReplayReport,
  KeptRun,
  StepCommand,
  Position,
  PendingTimer,
  RunInfo,
  VisitInfo,
  Covered,
  Flow,
  Origin,
  Lights,
  LargePayload,
  FailureInfo,
  Operand,
  VariableScope,
  Lane,
  RunResult,
  RunOutcome,
  WaitingTask,
  Answer,
  EventRow,
  EventFilter,
  LastVisit,
  Facets,
  Visit,
} from "./ofRun.ts";
import type {
  TaskInfo,
  Edit,
  Fix,
  Conversion,
  HoverInfo,
  NamePlaces,
  Analysis,
  Analyzed,
  Drawing,
  Completions,
  AtPlace,
  Drawn,
} from "./ofText.ts";
import type { HistoryEvent } from "./recorded.ts";
import type { Config } from "./share.ts";
import type { Path } from "./stages.ts";

export type Answered = ReturnType<DebugSession["calls"]>[number];

export type * from "./ofRun.ts";
export type * from "./ofText.ts";
export type { Breakpoint, ComparedVisit, DebugThread, EditReport, Evaluated, RunDifference, StackFrame, Stop, Variable };

/// A run that the page is told of, in the graph of its machine: with none it is the graph that the page has.
export interface Begun {
  run: number;
  graph?: Graph;
}

/// The worker's methods, by name: what they take and what they give.
export interface Methods {
  ping: { params: Record<string, never>; value: string };
  draw: { params: { text: string; format: "json" | "yaml"; have: number } & Drawn; value: Drawing };
  analyze: { params: { text: string; format: "json" | "yaml"; type: "STANDARD" | "EXPRESS"; have: number }; value: Analyzed };
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
    params: { definition: string; format: "json" | "yaml"; events: HistoryEvent[]; result: RunResult | undefined; have: number };
    value: Begun;
  };
  /// Runs the recorded execution that is shown again, with its answers.
  replay: { params: { definition: string; format: "json" | "yaml" }; value: ReplayReport };
  showMore: { params: { run: number; events: HistoryEvent[]; result: RunResult | undefined }; value: null };
  run: { params: RunRequest & { have: number }; value: Begun };
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
