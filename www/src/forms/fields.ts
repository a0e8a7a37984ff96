// The layout and the controls of forms. The core's table determines which fields exist, and what they accept.

import { FIELDS, type FieldRow, type Fields, type StateType, pathField } from "../../../js/core/definition/field-table.ts";
import type { QueryLanguage } from "../model/form.ts";

export type { StateType } from "../../../js/core/definition/field-table.ts";

/** The control of a field. `text` and `number` take no expressions; `json` is any value, as it is written. */
export type Control =
  | "text"
  | "lines"
  | "number"
  | "boolean"
  | "words"
  | "state"
  | "texts"
  | "json"
  | "path"
  | "reference"
  | "template"
  | "text-or-jsonata"
  | "number-or-jsonata"
  | "type"
  | "language"
  | "call"
  | "rules"
  | "retry"
  | "catch"
  | "branches"
  | "processor"
  | "onward";

export interface Field {
  name: string;
  control: Control;
  /** The query language of the field, if it exists in only one. */
  only?: QueryLanguage;
  /** Alternative fields. A state has one of them. */
  or?: readonly Field[];
  /** The default value in words. */
  absent?: string;
  words?: readonly string[];
  /** The fields of an object that is a field of the state. */
  inside?: readonly Field[];
}

export interface Group {
  title: string;
  fields: readonly Field[];
}

/** A title, and the names of the fields below it. */
type Section = readonly [title: string, ...names: string[]];

/** Fields of which a state has one, besides those with a path instead of a value. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  Seconds: ["Timestamp"],
  ItemSelector: ["Parameters"],
  ItemProcessor: ["Iterator"],
  Next: ["End"],
};

/** Default values in words. A required field has none. */
const DEFAULTS: Readonly<Record<string, string>> = {
  InputPath: "$",
  OutputPath: "$",
  ResultPath: "$",
  ItemsPath: "$",
  Timestamp: "2030-01-01T00:00:00Z",
  MaxConcurrency: "0",
  ToleratedFailureCount: "0",
  ToleratedFailurePercentage: "0",
  CSVDelimiter: "COMMA",
  Transformation: "NONE",
  Version: "1.0",
  IntervalSeconds: "1",
  MaxAttempts: "3",
  BackoffRate: "2",
  JitterStrategy: "NONE",
  Mode: "INLINE",
  ExecutionType: "STANDARD",
};

/** Controls that do not follow from the type of the value. */
const CONTROLS: Readonly<Record<string, Control>> = {
  Type: "type",
  QueryLanguage: "language",
  Comment: "lines",
  StartAt: "state",
  Default: "state",
  ErrorEquals: "texts",
  ResultPath: "reference",
  Result: "json",
  Choices: "rules",
  Retry: "retry",
  Catch: "catch",
  Branches: "branches",
  ItemProcessor: "processor",
  Iterator: "processor",
};

/** What the fields of an object have besides what the core says. */
interface Style {
  controls: Readonly<Record<string, Control>>;
  defaults: Readonly<Record<string, string>>;
}

const OF_STATE: Style = {
  controls: { ...CONTROLS, Resource: "call", Next: "onward", End: "onward" },
  defaults: { ...DEFAULTS, TimeoutSeconds: "99999999" },
};
const OF_PART: Style = { controls: { ...CONTROLS, Next: "state" }, defaults: DEFAULTS };

/** Returns the control for the values that a field accepts. */
function controlOf(name: string, { type, computable, language }: FieldRow): Control {
  switch (type) {
    case "boolean":
      return "boolean";
    case "word":
      return "words";
    case "integer":
    case "number":
      return computable ? "number-or-jsonata" : "number";
    case "string":
      if (language === "JSONPath" && name.endsWith("Path")) return "path";
      return computable ? "text-or-jsonata" : "text";
    case "timestamp":
      return computable ? "text-or-jsonata" : "text";
    case "stringOrNull":
      return "path";
    default:
      return "template";
  }
}

/** Returns a field of an object without its alternatives. */
function single(fields: Fields, name: string, { controls, defaults }: Style): Field {
  const row = fields[name];
  if (row === undefined) throw new Error(`The core has no field ${name}.`);
  const inside = objectFields(name);
  const absent = row.required === true ? undefined : defaults[name];
  return {
    name,
    control: inside ? "json" : (controls[name] ?? controlOf(name, row)),
    ...(row.language !== undefined && { only: row.language }),
    ...(absent !== undefined && { absent }),
    ...(row.type === "word" && controls[name] === undefined && { words: row.words ?? [] }),
    ...(inside && { inside }),
  };
}

/** Returns the fields of an object that is the value of a field and has no form of its own. */
function objectFields(name: string): Field[] | undefined {
  const { ProcessorConfig: _, ...objects } = FIELDS.objects;
  return Object.hasOwn(objects, name) ? fieldsIn(objects[name as keyof typeof objects]) : undefined;
}

/** Returns the fields with these names, each with its alternatives. Without names, it returns all fields but some. */
function fieldsIn(fields: Fields, names?: readonly string[], style = OF_PART, besides: readonly string[] = []): Field[] {
  const taken = new Set<string>(besides);
  return (names ?? Object.keys(fields)).flatMap((name) => {
    if (taken.has(name)) return [];
    const others = alternatives(fields, name);
    for (const one of [name, ...others]) taken.add(one);
    const first = single(fields, name, style);
    return [others.length === 0 ? first : { ...first, or: others.map((other) => single(fields, other, style)) }];
  });
}

/** Returns the names of the fields that can stand in a field's place. */
function alternatives(fields: Fields, name: string): string[] {
  const others = (ALTERNATIVES[name] ?? []).filter((other) => Object.hasOwn(fields, other));
  return [name, ...others].flatMap((one) => [one, pathField(fields, one) ?? []].flat()).slice(1);
}

const ABOUT: Section = ["State", "Type", "Comment", "QueryLanguage"];
const BEFORE: Section = ["Input", "InputPath", "Parameters", "Arguments"];
const AFTER: Section = ["Output", "ResultSelector", "ResultPath", "OutputPath", "Output", "Assign"];
const PLAIN_AFTER: Section = ["Output", "OutputPath", "Output", "Assign"];
const ERRORS: Section = ["Errors", "Retry", "Catch"];
const NEXT: Section = ["Next", "Next"];

const LAYOUT: Readonly<Record<StateType, readonly Section[]>> = {
  Task: [
    ABOUT,
    ["Call", "Resource", "InputPath", "Parameters", "Arguments", "Credentials"],
    ["Time", "TimeoutSeconds", "HeartbeatSeconds"],
    AFTER,
    ERRORS,
    NEXT,
  ],
  Wait: [ABOUT, ["Wait", "Seconds"], ["Input", "InputPath"], PLAIN_AFTER, NEXT],
  Pass: [ABOUT, ["Input", "InputPath", "Parameters"], ["Output", "Result", "ResultPath", "OutputPath", "Output", "Assign"], NEXT],
  Succeed: [ABOUT, ["Output", "InputPath", "OutputPath", "Output"]],
  Fail: [ABOUT, ["Error", "Error", "Cause"]],
  Choice: [ABOUT, ["Rules", "Choices", "Default"], ["Input", "InputPath"], PLAIN_AFTER],
  Parallel: [ABOUT, ["Branches", "Branches"], BEFORE, AFTER, ERRORS, NEXT],
  Map: [
    ABOUT,
    ["Items", "InputPath", "ItemsPath", "Items", "ItemSelector"],
    ["Iterations", "ItemProcessor", "MaxConcurrency", "Label"],
    ["Items from a file", "ItemReader"],
    ["Batches", "ItemBatcher"],
    ["Tolerated failures", "ToleratedFailureCount", "ToleratedFailurePercentage"],
    ["Results to a file", "ResultWriter"],
    AFTER,
    ERRORS,
    NEXT,
  ],
};

/** Returns the groups of an object. Fields of the core that have no place in the layout follow in a group of their own. */
function groupsIn(fields: Fields, layout: readonly Section[], style: Style, besides: readonly string[]): Group[] {
  const groups: Group[] = layout.map(([title, ...names]) => ({ title, fields: fieldsIn(fields, names, style) }));
  const placed = groups.flatMap((group) => namesOf(group.fields));
  const rest = fieldsIn(fields, undefined, style, [...placed, ...besides]);
  return rest.length === 0 ? groups : [...groups, { title: "More", fields: rest }];
}

export const FORMS = Object.fromEntries(
  Object.entries(LAYOUT).map(([type, layout]) => [type, groupsIn(FIELDS.states[type as StateType], layout, OF_STATE, [])]),
) as unknown as Record<StateType, readonly Group[]>;

/** What a state of an unknown type has. */
const UNTYPED: readonly Group[] = FORMS.Pass.filter(({ title }) => title === ABOUT[0]);

export const MACHINE: readonly Group[] = groupsIn(
  FIELDS.machine,
  [["Machine", "Comment", "StartAt", "QueryLanguage", "TimeoutSeconds", "Version"]],
  OF_PART,
  ["States"],
);

export const RETRIER: readonly Field[] = fieldsIn(FIELDS.retrier);

export const CATCHER: readonly Field[] = fieldsIn(FIELDS.catcher);

/** The fields of a rule besides its test. A field that only one language has in a rule is only for that language. */
export const RULE: readonly Field[] = fieldsIn(ruleFields(), undefined, OF_PART, ["Variable", "Condition"]);

function ruleFields(): Fields {
  const { JSONPath, JSONata } = FIELDS.rule;
  return Object.fromEntries(
    Object.entries({ ...JSONata, ...JSONPath }).map(([name, row]): [string, FieldRow] => {
      const only = !Object.hasOwn(JSONPath, name) ? "JSONata" : !Object.hasOwn(JSONata, name) ? "JSONPath" : undefined;
      return [name, only === undefined ? row : { ...row, language: only }];
    }),
  );
}

export const BRANCH: readonly Field[] = fieldsIn(FIELDS.branch, undefined, OF_PART, ["States"]);

export const PROCESSOR_CONFIG: readonly Field[] = fieldsIn(FIELDS.objects.ProcessorConfig);

/** Objects whose fields are shown like those around them. */
export const SETTINGS: ReadonlySet<string> = new Set(Object.keys(FIELDS.objects));

/** Returns the fields of a query language, each with its alternatives. */
export function fieldsOf(fields: readonly Field[], language: QueryLanguage): Field[] {
  return fields
    .flatMap((field) =>
      [field, ...(field.or ?? [])]
        .filter(({ only }) => only === undefined || only === language)
        .slice(0, 1)
        .map(() => field),
    )
    .map((field) => {
      const ways = [field, ...(field.or ?? [])].filter(({ only }) => only === undefined || only === language);
      const [{ or: _, ...first }, ...rest] = ways as [Field, ...Field[]];
      return rest.length > 0 ? { ...first, or: rest } : first;
    });
}

/** Returns the names of fields and of their alternatives. */
export function namesOf(fields: readonly Field[]): string[] {
  return fields.flatMap(({ name, or = [] }) => [name, ...or.map((way) => way.name)]);
}

export function groupsOf(type: unknown, language: QueryLanguage): Group[] {
  const groups = typeof type === "string" && Object.hasOwn(FORMS, type) ? FORMS[type as StateType] : UNTYPED;
  return groups.map(({ title, fields }) => ({ title, fields: fieldsOf(fields, language) })).filter(({ fields }) => fields.length > 0);
}

/** Returns the names of the fields that are set but have no place in the form. */
export function unknownNames(value: Record<string, unknown>, groups: readonly Group[], besides: readonly string[] = []): string[] {
  const known = new Set([...groups.flatMap(({ fields }) => namesOf(fields)), ...besides]);
  return Object.keys(value).filter((name) => !known.has(name));
}
