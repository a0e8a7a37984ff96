/**
 * Run, test and debug Amazon States Language anywhere: a deterministic interpreter that behaves as AWS does.
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

declare global {
  // As in TypeScript's own library and in @types/node: programs compile with `lib: ["es2022"]` too.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
}

/**
 * The platform's class of this name, if the program's type libraries declare it (the DOM's or @types/node); otherwise the members
 * that this package uses.
 */
export type PlatformClass<Name extends string, Otherwise> =
  typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : Otherwise;

/** A `URL`. */
export type PlatformUrl = PlatformClass<"URL", { readonly href: string }>;

/** An `AbortSignal`. */
export type PlatformSignal = PlatformClass<
  "AbortSignal",
  {
    readonly aborted: boolean;
    readonly reason: any;
    addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
    removeEventListener(type: "abort", listener: () => void): void;
  }
>;

/** A `Blob` or `File`. */
export type PlatformBlob = PlatformClass<"Blob", { readonly size: number; arrayBuffer(): Promise<ArrayBuffer> }>;

/** A `Response` of `fetch`. */
export type PlatformResponse = PlatformClass<"Response", { readonly ok: boolean; arrayBuffer(): Promise<ArrayBuffer> }>;

/** A `Request`. */
export type PlatformRequest = PlatformClass<"Request", { readonly url: string }>;

/** A `WebAssembly.Module`, which has no members. */
export type CompiledModule = object;

/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A definition: its JSON text, or the parsed object. Diagnostics have positions only for text. */
export type Definition = string | object;

/** The type of a state machine: STANDARD runs for up to a year, EXPRESS for up to five minutes. */
export type MachineType = "STANDARD" | "EXPRESS";

/** The status of an execution, as on AWS. */
export type ExecutionStatus = "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";

// ---------------------------------------------------------------------------------------------------- loading

/** Where the WebAssembly module comes from: a URL, a Response, its bytes, or a compiled module. */
export type ModuleSource =
  | string
  | PlatformUrl
  | PlatformRequest
  | PlatformResponse
  | ArrayBuffer
  | ArrayBufferView
  | CompiledModule
  | Promise<PlatformResponse>;

/** Options of {@link init}. */
export interface InitOptions {
  /**
   * `"first"` loads the file that compiles, validates and runs machines. Everything else is loaded when it is first called, and
   * that call blocks the thread meanwhile. `"all"` loads both files. Default: `"all"` if the program imports something that needs
   * the second file, such as {@link layout}; bundlers detect this. Otherwise `"first"`.
   */
  parts: "first" | "all";
}

/**
 * Loads the WebAssembly module. In Node the module is loaded at import, and this function does nothing. In a browser, call
 * `await init()` once before anything else. Without a source it fetches the files beside the entry; `stepglass/slim` has no
 * such files and needs a source.
 *
 * Further calls do nothing, except that they load the second file if it is missing and needed.
 */
export function init(source?: ModuleSource | InitOptions): Promise<void>;

/**
 * Starts the WebAssembly module from bytes or a compiled module, without waiting. For `stepglass/slim`.
 *
 * Further calls do nothing.
 */
export function initSync(source: ArrayBuffer | ArrayBufferView | CompiledModule): void;

/** The version of this package. */
export function version(): string;

// -------------------------------------------------------------------------------------------------- definitions

/** One problem of a definition. */
export interface Diagnostic {
  /** The kind of problem, in kebab-case, such as `unknown-target`. Codes are stable. */
  code: string;
  /** AWS refuses a definition with an error. It accepts one with a warning, but the definition does not do what it seems to. */
  severity: "error" | "warning";
  /** The place in the definition, as a JSON Pointer (RFC 6901): `/States/Ship/Next`. */
  pointer: string;
  /** A sentence that describes the problem, without its place. */
  message: string;
  /** The place in the text; absent if the definition was an object. */
  range?: Range;
  /** Other places that are part of the problem. */
  labels: DiagnosticLabel[];
  /** Advice. */
  help?: string;
  /** A change that fixes the problem. */
  fix?: DiagnosticFix;
  /** The same problem in the words of AWS's ValidateStateMachineDefinition, if they are known. */
  aws: AwsDiagnostic[];
}

/** A range of text; `end` is exclusive. */
export interface Range {
  start: Position;
  end: Position;
}

/** A position in a text. */
export interface Position {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** From 0, in UTF-16 units: an index into a JavaScript string. */
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

/** A diagnostic in AWS's words. */
export interface AwsDiagnostic {
  code: string;
  message: string;
  location?: string;
}

/** Options for checking a definition. */
export interface ValidateOptions {
  /** Default: `"STANDARD"`. Some features exist only in one of the types. */
  type?: MachineType;
  /**
   * Default: `"2.0.6"`, the JSONata that AWS runs. With `"2.1"` the operators `??` and `?:` are allowed, for machines that AWS
   * never sees.
   */
  jsonata?: "2.0.6" | "2.1";
  /**
   * Values for placeholders `${Name}` in the definition, like the `DefinitionSubstitutions` of a template. They are inserted before
   * the text is parsed: as text inside a string, as JSON elsewhere. A placeholder outside of strings needs a value. If it has none,
   * {@link validate} reports the warning `placeholder`, and `new StateMachine()` throws.
   */
  substitutions?: Substitutions;
}

/** Values of placeholders by name. Strings are inserted unchanged, other values as JSON. */
export type Substitutions = Record<string, unknown>;

/**
 * Returns all problems of a definition, or an empty array if there are none.
 *
 * @example
 * ```js
 * for (const { severity, code, message, range } of validate(text)) {
 *   console.log(`${range.start.line}:${range.start.column} ${severity}[${code}]: ${message}`);
 * }
 * ```
 */
export function validate(definition: Definition, options?: ValidateOptions): Diagnostic[];

/** Returns all problems of a definition's text, with excerpts, in the style of a compiler; an empty string if there are none. */
export function renderDiagnostics(text: string, options?: RenderOptions): string;

/** Options of {@link renderDiagnostics}. */
export interface RenderOptions extends ValidateOptions {
  /** Default: `"definition"`. */
  fileName?: string;
  /** Default: false. */
  color?: boolean;
  /** The original text to quote, if the definition was written in another format, such as YAML. */
  source?: string;
  /**
   * The positions of the problems in `source`. For each diagnostic of {@link validate}, followed by each of its labels: the
   * offset of its first byte and the offset after its last byte, or 0xFFFFFFFF twice if the position is not known.
   */
  places?: readonly number[];
}

/**
 * Suggests completions at an offset in a definition's text, for editors. The text may be incomplete.
 *
 * @param offset In UTF-16 units, as JavaScript counts. Default: the end of the text.
 */
export function complete(text: string, offset?: number): Completions;

/** Completions, the most likely first. */
export interface Completions {
  /** The part of the text that a completion replaces, in UTF-16 units; empty if nothing is typed yet. */
  replace: { start: number; end: number };
  items: Completion[];
  /**
   * Present inside a path into the data, such as `$.order.` or `$states.input.order.`: the path up to its last dot, and the
   * enclosing state and field. If you know the data of a run, you can suggest its members.
   */
  reads?: { state: string; field: string; path: string; language: "jsonpath" | "jsonata" };
}

/** One completion. */
export interface Completion {
  /** The text to show, and to match with the typed text. */
  label: string;
  kind: "field" | "state" | "type" | "value" | "error" | "variable" | "function" | "path";
  /** A short description. */
  detail: string;
  /** The text to put in place of `replace`. */
  insert: string;
}

/**
 * Everything an editor needs for definitions, besides {@link validate} and {@link complete}. All methods work on incomplete
 * texts, and all offsets are UTF-16 units.
 *
 * ```js
 * const text = await readFile("order.asl.json", "utf8");
 * language.hover(text, text.indexOf("ResultPath"))?.text;   // "Where in the input to put the result. …"
 * const edits = language.rename(text, text.indexOf("Charge"), "ChargeCard");
 * const renamed = language.apply(text, edits);
 * ```
 */
export const language: LanguageService;

/** See {@link language}. */
export interface LanguageService {
  /** Describes what is at an offset; null if there is nothing to describe. */
  hover(text: string, offset: number): Hover | null;
  /** Finds where the state or variable at an offset is defined; null if there is no such name at the offset. */
  definition(text: string, offset: number): (TextRange & { targets: TextRange[] }) | null;
  /** Finds all uses of the state or variable at an offset. */
  references(text: string, offset: number): References | null;
  /**
   * Returns the edits that rename the state or variable at an offset everywhere.
   *
   * @throws RangeError if there is no name at the offset, or if the new name is invalid or already used.
   */
  rename(text: string, offset: number, newName: string): TextEdit[];
  /** Returns possible changes between two offsets (default: the whole text): fixes of problems, and improvements. */
  codeActions(text: string, start?: number, end?: number, options?: Omit<ValidateOptions, "substitutions">): CodeAction[];
  /** Returns the edits that format a text. Only white space changes. Values on one line stay on one line up to 100 characters. */
  format(text: string, options?: { indent?: number }): TextEdit[];
  /** Returns the states of a text, in the order of the text. */
  outline(text: string): OutlineState[];
  /**
   * Returns every occurrence of the names of states and of assigned variables, in the order of the text.
   *
   * ```js
   * language.symbols('{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}');
   * // [{ start: 13, end: 14, kind: "state", name: "A", definition: false }, { start: 29, end: 30, …, definition: true }]
   * ```
   */
  symbols(text: string): NameSymbol[];
  /**
   * Returns the paths, intrinsic functions and expressions in the fields of a state, in the order of the text, without those
   * of states inside a Parallel or Map. Combine them with the values of a run to show what each of them was. Without a state's
   * name, returns those of all states.
   */
  expressions(text: string, state?: string): StateExpression[];
  /**
   * Returns the parts of an expression and their places. The expression is a path, a call of an intrinsic function, or JSONata
   * without its `{%` and `%}`.
   *
   * ```js
   * const found = language.syntax("$sum($states.input.items.price) > 100", "jsonata");
   * // { kind: "operation", value: [">"], parts: [{ kind: "call", value: "sum", parts: [...] }, { kind: "literal", value: 100 }] }
   * ```
   */
  syntax(expression: string, language: "jsonpath" | "jsonata"): ExpressionSyntax;
  /**
   * Returns the places in a value that a path selects, with the value as its `$`; null if the path ends in a function. A path that
   * would fail selects nothing.
   *
   * ```js
   * language.select("$.items[?(@.price > 10)]", { items: [{ price: 8 }, { price: 12 }] });
   * // { places: [["items", 1]], shape: "list" }
   * ```
   *
   * @throws TypeError for a text that is not a path.
   */
  select(path: string, value: unknown): Selection | null;
  /** Returns the text with the edits applied. */
  apply(text: string, edits: readonly TextEdit[]): string;
  /**
   * Returns the edits that apply a change of the machine's graph to its text: as few as possible, in the style of the text.
   * Everything else stays the same, byte for byte. A gesture that is not possible is refused, with the reason. The text may be
   * incomplete elsewhere.
   *
   * ```js
   * const text = await readFile("order.asl.json", "utf8");
   * const edited = language.edit(text, { kind: "insert", edge: "/States/Charge/Next", state: { type: "Wait" } });
   * if ("refused" in edited) console.error(edited.refused.message);
   * else console.log(edited.announce, language.apply(text, edited.edits));
   * ```
   */
  edit(text: string, gesture: Gesture, options?: EditOptions): Edited | RefusedEdit;
  /**
   * Returns the gestures that a user may want to make at a place. Those that are not possible have the reason. A place is the JSON
   * Pointer of a state, an edge or a scope, or the pointers of several states.
   */
  gestures(text: string, place: string | readonly string[], options?: EditOptions): PossibleGesture[];
}

/** A part of a text, in UTF-16 units. */
export interface TextRange {
  start: number;
  end: number;
}

/** A change of a text: `text` replaces the range. The edits of one list are in order and do not overlap. */
export interface TextEdit extends TextRange {
  text: string;
}

/** A description of a place in a definition. */
export interface Hover extends TextRange {
  kind: "field" | "state" | "type" | "error" | "function" | "variable" | "path";
  /** The name, with its type or parameters. */
  title: string;
  /** A few sentences; text between backticks is code. */
  text: string;
  /** The enclosing state, or the state that is named there. */
  state?: string;
  /** The path or variable there, so that you can show its last value if you know it. */
  path?: string;
  /** The field of the state that the path is in. */
  field?: string;
}

/** All uses of a name; `start` and `end` are the use at the given offset. */
export interface References extends TextRange {
  kind: "state" | "variable";
  name: string;
  /** Ranges without quotes and `$`; `definition` is true where the name is defined. */
  places: (TextRange & { definition: boolean })[];
}

/** A suggested change. */
export interface CodeAction {
  title: string;
  /** The problem that the change fixes; absent for other improvements. */
  problem?: TextRange & { code: string };
  edits: TextEdit[];
}

/** A state of a text; `start` and `end` are the range of its name without quotes. */
export interface OutlineState extends TextRange {
  name: string;
  /** Offset of the first character of the whole member, including its name. */
  from: number;
  /** Offset after the last character of the member. */
  to: number;
  /** 0 for a top-level state, 1 for a state in a branch, and so on. */
  depth: number;
  /** The state's place in the document, as a JSON Pointer. */
  pointer: string;
}

/** An occurrence of a name; the range is without quotes and `$`. */
export interface NameSymbol extends TextRange {
  kind: "state" | "variable";
  name: string;
  /** Whether the name is defined here. */
  definition: boolean;
}

/** An expression of a state; `start` and `end` are the range of its string. */
export interface StateExpression extends TextRange {
  /** The field of the state. */
  field: string;
  /** The text of the expression, without `{%` and `%}`. */
  source: string;
  language: "jsonpath" | "jsonata";
}

/** The parts of an expression; if it cannot be parsed, the reason and the offset of the problem. */
export type ExpressionSyntax = ExpressionPart | { message: string; offset: number };

/** A part of an expression, with its range. A part of kind `other` can begin at its operator and leave out the left operand. */
export interface ExpressionPart extends TextRange {
  /**
   * What it is, with its `value` and its `parts`:
   *
   * - `path`: the parts are its start (`root`, `variable`, or any part in JSONata), then its steps. The value of a JSONPath lists
   *   where AWS finds nothing at it, whatever the input is: `path` (InputPath, OutputPath), `template`, `argument` (of an intrinsic
   *   function), `reference` (the other fields). It has no value if AWS reads it everywhere.
   * - `root`: `$` or `$$`. `variable`: the name of a variable, without its `$`. `local`: a variable that the expression itself binds.
   * - `name`, `index`: a step to one member or element. `names`, `indexes`: to several. `slice`: two numbers, or null for an open end.
   * - `wildcard`: `*`. `descend`: `..`, or `**` in JSONata. `filter`: elements that pass a test; its part in JSONata is the test.
   * - `function`: a function at the end of a JSONPath, by name. `list`: `[]` after a step in JSONata.
   * - `literal`: the value. `template`: the first argument of `States.Format`, with its escapes.
   * - `call`: the name of the function, without `$`. The parts are the arguments.
   * - `operation`: the operators from left to right, as `["+", "-"]` for `a + b - c`. The parts are the operands; a minus has one.
   * - `object`: the parts are keys and values in turn. `array`, `block`: the parts are the items.
   * - `other`: anything else.
   */
  kind:
    | "path"
    | "root"
    | "variable"
    | "local"
    | "name"
    | "index"
    | "names"
    | "indexes"
    | "slice"
    | "wildcard"
    | "descend"
    | "filter"
    | "function"
    | "list"
    | "literal"
    | "template"
    | "call"
    | "operation"
    | "object"
    | "array"
    | "block"
    | "other";
  value?: unknown;
  parts?: ExpressionPart[];
  /**
   * The types of an intrinsic function's parameters, in TypeScript's notation: `["string"]` for `States.Format`, which takes any
   * further values.
   */
  takes?: string[];
  /** The type that an intrinsic function returns: `"string"`, `"number[]"`; `"unknown"` if it depends on the arguments. */
  gives?: string;
}

/** What a path selects in a value. */
export interface Selection {
  /** The places, in the order of the result. */
  places: (string | number)[][];
  /** Whether the path returns one value, a list with a value for each place, or an object with the members at the places. */
  shape: "one" | "list" | "members";
}

/**
 * A change of a machine, as a user makes it on the graph. {@link LanguageService.edit} turns it into edits of the text.
 *
 * Everything is named by its JSON Pointer in the definition. A **state** is `/States/Charge`, an **edge** is the field that makes
 * the transition (`/StartAt`, `/States/Charge/Next`, `/States/Last/End`) or the rule or catcher that has it
 * (`/States/Choose/Choices/0`), like the `id` of a {@link GraphEdge}; `/States/Choose/Choices/0/Next` names the same edge. A
 * **scope** is the object that has `States` (`""` for the machine, `/States/Both/Branches/0`).
 */
export type Gesture =
  /**
   * Sets the value of a field, and adds the field if it is missing. At an index of a list, sets that element; at the index after
   * the last, adds one.
   */
  | { kind: "set"; at: string; value: unknown }
  /** Removes a field, a rule, a catcher, a retrier or a branch. */
  | { kind: "remove"; at: string }
  /** Moves an element of a list, such as a rule, a catcher or a branch, to another index. */
  | { kind: "move"; at: string; to: number }
  /** Inserts a new state into a transition. */
  | { kind: "insert"; edge: string; state: NewState }
  /** Adds a new state after another one, or in a new branch of a Parallel. */
  | { kind: "append"; from: string; as: NewEdge | "branch"; state: NewState }
  /** Adds a state that no transition leads to. `scope` is the machine by default. The first state of a scope becomes its start. */
  | { kind: "create"; scope?: string; state: NewState }
  /** Redirects a transition to another state of its scope. */
  | { kind: "connect"; edge: string; to: string }
  /** Adds a transition. With `"next"` it replaces the existing one. */
  | { kind: "connect"; from: string; as: NewEdge; to: string }
  /** Removes a transition. In place of a `Next`, the state ends its scope. */
  | { kind: "disconnect"; edge: string }
  /**
   * Deletes states of one scope and connects what led to them to what they led to. If that is ambiguous, the gesture is refused
   * with `choices`; pass one of them as `to`: a state, or null to remove the transitions.
   */
  | { kind: "delete"; states: readonly string[]; to?: string | null }
  /** Renames a state, with all references to it. */
  | { kind: "rename"; state: string; to: string }
  /** Renames a variable wherever it is assigned and read, including in expressions. Both names are without `$`. */
  | { kind: "rename"; variable: string; to: string }
  /** Returns states of one scope as a definition of their own: the JSON in `asl`, for `paste`. `cut` also deletes them. */
  | { kind: "copy"; states: readonly string[] }
  | { kind: "cut"; states: readonly string[]; to?: string | null }
  /** Adds copies of states of one scope. Transitions between them lead to the copies. */
  | { kind: "duplicate"; states: readonly string[] }
  /**
   * Adds the states of another definition: in a transition, after a state, or unconnected in a scope. Their names are made unique.
   * Each `${…}` in one of their strings becomes a tab stop.
   */
  | { kind: "paste"; asl: string; edge: string }
  | { kind: "paste"; asl: string; from: string; as: NewEdge | "branch" }
  | { kind: "paste"; asl: string; scope?: string }
  /** Changes the type of a state. Fields that both types have are kept. */
  | { kind: "retype"; state: string; type: StateType }
  /** Puts states of one scope, with one way in and one way out, into a Parallel or Map. */
  | { kind: "wrap"; states: readonly string[]; type: "Parallel" | "Map"; name?: string }
  /** Replaces a Parallel or Map with the states inside it. Several branches are put one after another. */
  | { kind: "unwrap"; state: string }
  /** Moves states of one scope, with one way in and one way out, to a machine of their own. A Task that starts it replaces them. */
  | { kind: "extract"; states: readonly string[]; name?: string }
  /** Replaces a Task that starts a machine with the states of that machine: the reverse of `extract`. */
  | { kind: "inline"; state: string; asl: string };

/** Options of {@link LanguageService.edit}. */
export interface EditOptions extends Omit<ValidateOptions, "substitutions"> {
  /** The syntax of the text; JSON by default. The entry `stepglass/yaml` exports `yaml`. */
  syntax?: Syntax;
  /**
   * Default: `true`. With `false`, {@link LanguageService.edit} leaves `introduces` empty and takes a third of the time in a large
   * definition. For editors that validate the new text anyway.
   */
  problems?: boolean;
}

/** A syntax other than JSON. */
export interface Syntax {
  /** Reads a text. */
  read(text: string): SyntaxText | RefusedEdit;
}

/** A text in another syntax. */
export interface SyntaxText {
  /** The text converted to JSON. */
  json: string;
  /**
   * Turns an edit of the JSON text into an edit of this text. What is written once and used several times changes everywhere;
   * `problems` finds the problems that this causes.
   */
  edited(made: WrittenEdit, problems?: (json: string) => Diagnostic[]): Edited | RefusedEdit;
}

/** An edit of a JSON text, with what another syntax needs to repeat it: the changes in the tree, and the places in it. */
export interface WrittenEdit extends Omit<Edited, "caret" | "stops"> {
  caret: WrittenMark;
  stops: WrittenMark[];
  changes: unknown[];
}

/** A place in a JSON text; `key` is true for a member's name, and `part` is a part of a string. */
export interface WrittenMark extends TextRange {
  pointer: string;
  key: boolean;
  part?: string;
}

export type StateType = "Task" | "Wait" | "Pass" | "Succeed" | "Fail" | "Choice" | "Parallel" | "Map";

/** A transition to add to a state: its `Next`, another rule of a Choice, its `Default`, or another catcher. */
export type NewEdge = "next" | "rule" | "default" | "catch";

/** A state to add. */
export interface NewState {
  type: StateType;
  /** Made unique if there is a state of this name. Default: the type. */
  name?: string;
  /** Fields besides those that every state of the type needs. */
  fields?: Record<string, unknown>;
}

/** The result of {@link LanguageService.edit}. */
export interface Edited {
  edits: TextEdit[];
  /** Pointers of the states to select, in the text with the edits. */
  select: string[];
  /** Where the caret goes, in the text with the edits: at what a user is likely to change next. */
  caret: TextRange;
  /** The parts that a user still has to fill in, as ranges in the text with the edits, in order. */
  stops: TextRange[];
  /** A sentence that says what was done, for screen readers and undo lists. */
  announce: string;
  /** What the gesture removes or changes as a side effect, each with its position as a JSON Pointer. */
  losses: { pointer: string; message: string }[];
  /** The problems that the edits introduce; see {@link validate}. Pointers are into the text with the edits. */
  introduces: { code: string; severity: Diagnostic["severity"]; pointer: string; message: string }[];
  /** The definition that `copy`, `cut` or `extract` made. */
  asl?: string;
}

/** Why a gesture is not possible. */
export interface RefusedEdit {
  refused: {
    code: RefusedCode;
    /** A sentence to show. */
    message: string;
    /** With `"ambiguous"`: the possible values of the gesture's `to`, with a name for each. */
    choices?: { to: string | null; name: string }[];
  };
}

/**
 * - `"not-found"`: there is nothing at a pointer, or not what the gesture needs
 * - `"broken"`: the text is not JSON or YAML at the place
 * - `"shape"`: a value at the place is a placeholder, or is not the object or list that the gesture changes
 * - `"impossible"`: the language does not allow it: a `Next` of a Succeed, a transition into another scope, a second `Default`
 * - `"taken"`: the name is taken; `"name"`: it is not a valid name
 * - `"ambiguous"`: there are several ways to do it
 * - `"ways"`: the states have more than one way in or out
 * - `"last"`: at least one must be left: a rule, a branch
 * - `"asl"`: the text to paste is not a definition
 * - `"alias"`: what would change is written elsewhere, at a YAML anchor
 */
export type RefusedCode =
  | "not-found"
  | "broken"
  | "shape"
  | "impossible"
  | "taken"
  | "name"
  | "ambiguous"
  | "ways"
  | "last"
  | "asl"
  | "alias";

/** A gesture that a user may want to make at a place: {@link LanguageService.gestures}. */
export interface PossibleGesture {
  kind: Gesture["kind"];
  /** For `append` and `connect`: which transition. */
  as?: NewEdge | "branch";
  /** For `connect`: the edge. */
  edge?: string;
  /** Why it is not possible; absent if it is. */
  refused?: RefusedEdit["refused"];
  /** For `connect`: the states that it can lead to. */
  targets?: { pointer: string; name: string; type: string }[];
  /** For `retype` and `wrap`: the possible types. */
  types?: StateType[];
  /** For `rename` at the machine: the variables that it assigns. */
  variables?: string[];
}

/** A request of AWS's TestState API. Where the API takes JSON text, a JSON value works too. */
export interface TestStateRequest {
  /** A state, or a whole machine together with `stateName`. */
  definition: Definition;
  stateName?: string;
  /** A string is JSON text, which stays as written where the input is passed on unchanged. */
  input?: unknown;
  inspectionLevel?: "INFO" | "DEBUG" | "TRACE";
  variables?: unknown;
  context?: unknown;
  /**
   * The response of the state's service. With `serviceModel`, `fieldValidationMode` sets how a result is checked: `"STRICT"`
   * (the default) requires all required fields and checks every field, `"PRESENT"` only checks the fields that are present,
   * `"NONE"` checks nothing.
   */
  mock?: { result?: unknown; errorOutput?: { error?: string; cause?: string }; fieldValidationMode?: "STRICT" | "PRESENT" | "NONE" };
  /** The shapes of the services' responses, to check `mock.result` as AWS does. Not part of AWS's API. */
  serviceModel?: ServiceModels;
  stateConfiguration?: {
    retrierRetryCount?: number;
    mapIterationFailureCount?: number;
    errorCausedByState?: string;
    mapItemReaderData?: unknown;
  };
  roleArn?: string;
  revealSecrets?: boolean;
  /** Determines the names of the execution and its machine, UUIDs and random numbers; random by default. Not part of AWS's API. */
  seed?: number | bigint;
  /** When the test begins, in milliseconds since 1970; now by default. Not part of AWS's API. */
  startTime?: number;
}

/**
 * The shape of a service's response or of a part of it, in the format of AWS's own models. A field without a shape is never an
 * error.
 */
export interface ServiceShape {
  type?:
    | "structure"
    | "list"
    | "map"
    | "string"
    | "integer"
    | "long"
    | "float"
    | "double"
    | "boolean"
    | "timestamp"
    | "blob"
    | (string & {});
  /** The members of a structure. Names may begin with a lower-case letter; Step Functions capitalizes them. */
  members?: Record<string, ServiceShape>;
  required?: readonly string[];
  /** The shape of a list's elements. */
  member?: ServiceShape;
  /** The shape of a map's values. */
  value?: ServiceShape;
  enum?: readonly string[];
  /** The smallest number, string length or number of elements. */
  min?: number;
  max?: number;
  /** The name of a shape in `shapes` to use instead of this one. */
  shape?: string;
  /** All named shapes; only in the outermost shape. */
  shapes?: Record<string, ServiceShape>;
}

/**
 * Shapes of services' responses. Either a function of service and action, as a `Resource` names them (`"s3"`, `"getObject"`; for
 * `startExecution.sync` the API that is polled, `"describeExecution"`). Or an object by service, with the shapes by action or
 * AWS's own model, such as botocore's `service-2.json`. Responses without a shape are not checked.
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
  /** With `inspectionLevel` `DEBUG` or `TRACE`: the stages of the state's data flow. */
  inspectionData?: {
    input: string;
    afterInputPath?: string;
    afterParameters?: string;
    afterArguments?: string;
    result?: string;
    afterResultSelector?: string;
    afterResultPath?: string;
    afterItemsPath?: string;
    afterItemsPointer?: string;
    /** An array: what each iteration of a Map would get. */
    afterItemSelector?: string;
    /** An array: what each child of a Distributed Map would get. */
    afterItemBatcher?: string;
    maxConcurrency?: number;
    toleratedFailureCount?: number;
    toleratedFailurePercentage?: number;
    /** All variables after the state. */
    variables?: string;
    /**
     * The retrier or catcher that handled an error, by its index. `retryIndex` is also present if the retrier has no attempts left.
     */
    errorDetails?: { retryIndex?: number; retryBackoffIntervalSeconds?: number; catchIndex?: number };
  };
}

/**
 * Tests one state as AWS's TestState does: one input, one mocked result. If AWS would refuse the request, throws an Error with
 * the `code` of the API (`ValidationException`, `InvalidDefinition`, `InvalidExecutionInput`). If `serviceModel` refuses the mocked
 * result, the error's `mockProblem` says why: `Field 'ContentLength' must be a number`.
 */
export function testState(request: TestStateRequest): TestStateResponse;

/** Options for laying out a graph. */
export interface LayoutOptions {
  /** Top to bottom (the default) or left to right. */
  direction?: "TB" | "LR";
  /** JSON Pointers of the Parallel and Map states to draw folded. */
  collapsed?: Iterable<string>;
  /** Whether to also fold large or deep states: with more than 60 states inside, or nested deeper than 3. Default: false. */
  foldLarge?: boolean;
  /** JSON Pointers of states that `foldLarge` leaves open. */
  expanded?: Iterable<string>;
  /**
   * Width of the area that shows the graph, divided by its height. A graph that is much taller is broken into columns side by side;
   * with `"LR"`, one that is much wider is broken into rows. Default: the graph is not broken.
   */
  aspect?: number;
  /**
   * Where an earlier drawing was broken: its {@link Graph.breaks}. The graph is broken there again, unless other columns would show
   * it 1.4 times as large. So an edit moves only the states of its own column. Default: none.
   *
   * ```js
   * let graph = layout(definition, { aspect: 1.5 });
   * graph = layout(edited, { aspect: 1.5, breaks: graph.breaks });
   * ```
   */
  breaks?: readonly ColumnBreak[];
  /** How wide texts are in the font that the graph is shown in. Default: as in the common sans-serif fonts. */
  widths?: TextWidths;
}

/** The border between two columns of a graph, or with `"LR"` between two rows. */
export interface ColumnBreak {
  /** Id of the last node of the column. */
  after: string;
  /** Id of the first node of the next one. Either id is enough to find the place again. */
  before: string;
}

/** Advance widths of a font in thousandths of an em, for boxes that fit their texts. */
export interface TextWidths {
  /** The characters that the widths are for; all others are as wide as in the common sans-serif fonts. */
  chars: string;
  /** Width of each character in names, which have the weight 600. */
  name: number[];
  /** Width of each character in all other texts. */
  text: number[];
}

/** Options for drawing a graph. */
export interface SvgOptions extends LayoutOptions {
  /** Default: `"auto"`, light or dark as the viewer prefers. */
  theme?: "auto" | "light" | "dark";
  /** The title for screen readers. Default: the machine's Comment. */
  title?: string;
  /** Whether to paint a background. Default: true. */
  background?: boolean;
  /** The prefix of all ids and class names, for pages with several drawings. Default: `"sg"`. */
  prefix?: string;
  /** The statuses of states, by name or by JSON Pointer. Default: a drawing without a run. */
  status?: Record<string, StateStatus> | ReadonlyMap<string, StateStatus>;
  /** How often transitions were taken, by {@link GraphEdge.id}; all others are drawn faint. Default: none is marked. */
  taken?: Record<string, number> | ReadonlyMap<string, number>;
  /** A short text on the lower border of states, by name or by JSON Pointer, such as a count of visits. */
  notes?: Record<string, string> | ReadonlyMap<string, string>;
}

/** The status of a state in a drawing. */
export type StateStatus =
  | "idle"
  | "queued"
  | "running"
  | "paused"
  | "waiting"
  | "awaiting"
  | "retrying"
  | "succeeded"
  | "caught"
  | "failed"
  | "timedOut"
  | "cancelled"
  | "skipped";

/** Lays out the graph of a definition, with all positions and sizes in px. The definition may have errors if it is JSON. */
export function layout(
  definition: Definition,
  options?: LayoutOptions & {
    /** Whether open Map states have room below their name for a control that selects iterations. Default: false. */
    selectors?: boolean;
  },
): Graph;

/**
 * Draws the graph of a definition as one SVG document without scripts, fonts or images. All text in it is escaped.
 *
 * ```js
 * const svg = renderSvg(definition, { theme: "light", status: { Charge: "caught", Refund: "succeeded" } });
 * ```
 */
export function renderSvg(definition: Definition, options?: SvgOptions): string;

/**
 * Draws a definition as a Mermaid `stateDiagram-v2`, for READMEs and pull requests. The definition may have errors if it is
 * JSON.
 *
 * ```js
 * console.log("```mermaid\n" + renderMermaid(definition) + "```");
 * ```
 */
export function renderMermaid(definition: Definition, options?: { direction?: "TB" | "LR" }): string;

/** A graph with positions; the origin is the top left corner. */
export interface Graph {
  width: number;
  height: number;
  direction: "TB" | "LR";
  comment?: string;
  /** Whether a limit left something out: very large graphs are truncated. */
  truncated: boolean;
  /** The number of crossings of lines. */
  crossings: number;
  /** The borders of the columns, if {@link LayoutOptions.aspect} divided the graph into columns. */
  breaks?: ColumnBreak[];
  /** Each node comes after its parent. */
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** A box of a graph. */
export interface GraphNode {
  /** For states and scopes, the pointer; for marks, the pointer of their scope with `#start`, `#end` or `#missing/…`. */
  id: string;
  /** JSON Pointer into the definition. */
  pointer: string;
  name: string;
  /** The name as drawn, in one or two lines. */
  lines: string[];
  type: "Pass" | "Task" | "Choice" | "Wait" | "Succeed" | "Fail" | "Parallel" | "Map" | "Unknown" | "Missing" | "Start" | "End" | "Scope";
  x: number;
  y: number;
  width: number;
  height: number;
  /** The enclosing node. */
  parent?: string;
  comment?: string;
  /** More than the type: the service of a Task, the time of a Wait. */
  detail?: string;
  /** The small line above the name. */
  caption?: string;
  /** Whether the state has retriers. */
  retries: boolean;
  /** What else a Task waits for: the end of the job (`.sync`) or its token (`.waitForTaskToken`, activities). */
  pattern?: "sync" | "token";
  /** The settings of a Map state's iterations, as far as the definition determines them. */
  map?: { distributed: boolean; maxConcurrency?: number; reader?: string; batcher?: { items?: number; bytes?: number }; writer?: string };
  /** Whether a transition leads to it. */
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
  /** Position in `Choices` or `Catch`. */
  index?: number;
  /** Whether the line leads back to an earlier state. */
  back: boolean;
  label?: string;
  title?: string;
  points: [x: number, y: number][];
  /** The line with rounded corners, as SVG path data. */
  path: string;
  labelBox?: { x: number; y: number; width: number; height: number };
}

// ------------------------------------------------------------------------------------------------------- tasks

/** What a task handler knows about its task, besides the input. */
export interface Task {
  /** The number of the attempt in the execution, from 1. */
  readonly id: number;
  /** The state's name. */
  readonly stateName: string;
  /** `Resource` as written. */
  readonly resource: string;
  /** The whole request. For `lambda:invoke` and `states:startExecution`, the handler's input is only a part of it. */
  readonly parameters: any;
  /** 0 for the first attempt, and one more for each retry. */
  readonly attempt: number;
  /**
   * Identifies this entry of the state among all executions: the execution's ARN, the name of the child execution in a Distributed
   * Map, and the id of the state's `…StateEntered` event. It is the same for every retry and after a restore, restart or redrive,
   * and different each time the state is entered. A service that takes such a key does the task once, although the task is called
   * at least once. Hash it for services that allow fewer characters. Each call of a Distributed Map itself (`purpose`) has its own
   * key.
   *
   * @example
   * ```js
   * const tasks = { charge: (order, task) => payments.charge(order, { idempotencyKey: task.idempotencyKey }) };
   * ```
   */
  readonly idempotencyKey: string;
  /** The task token of `.waitForTaskToken`, `.sync` and activity tasks. */
  readonly token?: string;
  /** Seconds until the task times out. */
  readonly timeoutSeconds?: number;
  /** Seconds allowed between two heartbeats. */
  readonly heartbeatSeconds?: number;
  /** `Credentials`, evaluated. */
  readonly credentials?: any;
  /** The iteration index in each enclosing Map, the innermost last. */
  readonly iterations: readonly number[];
  /** What the result is for: a Task state, or the items and results of a Distributed Map. */
  readonly purpose: "Task" | "ItemReader" | "ResultWriter";
  /** The execution that the task is part of. */
  readonly execution: Execution;
  /** Aborts once, when the execution no longer needs the task; its `reason` is a {@link TaskCancelled}. */
  readonly signal: PlatformSignal;
  /**
   * Reports that the task is still at work, and restarts the heartbeat timeout. The next attempt gets the details, at most 2,048
   * characters of JSON, as {@link Task.lastHeartbeat}.
   */
  heartbeat(details?: unknown): void;
  /**
   * The details of the last heartbeat that had any, in this attempt or in an earlier one that failed or whose process ended.
   * Continue from there. A Runtime stores them with its next write.
   */
  readonly lastHeartbeat?: any;
  /**
   * Resolves after this many milliseconds of the execution's time. With a virtual clock it resolves at once, because time jumps
   * ahead while all handlers sleep. `Infinity` never resolves. Rejects with the reason of `signal` when that aborts.
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
 * Does a Task state: returns its result, or a promise of it, or throws.
 *
 * - The returned value becomes JSON, as `JSON.stringify` makes it; `undefined` becomes null.
 * - A thrown Error becomes the state's error, as the error of a Lambda function would. A {@link TaskError} sets it exactly.
 * - For `lambda:invoke` the input is the Payload, and the result is wrapped as AWS does. The same applies to
 *   `states:startExecution` (Input, Output) and `http:invoke` (ResponseBody). A {@link TaskResponse} is not wrapped.
 * - For `.waitForTaskToken` the returned value is the service's response. The state continues after
 *   {@link Execution.succeed} or {@link Execution.fail}.
 */
export type TaskHandler<Input = any, Output = unknown> = (input: Input, task: Task) => Output | PromiseLike<Output>;

/**
 * Handlers by name, or one function for all tasks. Names are looked up in this order: the full Resource ARN; the state's
 * name; the name or ARN of the Lambda function, activity or state machine; the integration with or without its suffix
 * (`sqs:sendMessage`, `lambda:invoke`); and any of these with `*` for any characters, the most specific first
 * (`aws-sdk:s3:*`, `*`).
 */
export type TaskHandlers = Record<string, TaskHandler | Activity> | ReadonlyMap<string, TaskHandler | Activity> | TaskHandler;

/**
 * A queue of an activity's tasks, which workers fetch as with GetActivityTask. Pass it as a value of `tasks`; several executions
 * can share it. With virtual time, a worker must answer within one turn of the event loop; after that, time jumps to the
 * next event.
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
  /** The number of tasks that wait for a worker. */
  readonly waiting: number;
  /** Resolves to the next task as soon as there is one (GetActivityTask). Rejects with the signal's reason when it aborts. */
  getTask(options?: { workerName?: string; signal?: PlatformSignal }): Promise<ActivityTask>;
  /** Completes a task that was fetched here (SendTaskSuccess). Returns false if the task has already ended. */
  succeed(token: string, output?: unknown): boolean;
  /** Fails a task that was fetched here (SendTaskFailure). */
  fail(token: string, failure?: { error?: string; cause?: string }): boolean;
  /** Reports that the worker is alive (SendTaskHeartbeat). */
  heartbeat(token: string): boolean;
}

/** A task that a worker has fetched. */
export interface ActivityTask {
  taskToken: string;
  /** The task's input, parsed. */
  input: any;
  /** The task as a handler would receive it, with its execution and its signal. */
  task: Task;
}

/**
 * Handlers for S3's `getObject`, `listObjectsV2` and `putObject`, for the ItemReader and ResultWriter of a Distributed Map and
 * for tasks with `aws-sdk:s3:…`. Objects whose key ends in `.gz` are decompressed. Written objects are added to the object or Map
 * that you pass. For files on disk see `folder()` of `stepglass/node`.
 *
 * @example
 * ```js
 * const objects = { "in/orders.csv": "id,amount\n1,20\n2,30\n" };
 * await machine.run({}, { tasks: { ...s3Handlers(objects), charge } });
 * Object.keys(objects); // with a ResultWriter: also "out/…/manifest.json", "out/…/SUCCEEDED_0.json"
 * ```
 */
export function s3Handlers(source: Record<string, ObjectBody> | Map<string, ObjectBody> | ObjectStore): Record<string, TaskHandler>;

/** The content of an object: text, bytes, a File, a URL to fetch, or a JSON value. */
export type ObjectBody =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | PlatformBlob
  | PlatformUrl
  | readonly unknown[]
  | { readonly [key: string]: unknown };

/** A store of objects. Without `list` it cannot be listed, without `put` it cannot be written. */
export interface ObjectStore {
  /** Returns the object, or undefined if there is none. */
  get(bucket: string, key: string): ObjectBody | undefined | PromiseLike<ObjectBody | undefined>;
  /** Returns the objects whose key begins with the prefix; `LastModified` is in seconds since 1970. */
  list?(bucket: string, prefix: string): Listing | PromiseLike<Listing>;
  put?(bucket: string, key: string, text: string): void | PromiseLike<void>;
}

/** A list of objects, in any order. */
export type Listing = Iterable<ListedObject> | AsyncIterable<ListedObject>;

/** An object in a listing. */
export interface ListedObject {
  Key: string;
  Size?: number;
  LastModified?: number;
  Etag?: string;
}

/**
 * Throw this in a task handler to set exactly the `Error` and `Cause` of the state.
 *
 * @example
 * ```js
 * throw new TaskError("Payment.Declined", "insufficient funds");
 * ```
 */
export class TaskError extends Error {
  /** AWS's Error and Cause; an `errorCause` that is not a string is converted to JSON. `options.cause` is the error that caused this one. */
  constructor(error?: string, errorCause?: unknown, options?: ErrorOptions);
  readonly code: "TASK_ERROR";
  /** AWS's Error. */
  readonly error: string | undefined;
  /** AWS's Cause. */
  readonly errorCause: string | undefined;
}

/** Return this from a handler to give the service's whole response, without wrapping. */
export class TaskResponse {
  constructor(value: unknown);
  readonly value: unknown;
}

/**
 * A value as its JSON text, which keeps the digits of its numbers as they are written: JavaScript reads `12345678901234567890`
 * as 12345678901234567000 and writes `1.0` as 1. It is taken as the input of an execution, as the answer of a handler, in a
 * {@link TaskResponse}, and as the output that a token is answered with.
 *
 * @example
 * ```js
 * const execution = machine.start(new JsonText('{"orderId":12345678901234567890}'));
 * await execution.result;
 * console.log(execution.history().at(-1).executionSucceededEventDetails.output);   // {"orderId":12345678901234567890}
 * ```
 */
export class JsonText {
  /** Throws a SyntaxError with the code `NOT_JSON` for another text. */
  constructor(text: string);
  readonly text: string;
  /** The value, parsed each time. */
  readonly value: any;
  /** Inside of another value it is written as its value, with the digits of JavaScript's numbers. */
  toJSON(): any;
}

/** The reason of a task's aborted signal. Its `name` is `"AbortError"`. */
export class TaskCancelled extends Error {
  private constructor();
  readonly code: "TASK_CANCELLED";
  readonly reason: CancelReason;
  /** The reason of the option `signal`, if it ended the execution. */
  override readonly cause?: unknown;
}

/** Why a task was cancelled. */
export type CancelReason = "Timeout" | "Heartbeat" | "SiblingFailed" | "Stopped" | "Cancelled";

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

/** The limits of an execution; the defaults are AWS's. */
export interface Limits {
  /** `"full"` keeps all events, `"none"` only counts them. Default: `"full"`. */
  history?: "full" | "none";
  /** The largest size of an input, a result or an output, in bytes of JSON text. Default: 262,144. */
  payloadLimit?: number;
  /** The largest number of events, after which the execution fails; 0 for no limit. Default: 25,000. */
  historyLimit?: number;
  /** State transitions before the execution yields, to check the clock and task answers. Default: 10,000. */
  stepBudget?: number;
  /** Whether to record the stages of each state's data flow for `execution.trace()`. Default: false. */
  trace?: boolean;
  /**
   * Whether a value that JSON would silently change is refused: a Map, a Set, a symbol, a function, an Error, a promise that was not
   * awaited, `NaN`, a lone surrogate. An input, a signal or the output of a task token is then refused with `INVALID_ARGUMENT`, and
   * the answer of a handler fails its task with `States.TaskFailed`; both say where the value is. Default: false; such a value is
   * written as `JSON.stringify()` writes it, and a warning is printed once.
   */
  strict?: boolean;
}

/** Your own source of time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, delay: number): unknown;
  clearTimeout(timer: any): void;
}

/** Options of `machine.start()`, `run()` and `restore()`. */
export interface StartOptions extends Limits {
  /** The handlers of the Task states. */
  tasks?: TaskHandlers;
  /**
   * The machines that tasks can start, by name, or by ARN if they have one. With them, these integrations need no handler:
   * `states:startExecution`, its `.sync`, `.sync:2` and `.waitForTaskToken`, and of the SDK `sfn:startExecution`,
   * `startSyncExecution`, `describeExecution`, `stopExecution` and `sendTask…`. Children have their parent's `tasks`,
   * `machines`, clock and limits. A handler under the name of the state, the machine or the integration takes precedence.
   */
  machines?: readonly StateMachine[] | Record<string, StateMachine> | ReadonlyMap<string, StateMachine>;
  /** `Execution.Name`. Default: a random UUID, or `seed-…` if a seed is given. */
  name?: string;
  /** `Execution.Id`. Default: an ARN made of the names. */
  arn?: string;
  /**
   * `"real"` (the default), `"virtual"`, or your own clock. Virtual time stands still while a handler's promise is pending, and
   * otherwise jumps to the next event, so waits and back-offs take no real time.
   */
  clock?: "real" | "virtual" | Clock;
  /** When virtual time begins, in milliseconds since 1970. Default: now. */
  startTime?: number;
  /** Aborts the execution. */
  signal?: PlatformSignal;
  /** The seed of UUIDs, random numbers and jitter: equal seeds give equal sequences. Default: random. */
  seed?: number | bigint;
  /** Called for every event of the history as it happens. Errors that it throws are printed and have no other effect. */
  onEvent?: (event: HistoryEvent, execution: Execution) => void;
  /** Called for every stage of each state's data flow as it happens, in order with `onEvent`. Implies `trace`. */
  onStage?: (stage: TraceStage, execution: Execution) => void;
  /**
   * Called when a child execution of a Distributed Map has ended, with its history. Without this option these histories are not
   * kept; with it, each is released after the call.
   */
  onChild?: (child: ChildExecution, execution: Execution) => void;
  /** Called for every execution that a task starts through `machines`, with the execution that started it. */
  onNested?: (child: Execution, parent: Execution) => void;
  /**
   * With virtual time: called when nothing can move the execution any more, because no timer is set and no handler is at work. Only
   * the answer to a task token, or `abort()`, can still end it.
   */
  onIdle?: (nothing: undefined, execution: Execution) => void;
  /** Whether to count which parts of the definition are used, for `execution.coverage()`. Default: false. */
  coverage?: boolean;
}

/** The parts of a definition that an execution has used. */
export interface ExecutionCoverage {
  /**
   * How often each part was used, by its JSON Pointer and in the order of the definition: states (`/States/Ship`), transitions
   * (`…/Next`, `…/End`, `…/Default`; `…/Type` for a Succeed state), Choice rules that were true (`…/Choices/0`), and retriers
   * (`…/Retry/0`) and catchers (`…/Catch/1`) that handled an error. Parts that were never used are missing. To draw it, use
   * `renderSvg(definition, { taken: execution.coverage().hits })`.
   */
  hits: Record<string, number>;
  /** The errors that retriers and catchers handled, in order; at most the first ten thousand. */
  handled: HandledError[];
}

/** An error that a retrier or a catcher handled. */
export interface HandledError {
  state: string;
  /** The retrier or catcher: `/States/Charge/Retry/0`. */
  pointer: string;
  error?: string;
  cause?: string;
  /** Milliseconds until the next attempt; absent for a catcher. */
  delay?: number;
  /** Id of the state's last event at that time. */
  event: number;
  /** The name of the child execution of a Distributed Map that the state runs in; `event` is then an event of its history. */
  child?: string;
}

/** A child execution of a Distributed Map that has ended. */
export interface ChildExecution {
  name: string;
  arn: string;
  /** The index of its item in the Map Run, or of its batch of items, from 0. */
  index: number;
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  input: any;
  output?: any;
  error?: string;
  cause?: string;
  /**
   * How often it was redriven; absent if never. A redriven child is reported again when it ends: a Standard child with its whole
   * history, an Express child with the history since it was started again.
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

/** A definition that can run any number of times, also concurrently. */
export class StateMachine {
  /** Compiles a definition. Throws {@link DefinitionError} with all diagnostics if it has errors. */
  constructor(definition: Definition, options?: MachineOptions);
  readonly type: MachineType;
  readonly name: string;
  /** The option `arn`. */
  readonly arn: string | undefined;
  /** The definition's JSON text. */
  readonly definition: string;
  /** Identifies the definition: a snapshot can be restored only with a machine that has the same digest. */
  readonly digest: string;
  /** The warnings about the definition. */
  readonly diagnostics: Diagnostic[];
  /** The variables that each state reads, as DescribeStateMachine returns them. */
  readonly variableReferences: Record<string, string[]>;

  /**
   * Starts an execution with an input, `{}` by default. No handler is called before the current code has finished.
   *
   * Throws a RangeError with AWS's `code` and message for what StartExecution refuses: a `name` with more than 80 characters or
   * with characters such as spaces and slashes (`InvalidName`), or an input larger than `payloadLimit` (`ValidationException`).
   *
   * @example
   * ```js
   * const execution = machine.start({ order: 17 }, { tasks });
   * for await (const event of execution) console.log(event.type);
   * const result = await execution.result;
   * if (result.status === "SUCCEEDED") console.log(result.output);
   * ```
   */
  start<Output = any>(input?: unknown, options?: StartOptions): Execution<Output>;

  /** Runs an execution to its end: resolves to its output or rejects with {@link ExecutionError}. */
  run<Output = any>(input?: unknown, options?: StartOptions): Promise<Output>;

  /**
   * Resumes an execution where `execution.snapshot()` was taken. Tasks in progress are called again, with their full timeouts, so
   * handlers are called at least once. Callback tasks whose request was made, and tasks that a worker has taken from an
   * {@link Activity}, are not called again: their answers come with the token.
   *
   * Throws {@link RestoreError} for a snapshot of another definition.
   */
  restore<Output = any>(snapshot: ExecutionSnapshot, options?: StartOptions): Execution<Output>;

  /**
   * Redrives an execution that failed, timed out or was aborted (RedriveExecution): the state that failed runs again, and earlier
   * states do not. A Map Run redrives its children that did not succeed, in the same run: a Standard child from the state that
   * failed, an Express child from the start. Takes the execution or its snapshot; returns a new Execution with the history so
   * far.
   *
   * Throws an Error with code `NOT_REDRIVABLE` if the execution is running, has succeeded, or has a full history.
   */
  redrive<Output = any>(ended: Execution | ExecutionSnapshot, options?: StartOptions): Execution<Output>;
}

/** A stored execution: JSON data. Do not change it. */
export interface ExecutionSnapshot {
  version: 1;
  execution: { name: string; [key: string]: string };
  engine: EngineSnapshot;
  submitted: number[];
  /** Executions that a task of this execution waits for. */
  nested?: { task: number; child: { [key: string]: unknown }; snapshot: ExecutionSnapshot }[];
}

/** One execution of a state machine, made by `machine.start()`. */
export class Execution<Output = any> implements AsyncIterable<HistoryEvent> {
  private constructor();
  /** Resolves to the outcome when the execution ends. Never rejects. */
  readonly result: Promise<ExecutionResult<Output>>;
  readonly name: string;
  readonly arn: string;
  readonly status: ExecutionStatus;
  /**
   * All events so far, as GetExecutionHistory returns them. Throws `HISTORY_TOO_LARGE` for more than 1 GB of text; iterate over the
   * execution instead.
   */
  history(): HistoryEvent[];
  /** Iterates over all events, from the first, as they happen; ends with the execution. You can iterate several times and start late. */
  [Symbol.asyncIterator](): AsyncGenerator<HistoryEvent, void, undefined>;
  /** Ends the execution as ABORTED (StopExecution). Has no effect after the execution has ended. */
  abort(error?: string, cause?: string): void;
  /** For `await using`: aborts the execution if it is still running, and waits for its end. */
  [Symbol.asyncDispose](): Promise<void>;
  /**
   * Completes the task with this token (SendTaskSuccess). Returns false if the task has already ended. Throws a RangeError if the
   * token is not from this execution.
   */
  succeed(token: string, output?: unknown): boolean;
  /** Fails the task with this token (SendTaskFailure). Returns and throws as {@link Execution.succeed} does. */
  fail(token: string, failure?: { error?: string; cause?: string }): boolean;
  /** Reports that the task with this token is alive (SendTaskHeartbeat). Returns and throws as {@link Execution.succeed} does. */
  heartbeat(token: string): boolean;
  /**
   * Changes the limits of a running Map Run (UpdateMapRun); limits that you omit stay the same. `maxConcurrency` 0 means as many
   * as AWS allows. The ARN is in {@link Frame.mapRun} and in the history. Has no effect if no Map Run with this ARN is running.
   */
  updateMapRun(mapRunArn: string, change: MapRunChange): void;
  /** Returns what is running now: one entry for each chain of states. */
  frames(): Frame[];
  /** Returns the data-flow stages since the last call; needs the option `trace`. */
  trace(): TraceStage[];
  /** Returns which parts of the definition were used so far; needs the option `coverage`. */
  coverage(): ExecutionCoverage;
  /** Returns the execution as JSON data, for `machine.restore()`. It does not include answers that have not arrived yet. */
  snapshot(): ExecutionSnapshot;
}

/** A running chain of states: of the execution itself, of a branch or of an iteration. */
export interface Frame {
  id: number;
  /** The frame of the enclosing Parallel or Map, and the index in it. */
  parent?: number;
  slot?: number;
  state: string;
  phase: "ready" | "waiting" | "retrying" | "running" | "joining";
  /** The state's raw input. */
  input: any;
  /** The variables in scope. */
  variables: Record<string, any>;
  /** When the frame continues by itself, in milliseconds since 1970. */
  until?: number;
  /** The task that the frame waits for. */
  task?: number;
  /** Retries of the state so far. */
  retries: number;
  /** The event that entered the state; absent if the state was not entered yet. */
  event?: number;
  /** The iteration index in each enclosing Map, the innermost last. */
  iterations?: number[];
  /** The name of the child execution of a Distributed Map that the frame runs in. */
  child?: string;
  /** The counts of a Distributed Map whose children are running, as DescribeMapRun returns them. */
  mapRun?: Required<MapRunChange> & { mapRunArn: string; itemCounts: MapRunCounts; executionCounts: MapRunCounts; redriveCount: number };
}

/** The limits of a Map Run, as in UpdateMapRun. */
export interface MapRunChange {
  /** How many children run at the same time; 0 for as many as AWS allows. */
  maxConcurrency?: number;
  /** How many items can fail. */
  toleratedFailureCount?: number;
  /** The percentage of items that can fail, from 0 to 100. */
  toleratedFailurePercentage?: number;
}

/** The numbers of items or child executions of a Map Run by status. */
export interface MapRunCounts {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  /** Always 0: children are aborted only with the whole run. */
  aborted: number;
  /** The total. If child executions are batched by bytes, it is a lower bound until all have started. */
  total: number;
  /** Those that a redrive has not started yet because of MaxConcurrency. */
  pendingRedrive: number;
}

/** The value after one stage of a state's data flow. */
export interface TraceStage {
  /** Id of the event that entered the state. */
  event: number;
  /** The number of events at that time. */
  after: number;
  /** The name of the child execution of a Distributed Map that the state runs in; `event` and `after` count its events. */
  child?: string;
  state: string;
  /**
   * `afterInputPath`, `afterParameters`, `result` …, by TestState's names (and `afterItems` for the JSONata field `Items` of a Map,
   * which has no name there); finally `assignedVariables` and `output`. A Map has `afterItemSelector` once for each item, before the
   * iteration begins, and `afterItemBatcher` once for each batch: see `index`. Decisions are stages too: `choice`
   * (`{rules: [{holds?, cause?, tests}], taken}`, the rules that were evaluated), `error` (`{Error, Cause}`, before Retry and
   * Catch are evaluated), `retry` (`{retrier, attempt, delayMilliseconds}`) and `catch` (`{catcher, next}`).
   */
  stage: string;
  /** The index of the item (`afterItemSelector`) or of the batch (`afterItemBatcher`), from 0. */
  index?: number;
  value: any;
  /** For an `error`: where it arose, and what each retrier and catcher makes of it. */
  failure?: ErrorFacts;
}

/**
 * The facts of an `error` stage, as the interpreter decides them before Retry and Catch run. For example, after a missed heartbeat:
 * `{kind: "heartbeat", retriedBy: ["States.Timeout", "States.ALL", "States.HeartbeatTimeout"], …}`.
 */
export interface ErrorFacts {
  /**
   * `heartbeat` and `timeout` for time-outs, `runtime` for States.Runtime, which nothing can catch, `expression` for a JSONata field,
   * `state` for other errors of the state itself, `own` for errors named `Stepglass.*`, `raised` for errors of tasks and Fail states.
   */
  kind: "heartbeat" | "timeout" | "runtime" | "expression" | "state" | "own" | "raised";
  /** The cause without the words that only name the state. Only for errors of the state itself. */
  message?: string;
  /** The field as a JSON Pointer from the state: `/Arguments/order/0`, `/Parameters/id.$`, `/Choices/0/And/1/Variable`. */
  pointer?: string;
  /** The path, intrinsic call or expression, without `{% %}`. */
  expression?: string;
  /** Where in `expression` its evaluation failed, in UTF-16 code units. Only for JSONata that throws. */
  offset?: number;
  /** The names of `ErrorEquals` that match the error: a retrier matches if it has one of them. */
  retriedBy: string[];
  /** The names of `ErrorEquals` that match the error: a catcher matches if it has one of them. */
  caughtBy: string[];
  /** The retriers of the state, in order. */
  retriers: RetrierFacts[];
  /** The catchers of the state, in order. */
  catchers: CatcherFacts[];
}

/** The decision of a retrier about an error. */
export interface RetrierFacts {
  /**
   * `retries`, or why it does not: `maxAttempts` (used up), `earlier` (an earlier retrier decides), `notNamed`, `notByAll` (it has
   * States.ALL, but errors named `Stepglass.*` are retried only by their name), `uncatchable` (States.Runtime).
   */
  verdict: "retries" | "maxAttempts" | "earlier" | "notNamed" | "notByAll" | "uncatchable";
  /** The number of attempts that it has used before. */
  used: number;
  maxAttempts: number;
  /** The delay before its next attempt, in milliseconds, before jitter. Absent if it has no attempt left. */
  delayMilliseconds?: number;
}

/** The decision of a catcher about an error. */
export interface CatcherFacts {
  /** `catches`, or why it does not: `retried` (a retrier retries the error), `earlier` (an earlier catcher matches), `notNamed`, `uncatchable`. */
  verdict: "catches" | "retried" | "earlier" | "notNamed" | "uncatchable";
}

// ------------------------------------------------------------------------------------------------------- errors

/**
 * The codes of all errors of this package, besides AWS's own (`ValidationException`, `InvalidName`, …). docs/error-codes.md says
 * when each is thrown.
 */
export type ErrorCode =
  | "DEFINITION"
  | "EXECUTION_FAILED"
  | "EXECUTION_TIMED_OUT"
  | "EXECUTION_ABORTED"
  | "TASK_ERROR"
  | "TASK_CANCELLED"
  | "RESTORE"
  | "INVALID_ARGUMENT"
  | "INVALID_OPTION"
  | "INVALID_SCRIPT"
  | "INVALID_CLOCK"
  | "UNKNOWN_TOKEN"
  | "UNKNOWN_TASK"
  | "UNKNOWN_MAP_RUN"
  | "NOT_STARTED"
  | "ALREADY_STARTED"
  | "NOT_REDRIVABLE"
  | "NOT_SETTABLE"
  | "NOT_JSON"
  | "NOT_YAML"
  | "UNUSABLE_FILE"
  | "NOT_A_HISTORY"
  | "NOT_LOADED"
  | "LOAD_FAILED"
  | "PAYLOAD_TOO_LARGE"
  | "OUT_OF_MEMORY"
  | "HISTORY_TOO_LARGE"
  | "HISTORY_ELSEWHERE"
  | "ILLEGAL_CONSTRUCTOR"
  | "TEST_KIT"
  | "NO_MOCK"
  | "STORE_CONFLICT"
  | "STORE_FULL"
  | "THROTTLED"
  | "VERSION_CONFLICT"
  | "MACHINE_DEPRECATED"
  | "STORE_DAMAGED"
  | "STORE_VALUE"
  | "STORE_CODEC"
  | "STORE_NEWER"
  | "STORE_CLOSED"
  | "STORE_UNAVAILABLE"
  | "STORE_FAILED"
  | "NOT_OPEN"
  | "RUNTIME_CLOSED"
  | "UNKNOWN_MACHINE"
  | "NOT_RUNNING"
  | "EXECUTION_EXISTS"
  | "UNKNOWN_EXECUTION"
  | "REPLAY_DIVERGED"
  | "EXECUTION_SUSPENDED"
  | "EXECUTION_ELSEWHERE"
  | "TASK_ANSWERED"
  | "TASK_TIMED_OUT"
  | "TASK_ENDED"
  | "NOT_MIGRATABLE"
  | "RESTATE_NO_SDK"
  | "RESTATE_UNREACHABLE"
  | "RESTATE_NO_WORKER"
  | "RESTATE_FAILED"
  | "THREAD_ENDED"
  | "POOL_CLOSED"
  | "INTERNAL";

/** Rejects `machine.run()`. */
export class ExecutionError extends Error {
  private constructor();
  readonly code: "EXECUTION_FAILED" | "EXECUTION_TIMED_OUT" | "EXECUTION_ABORTED";
  readonly status: "FAILED" | "TIMED_OUT" | "ABORTED";
  /** The execution's `Error`, if there is one. */
  readonly error: string | undefined;
  /** The execution's `Cause`, if there is one. */
  readonly errorCause: string | undefined;
  /** The error that a handler threw, or the reason of the option `signal`. */
  override readonly cause?: unknown;
  /** The state that failed, if the history shows it. */
  readonly state: string | undefined;
  readonly execution: Execution;
}

/** Thrown by `new StateMachine()`; the message has the problems with excerpts. */
export class DefinitionError extends Error {
  private constructor();
  readonly code: "DEFINITION";
  /** All problems, warnings included. */
  readonly diagnostics: Diagnostic[];
}

/** A snapshot cannot be restored. */
export class RestoreError extends Error {
  private constructor();
  readonly code: "RESTORE";
}

/** The WebAssembly memory ran out, or there is a bug in this package. The affected execution has failed; all others continue. */
export class InternalError extends Error {
  private constructor();
  readonly code: "INTERNAL" | "OUT_OF_MEMORY";
}

// --------------------------------------------------------------------------------------------------- simulation

/** The answer to one call in a simulation. */
export interface ScriptedResult {
  /** Milliseconds until the answer. Default: 0. */
  after?: number;
  /** The value that a handler would return. */
  output?: unknown;
  /** The service's whole response, without wrapping. */
  response?: unknown;
  /** The error's name, instead of an output. */
  error?: string;
  /** The error's cause. */
  cause?: string;
  /** When heartbeats come, in milliseconds after the call. */
  heartbeats?: number[];
  /** The response to the request of a `.sync` or `.waitForTaskToken` task; `output` is then its result. */
  submitted?: unknown;
  /** Whether the task never gets a result. */
  never?: boolean;
}

/** The members of a task that the functions of a script receive. */
export type ScriptedTask = Pick<Task, "id" | "stateName" | "resource" | "parameters" | "attempt" | "token" | "purpose" | "iterations">;

/** One result for all calls, an array with one result for each call, or a function. */
export type ScriptedResults = ScriptedResult | readonly ScriptedResult[] | ((input: any, task: ScriptedTask) => ScriptedResult);

/** Results by the names of {@link TaskHandlers}, or one function for all tasks. */
export type Script =
  | Record<string, ScriptedResults>
  | ReadonlyMap<string, ScriptedResults>
  | ((input: any, task: ScriptedTask) => ScriptedResult);

/** Options of `simulate()`. */
export interface SimulateOptions extends ValidateOptions, Omit<Limits, "stepBudget" | "strict"> {
  /** Default: `"simulation"`. */
  name?: string;
  /** Default: 0. */
  seed?: number | bigint;
  /** When time begins, in milliseconds since 1970. Default: the start of 2025. */
  startTime?: number;
  /** When the simulation stops, in milliseconds since 1970; the execution is then still RUNNING. Default: never. */
  until?: number;
  /** When the execution is aborted, in milliseconds since 1970. Default: never. */
  abortAt?: number;
  /**
   * The machines that tasks can start, as in {@link StartOptions.machines}. They run on the same timeline, with the same script.
   * A child that is still running when the simulated execution ends stays RUNNING.
   */
  machines?: StartOptions["machines"];
}

/** The result of a simulation. */
export type SimulationReport<Output = any> = (ExecutionResult<Output> | { status: "RUNNING" }) & {
  history: HistoryEvent[];
  /** The calls that were made, in order. */
  calls: { state: string; resource: string; input: any; attempt: number; at: number }[];
  startTime: number;
  endTime: number;
  /** `endTime - startTime`, in milliseconds. */
  duration: number;
  trace?: TraceStage[];
  /** With `machines`: the executions that tasks started, in order. */
  nested?: (SimulationReport & { name: string; arn: string })[];
};

/**
 * Runs a definition or machine to its end synchronously, in virtual time, with scripted results. Equal arguments give equal
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
export function simulate<Output = any>(
  definition: Definition | StateMachine,
  input?: unknown,
  script?: Script,
  options?: SimulateOptions,
): SimulationReport<Output>;

// ---------------------------------------------------------------------------------------------------- recordings

/**
 * The recorded history of an execution, as an object, an array or JSON text. It is the result of `GetExecutionHistory`, from the
 * API, an SDK, `aws stepfunctions get-execution-history` or the console's export (`{ events: […] }` or the array; timestamps as
 * ISO text, Dates or numbers), or the events of an Express execution's log.
 */
export type RecordedHistory = string | { events: readonly object[] } | readonly object[];

/**
 * Options of `replayHistory()`. A history does not have the names of its execution. If the machine reads them, pass the execution's
 * `arn`; otherwise values that differ only in these names are not compared.
 */
export interface ReplayHistoryOptions
  extends ValidateOptions, Omit<ExecutionNames, "tokenKey">, Omit<Limits, "stepBudget" | "history" | "strict"> {
  /** The seed of random values in the replay. Default: 0. */
  seed?: number | bigint;
}

/** The result of replaying a recorded execution. */
export interface HistoryReplay {
  /** Whether nothing differs. */
  matches: boolean;
  /** Whether the recording has no gaps: see `missing`. */
  complete: boolean;
  /** The first difference between the definition and the recording. */
  divergence?: Divergence;
  /** The first difference in every branch and iteration, in the order of the recording. */
  divergences: Divergence[];
  /** Gaps in the recording, and their consequences. */
  missing: { event?: number; message: string }[];
  /** Values that no run can repeat: UUIDs, task tokens, names, times. They count as equal. */
  unreproducible: { event: number; pointer: string; recorded: any; replayed: any }[];
  /** The number of events in the recording, and how many of them were compared and are the same. */
  recorded: number;
  compared: number;
  /** The status of the replay at its end. `RUNNING` if it waits for something that the recording lacks; `NOT_STARTED` without an input. */
  status: ExecutionStatus | "NOT_STARTED";
  output?: any;
  error?: string;
  cause?: string;
  /** The recorded input, unless the recording omits it. */
  input?: any;
  /** When the recorded execution began, in milliseconds since 1970. */
  startTime?: number;
  /** Every recorded call with its answer, in the order of the calls: mocks for a run of your own. */
  tasks: RecordedTask[];
  /** The history of the replay. */
  history: HistoryEvent[];
  /** The stages of the data flow. Present with the option `trace`. */
  trace?: TraceStage[];
}

/** A difference between a definition and a recording. */
export interface Divergence {
  /** The id of the recorded event; absent if the recording has no event for what the definition does. */
  event?: number;
  eventType?: string;
  state?: string;
  /** The iteration index in each enclosing Map, the innermost last. */
  iterations?: number[];
  /** The part that differs. `wait`: the seconds of a Wait state. `length`: the number of a Map's items. */
  aspect: "event" | "state" | "input" | "output" | "variables" | "error" | "cause" | "resource" | "length" | "wait";
  /** The place in the input, output or variables, as a JSON Pointer. */
  pointer?: string;
  /** The recorded value; null if there is none. */
  expected: any;
  /** The value in the replay; null if there is none. */
  got: any;
  /** The difference in one sentence. */
  message: string;
  /** The most likely reason. */
  reason?: string;
}

/** One recorded call of a task. Its other members are those of a {@link ScriptedResult} whose output is a service's whole `response`. */
export interface RecordedTask {
  state: string;
  /** The iteration index in each enclosing Map, the innermost last. */
  iterations: number[];
  /** 0 for the first attempt of a visit of the state, and one more for each retry. */
  attempt: number;
  /** The id of the event that scheduled the task. */
  event: number;
  /** The input of the call, unless the recording omits it. */
  input?: any;
  /** Milliseconds until the task ended, if the recording has times. */
  after?: number;
  /** The name of the worker that took an activity's task. */
  workerName?: string | null;
  /** The response to the request of a `.sync` or `.waitForTaskToken` task. */
  submitted?: any;
  /** The result as in the history; for a service, the whole response. */
  output?: any;
  /** The error's name, instead of an output; null if the task failed without one. */
  error?: string | null;
  cause?: string;
  /** Whether the task never ended, or the state timed out. */
  never?: true;
  /** Whether the task succeeded with a result that the recording omits. */
  unknown?: true;
}

/**
 * Replays a recorded execution in virtual time, with the recorded results and errors of its tasks, and reports the first
 * difference. As on AWS, events of different branches and iterations can be in any order: tasks are matched by state, iteration
 * and input.
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
  /** Whether the definitions are equal. */
  identical: boolean;
  /** Whether an execution that began with the old definition can continue with the new one: nothing in `running` breaks. */
  compatible: boolean;
  /** Changed fields of the machine itself. */
  machine: FieldChange[];
  /** States that were added, removed, renamed, moved to another branch or Map, or changed. */
  states: StateChange[];
  /** How the change affects executions that began with the old definition. */
  running: RunningProblem[];
}

/** A change of one field, or of a part of it. */
export interface FieldChange {
  /** The place in the state or the machine: `/Retry/0/MaxAttempts`. */
  pointer: string;
  change: "added" | "removed" | "changed";
  old?: any;
  new?: any;
}

/** The change of a state. */
export interface StateChange {
  /** The state's name; if it was renamed, its old name. */
  state: string;
  change: "added" | "removed" | "renamed" | "moved" | "changed";
  /** The state's Type; if it changed, the new one. */
  type: string;
  oldType?: string;
  /** The state's new name. */
  to?: string;
  /** The place in the new definition; for a removed state, in the old one. */
  pointer: string;
  fields?: FieldChange[];
  /** The next states in the old and the new definition, if they differ. */
  transitions?: { old: string[]; new: string[] };
}

/** An effect on an execution that began with the old definition and continues with the new one. */
export interface RunningProblem {
  /** `breaks`: the execution cannot continue. `differs`: it continues with different data than the new definition would have produced. */
  severity: "breaks" | "differs";
  /**
   * `gone`: the execution's state no longer exists. `branches`: the branches or iterations in progress do not match.
   * `meaning`: a Task was called with something else. `variable`: a variable was never set. `carried`: an earlier state had a
   * different output.
   */
  kind: "gone" | "branches" | "meaning" | "variable" | "carried";
  state: string;
  pointer: string;
  message: string;
}

/**
 * Compares two definitions, state by state; they may have errors. Executions spend time only in Task, Wait, Parallel and Map
 * states, so removing a state of another type breaks nothing.
 *
 * On AWS, a running execution keeps its definition. This function is for hosts that move executions to a new one.
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
 * The engine by itself, for hosts that have their own clock, queue and store.
 *
 * Feed one fact at a time, perform the commands of the returned {@link Step} in order, then set one timer to its deadline and
 * call `tick` when it fires. If `more` is true, call `tick` after one turn of your event loop. Results for tasks that were
 * cancelled or already have a result change nothing. `now` is in milliseconds since 1970; if it goes backwards, the engine keeps
 * the latest value it has seen. Equal calls give equal commands, histories and snapshots.
 */
export class Engine {
  constructor(machine: StateMachine, options?: Omit<Limits, "strict"> & { childHistories?: boolean });
  /** Restores an engine from a snapshot; {@link Engine.pending} lists the tasks in progress. */
  static restore(machine: StateMachine, snapshot: EngineSnapshot): Engine;
  /** Starts the execution. Call it once, before anything else. */
  start(now: number, input?: unknown, execution?: ExecutionNames, seed?: number | bigint): Step;
  /** A worker has taken an activity task. */
  started(now: number, task: number, worker?: string): Step;
  /** The service has responded to the request of a `.sync` or `.waitForTaskToken` task; the result comes later. */
  submitted(now: number, task: number, output?: unknown): Step;
  /** The task has its result. */
  succeed(now: number, task: number, output?: unknown): Step;
  /** The task has failed. */
  fail(now: number, task: number, error?: string, cause?: string): Step;
  /** The task's worker is alive. */
  heartbeat(now: number, task: number): Step;
  /** Time has passed. Always harmless. */
  tick(now: number): Step;
  /**
   * The host is back after a restart or a long sleep. Feed this fact before any other. It writes no event, and takes effect before
   * overdue timers:
   *
   * - A task that you call again starts again: its TimeoutSeconds and HeartbeatSeconds count from `now`. These are the tasks that
   *   {@link Engine.pending} lists as `"scheduled"`, and those in `again`: tasks whose worker was part of your host and is gone.
   * - A task that is outside (`"started"` or `"submitted"`) has its HeartbeatSeconds counted from `now`. It does not time out
   *   before an answer that could not be delivered has had time to come again: HeartbeatSeconds or, without them, a minute, but at
   *   most TimeoutSeconds.
   * - Waits, retries and the machine's TimeoutSeconds are absolute. What is overdue happens at its own time.
   */
  recovered(now: number, again?: readonly number[]): Step;
  /** Redrives an execution that did not succeed. */
  redrive(now: number): Step;
  /** Changes the limits of a running Map Run. */
  updateMapRun(now: number, mapRunArn: string, change: MapRunChange): Step;
  /** Ends the execution as ABORTED. */
  stop(now: number, error?: string, cause?: string): Step;
  readonly status: ExecutionResult | { status: "NOT_STARTED" | "RUNNING" };
  /** When to call `tick` next; `undefined` if only tasks can move the execution. */
  readonly deadline: number | undefined;
  /**
   * A digest of all commands so far and of the number of events: a whole number below 2⁵². Equal machines, options and facts give
   * equal digests, even if the engine was restored in between. Store it with each fact, and compare it when you feed the facts
   * again: if it differs, the definition or the release gives other commands than before. Of large payloads, it covers only the
   * beginning.
   */
  readonly commandsDigest: number;
  /** Returns the events from the given index on. */
  history(from?: number): HistoryEvent[];
  /** Returns the tasks in progress, and how far each of them is. */
  pending(): PendingTask[];
  frames(): Frame[];
  trace(): TraceStage[];
  /**
   * Returns the engine as JSON data. With `history: "none"` it leaves out the events so far, for hosts that store those separately:
   * 1 kB instead of 1.2 MB after 1,000 tasks. An engine restored from it continues the event ids and the count of events;
   * `history(from)` returns the events from there on, and throws `HISTORY_ELSEWHERE` for earlier ones.
   */
  snapshot(options?: { history?: "full" | "none" }): EngineSnapshot;
  /**
   * Runs a started engine to its end in real time, with one handler for all tasks; resolves to the status. This is a small
   * driver for simple hosts; `machine.start()` has the full driver.
   */
  drive(handler: (command: InvokeCommand) => unknown): Promise<ExecutionResult>;
  /** Frees the engine's memory now; otherwise the garbage collector does it later. */
  free(): void;
  /** For `using`: {@link Engine.free}. */
  [Symbol.dispose](): void;
}

/** The names of an execution. */
export interface ExecutionNames {
  name?: string;
  arn?: string;
  roleArn?: string;
  stateMachineName?: string;
  stateMachineArn?: string;
  /**
   * The key that task tokens are made with: 64 hexadecimal digits. Default: derived from the seed if there is one, otherwise
   * random. Equal keys, names and tasks give equal tokens.
   */
  tokenKey?: string;
}

/** A stored engine: JSON data. Do not change it. */
export interface EngineSnapshot {
  version: number;
  digest: string;
  [key: string]: unknown;
}

/** The result of feeding one fact. */
export interface Step {
  commands: Command[];
  /** Whether states are ready to run. If so, call `tick` soon, without waiting for the deadline. */
  more: boolean;
  deadline: number | null;
  /** The length of the history now. */
  events: number;
}

/** A command of the engine, for the host to perform. */
export type Command = InvokeCommand | CancelCommand | ChildFinishedCommand | FinishCommand;

/** Call the resource; report the outcome with `succeed` or `fail`. */
export interface InvokeCommand {
  type: "Invoke";
  task: number;
  state: string;
  resource: string;
  input: any;
  attempt: number;
  /** The id of the state's `…StateEntered` event. */
  entered: number;
  /** The name of the child execution of a Distributed Map that the state runs in; `entered` belongs to its history. */
  child?: string;
  purpose?: "ItemReader" | "ResultWriter";
  token?: string;
  timeout?: number;
  heartbeat?: number;
  credentials?: any;
  iterations?: number[];
}

/** A task in progress. */
export interface PendingTask extends InvokeCommand {
  /**
   * `"scheduled"`: to be called, even if it was called before a restart. `"started"`: a worker has taken it from its activity.
   * `"submitted"`: the request of a `.sync` or `.waitForTaskToken` task was answered; the result comes with the token.
   */
  phase: "scheduled" | "started" | "submitted";
}

/** The execution no longer waits for this task. */
export interface CancelCommand {
  type: "Cancel";
  task: number;
  reason: CancelReason;
}

/** A child execution of a Distributed Map has ended. Sent only with the option `childHistories`. */
export type ChildFinishedCommand = { type: "ChildFinished" } & ChildExecution;

/** The execution has ended. Sent exactly once, as the last command. */
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

/** The members of all events, with the details of one type. */
export type HistoryEventOf<Type extends string, Details = {}> = {
  /** ISO 8601, in UTC. */
  timestamp: string;
  type: Type;
  /** From 1, without gaps. */
  id: number;
  /** The previous event in the same chain; 0 for none. */
  previousEventId: number;
} & Details;

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

/** Whether a payload was truncated. Stepglass never truncates one, so it is always false. */
export interface PayloadDetails {
  truncated: boolean;
}

/** `output` is JSON text. */
export interface OutputDetails {
  output: string;
  outputDetails: PayloadDetails;
}

/** The error and cause of a failure, each if it is known. */
export interface FailureDetails {
  error?: string;
  cause?: string;
}

/** The service and action of a task: `sqs` and `sendMessage` for `arn:aws:states:::sqs:sendMessage`. */
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
