// What each stage of a state's data flow is made of: the field of the definition that says it, and the values that this reads.

export type Path = (string | number)[];

export type Language = "JSONPath" | "JSONata";

/// A value that a stage reads.
export interface Source {
  /// What it is to an expression: `$` of JSONPath, a member of `$states`, or none: the raw input that ResultPath writes into, the
  /// items that a batch is made of.
  role: "data" | "input" | "result" | "errorOutput" | "raw" | "items";
  label: string;
  /// Its place among the stages; -1 for the state's input.
  at: number;
}

interface Staged {
  stage: string;
  value: unknown;
}

/// Stages that tell of decisions, and are no data on its way.
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

/// Where the field that made a stage stands in its state, and how it is to be read.
export interface Made {
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

/// Fields that have a twin which is a path.
const LIMITS: ReadonlySet<string> = new Set(["MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage"]);

const before = (stages: readonly Staged[], at: number, ...names: string[]): number => {
  for (let i = at - 1; i >= 0; i--) if (names.includes(stages[i]!.stage)) return i;
  return -1;
};

/// The catcher or the Choice rule that decides what is written at a stage, as a path into the state.
function decidedBy(stages: readonly Staged[], at: number): Path {
  const caught = before(stages, at, "catch");
  if (caught >= 0) return ["Catch", (stages[caught]!.value as { catcher: number }).catcher];
  const choice = before(stages, at, "choice");
  const taken = choice >= 0 ? (stages[choice]!.value as { taken: unknown }).taken : null;
  return typeof taken === "number" ? ["Choices", taken] : [];
}

export function madeBy(fields: Record<string, unknown>, language: Language, stages: readonly Staged[], at: number): Made | undefined {
  const { stage } = stages[at] ?? { stage: "" };
  const from = stage === "output" || stage === "assignedVariables" ? decidedBy(stages, at) : [];
  const jsonata = language === "JSONata";
  // A JSONPath rule has no Output of its own, and its Assign stands beside its condition.
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

/// What a stage reads, the first being what its value is compared with.
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

/// What a stage is shown beside: what was before it, and the one of these that its value is compared with.
export interface Beside {
  sources: Source[];
  compared?: Source;
  /// The stage itself changes nothing: the whole state is looked at, from its input to its output.
  whole: boolean;
}

/// Stages whose value is not a later form of what was before them.
const ANOTHER: ReadonlySet<string> = new Set(["result", "assignedVariables", "afterItemBatcher"]);

export function besideOf(
  fields: Record<string, unknown>,
  type: string,
  language: Language,
  input: unknown,
  stages: readonly Staged[],
  at: number,
  equal: (a: unknown, b: unknown) => boolean,
): Beside {
  // A stage whose field is not set changes nothing, and is not what its value is known by.
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
  // A result that is written into the input, or dropped, leaves the input with a change, or without one.
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

/// The value at a path, undefined where there is none.
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

const NAME = /^[A-Za-z_]\w*$/;

/// A path in words of JSONPath.
export function pathText(path: readonly (string | number)[], root = "$"): string {
  return `${root}${path.map((step) => (typeof step === "number" ? `[${step}]` : NAME.test(step) ? `.${step}` : `['${step.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`)).join("")}`;
}

/// The same in JSONata, from a value that a state can name.
export function jsonataText(path: readonly (string | number)[], root: string): string {
  return `${root}${path.map((step) => (typeof step === "number" ? `[${step}]` : NAME.test(step) ? `.${step}` : `.\`${step}\``)).join("")}`;
}

/// A leaf of a template that computes something: its place in the template, its text, and the place in the value that it makes.
export interface Leaf {
  path: Path;
  text: string;
  makes: Path;
}

/// All leaves of a field that compute something.
export function leavesOf(made: Made): Leaf[] {
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

/// An expression without its `{% … %}`.
export function inner(text: string): string {
  return isExpression(text) ? text.slice(2, -2).trim() : text;
}

export function starts(path: readonly (string | number)[], prefix: readonly (string | number)[]): boolean {
  return prefix.length <= path.length && prefix.every((step, i) => path[i] === step);
}

/// The stages that a state has and has not come to, as its fields tell.
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
