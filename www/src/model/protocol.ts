// The protocol between the page and the interpreter's worker.

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
  StoredRun,
  StepCommand,
  Position,
  PendingTimer,
  RunInfo,
  VisitInfo,
  Covered,
  Flow,
  Origin,
  ValueSources,
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
} from "./runReport.ts";
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
} from "./analysisReport.ts";
import type { HistoryEvent } from "./recorded.ts";
import type { Config } from "./runReport.ts";
import type { Path } from "./stages.ts";

export type Answered = ReturnType<DebugSession["calls"]>[number];

export type * from "./runReport.ts";
export type * from "./analysisReport.ts";
export type { Breakpoint, ComparedVisit, DebugThread, EditReport, Evaluated, RunDifference, StackFrame, Stop, Variable };

/** A run that the page is notified about, with the graph of its machine. If the graph is absent, the page has it already. */
interface StartedRun {
  run: number;
  graph?: Graph;
}

/** The worker's methods by name, with their parameters and results. */
export interface Methods {
  ping: { params: Record<string, never>; value: string };
  draw: { params: { text: string; format: "json" | "yaml"; have: number } & Drawn; value: Drawing };
  analyze: { params: { text: string; format: "json" | "yaml"; type: "STANDARD" | "EXPRESS"; have: number }; value: Analyzed };
  /** Queries of an editor about a position in a definition, in JSON or YAML. */
  hover: { params: AtPlace; value: HoverInfo | null };
  references: { params: AtPlace; value: NamePlaces | null };
  rename: { params: AtPlace & { to: string }; value: { edits: Edit[] } | { refused: string } };
  actions: { params: AtPlace & { end: number }; value: Fix[] };
  /** The values of the paths and expressions of a state in the current run, each with the end offset of its text. */
  values: { params: { text: string; format: "json" | "yaml"; state: string }; value: { at: number; text: string }[] };
  /** Converts a state, or all states, from JSONPath to JSONata where the meaning stays the same. */
  convert: { params: { text: string; format: "json" | "yaml"; state?: string }; value: Conversion };
  /**
   * Validates a mocked result against the service's API model, as AWS's TestState does. Returns the message, or "" if the result
   * is valid.
   */
  checkResult: { params: { resource: string; result: unknown; shape: ServiceShape }; value: string };
  format: { params: { text: string; format: "json" | "yaml" }; value: Edit[] };
  /**
   * Computes the edits of a gesture on the graph. The graph of the new text is laid out in advance, with the options of `ahead`,
   * while the page writes the text. Without `problems`, the problems that the gesture introduces are not searched for, which
   * takes longer than the gesture itself.
   */
  edit: {
    params: { text: string; format: "json" | "yaml"; gesture: Gesture; problems?: boolean; ahead?: Drawn };
    value: Edited | RefusedEdit;
  };
  gestures: { params: { text: string; format: "json" | "yaml"; place: string | string[] }; value: PossibleGesture[] };
  /** The data of the form for a state or for the machine. */
  form: { params: { text: string; format: "json" | "yaml"; pointer: string }; value: Formed | Unformed };
  /** Evaluates the rules of a Choice, as they are written now, with the data of its last visit. */
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
  /** Matches the retriers and catchers of a state, as they are written now, against the errors of its last run. */
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
  /** Completions at a position, with the values of the last run. */
  complete: { params: AtPlace; value: Completions };
  /** The graph as a standalone SVG document, with the package's drawing options. */
  svg: { params: { text: string; format: "json" | "yaml"; options: Record<string, unknown> }; value: string };
  mermaid: { params: { text: string; format: "json" | "yaml"; direction: "TB" | "LR" }; value: string };
  /** A definition as JSON text. */
  json: { params: { text: string; format: "json" | "yaml" }; value: string };
  /** Shows events that were recorded elsewhere as if they were a run; `showMore` adds to them. */
  show: {
    params: { definition: string; format: "json" | "yaml"; events: HistoryEvent[]; result: RunResult | undefined; have: number };
    value: StartedRun;
  };
  /** Replays the recorded execution that is shown, with its answers. */
  replay: { params: { definition: string; format: "json" | "yaml" }; value: ReplayReport };
  showMore: { params: { run: number; events: HistoryEvent[]; result: RunResult | undefined }; value: null };
  run: { params: RunRequest & { have: number }; value: StartedRun };
  stop: { params: Record<string, never>; value: null };
  /** Advances the clock to the next timer, or by `milliseconds`. */
  advance: { params: { milliseconds?: number }; value: boolean };
  step: { params: { command: StepCommand }; value: null };
  runTo: { params: { state: string }; value: null };
  /** Selects another execution of the run; 0 is its own. */
  selectExecution: { params: { id: number }; value: null };
  /** The graph and the analysis of a definition in JSON. */
  layOut: { params: { json: string } & Drawn; value: { graph: Graph; analysis: Analysis } };
  goTo: { params: { event: number }; value: null };
  goToPlace: { params: { place: number }; value: null };
  setStops: { params: { breakpoints: Breakpoint[]; stops: boolean; exceptions: Exceptions }; value: null };
  setMocks: { params: { mocks: Record<string, Mock> }; value: null };
  setClock: { params: { clock: ClockMode }; value: null };
  variables: { params: { visit?: number }; value: Record<string, Variable> };
  visitsOf: { params: { state: string }; value: VisitInfo[] };
  /**
   * `enter` is the event that began the visit. `child` is a visit in a child execution, by its id. `item` selects the item for
   * stages that a Map has for each item.
   */
  flow: {
    params: { state: string; enter?: number; attempt?: number; child?: Pick<ChildVisit, "id" | "enter" | "iterations">; item?: number };
    value: Flow | null;
  };
  evaluate: {
    params: { question: string; language: "jsonata" | "jsonpath" | "template"; visit?: number; input?: unknown };
    value: Evaluated;
  };
  /**
   * Evaluates a field of a state with another text, with the data that its stage reads. `item` has the same meaning as in `flow`,
   * also below.
   */
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
  /** The scope and the result of an expression field of a state. */
  field: { params: FieldQuestion; value: FieldAnswer };
  /** The edits that write a value at a path of a state; undefined if the text cannot be edited. */
  put: {
    params: { text: string; format: "json" | "yaml"; state: string; path: Path; value: unknown };
    value: { edits: Edit[] } | { refused: string };
  };
  addCatch: {
    params: { text: string; format: "json" | "yaml"; state: string; error: string };
    value: { edits: Edit[] } | { refused: string };
  };
  failure: { params: { visit: number; attempt: number }; value: FailureInfo | null };
  /** The part of a definition with which the execution on screen has failed. Null if it is not known, or no longer in the text. */
  failing: {
    params: { text: string; format: "json" | "yaml" };
    value: { from: number; to: number; title: string } | null;
  };
  operands: { params: { visit: number; attempt: number; stage: number; texts: string[] }; value: Operand[][] };
  scopes: { params: { visit: number }; value: VariableScope[] };
  lights: {
    params: { visit: number; attempt: number; stage: number; item: number | undefined; path?: Path; expression?: Path };
    value: ValueSources;
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
  /** Input, output and variables of a visit in any run, by the events that entered and left it. */
  visitData: { params: { run: number; enter: number; exit: number }; value: { input?: unknown; output?: unknown; variables?: unknown } };
  /** Examples of task results and of an input, generated from what a definition reads. */
  exampleResults: { params: { text: string; format: "json" | "yaml" }; value: Record<string, unknown> };
  exampleInput: { params: { text: string; format: "json" | "yaml" }; value: unknown };
  coverage: { params: { text: string; format: "json" | "yaml" }; value: Covered };
  coverageFile: { params: { text: string; format: "json" | "yaml"; file: string; form: "json" | "lcov" }; value: string };
  /** The outcome of the run, and its time line between two events. */
  outcome: { params: Record<string, never>; value: RunOutcome | null };
  lanes: { params: { from: number; to: number; width: number }; value: Lane[] };
  /** Called when the sandbox has ended the handlers. Their pending tasks fail. */
  handlersDied: { params: { message: string }; value: null };
  answer: { params: { id: number; answer: Answer }; value: null };
  /** Polls an activity's task as a worker. */
  take: { params: { id: number; workerName: string }; value: boolean };
  /** The runs of this session, for a file. */
  saveRuns: { params: Record<string, never>; value: SavedSession | null };
  /**
   * The data that restores the current run. If `have` is the id under which it is stored already, messages that were delivered
   * before are left out.
   */
  kept: { params: { have: string | null }; value: StoredRun | null };
  /** Reports a task's result by its token. Returns whether a task waits for this token. */
  answerToken: { params: { token: string; method: "succeed" | "fail" | "heartbeat"; value?: unknown }; value: boolean };
  /** The name of the mock for each task. One mock can be a rule for many tasks. */
  ruled: { params: { names: string[]; tasks: TaskInfo[] }; value: (string | null)[] };
  /**
   * `change` compares two definitions in JSON, state by state. `checkMachine` returns what is wrong with a machine's definition,
   * or null.
   */
  change: { params: { before: string; after: string }; value: DefinitionComparison };
  checkMachine: { params: Machine; value: string | null };
  childHistory: { params: { arn: string }; value: string };
  rows: { params: { filter: EventFilter; from: number; count: number }; value: { from: number; total: number; rows: EventRow[] } };
  /** The index of the last event at or before `id` among those that pass the filter. */
  place: { params: { filter: EventFilter; id: number }; value: number };
  /** The last visits of states up to an event; null for a state that was not entered by then. */
  lastVisits: { params: { states: string[]; upTo: number }; value: (LastVisit | null)[] };
  /** Short texts of the last outputs of states; `pins` has the path to the part that is shown for a state. */
  outputs: { params: { states: string[]; pins: Record<string, Path> }; value: (string | null)[] };
  facets: { params: Record<string, never>; value: Facets };
  /** The chain of events that led to an event, the first one first, including the event itself. */
  chain: { params: { id: number }; value: number[] };
  /** The type and the state of an event; null if there is no such event. */
  brief: { params: { id: number }; value: { type: string; state: string } | null };
  event: { params: { id: number }; value: Record<string, unknown> | null };
  /** The visits of a state, including those in child executions. They are the last visits within the selected iterations. */
  visits: { params: { state: string; iterations?: (number | undefined)[] }; value: Visit[] };
  history: { params: Record<string, never>; value: string };
  calls: { params: Record<string, never>; value: { name: string; arn?: string; seed: number; config: Config; calls: Answered[] } | null };
}

export type Note =
  | { note: "ready"; version: string }
  | { note: "broken"; message: string }
  /** Something could not be done and may be retried. */
  | { note: "lacking"; message: string }
  | { note: "log"; run: number; chunk: LogChunk; now: number }
  | { note: "waiting"; run: number; tasks: WaitingTask[]; children: ChildExecution[] }
  | { note: "timer"; run: number; due: number | null; now: number; speed: number; timers: PendingTimer[] }
  | { note: "stopped"; run: number; position: Position }
  | { note: "continued"; run: number }
  /** Another execution of the run is selected: the run's own if `inside` is null. */
  | { note: "entered"; run: number; graph: Graph; inside: Inside | null }
  | { note: "large"; run: number; large: LargePayload[] }
  /** Another run is shown from now on. */
  | { note: "switched"; run: number; graph: Graph; label: string; parent?: number; inside: Inside | null }
  /** `event` is the event at which a log point wrote the text. */
  | { note: "console"; run: number; level: string; text: string; event?: number; execution?: number }
  /** `goesOn` is set if a child execution is selected that continues to run. */
  | { note: "ended"; run: number; result: RunResult; took: number; goesOn?: boolean }
  /** Notes of one moment, in order. */
  | { note: "together"; notes: Note[] };

/** The run cannot continue, and a new worker is needed. */
export type Lost = { note: "lost"; message: string };

export type Call = { [M in keyof Methods]: { id: number; method: M; params: Methods[M]["params"] } }[keyof Methods];
export type Reply = { id: number; value: unknown } | { id: number; error: string };
