/**
 * Run, test and debug Amazon States Language anywhere: a deterministic interpreter with AWS's answers.
 *
 * @example
 * ```js
 * import { StateMachine } from "stepglass";
 *
 * const machine = new StateMachine({
 *   StartAt: "Add",
 *   States: { Add: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Add", End: true } },
 * });
 * const sum = await machine.run({ x: 1, y: 2 }, { tasks: { Add: ({ x, y }) => x + y } }); // 3
 * ```
 *
 * @packageDocumentation
 */

/** What JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A definition: its JSON text, or the object that the text stands for. Places in diagnostics need the text. */
export type Definition = string | object;

/** The type of a state machine: STANDARD runs for up to a year, EXPRESS for up to five minutes. */
export type MachineType = "STANDARD" | "EXPRESS";

/** Where an execution stands, in AWS's words. */
export type ExecutionStatus = "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";

// ---------------------------------------------------------------------------------------------------- loading

/** Where the WebAssembly module comes from: a URL, a Response, its bytes, or a compiled module. */
export type ModuleSource = string | URL | Request | Response | BufferSource | WebAssembly.Module | Promise<Response>;

/**
 * Loads the WebAssembly module. In Node it is loaded at import, and this does nothing. In a browser, `await init()`
 * once before anything else; without a source the file beside the entry is fetched, except by `stepglass/slim`,
 * which has none.
 *
 * Further calls do nothing.
 */
export function init(source?: ModuleSource): Promise<void>;

/**
 * Starts the WebAssembly module from bytes or a compiled module, without waiting. For `stepglass/slim`.
 *
 * Further calls do nothing.
 */
export function initSync(source: BufferSource | WebAssembly.Module): void;

/** The version of this package. */
export function version(): string;

// -------------------------------------------------------------------------------------------------- definitions

/** One problem of a definition. */
export interface Diagnostic {
  /** What kind, in kebab-case; stable: `unknown-target`. */
  code: string;
  /** AWS refuses a definition with an error; with a warning it takes it, but the definition does not do what it seems to. */
  severity: "error" | "warning";
  /** Where, as a JSON Pointer (RFC 6901): `/States/Ship/Next`. */
  pointer: string;
  /** A sentence without the place. */
  message: string;
  /** Where in the text; absent if the definition came as an object. */
  range?: Range;
  /** Other places that belong to it. */
  labels: DiagnosticLabel[];
  /** Advice. */
  help?: string;
  /** A change that puts it right. */
  fix?: DiagnosticFix;
  /** The same in the words of AWS's ValidateStateMachineDefinition, where they are known. */
  aws: AwsDiagnostic[];
}

/** A stretch of text; `end` is exclusive. */
export interface Range {
  start: Position;
  end: Position;
}

/** A place in a text. */
export interface Position {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** From 0, in UTF-16 units: what a JavaScript string is indexed by. */
  offset: number;
}

/** A secondary place of a diagnostic. */
export interface DiagnosticLabel {
  pointer: string;
  range?: Range;
  message: string;
}

/** Replace the text in `range` with `replacement`. */
export interface DiagnosticFix {
  /** What the change does. */
  title: string;
  pointer: string;
  range?: Range;
  /** JSON text. */
  replacement: string;
}

/** A diagnostic as AWS words it. */
export interface AwsDiagnostic {
  code: string;
  message: string;
  location?: string;
}

/** Options that concern a definition. */
export interface ValidateOptions {
  /** Default: `"STANDARD"`. Some features exist in one type only. */
  type?: MachineType;
}

/**
 * All problems of a definition at once; an empty array for a good one.
 *
 * @example
 * ```js
 * for (const { severity, code, message, range } of validate(text)) {
 *   console.log(`${range.start.line}:${range.start.column} ${severity}[${code}]: ${message}`);
 * }
 * ```
 */
export function validate(definition: Definition, options?: ValidateOptions): Diagnostic[];

/** All problems of a definition's text as a compiler prints them, with excerpts; an empty string for a good one. */
export function renderDiagnostics(text: string, options?: RenderOptions): string;

/** Options of {@link renderDiagnostics}. */
export interface RenderOptions extends ValidateOptions {
  /** Default: `"definition"`. */
  fileName?: string;
  /** Default: false. */
  color?: boolean;
  /** For a definition that was written in another notation, YAML for instance: the text to show places in. */
  source?: string;
  /**
   * Where the problems stand in `source`: for each diagnostic of {@link validate}, and after it for each of its labels, its
   * first byte and the one past its last; 0xFFFFFFFF twice where that is not known.
   */
  places?: readonly number[];
}

/**
 * What may be written at a place of a definition's text, which may be half written: data for an editor.
 *
 * @param offset In UTF-16 units, as JavaScript counts. Default: the end of the text.
 */
export function complete(text: string, offset?: number): Completions;

/** Proposals for a place, the likely ones first. */
export interface Completions {
  /** The part of the text that they replace, in UTF-16 units; empty at a fresh place. */
  replace: { start: number; end: number };
  items: Completion[];
  /**
   * Inside of a path into the data, as in `$.order.` or `$states.input.order.`: the path up to its last dot, and the state
   * and its field around. Whoever has seen the data in a run can propose its members.
   */
  reads?: { state: string; field: string; path: string; language: "jsonpath" | "jsonata" };
}

/** One proposal. */
export interface Completion {
  /** What is shown, and what the typed text is matched against. */
  label: string;
  kind: "field" | "state" | "type" | "value" | "error" | "variable" | "function" | "path";
  /** A few words about it. */
  detail: string;
  /** The text to put in place of `replace`. */
  insert: string;
}

/**
 * What an editor asks about a definition's text besides {@link validate} and {@link complete}: everything works on texts
 * that are half written, and all offsets are UTF-16 units. An extension for an editor needs no more than this.
 *
 * ```js
 * const text = await readFile("order.asl.json", "utf8");
 * language.hover(text, text.indexOf("ResultPath"))?.text;   // "Where in the input the result is put. …"
 * const edits = language.rename(text, text.indexOf("Charge"), "ChargeCard");
 * const renamed = language.apply(text, edits);
 * ```
 */
export const language: LanguageService;

/** See {@link language}. */
export interface LanguageService {
  /** What stands at an offset, in a few words; null where there is nothing to say. */
  hover(text: string, offset: number): Hover | null;
  /** Where the state or variable whose name stands at an offset is named first; null where there is no such name. */
  definition(text: string, offset: number): (TextRange & { targets: TextRange[] }) | null;
  /** All places of the state or variable whose name stands at an offset. */
  references(text: string, offset: number): References | null;
  /**
   * The edits that give the state or variable at an offset another name everywhere.
   *
   * @throws RangeError that says why not: there is no name, or the new one is impossible or taken.
   */
  rename(text: string, offset: number, newName: string): TextEdit[];
  /** What could be changed between two offsets (default: in the whole text): fixes of the problems there, and improvements. */
  codeActions(text: string, start?: number, end?: number, options?: ValidateOptions): CodeAction[];
  /** The edits that lay out a text; only white space changes. What stands on one line stays there up to 100 characters. */
  format(text: string, options?: { indent?: number }): TextEdit[];
  /** The states of a text, in its order. */
  outline(text: string): OutlineState[];
  /**
   * What is computed in the fields of a state, in the order of the text: paths, intrinsic functions and expressions; nothing
   * of what is inside of a Parallel or Map. With the values of a run it says what each of them was.
   */
  expressions(text: string, state: string): StateExpression[];
  /** A text with edits made. */
  apply(text: string, edits: readonly TextEdit[]): string;
}

/** A part of a text, in UTF-16 units. */
export interface TextRange {
  start: number;
  end: number;
}

/** A change of a text: what is put in the place of a range. The edits of one list are in order and do not overlap. */
export interface TextEdit extends TextRange {
  text: string;
}

/** What a place of a definition means. */
export interface Hover extends TextRange {
  kind: "field" | "state" | "type" | "error" | "function" | "variable" | "path";
  /** The name, with what it holds or takes. */
  title: string;
  /** A few sentences; what stands between backticks is code. */
  text: string;
  /** The state around the place, or the one that is named there. */
  state?: string;
  /** The path or variable there, for whoever knows its last value. */
  path?: string;
  /** The field of the state that the path is in. */
  field?: string;
}

/** All places of a name; `start` and `end` are those of the one asked about. */
export interface References extends TextRange {
  kind: "state" | "variable";
  name: string;
  /** Without quotes and `$`; `definition` where the name is given. */
  places: (TextRange & { definition: boolean })[];
}

/** A change that can be made. */
export interface CodeAction {
  title: string;
  /** The problem that it puts right; absent for other improvements. */
  problem?: TextRange & { code: string };
  edits: TextEdit[];
}

/** A state of a text; `start` and `end` are of its name without quotes. */
export interface OutlineState extends TextRange {
  name: string;
  /** Where the whole member begins. */
  from: number;
  /** Where it ends. */
  to: number;
  /** 0 for a state of the machine itself, 1 for one of its branches, and so on. */
  depth: number;
  /** Where it is in the document, as a JSON Pointer. */
  pointer: string;
}

/** Something computed in a state; `start` and `end` are of its string. */
export interface StateExpression extends TextRange {
  /** The field of the state that it is in. */
  field: string;
  /** Its text, without `{%` and `%}`. */
  source: string;
  language: "jsonpath" | "jsonata";
}

/** A request of AWS's TestState API; payloads are JSON values or, where the API has texts, either. */
export interface TestStateRequest {
  /** A state, or a whole machine together with `stateName`. */
  definition: Definition;
  stateName?: string;
  input?: unknown;
  inspectionLevel?: "INFO" | "DEBUG" | "TRACE";
  variables?: unknown;
  context?: unknown;
  /**
   * What the state's service answers. With `serviceModel`, `fieldValidationMode` says how a result is checked: `"STRICT"`
   * (the default) asks for all required fields and that every field fits, `"PRESENT"` only for the latter, `"NONE"` for
   * nothing.
   */
  mock?: { result?: unknown; errorOutput?: { error?: string; cause?: string }; fieldValidationMode?: "STRICT" | "PRESENT" | "NONE" };
  /** What the services answer, to check `mock.result` against as AWS does. Not a member of AWS's API. */
  serviceModel?: ServiceModels;
  stateConfiguration?: {
    retrierRetryCount?: number;
    mapIterationFailureCount?: number;
    errorCausedByState?: string;
    mapItemReaderData?: unknown;
  };
  roleArn?: string;
  revealSecrets?: boolean;
}

/**
 * The shape of a service's response or of a part of it, as AWS's own models write it. A field that is in no shape is never
 * an error.
 */
export interface ServiceShape {
  type?: "structure" | "list" | "map" | "string" | "integer" | "long" | "float" | "double" | "boolean" | "timestamp" | "blob" | (string & {});
  /** Of a structure. Names may begin small; Step Functions writes them with a capital. */
  members?: Record<string, ServiceShape>;
  required?: readonly string[];
  /** Of a list's elements. */
  member?: ServiceShape;
  /** Of a map's values. */
  value?: ServiceShape;
  enum?: readonly string[];
  /** The least number, length of a text or number of elements. */
  min?: number;
  max?: number;
  /** The name of a shape in `shapes`, which stands for this one. */
  shape?: string;
  /** Of the outermost shape: all that have names. */
  shapes?: Record<string, ServiceShape>;
}

/**
 * Shapes of services' responses: a function of service and action as a `Resource` names them (`"s3"`, `"getObject"`; for
 * `startExecution.sync` the API that is polled, `"describeExecution"`), or by service either the shapes by action or AWS's
 * own model, such as botocore's `service-2.json`. What has no shape is not checked.
 *
 * ```js
 * const s3 = JSON.parse(readFileSync("botocore/data/s3/2006-03-01/service-2.json", "utf8"));
 * testState({ definition, mock: { result: { ContentLength: "9000" } }, roleArn, serviceModel: { s3 } });
 * // ValidationException: Mock result schema validation error: Field 'ContentLength' must be a number
 * ```
 */
export type ServiceModels =
  | ((service: string, action: string) => ServiceShape | undefined)
  | Record<string, Record<string, ServiceShape> | { operations: Record<string, { output?: ServiceShape }>; shapes: Record<string, any> }>;

/** A response of AWS's TestState API; payloads are JSON texts. */
export interface TestStateResponse {
  status: "SUCCEEDED" | "FAILED" | "RETRIABLE" | "CAUGHT_ERROR";
  output?: string;
  error?: string;
  cause?: string;
  nextState?: string;
  inspectionData?: Record<string, any>;
}

/**
 * Tests one state as AWS's TestState does: one input, one mocked result. Throws an Error whose `code` is the API's
 * (`ValidationException`, `InvalidDefinition`) where AWS refuses the request.
 */
export function testState(request: TestStateRequest): TestStateResponse;

/** How a graph is laid out. */
export interface LayoutOptions {
  /** Top to bottom (the default) or left to right. */
  direction?: "TB" | "LR";
  /** JSON Pointers of the Parallel and Map states to draw folded. */
  collapsed?: Iterable<string>;
  /** Whether to fold what is large or deep as well: more than 60 states inside, or nested deeper than 3. Default: false. */
  foldLarge?: boolean;
  /** JSON Pointers of states that `foldLarge` leaves open. */
  expanded?: Iterable<string>;
}

/** How a graph is drawn. */
export interface SvgOptions extends LayoutOptions {
  /** Default: `"auto"`, light or dark as the viewer prefers. */
  theme?: "auto" | "light" | "dark";
  /** What a screen reader says. Default: the machine's Comment. */
  title?: string;
  /** Whether a background is painted. Default: true. */
  background?: boolean;
  /** Start of all ids and class names, for pages with several drawings. Default: `"sg"`. */
  prefix?: string;
  /** What has become of states, by name or by JSON Pointer. Default: a drawing without a run. */
  status?: Record<string, StateStatus> | ReadonlyMap<string, StateStatus>;
  /** How often transitions were taken, by {@link GraphEdge.id}; all others are drawn faint. Default: none is marked. */
  taken?: Record<string, number> | ReadonlyMap<string, number>;
  /** A short text on the lower border of states, by name or by JSON Pointer: a count of visits, for instance. */
  notes?: Record<string, string> | ReadonlyMap<string, string>;
}

/** What has become of a state, as a drawing shows it. */
export type StateStatus =
  | "idle" | "queued" | "running" | "paused" | "waiting" | "awaiting" | "retrying"
  | "succeeded" | "caught" | "failed" | "timedOut" | "cancelled" | "skipped";

/** The graph of a definition with all places and sizes in px; also of one with errors, as long as it is JSON. */
export function layout(
  definition: Definition,
  options?: LayoutOptions & {
    /** Whether open Map states leave room below their name for a page's choice of iterations. Default: false. */
    selectors?: boolean;
  },
): Graph;

/**
 * The graph of a definition as one SVG document without scripts, fonts or images. Any text in it is safe.
 *
 * ```js
 * const svg = renderSvg(definition, { theme: "light", status: { Charge: "caught", Refund: "succeeded" } });
 * ```
 */
export function renderSvg(definition: Definition, options?: SvgOptions): string;

/**
 * The definition as text of a Mermaid `stateDiagram-v2`, for READMEs and pull requests; also of one with errors, as long as
 * it is JSON.
 *
 * ```js
 * console.log("```mermaid\n" + renderMermaid(definition) + "```");
 * ```
 */
export function renderMermaid(definition: Definition, options?: { direction?: "TB" | "LR" }): string;

/** A placed graph; the origin is the top left corner. */
export interface Graph {
  width: number;
  height: number;
  direction: "TB" | "LR";
  comment?: string;
  /** Whether a bound left something out: graphs of thousands of states are cut. */
  truncated: boolean;
  /** How many times lines cross. */
  crossings: number;
  /** A node stands after the node that holds it. */
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** A box of a graph. */
export interface GraphNode {
  /** For states and scopes the pointer; for marks the pointer of their scope and `#start`, `#end` or `#missing/…`. */
  id: string;
  /** JSON Pointer into the definition. */
  pointer: string;
  name: string;
  /** The name as it is drawn: one or two lines. */
  lines: string[];
  type: "Pass" | "Task" | "Choice" | "Wait" | "Succeed" | "Fail" | "Parallel" | "Map" | "Unknown" | "Missing" | "Start" | "End" | "Scope";
  x: number;
  y: number;
  width: number;
  height: number;
  /** The node that holds it. */
  parent?: string;
  comment?: string;
  /** What the type alone does not say: the service of a Task, the time of a Wait. */
  detail?: string;
  /** The small line above the name. */
  caption?: string;
  /** Whether the state has retriers. */
  retries: boolean;
  /** What a Task waits for besides its answer: the job's end (`.sync`) or its token (`.waitForTaskToken`, activities). */
  pattern?: "sync" | "token";
  /** What a Map state says about its iterations, as far as the definition tells. */
  map?: { distributed: boolean; maxConcurrency?: number; reader?: string; batcher?: { items?: number; bytes?: number }; writer?: string };
  /** Whether anything leads to it. */
  reachable: boolean;
  collapsed: boolean;
  /** States inside, at any depth. */
  states: number;
  depth: number;
}

/** A line of a graph. */
export interface GraphEdge {
  /** JSON Pointer of the field that makes the transition. */
  id: string;
  from: string;
  to: string;
  kind: "start" | "next" | "choice" | "default" | "catch" | "end";
  /** Place among `Choices` or `Catch`. */
  index?: number;
  /** Whether it leads back. */
  back: boolean;
  label?: string;
  title?: string;
  points: [x: number, y: number][];
  /** The same with rounded corners, as SVG path data. */
  path: string;
  labelBox?: { x: number; y: number; width: number; height: number };
}

// ------------------------------------------------------------------------------------------------------- tasks

/** What a task handler learns of its task besides the input. */
export interface Task {
  /** Numbers the attempts of an execution from 1 on. */
  readonly id: number;
  /** The state's name. */
  readonly stateName: string;
  /** `Resource` as written. */
  readonly resource: string;
  /** The whole request; of `lambda:invoke` and `states:startExecution` the handler's input is a part of it. */
  readonly parameters: any;
  /** 0 for the first attempt, +1 for each retry. */
  readonly attempt: number;
  /** The task token of `.waitForTaskToken`, `.sync` and activity tasks. */
  readonly token?: string;
  /** Seconds until the task times out. */
  readonly timeoutSeconds?: number;
  /** Seconds allowed between two heartbeats. */
  readonly heartbeatSeconds?: number;
  /** `Credentials`, evaluated. */
  readonly credentials?: any;
  /** The indices in the Maps around the state, the innermost last. */
  readonly iterations: readonly number[];
  /** What the result is for: a Task state, or the items and results of a Distributed Map. */
  readonly purpose: "Task" | "ItemReader" | "ResultWriter";
  /** The execution that the task is part of. */
  readonly execution: Execution;
  /** Aborts once, when nobody waits for the task any more; its `reason` is a {@link TaskCancelled}. */
  readonly signal: AbortSignal;
  /** Says that the work goes on: the heartbeat's time starts anew. */
  heartbeat(): void;
  /**
   * Resolves after so many milliseconds of the execution's time: at once with a virtual clock, which goes on while all
   * handlers sleep. `Infinity` is for ever. Rejects with the reason of `signal` when that aborts.
   *
   * @example
   * ```js
   * const tasks = { charge: async (order, task) => {
   *   await task.sleep(90_000); // longer than TimeoutSeconds: 60
   *   return { paid: true };
   * } };
   * ```
   */
  sleep(milliseconds: number): Promise<void>;
}

/**
 * Does the work of a Task state: returns its result, or a promise of it, or throws.
 *
 * - What is returned becomes JSON as `JSON.stringify` makes it; `undefined` becomes null.
 * - A thrown Error becomes the state's error as a Lambda function's would; a {@link TaskError} says exactly which.
 * - For `lambda:invoke` the input is the Payload and the result is wrapped as AWS does; the same goes for
 *   `states:startExecution` (Input, Output) and `http:invoke` (ResponseBody). A {@link TaskResponse} is not wrapped.
 * - For `.waitForTaskToken` what is returned is the service's response; the state goes on with
 *   {@link Execution.succeed} or {@link Execution.fail}.
 */
export type TaskHandler<Input = any, Output = unknown> = (input: Input, task: Task) => Output | PromiseLike<Output>;

/**
 * Handlers by name, or one function for all tasks. A name is, the first that fits taken: the full Resource ARN; the
 * state's name; the name or ARN of the Lambda function, activity or state machine that is called; the integration
 * with or without its suffix (`sqs:sendMessage`, `lambda:invoke`); any of these with `*` for any characters, the
 * most specific first (`aws-sdk:s3:*`, `*`).
 */
export type TaskHandlers = Record<string, TaskHandler | Activity> | ReadonlyMap<string, TaskHandler | Activity> | TaskHandler;

/**
 * A queue of an activity's tasks, which workers fetch as with GetActivityTask. As a value of `tasks` it stands for the
 * activity in any number of executions. With virtual time, a worker that does not answer within a turn of the event loop
 * is late: time jumps to what is due.
 *
 * @example
 * ```js
 * const review = new Activity();
 * const execution = machine.start({ page: 1 }, { tasks: { review } });
 * const { taskToken, input } = await review.getTask({ workerName: "Ada" });
 * review.succeed(taskToken, { page: input.page, ok: true });
 * ```
 */
export class Activity {
  /** How many tasks wait for a worker. */
  readonly waiting: number;
  /** The next task as soon as there is one (GetActivityTask). Rejects with the signal's reason when it aborts. */
  getTask(options?: { workerName?: string; signal?: AbortSignal }): Promise<ActivityTask>;
  /** Completes a task that was fetched here (SendTaskSuccess). Returns false if it has ended already. */
  succeed(token: string, output?: unknown): boolean;
  /** Fails it (SendTaskFailure). */
  fail(token: string, failure?: { error?: string; cause?: string }): boolean;
  /** Says that the worker is alive (SendTaskHeartbeat). */
  heartbeat(token: string): boolean;
}

/** What a worker gets. */
export interface ActivityTask {
  taskToken: string;
  /** The task's input, parsed. */
  input: any;
  /** What a handler would learn of it: its execution, its signal. */
  task: Task;
}

/**
 * Handlers for S3's `getObject`, `listObjectsV2` and `putObject`: what ItemReader and ResultWriter of a Distributed Map call,
 * and tasks through `aws-sdk:s3:…`. A key that ends in `.gz` is decompressed. What is written to an object or Map is in it
 * afterwards. For files on disk see `folder()` of `stepglass/node`.
 *
 * @example
 * ```js
 * const objects = { "in/orders.csv": "id,amount\n1,20\n2,30\n" };
 * await machine.run({}, { tasks: { ...s3Handlers(objects), charge } });
 * Object.keys(objects); // with a ResultWriter: also "out/…/manifest.json", "out/…/SUCCEEDED_0.json"
 * ```
 */
export function s3Handlers(source: Record<string, ObjectBody> | Map<string, ObjectBody> | ObjectStore): Record<string, TaskHandler>;

/** What an object holds: text, bytes, a File, a URL to fetch, or JSON as it is. */
export type ObjectBody = string | ArrayBuffer | ArrayBufferView | Blob | URL | readonly unknown[] | { readonly [key: string]: unknown };

/** A place for objects; without `list` or `put` it cannot be listed or written. */
export interface ObjectStore {
  /** The object, or undefined where there is none. */
  get(bucket: string, key: string): ObjectBody | undefined | PromiseLike<ObjectBody | undefined>;
  /** The objects whose key begins so; `LastModified` in seconds since 1970. */
  list?(bucket: string, prefix: string): Listing | PromiseLike<Listing>;
  put?(bucket: string, key: string, text: string): void | PromiseLike<void>;
}

/** A list of objects, in any order. */
export type Listing = Iterable<ListedObject> | AsyncIterable<ListedObject>;

/** An object as a listing names it. */
export interface ListedObject {
  Key: string;
  Size?: number;
  LastModified?: number;
  Etag?: string;
}

/**
 * Thrown by a task handler to say exactly which `Error` and `Cause` the state sees.
 *
 * @example
 * ```js
 * throw new TaskError("Payment.Declined", "insufficient funds");
 * ```
 */
export class TaskError extends Error {
  /** A `cause` that is no string becomes its JSON text. */
  constructor(error?: string, cause?: unknown, options?: ErrorOptions);
  readonly error: string | undefined;
  override readonly cause: string | undefined;
}

/** Returned by a handler: the service's whole response, which is not wrapped. */
export class TaskResponse {
  constructor(value: unknown);
  readonly value: unknown;
}

/** The reason of a task's aborted signal. Its `name` is `"AbortError"`. */
export class TaskCancelled extends Error {
  private constructor();
  readonly reason: CancelReason;
}

/** Why nobody waits for a task any more. */
export type CancelReason = "Timeout" | "Heartbeat" | "SiblingFailed" | "Stopped";

// --------------------------------------------------------------------------------------------------- executions

/** Options of `new StateMachine()`. */
export interface MachineOptions extends ValidateOptions {
  /** `StateMachine.Name` in the Context Object. Default: `"StateMachine"`. */
  name?: string;
  /** `StateMachine.Id`. Default: an ARN made of the name. */
  arn?: string;
  /** `Execution.RoleArn`. */
  roleArn?: string;
}

/** What an execution may use up; the defaults are AWS's. */
export interface Limits {
  /** `"full"` keeps all events, `"none"` only counts them. Default: `"full"`. */
  history?: "full" | "none";
  /** Bytes of JSON text that an input, a result or an output may have. Default: 262,144. */
  payloadLimit?: number;
  /** Events after which the execution fails; 0 for no limit. Default: 25,000. */
  historyLimit?: number;
  /** State transitions between two looks at the clock and the inbox. Default: 10,000. */
  stepBudget?: number;
  /** Whether the stages of each state's data flow are recorded for `execution.trace()`. Default: false. */
  trace?: boolean;
}

/** A source of time, for hosts with their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, delay: number): unknown;
  clearTimeout(timer: any): void;
}

/** Options of `machine.start()`, `run()` and `restore()`. */
export interface StartOptions extends Limits {
  /** What does the work of the Task states. */
  tasks?: TaskHandlers;
  /**
   * The machines that tasks may start: `states:startExecution`, its `.sync`, `.sync:2` and `.waitForTaskToken`, and of the
   * SDK `sfn:startExecution`, `startSyncExecution`, `describeExecution`, `stopExecution` and `sendTask…` need no handler then. By name, or by ARN where one was
   * given. Children have their parent's `tasks`, `machines`, clock and limits; a handler under the name of the state, the
   * machine or the integration wins.
   */
  machines?: readonly StateMachine[] | Record<string, StateMachine> | ReadonlyMap<string, StateMachine>;
  /** `Execution.Name`. Default: a random UUID, or `seed-…` where a seed is given. */
  name?: string;
  /** `Execution.Id`. Default: an ARN made of the names. */
  arn?: string;
  /**
   * `"real"` (the default), `"virtual"`, or a clock of yours. Virtual time stands still while a handler's promise is
   * open and else jumps to whatever is due next: waits and back-offs take no time.
   */
  clock?: "real" | "virtual" | Clock;
  /** When virtual time begins, in milliseconds since 1970. Default: now. */
  startTime?: number;
  /** Aborts the execution. */
  signal?: AbortSignal;
  /** Seed of UUIDs, random numbers and jitter: equal seeds give equal sequences. Default: random. */
  seed?: number | bigint;
  /** Hears every event of the history as it happens. What it throws is printed and changes nothing. */
  onEvent?: (event: HistoryEvent, execution: Execution) => void;
  /** Hears of every stage of each state's data flow as it happens, in order with `onEvent`. Implies `trace`. */
  onStage?: (stage: TraceStage, execution: Execution) => void;
  /**
   * Hears of every child execution of a Distributed Map when it has ended, with its history. Without it these histories are
   * not kept; with it each is released once it was told.
   */
  onChild?: (child: ChildExecution, execution: Execution) => void;
  /** Hears of every execution that a task starts through `machines`, with the one that started it. */
  onNested?: (child: Execution, parent: Execution) => void;
  /**
   * Hears, with virtual time, that nothing moves the execution any more: no time, no handler at work. Only the answer to a
   * task token, or `abort()`, still could.
   */
  onIdle?: (nothing: undefined, execution: Execution) => void;
  /** Whether it is counted what of the definition is used, for `execution.coverage()`. Default: false. */
  coverage?: boolean;
}

/** What of a definition an execution has used. */
export interface ExecutionCoverage {
  /**
   * How often each part was used, by its JSON Pointer and in the order of the definition: states (`/States/Ship`), their ways
   * out (`…/Next`, `…/End`, `…/Default`, of a Succeed `…/Type`), Choice rules that were true (`…/Choices/0`), retriers (`…/Retry/0`) and catchers
   * (`…/Catch/1`) that took an error on. What was never used is not in it. The drawing of a run
   * takes it as it is: `renderSvg(definition, { taken: execution.coverage().hits })`.
   */
  hits: Record<string, number>;
  /** The errors that retriers and catchers took on, in order; of very many the first ten thousand. */
  handled: HandledError[];
}

/** An error that a retrier or a catcher took on. */
export interface HandledError {
  state: string;
  /** The retrier or catcher: `/States/Charge/Retry/0`. */
  pointer: string;
  error?: string;
  cause?: string;
  /** Milliseconds until the next attempt; absent for a catcher. */
  delay?: number;
  /** Id of the state's last event by then. */
  event: number;
  /** The name of the child execution of a Distributed Map that the state runs in; `event` is then of that one's history. */
  child?: string;
}

/** A child execution of a Distributed Map that has ended. */
export interface ChildExecution {
  name: string;
  arn: string;
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  input: any;
  output?: any;
  error?: string;
  cause?: string;
  /**
   * How often a redrive has taken it up; absent if none has. A child that did not succeed is told again when it has ended
   * anew, a Standard one with its history from the first event on, an Express one with that of its new beginning.
   */
  redriveCount?: number;
  history: HistoryEvent[];
}

/** How an execution ended. */
export type ExecutionResult<Output = any> =
  | { status: "SUCCEEDED"; output: Output }
  | { status: "FAILED"; error?: string; cause?: string }
  | { status: "TIMED_OUT" }
  | { status: "ABORTED"; error?: string; cause?: string };

/** A definition that can be run any number of times, also at once. */
export class StateMachine {
  /** Compiles a definition. Throws {@link DefinitionError} with all diagnostics if it has errors. */
  constructor(definition: Definition, options?: MachineOptions);
  readonly type: MachineType;
  readonly name: string;
  /** The ARN that was given. */
  readonly arn: string | undefined;
  /** The definition's JSON text. */
  readonly definition: string;
  /** Names this very definition: snapshots are restored only with a machine of the same digest. */
  readonly digest: string;
  /** The warnings about the definition. */
  readonly diagnostics: Diagnostic[];
  /** The variables that each state reads, as DescribeStateMachine tells them. */
  readonly variableReferences: Record<string, string[]>;

  /**
   * Starts an execution with an input, `{}` by default. Handlers are first called after the present code has run.
   *
   * Throws a RangeError with AWS's `code` and words for what StartExecution does not take: a `name` of more than 80 characters
   * or with characters such as spaces and slashes (`InvalidName`), an input beyond `payloadLimit` (`ValidationException`).
   *
   * @example
   * ```js
   * const execution = machine.start({ order: 17 }, { tasks });
   * for await (const event of execution) console.log(event.type);
   * const { status, output } = await execution.result;
   * ```
   */
  start<Output = any>(input?: unknown, options?: StartOptions): Execution<Output>;

  /** Runs an execution to its end: resolves to its output or rejects with {@link ExecutionError}. */
  run<Output = any>(input?: unknown, options?: StartOptions): Promise<Output>;

  /**
   * Goes on with an execution where `execution.snapshot()` was taken. Tasks in flight are invoked again, except
   * callbacks whose request was made: handlers are called at least once.
   *
   * Throws {@link RestoreError} for a snapshot of another definition.
   */
  restore<Output = any>(snapshot: ExecutionSnapshot, options?: StartOptions): Execution<Output>;

  /**
   * Takes up an execution that failed, timed out or was aborted where it stood (RedriveExecution): the state that failed
   * runs again, what was done stays done. A Map Run goes on with its children that did not succeed, in the same run: a
   * Standard child from where it stood, an Express child from its beginning. Takes the execution or its snapshot; returns a new Execution, which has the
   * history so far.
   *
   * Throws an Error with code `NOT_REDRIVABLE` for an execution that runs, has succeeded, or whose history is full.
   */
  redrive<Output = any>(ended: Execution | ExecutionSnapshot, options?: StartOptions): Execution<Output>;
}

/** A stored execution: JSON data, to be kept as it is. */
export interface ExecutionSnapshot {
  version: 1;
  execution: { name: string; [key: string]: string };
  engine: EngineSnapshot;
  submitted: number[];
  /** Executions that a task of this one waits for. */
  nested?: { task: number; child: { [key: string]: unknown }; snapshot: ExecutionSnapshot }[];
}

/** One execution of a state machine, made by `machine.start()`. */
export class Execution<Output = any> implements AsyncIterable<HistoryEvent> {
  private constructor();
  /** How it ends. Never rejects. */
  readonly result: Promise<ExecutionResult<Output>>;
  readonly name: string;
  readonly arn: string;
  readonly status: ExecutionStatus;
  /** All events so far, as GetExecutionHistory returns them. */
  history(): HistoryEvent[];
  /** All events from the first on, as they happen; ends with the execution. Any number of times, also late. */
  [Symbol.asyncIterator](): AsyncGenerator<HistoryEvent, void, undefined>;
  /** Ends the execution as ABORTED (StopExecution). Of no effect once it has ended. */
  abort(error?: string, cause?: string): void;
  /**
   * Completes the task with this token (SendTaskSuccess). Returns false if the task has ended already; throws a
   * RangeError for a token that this execution has never given out.
   */
  succeed(token: string, output?: unknown): boolean;
  /** Fails the task with this token (SendTaskFailure). Returns and throws as {@link Execution.succeed}. */
  fail(token: string, failure?: { error?: string; cause?: string }): boolean;
  /** Says that the task with this token is alive (SendTaskHeartbeat). Returns and throws as {@link Execution.succeed}. */
  heartbeat(token: string): boolean;
  /**
   * Gives a Map Run under way other limits (UpdateMapRun); what is left out stays. `maxConcurrency` 0 is as many as AWS
   * allows. Its ARN is in {@link Frame.mapRun} and in the history. Of no effect where there is no such run under way.
   */
  updateMapRun(mapRunArn: string, change: MapRunChange): void;
  /** What runs now: one entry for each chain of states. */
  frames(): Frame[];
  /** The stages of data flow since the last call; with the option `trace`. */
  trace(): TraceStage[];
  /** What of the definition was used so far; with the option `coverage`. */
  coverage(): ExecutionCoverage;
  /** The execution as JSON data, for `machine.restore()`. Answers that are still on their way are not in it. */
  snapshot(): ExecutionSnapshot;
}

/** A running chain of states: the execution's own, or a branch's or an iteration's. */
export interface Frame {
  id: number;
  /** The frame of the Parallel or Map around it, and its place there. */
  parent?: number;
  slot?: number;
  state: string;
  phase: "ready" | "waiting" | "retrying" | "running" | "joining";
  /** The state's raw input. */
  input: any;
  /** The variables in reach. */
  variables: Record<string, any>;
  /** When it goes on by itself, in milliseconds since 1970. */
  until?: number;
  /** The task it waits for. */
  task?: number;
  /** Retries of the state so far. */
  retries: number;
  /** The event that entered the state; absent while it is yet to be entered. */
  event?: number;
  /** The indices in the Maps around it, the innermost last. */
  iterations?: number[];
  /** The name of the child execution of a Distributed Map that it runs in. */
  child?: string;
  /** Of a Distributed Map whose children run: its counts so far, as DescribeMapRun tells them. */
  mapRun?: Required<MapRunChange> & { mapRunArn: string; itemCounts: MapRunCounts; executionCounts: MapRunCounts; redriveCount: number };
}

/** The limits of a Map Run, as UpdateMapRun takes them. */
export interface MapRunChange {
  /** Children at once; 0 for as many as AWS allows. */
  maxConcurrency?: number;
  /** Items that may fail. */
  toleratedFailureCount?: number;
  /** Percentage of the items that may fail, from 0 to 100. */
  toleratedFailurePercentage?: number;
}

/** How many items or child executions of a Map Run stand where. */
export interface MapRunCounts {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  /** Always 0: children are aborted only with the whole run. */
  aborted: number;
  /** Of child executions put together by bytes it is known only when all have started; until then it is the least. */
  total: number;
  /** Those that a redrive has yet to take up: MaxConcurrency holds them back. */
  pendingRedrive: number;
}

/** The value after one stage of a state's data flow. */
export interface TraceStage {
  /** Id of the event that entered the state. */
  event: number;
  /** How many events there were by then. */
  after: number;
  /** The name of the child execution of a Distributed Map that the state runs in; `event` and `after` count its events. */
  child?: string;
  state: string;
  /**
   * `afterInputPath`, `afterParameters`, `result` …, as TestState names them (and `afterItems` for a Map's `Items` of JSONata, for
   * which it has no name); at last `assignedVariables` and `output`. A Map tells `afterItemSelector` once for each item, before the
   * iteration begins, and `afterItemBatcher` once for each batch: see `index`. What
   * is decided comes as a stage too: `choice` (`{rules: [{holds?, cause?, tests}], taken}`, the rules that were looked at),
   * `error` (`{Error, Cause}`, before Retry and Catch are looked at), `retry` (`{retrier, attempt, delayMilliseconds}`) and
   * `catch` (`{catcher, next}`).
   */
  stage: string;
  /** Of `afterItemSelector` the item, of `afterItemBatcher` the batch, from 0. */
  index?: number;
  value: any;
}

// ------------------------------------------------------------------------------------------------------- errors

/** Rejects `machine.run()`. */
export class ExecutionError extends Error {
  private constructor();
  readonly status: "FAILED" | "TIMED_OUT" | "ABORTED";
  /** `Error`, if there is one. */
  readonly error: string | undefined;
  /** `Cause`, if there is one. */
  override readonly cause: string | undefined;
  /** The state in which it failed, as far as the history tells. */
  readonly state: string | undefined;
  readonly execution: Execution;
}

/** Thrown by `new StateMachine()`; the message has the problems with excerpts. */
export class DefinitionError extends Error {
  private constructor();
  /** All problems, warnings included. */
  readonly diagnostics: Diagnostic[];
}

/** A snapshot that cannot be restored. */
export class RestoreError extends Error {
  private constructor();
}

/** A bug of this package. The execution concerned has failed; all others go on. */
export class InternalError extends Error {
  private constructor();
}

// --------------------------------------------------------------------------------------------------- simulation

/** The answer to one call in a simulation. */
export interface ScriptedResult {
  /** Milliseconds until it comes. Default: 0. */
  after?: number;
  /** What a handler would return. */
  output?: unknown;
  /** The service's whole response, which is not wrapped. */
  response?: unknown;
  /** The error's name, instead of an output. */
  error?: string;
  /** The error's cause. */
  cause?: string;
  /** Milliseconds after the call at which heartbeats come. */
  heartbeats?: number[];
  /** The response to the request of a `.sync` or `.waitForTaskToken` task, whose result is then `output`. */
  submitted?: unknown;
  /** Whether no answer comes at all. */
  never?: boolean;
}

/** What the script's functions learn of a call. */
export type ScriptedTask = Pick<Task, "id" | "stateName" | "resource" | "parameters" | "attempt" | "token" | "purpose" | "iterations">;

/** One result for all calls, an array with one for each, or a function. */
export type ScriptedResults = ScriptedResult | readonly ScriptedResult[] | ((input: any, task: ScriptedTask) => ScriptedResult);

/** Results by the names that {@link TaskHandlers} has, or one function for all tasks. */
export type Script = Record<string, ScriptedResults> | ReadonlyMap<string, ScriptedResults> | ((input: any, task: ScriptedTask) => ScriptedResult);

/** Options of `simulate()`. */
export interface SimulateOptions extends ValidateOptions, Omit<Limits, "stepBudget"> {
  /** Default: `"simulation"`. */
  name?: string;
  /** Default: 0. */
  seed?: number | bigint;
  /** When time begins, in milliseconds since 1970. Default: the start of 2025. */
  startTime?: number;
  /** When time ends, in milliseconds since 1970: the execution is then still RUNNING. Default: never. */
  until?: number;
  /** When the execution is aborted, in milliseconds since 1970. Default: never. */
  abortAt?: number;
  /**
   * The machines that tasks start, as in {@link StartOptions.machines}: they run on the same timeline, with the same script.
   * One that still runs when the simulated execution ends is left there, RUNNING.
   */
  machines?: StartOptions["machines"];
}

/** What a simulation gives. */
export type SimulationReport<Output = any> = (ExecutionResult<Output> | { status: "RUNNING" }) & {
  history: HistoryEvent[];
  /** The calls that were made, in order. */
  calls: { state: string; resource: string; input: any; attempt: number; at: number }[];
  startTime: number;
  endTime: number;
  /** `endTime - startTime`, in milliseconds. */
  duration: number;
  trace?: TraceStage[];
  /** With `machines`: the executions that tasks have started, in order. */
  nested?: (SimulationReport & { name: string; arn: string })[];
};

/**
 * Runs a definition or machine to its end at once, on virtual time, with scripted results. Equal arguments give equal
 * reports, event for event.
 *
 * @example
 * ```js
 * const report = simulate(definition, { order: 17 }, {
 *   Charge: [{ error: "Busy" }, { output: { id: 1 }, after: 250 }],
 * });
 * assert.equal(report.status, "SUCCEEDED");
 * assert.equal(report.calls.length, 2);
 * ```
 */
export function simulate<Output = any>(definition: Definition | StateMachine, input?: unknown, script?: Script, options?: SimulateOptions): SimulationReport<Output>;

// ---------------------------------------------------------------------------------------------------- recordings

/**
 * An execution's recorded history: what `GetExecutionHistory` returns, from the API, an SDK, `aws stepfunctions
 * get-execution-history` or the console's export (`{ events: […] }` or the array; timestamps as ISO text, Dates or
 * numbers), or the events of an Express execution's log. Or the JSON text of one of these.
 */
export type RecordedHistory = string | { events: readonly object[] } | readonly object[];

/** Options of `replayHistory()`. No history has the names of its execution: give its `arn` where the machine reads them; otherwise what differs by them alone is not compared. */
export interface ReplayHistoryOptions extends ValidateOptions, ExecutionNames, Omit<Limits, "stepBudget" | "history"> {
  /** Of what is random in the replay. Default: 0. */
  seed?: number | bigint;
}

/** What came of running a recorded execution again. */
export interface HistoryReplay {
  /** Whether nothing differs. */
  matches: boolean;
  /** Whether nothing was missing either: see `missing`. */
  complete: boolean;
  /** The first place where the definition does something else. */
  divergence?: Divergence;
  /** The first such place of every branch and iteration, in the order of the recording. */
  divergences: Divergence[];
  /** Gaps of the recording, and what follows from them. */
  missing: { event?: number; message: string }[];
  /** Values that no run repeats: UUIDs, task tokens, names, instants. They count as equal. */
  unreproducible: { event: number; pointer: string; recorded: any; replayed: any }[];
  /** How many events the recording has, and how many of them were compared and found the same. */
  recorded: number;
  compared: number;
  /** How the replay ended. `RUNNING` where it waits for something that the recording has not; `NOT_STARTED` without an input. */
  status: ExecutionStatus | "NOT_STARTED";
  output?: any;
  error?: string;
  cause?: string;
  /** The recorded input, unless the recording has left it out. */
  input?: any;
  /** When the recorded execution began, in milliseconds since 1970. */
  startTime?: number;
  /** Every recorded call with its answer, in the order of the calls: mocks for a run of your own. */
  tasks: RecordedTask[];
  /** The history of the replay. */
  history: HistoryEvent[];
  /** With the option `trace`. */
  trace?: TraceStage[];
}

/** A place where a definition does not do what a recording says. */
export interface Divergence {
  /** The id of the recorded event; absent where the recording has nothing to set against what the definition does. */
  event?: number;
  eventType?: string;
  state?: string;
  /** The indices in the Maps around it, the innermost last. */
  iterations?: number[];
  /** What differs. `wait`: the seconds of a Wait state. `length`: the number of a Map's items. */
  aspect: "event" | "state" | "input" | "output" | "variables" | "error" | "cause" | "resource" | "length" | "wait";
  /** The place inside of an input, output, or the variables, as a JSON Pointer. */
  pointer?: string;
  /** What was recorded; null for nothing. */
  expected: any;
  /** What the definition does; null for nothing. */
  got: any;
  /** Both in one sentence. */
  message: string;
  /** Why that is, most likely. */
  reason?: string;
}

/** One recorded call of a task. Apart from what names the call, it is a {@link ScriptedResult} whose output is a service's whole `response`. */
export interface RecordedTask {
  state: string;
  /** The indices in the Maps around the state, the innermost last. */
  iterations: number[];
  /** 0 for the first attempt of a visit of the state, +1 for each retry. */
  attempt: number;
  /** The id of the event that scheduled it. */
  event: number;
  /** What was asked, unless the recording has left it out. */
  input?: any;
  /** Milliseconds until it ended, where the recording has times. */
  after?: number;
  /** Of an activity that a worker took: the worker's name. */
  workerName?: string | null;
  /** The response to the request of a `.sync` or `.waitForTaskToken` task. */
  submitted?: any;
  /** The result, as the history has it: of a service the whole response. */
  output?: any;
  /** The error's name, instead of an output; null where the task failed without one. */
  error?: string | null;
  cause?: string;
  /** Whether it had not ended, or ran out of the state's time. */
  never?: true;
  /** Whether it succeeded with a result that the recording has left out. */
  unknown?: true;
}

/**
 * Runs a recorded execution again, on virtual time, with the recorded results and errors of its tasks, and says where the
 * definition first does something else. Order across branches and iterations is free, as on AWS: tasks are matched by
 * state, iteration and input.
 *
 * Throws a {@link DefinitionError}, or an Error with the code `NOT_A_HISTORY`.
 *
 * @example
 * ```js
 * const { events } = JSON.parse(await readFile("history.json", "utf8"));
 * const { matches, divergence } = replayHistory(definition, events);
 * if (!matches) console.log(`event ${divergence.event}: ${divergence.message}`);
 * ```
 */
export function replayHistory(definition: Definition, history: RecordedHistory, options?: ReplayHistoryOptions): HistoryReplay;

// ---------------------------------------------------------------------------------------------------- comparison

/** What changed between two definitions. */
export interface DefinitionComparison {
  /** Whether nothing changed. */
  identical: boolean;
  /** Whether an execution that began with the old definition can go on with the new one: nothing in `running` breaks. */
  compatible: boolean;
  /** Fields of the machine itself. */
  machine: FieldChange[];
  /** States that were added, removed, renamed, moved to another branch or Map, or changed. */
  states: StateChange[];
  /** What such an execution would notice. */
  running: RunningProblem[];
}

/** A change of one field, or of a part of it. */
export interface FieldChange {
  /** In the state, or the machine: `/Retry/0/MaxAttempts`. */
  pointer: string;
  change: "added" | "removed" | "changed";
  old?: any;
  new?: any;
}

/** What became of a state. */
export interface StateChange {
  /** Its name; where it was renamed, its old one. */
  state: string;
  change: "added" | "removed" | "renamed" | "moved" | "changed";
  /** Its Type, the new one where that changed. */
  type: string;
  oldType?: string;
  /** Its new name. */
  to?: string;
  /** In the new definition; of a removed state in the old one. */
  pointer: string;
  fields?: FieldChange[];
  /** The states that it led to and leads to, where these differ. */
  transitions?: { old: string[]; new: string[] };
}

/** What an execution notices that began with the old definition and goes on with the new one. */
export interface RunningProblem {
  /** `breaks`: it cannot go on. `differs`: it goes on with other data than the new definition would have made. */
  severity: "breaks" | "differs";
  /**
   * `gone`: the state it is in is not there any more. `branches`: what runs inside of a Parallel or Map does not fit.
   * `meaning`: a Task was asked something else. `variable`: a variable was never set. `carried`: a state behind it
   * has handed on something else.
   */
  kind: "gone" | "branches" | "meaning" | "variable" | "carried";
  state: string;
  pointer: string;
  message: string;
}

/**
 * Compares two definitions, state by state, also ones with errors. Only Task, Wait, Parallel and Map states hold an execution
 * for any time: removing another one breaks nothing.
 *
 * AWS lets a running execution keep its definition; this is for hosts that move executions to a new one.
 *
 * @example
 * ```js
 * const { compatible, running } = compare(deployed, changed);
 * if (!compatible) throw new Error(running.map(({ message }) => message).join("\n"));
 * ```
 */
export function compare(before: Definition, after: Definition): DefinitionComparison;

// ------------------------------------------------------------------------------------------------------- engine

/**
 * The engine by itself, for hosts that keep their own clock, queue and store.
 *
 * Feed one fact at a time; do the commands of the returned {@link Step} in order; then set one timer to its deadline,
 * at which you call `tick`. If `more` is true, call `tick` as soon as your event loop has had a turn. Results for tasks
 * that were cancelled or have their result change nothing. `now` is in milliseconds since 1970; one that goes back is
 * held at the last value seen. Equal calls give equal commands, histories and snapshots.
 */
export class Engine {
  constructor(machine: StateMachine, options?: Limits & { childHistories?: boolean });
  /** The engine that a snapshot describes; {@link Engine.pending} says which tasks to invoke again. */
  static restore(machine: StateMachine, snapshot: EngineSnapshot): Engine;
  /** Begins the execution. Once, before all else. */
  start(now: number, input?: unknown, execution?: ExecutionNames, seed?: number | bigint): Step;
  /** A worker has taken an activity task. */
  started(now: number, task: number, worker?: string): Step;
  /** The service has answered the request of a `.sync` or `.waitForTaskToken` task, whose result is yet to come. */
  submitted(now: number, task: number, output?: unknown): Step;
  /** The task has its result. */
  succeed(now: number, task: number, output?: unknown): Step;
  /** The task has failed. */
  fail(now: number, task: number, error?: string, cause?: string): Step;
  /** The task's worker is alive. */
  heartbeat(now: number, task: number): Step;
  /** Time has passed. Always harmless. */
  tick(now: number): Step;
  /** Takes up an execution that did not succeed where it stood. */
  redrive(now: number): Step;
  /** Gives a Map Run under way other limits. */
  updateMapRun(now: number, mapRunArn: string, change: MapRunChange): Step;
  /** Ends the execution as ABORTED. */
  stop(now: number, error?: string, cause?: string): Step;
  readonly status: ExecutionResult | { status: "NOT_STARTED" | "RUNNING" };
  /** When to call `tick` next; `undefined` if only tasks can move the execution. */
  readonly deadline: number | undefined;
  /** The events from the given index on. */
  history(from?: number): HistoryEvent[];
  /** The tasks in flight. */
  pending(): InvokeCommand[];
  frames(): Frame[];
  trace(): TraceStage[];
  snapshot(): EngineSnapshot;
  /**
   * Runs a started engine to its end in real time with one handler for all tasks; resolves to the status. A small driver
   * for hosts that need no more; `machine.start()` has the whole one.
   */
  drive(handler: (command: InvokeCommand) => unknown): Promise<ExecutionResult>;
  /** Gives its memory back at once; otherwise the garbage collector does. */
  free(): void;
}

/** What an execution is called. */
export interface ExecutionNames {
  name?: string;
  arn?: string;
  roleArn?: string;
  stateMachineName?: string;
  stateMachineArn?: string;
}

/** A stored engine: JSON data, to be kept as it is. */
export interface EngineSnapshot {
  version: number;
  digest: string;
  [key: string]: unknown;
}

/** What one fact leaves to do. */
export interface Step {
  commands: Command[];
  /** Whether states are ready to run: call `tick` soon, without waiting for the deadline. */
  more: boolean;
  deadline: number | null;
  /** Length of the history now. */
  events: number;
}

/** A wish of the engine. */
export type Command = InvokeCommand | CancelCommand | ChildFinishedCommand | FinishCommand;

/** Call the resource; report the end with `succeed` or `fail`. */
export interface InvokeCommand {
  type: "Invoke";
  task: number;
  state: string;
  resource: string;
  input: any;
  attempt: number;
  purpose?: "ItemReader" | "ResultWriter";
  token?: string;
  timeout?: number;
  heartbeat?: number;
  credentials?: any;
  iterations?: number[];
}

/** Nobody waits for this task any more. */
export interface CancelCommand {
  type: "Cancel";
  task: number;
  reason: CancelReason;
}

/** A child execution of a Distributed Map has ended; with the option `childHistories`. */
export type ChildFinishedCommand = { type: "ChildFinished" } & ChildExecution;

/** The execution has ended. Exactly once, last. */
export type FinishCommand = { type: "Finish" } & ExecutionResult;

// ------------------------------------------------------------------------------------------------------ history

/** An event as AWS's GetExecutionHistory returns it. Its details are in the member that its type names. */
export type HistoryEvent =
  | HistoryEventOf<"ExecutionStarted", { executionStartedEventDetails: { input: string; inputDetails: PayloadDetails; roleArn: string } }>
  | HistoryEventOf<"ExecutionSucceeded", { executionSucceededEventDetails: OutputDetails }>
  | HistoryEventOf<"ExecutionFailed", { executionFailedEventDetails: FailureDetails }>
  | HistoryEventOf<"ExecutionAborted", { executionAbortedEventDetails: FailureDetails }>
  | HistoryEventOf<"ExecutionTimedOut", { executionTimedOutEventDetails: FailureDetails }>
  | HistoryEventOf<"ExecutionRedriven", { executionRedrivenEventDetails: { redriveCount: number } }>
  | HistoryEventOf<StateEnteredType, { stateEnteredEventDetails: { name: string; input: string; inputDetails: PayloadDetails } }>
  | HistoryEventOf<
      StateExitedType,
      {
        stateExitedEventDetails: {
          name: string;
          output: string;
          outputDetails: PayloadDetails;
          assignedVariables?: Record<string, string>;
          assignedVariablesDetails?: PayloadDetails;
        };
      }
    >
  | HistoryEventOf<
      "TaskScheduled",
      {
        taskScheduledEventDetails: TaskNameDetails & {
          region: string;
          parameters: string;
          timeoutInSeconds?: number;
          heartbeatInSeconds?: number;
          taskCredentials?: { roleArn: string };
        };
      }
    >
  | HistoryEventOf<"TaskStarted", { taskStartedEventDetails: TaskNameDetails }>
  | HistoryEventOf<"TaskSubmitted", { taskSubmittedEventDetails: TaskNameDetails & OutputDetails }>
  | HistoryEventOf<"TaskSucceeded", { taskSucceededEventDetails: TaskNameDetails & OutputDetails }>
  | HistoryEventOf<"TaskFailed", { taskFailedEventDetails: TaskNameDetails & FailureDetails }>
  | HistoryEventOf<"TaskTimedOut", { taskTimedOutEventDetails: TaskNameDetails & FailureDetails }>
  | HistoryEventOf<"LambdaFunctionScheduled", { lambdaFunctionScheduledEventDetails: ScheduledDetails }>
  | HistoryEventOf<"LambdaFunctionStarted">
  | HistoryEventOf<"LambdaFunctionSucceeded", { lambdaFunctionSucceededEventDetails: OutputDetails }>
  | HistoryEventOf<"LambdaFunctionFailed", { lambdaFunctionFailedEventDetails: FailureDetails }>
  | HistoryEventOf<"LambdaFunctionTimedOut", { lambdaFunctionTimedOutEventDetails: FailureDetails }>
  | HistoryEventOf<"ActivityScheduled", { activityScheduledEventDetails: ScheduledDetails & { heartbeatInSeconds?: number } }>
  | HistoryEventOf<"ActivityStarted", { activityStartedEventDetails: { workerName?: string } }>
  | HistoryEventOf<"ActivitySucceeded", { activitySucceededEventDetails: OutputDetails }>
  | HistoryEventOf<"ActivityFailed", { activityFailedEventDetails: FailureDetails }>
  | HistoryEventOf<"ActivityTimedOut", { activityTimedOutEventDetails: FailureDetails }>
  | HistoryEventOf<"MapStateStarted", { mapStateStartedEventDetails: { length: number } }>
  | HistoryEventOf<"MapIterationStarted", { mapIterationStartedEventDetails: IterationDetails }>
  | HistoryEventOf<"MapIterationSucceeded", { mapIterationSucceededEventDetails: IterationDetails }>
  | HistoryEventOf<"MapIterationFailed", { mapIterationFailedEventDetails: IterationDetails }>
  | HistoryEventOf<"MapIterationAborted", { mapIterationAbortedEventDetails: IterationDetails }>
  | HistoryEventOf<"MapRunStarted", { mapRunStartedEventDetails: { mapRunArn: string } }>
  | HistoryEventOf<"MapRunRedriven", { mapRunRedrivenEventDetails: { mapRunArn: string; redriveCount: number } }>
  | HistoryEventOf<"MapRunFailed", { mapRunFailedEventDetails: FailureDetails }>
  | HistoryEventOf<"EvaluationFailed", { evaluationFailedEventDetails: FailureDetails & { location: string; state: string } }>
  | HistoryEventOf<BareType>;

/** What all events have, with the details of one type. */
export type HistoryEventOf<Type extends string, Details = {}> = {
  /** ISO 8601, in UTC. */
  timestamp: string;
  type: Type;
  /** From 1, without gaps. */
  id: number;
  /** The event before it in its chain; 0 for none. */
  previousEventId: number;
} & Details;

type StateType = "Pass" | "Task" | "Choice" | "Wait" | "Succeed" | "Fail" | "Parallel" | "Map";
/** The types of events that enter a state. */
export type StateEnteredType = `${StateType}StateEntered`;
/** The types of events that leave a state. */
export type StateExitedType = `${Exclude<StateType, "Fail">}StateExited`;
/** The types of events without details. */
export type BareType =
  | "ParallelStateStarted"
  | "ParallelStateSucceeded"
  | "ParallelStateFailed"
  | "ParallelStateAborted"
  | "MapStateSucceeded"
  | "MapStateFailed"
  | "MapStateAborted"
  | "MapRunSucceeded"
  | "MapRunAborted"
  | "TaskStateAborted"
  | "WaitStateAborted";

/** Whether a payload was cut; here it never is. */
export interface PayloadDetails {
  truncated: boolean;
}

/** `output` is JSON text. */
export interface OutputDetails {
  output: string;
  outputDetails: PayloadDetails;
}

/** Each where it is known. */
export interface FailureDetails {
  error?: string;
  cause?: string;
}

/** Of `arn:aws:states:::sqs:sendMessage`: `sqs` and `sendMessage`. */
export interface TaskNameDetails {
  resourceType: string;
  resource: string;
}

/** A call of a function or an activity; `input` is JSON text. */
export interface ScheduledDetails {
  resource: string;
  input: string;
  inputDetails: PayloadDetails;
  timeoutInSeconds?: number;
  taskCredentials?: { roleArn: string };
}

/** The Map state and the index of its item. */
export interface IterationDetails {
  name: string;
  index: number;
}
