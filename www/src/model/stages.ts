// The field of the definition behind each stage of a state's data flow, and the values that it reads.

export type Path = (string | number)[];

export type Language = "JSONPath" | "JSONata";

/** A value that a stage reads. */
export interface Source {
  /**
   * The name by which an expression reads it: `$` of JSONPath or a member of `$states`. "raw" is the input that `ResultPath`
   * writes into, and "items" are the items of a batch; no expression reads these two.
   */
  role: "data" | "input" | "result" | "errorOutput" | "raw" | "items";
  label: string;
  /** The index of its stage; -1 for the state's input. */
  at: number;
}

interface Staged {
  stage: string;
  value: unknown;
}

/** The stages that report a decision and are not data on its way. */
export const DECISIONS: ReadonlySet<string> = new Set([
  "choice",
  "error",
  "retry",
  "catch",
  "maxConcurrency",
  "toleratedFailureCount",
  "toleratedFailurePercentage",
  "assignedVariables",
]);

/** The path of the field behind a stage in its state, and its syntax. */
export interface StageField {
  path: Path;
  written: unknown;
  kind: "path" | "place" | "template" | "jsonata" | "literal";
}

const FIELDS: Record<string, string> = {
  afterInputPath: "InputPath",
  afterParameters: "Parameters",
  afterArguments: "Arguments",
  afterItemsPath: "ItemsPath",
  afterItems: "Items",
  afterItemSelector: "ItemSelector",
  afterItemBatcher: "ItemBatcher",
  result: "Result",
  afterResultSelector: "ResultSelector",
  afterResultPath: "ResultPath",
  assignedVariables: "Assign",
  maxConcurrency: "MaxConcurrency",
  toleratedFailureCount: "ToleratedFailureCount",
  toleratedFailurePercentage: "ToleratedFailurePercentage",
  choice: "Choices",
  retry: "Retry",
  catch: "Catch",
};

/** The fields that have a variant with `Path`. */
const LIMITS: ReadonlySet<string> = new Set(["MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage"]);

const before = (stages: readonly Staged[], at: number, ...names: string[]): number => {
  for (let i = at - 1; i >= 0; i--) if (names.includes(stages[i]!.stage)) return i;
  return -1;
};

/** Returns the path of the catcher or Choice rule that determines the fields of a stage. */
function decidedBy(stages: readonly Staged[], at: number): Path {
  const caught = before(stages, at, "catch");
  if (caught >= 0) return ["Catch", (stages[caught]!.value as { catcher: number }).catcher];
  const choice = before(stages, at, "choice");
  const taken = choice >= 0 ? (stages[choice]!.value as { taken: unknown }).taken : null;
  return typeof taken === "number" ? ["Choices", taken] : [];
}

export function madeBy(fields: Record<string, unknown>, language: Language, stages: readonly Staged[], at: number): StageField | undefined {
  const { stage } = stages[at] ?? { stage: "" };
  const from = stage === "output" || stage === "assignedVariables" ? decidedBy(stages, at) : [];
  const jsonata = language === "JSONata";
  // A JSONPath rule has no Output, and its Assign is a sibling of its condition.
  const field = stage === "output" ? (jsonata ? "Output" : from[0] === "Catch" ? "ResultPath" : "OutputPath") : FIELDS[stage];
  if (field === undefined) return undefined;
  const path: Path = stage === "output" && !jsonata && from[0] === "Choices" ? [field] : [...from, field];
  const written = valueAt(fields, path);
  const computed = LIMITS.has(field) ? fields[`${field}Path`] : undefined;
  if (written === undefined && computed !== undefined) return { path: [`${field}Path`], written: computed, kind: "path" };
  const kind =
    stage === "result" ? "literal" : field === "ResultPath" ? "place" : field.endsWith("Path") ? "path" : jsonata ? "jsonata" : "template";
  return { path, written, kind };
}

/** Returns the values that a stage reads. The stage's value is compared with the first one. */
export function sourcesOf(type: string, language: Language, stages: readonly Staged[], at: number): Source[] {
  const { stage } = stages[at] ?? { stage: "" };
  const caught = before(stages, at, "catch");
  const error = caught >= 0 ? before(stages, caught, "error") : -1;
  const result = before(stages, at, "result");
  const input: Source = { role: "input", label: "State input", at: -1 };
  if (language === "JSONata") {
    if (stage === "afterInputPath") return [input];
    if (stage === "afterItemBatcher") {
      const items = before(stages, at, "afterItems");
      return [{ role: "items", label: labelOf(stages[items]?.stage ?? ""), at: items }, ...(items < 0 ? [] : [input])];
    }
    if (stage === "result") return type === "Pass" ? [input] : [];
    if (caught >= 0) return [{ role: "errorOutput", label: "Error output", at: error }, input];
    return result >= 0 && (stage === "output" || stage === "assignedVariables")
      ? [{ role: "result", label: "Result", at: result }, input]
      : [input];
  }
  const data = (i: number): Source => ({ role: "data", label: i < 0 ? "State input" : labelOf(stages[i]!.stage), at: i });
  const raw: Source = { role: "raw", label: "State input", at: -1 };
  switch (stage) {
    case "afterInputPath":
      return [data(-1)];
    case "result":
      return type === "Pass" ? [data(before(stages, at, "afterParameters", "afterInputPath"))] : [];
    case "afterResultSelector":
      return [data(result)];
    case "afterResultPath":
      return [data(before(stages, at, "afterResultSelector", "result")), raw];
    case "output":
      if (caught >= 0) return [{ role: "data", label: "Error output", at: error }, raw];
      return [data(before(stages, at, "afterResultPath", "afterInputPath"))];
    case "assignedVariables":
      if (caught >= 0) return [{ role: "data", label: "Error output", at: error }];
      return [data(result >= 0 ? result : before(stages, at, "afterInputPath"))];
    case "afterItemBatcher":
      return [
        { ...data(before(stages, at, "afterItemsPath", "afterInputPath")), role: "items" },
        data(before(stages, at, "afterInputPath")),
      ];
    case "error":
    case "retry":
    case "catch":
      return [];
    default:
      return [data(before(stages, at, "afterInputPath"))];
  }
}

/** The values that a stage is shown with: its sources, and the one that its value is compared with. */
interface StageComparison {
  sources: Source[];
  compared?: Source;
  /** Whether the stage itself changes nothing. Then the whole state is shown, from its input to its output. */
  whole: boolean;
}

/** The stages whose value is not a later form of the value before. */
const ANOTHER: ReadonlySet<string> = new Set(["result", "assignedVariables", "afterItemBatcher"]);

export function besideOf(
  fields: Record<string, unknown>,
  type: string,
  language: Language,
  input: unknown,
  stages: readonly Staged[],
  at: number,
  equal: (a: unknown, b: unknown) => boolean,
): StageComparison {
  // A stage whose field is not set changes nothing, so its value is named after an earlier stage.
  const named = (of: number): string => {
    const { stage } = stages[of] ?? { stage: "" };
    if (stage === "" || stage === "result" || stage === "error" || madeBy(fields, language, stages, of)?.written !== undefined)
      return labelOf(stage);
    return named(sourcesOf(type, language, stages, of)[0]?.at ?? -1);
  };
  const sources = sourcesOf(type, language, stages, at).map((source) => ({
    ...source,
    label: source.at < 0 ? source.label : named(source.at),
  }));
  const [first] = sources;
  const name = stages[at]?.stage ?? "input";
  if (!first || ANOTHER.has(name)) return { sources, whole: false };
  const made = madeBy(fields, language, stages, at);
  const valueAt = (of: number): unknown => (of < 0 ? input : stages[of]?.value);
  if (name === "output" && first.at >= 0 && made?.written === undefined && equal(valueAt(first.at), stages[at]!.value)) {
    const whole: Source = { role: "input", label: "State input", at: -1 };
    return { sources: [whole], compared: whole, whole: true };
  }
  // A result that is written into the input changes it, and a discarded result does not. The input is compared in both cases.
  const raw = sources.find(({ role }) => role === "raw");
  if (raw && made?.kind === "place" && made.written !== undefined && made.written !== "$") return { sources, compared: raw, whole: false };
  return { sources, compared: first, whole: false };
}

export function labelOf(stage: string): string {
  return stage === ""
    ? "State input"
    : stage === "result"
      ? "Result"
      : stage === "output"
        ? "Output"
        : stage === "error"
          ? "Error output"
          : stage.replace(/^after/, "");
}

/** Returns the value at a path, or undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

const NAME = /^[A-Za-z_]\w*$/;

/** Returns a path in JSONPath syntax. */
export function pathText(path: readonly (string | number)[], root = "$"): string {
  return `${root}${path.map((step) => (typeof step === "number" ? `[${step}]` : NAME.test(step) ? `.${step}` : `['${step.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`)).join("")}`;
}

/** Returns a path in JSONata syntax. `root` is a name that a state can use. */
export function jsonataText(path: readonly (string | number)[], root: string): string {
  return `${root}${path.map((step) => (typeof step === "number" ? `[${step}]` : NAME.test(step) ? `.${step}` : `.\`${step}\``)).join("")}`;
}

/** An expression within a template: its path in the template, its text, and the path of the value that it produces. */
export interface Leaf {
  path: Path;
  text: string;
  makes: Path;
}

/** Returns all expressions of a field. */
export function leavesOf(made: StageField): Leaf[] {
  if (made.kind === "literal" || made.kind === "place") return [];
  if (made.kind === "path") return typeof made.written === "string" ? [{ path: [], text: made.written, makes: [] }] : [];
  const found: Leaf[] = [];
  const walk = (value: unknown, path: Path, makes: Path, depth: number): void => {
    if (depth > 60 || found.length >= 2000) return;
    if (typeof value === "string" && made.kind === "jsonata" && isExpression(value)) found.push({ path, text: value, makes });
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (made.kind === "template" && key.endsWith(".$") && typeof inner === "string")
        found.push({ path: [...path, key], text: inner, makes: [...makes, key.slice(0, -2)] });
      else walk(inner, [...path, step], [...makes, step], depth + 1);
    }
  };
  walk(made.written, [], [], 0);
  return found;
}

export function isExpression(text: string): boolean {
  return /^\{%[^]*%\}$/.test(text);
}

/** Returns an expression without `{% … %}`. */
export function inner(text: string): string {
  return isExpression(text) ? text.slice(2, -2).trim() : text;
}

export function starts(path: readonly (string | number)[], prefix: readonly (string | number)[]): boolean {
  return prefix.length <= path.length && prefix.every((step, i) => path[i] === step);
}

/** Returns the stages that a state has according to its fields and has not reached yet. */
export function plannedStages(type: string, language: Language, fields: Record<string, unknown>, stages: readonly Staged[]): string[] {
  if (stages.some(({ stage }) => stage === "output")) return [];
  const jsonata = language === "JSONata";
  const works = type === "Task" || type === "Parallel" || type === "Map" || type === "Pass";
  const ofItems =
    type === "Map"
      ? [fields["ItemSelector"] !== undefined && "afterItemSelector", fields["ItemBatcher"] !== undefined && "afterItemBatcher"]
      : [];
  const all = jsonata
    ? [
        fields["Arguments"] !== undefined && "afterArguments",
        type === "Map" && fields["Items"] !== undefined && "afterItems",
        ...ofItems,
        type === "Choice" && "choice",
        works && "result",
        fields["Assign"] !== undefined && "assignedVariables",
        type !== "Fail" && "output",
      ]
    : [
        fields["InputPath"] !== undefined && "afterInputPath",
        type === "Map" && fields["ItemReader"] === undefined && "afterItemsPath",
        ...ofItems,
        fields["Parameters"] !== undefined && type !== "Map" && "afterParameters",
        type === "Choice" && "choice",
        works && "result",
        fields["ResultSelector"] !== undefined && "afterResultSelector",
        fields["ResultPath"] !== undefined && "afterResultPath",
        fields["Assign"] !== undefined && "assignedVariables",
        type !== "Fail" && "output",
      ];
  const last = all.findLastIndex((name) => stages.some(({ stage }) => stage === name));
  return all.slice(last + 1).filter((name) => name !== false);
}
