// The layout and the controls of forms. The core determines which fields exist; a test compares this table with it.

import type { QueryLanguage } from "../model/form.ts";

export type StateType = "Task" | "Wait" | "Pass" | "Succeed" | "Fail" | "Choice" | "Parallel" | "Map";

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

const path = (name: string, absent: string): Field => ({ name, control: "path", only: "JSONPath", absent });
const jsonpath = (field: Field): Field => ({ ...field, only: "JSONPath" });
const jsonata = (field: Field): Field => ({ ...field, only: "JSONata" });

/** Returns a number field, with its alternative that is a path or an expression. */
const amount = (name: string, absent?: string): Field => ({
  name,
  control: "number-or-jsonata",
  ...(absent !== undefined && { absent }),
  or: [jsonpath({ name: `${name}Path`, control: "path" })],
});

const COMMENT: Field = { name: "Comment", control: "lines" };
const LANGUAGE: Field = { name: "QueryLanguage", control: "language" };
const ABOUT: Group = { title: "State", fields: [{ name: "Type", control: "type" }, COMMENT, LANGUAGE] };
const ASSIGN: Field = { name: "Assign", control: "template" };
const INPUT = path("InputPath", "$");
const OUTPUT_PATH = path("OutputPath", "$");
const RESULT_PATH: Field = { name: "ResultPath", control: "reference", only: "JSONPath", absent: "$" };
const PARAMETERS = jsonpath({ name: "Parameters", control: "template" });
const ARGUMENTS = jsonata({ name: "Arguments", control: "template" });
const SELECTOR = jsonpath({ name: "ResultSelector", control: "template" });
const OUTPUT = jsonata({ name: "Output", control: "template" });
const NEXT: Group = { title: "Next", fields: [{ name: "Next", control: "onward", or: [{ name: "End", control: "onward" }] }] };
const AFTER: Group = { title: "Output", fields: [SELECTOR, RESULT_PATH, OUTPUT_PATH, OUTPUT, ASSIGN] };
const PLAIN_AFTER: Group = { title: "Output", fields: [OUTPUT_PATH, OUTPUT, ASSIGN] };
const BEFORE: Group = { title: "Input", fields: [INPUT, PARAMETERS, ARGUMENTS] };
const ERRORS: Group = {
  title: "Errors",
  fields: [
    { name: "Retry", control: "retry" },
    { name: "Catch", control: "catch" },
  ],
};

const SERVICE: readonly Field[] = [
  { name: "Resource", control: "text" },
  jsonpath({ name: "Parameters", control: "template" }),
  jsonata({ name: "Arguments", control: "template" }),
];

export const FORMS: Record<StateType, readonly Group[]> = {
  Task: [
    ABOUT,
    {
      title: "Call",
      fields: [{ name: "Resource", control: "call" }, INPUT, PARAMETERS, ARGUMENTS, { name: "Credentials", control: "template" }],
    },
    { title: "Time", fields: [amount("TimeoutSeconds", "99999999"), amount("HeartbeatSeconds")] },
    AFTER,
    ERRORS,
    NEXT,
  ],
  Wait: [
    ABOUT,
    {
      title: "Wait",
      fields: [
        {
          name: "Seconds",
          control: "number-or-jsonata",
          or: [
            jsonpath({ name: "SecondsPath", control: "path" }),
            { name: "Timestamp", control: "text-or-jsonata", absent: "2030-01-01T00:00:00Z" },
            jsonpath({ name: "TimestampPath", control: "path" }),
          ],
        },
      ],
    },
    { title: "Input", fields: [INPUT] },
    PLAIN_AFTER,
    NEXT,
  ],
  Pass: [
    ABOUT,
    { title: "Input", fields: [INPUT, PARAMETERS] },
    { title: "Output", fields: [jsonpath({ name: "Result", control: "json" }), RESULT_PATH, OUTPUT_PATH, OUTPUT, ASSIGN] },
    NEXT,
  ],
  Succeed: [ABOUT, { title: "Output", fields: [INPUT, OUTPUT_PATH, OUTPUT] }],
  Fail: [
    ABOUT,
    {
      title: "Error",
      fields: [
        { name: "Error", control: "text-or-jsonata", or: [jsonpath({ name: "ErrorPath", control: "path" })] },
        { name: "Cause", control: "text-or-jsonata", or: [jsonpath({ name: "CausePath", control: "path" })] },
      ],
    },
  ],
  Choice: [
    ABOUT,
    {
      title: "Rules",
      fields: [
        { name: "Choices", control: "rules" },
        { name: "Default", control: "state" },
      ],
    },
    { title: "Input", fields: [INPUT] },
    PLAIN_AFTER,
  ],
  Parallel: [ABOUT, { title: "Branches", fields: [{ name: "Branches", control: "branches" }] }, BEFORE, AFTER, ERRORS, NEXT],
  Map: [
    ABOUT,
    {
      title: "Items",
      fields: [
        INPUT,
        path("ItemsPath", "$"),
        jsonata({ name: "Items", control: "template" }),
        { name: "ItemSelector", control: "template", or: [jsonpath({ name: "Parameters", control: "template" })] },
      ],
    },
    {
      title: "Iterations",
      fields: [
        { name: "ItemProcessor", control: "processor", or: [{ name: "Iterator", control: "processor" }] },
        amount("MaxConcurrency", "0"),
        { name: "Label", control: "text" },
      ],
    },
    {
      title: "Items from a file",
      fields: [
        {
          name: "ItemReader",
          control: "json",
          inside: [
            ...SERVICE,
            {
              name: "ReaderConfig",
              control: "json",
              inside: [
                { name: "InputType", control: "words", words: ["CSV", "JSON", "JSONL", "PARQUET", "MANIFEST"] },
                { name: "CSVHeaderLocation", control: "words", words: ["FIRST_ROW", "GIVEN"] },
                { name: "CSVHeaders", control: "template" },
                { name: "CSVDelimiter", control: "words", words: ["COMMA", "PIPE", "SEMICOLON", "SPACE", "TAB"], absent: "COMMA" },
                { name: "ItemsPointer", control: "text-or-jsonata" },
                { name: "ManifestType", control: "words", words: ["S3_INVENTORY", "ATHENA_DATA"] },
                { name: "Transformation", control: "words", words: ["NONE", "LOAD_AND_FLATTEN"], absent: "NONE" },
                amount("MaxItems"),
              ],
            },
          ],
        },
      ],
    },
    {
      title: "Batches",
      fields: [
        {
          name: "ItemBatcher",
          control: "json",
          inside: [amount("MaxItemsPerBatch"), amount("MaxInputBytesPerBatch"), { name: "BatchInput", control: "template" }],
        },
      ],
    },
    { title: "Tolerated failures", fields: [amount("ToleratedFailureCount", "0"), amount("ToleratedFailurePercentage", "0")] },
    {
      title: "Results to a file",
      fields: [
        {
          name: "ResultWriter",
          control: "json",
          inside: [
            ...SERVICE,
            {
              name: "WriterConfig",
              control: "json",
              inside: [
                { name: "Transformation", control: "words", words: ["NONE", "COMPACT", "FLATTEN"] },
                { name: "OutputType", control: "words", words: ["JSON", "JSONL"] },
              ],
            },
          ],
        },
      ],
    },
    AFTER,
    ERRORS,
    NEXT,
  ],
};

export const MACHINE: readonly Group[] = [
  {
    title: "Machine",
    fields: [
      COMMENT,
      { name: "StartAt", control: "state" },
      LANGUAGE,
      { name: "TimeoutSeconds", control: "number" },
      { name: "Version", control: "text", absent: "1.0" },
    ],
  },
];

export const RETRIER: readonly Field[] = [
  { name: "ErrorEquals", control: "texts" },
  { name: "IntervalSeconds", control: "number", absent: "1" },
  { name: "MaxAttempts", control: "number", absent: "3" },
  { name: "BackoffRate", control: "number", absent: "2" },
  { name: "MaxDelaySeconds", control: "number" },
  { name: "JitterStrategy", control: "words", words: ["NONE", "FULL"], absent: "NONE" },
  { name: "Comment", control: "lines" },
];

export const CATCHER: readonly Field[] = [
  { name: "ErrorEquals", control: "texts" },
  { name: "Next", control: "state" },
  { name: "ResultPath", control: "reference", only: "JSONPath", absent: "$" },
  { name: "Output", control: "template", only: "JSONata" },
  { name: "Assign", control: "template" },
  { name: "Comment", control: "lines" },
];

/** The fields of a rule besides its test. */
export const RULE: readonly Field[] = [
  { name: "Next", control: "state" },
  { name: "Assign", control: "template" },
  { name: "Output", control: "template", only: "JSONata" },
  { name: "Comment", control: "lines" },
];

export const BRANCH: readonly Field[] = [
  { name: "StartAt", control: "state" },
  { name: "Comment", control: "lines" },
];

export const PROCESSOR_CONFIG: readonly Field[] = [
  { name: "Mode", control: "words", words: ["INLINE", "DISTRIBUTED"], absent: "INLINE" },
  { name: "ExecutionType", control: "words", words: ["STANDARD", "EXPRESS"], absent: "STANDARD" },
];

/** Objects whose fields are shown like those around them. */
export const SETTINGS: ReadonlySet<string> = new Set([
  "ProcessorConfig",
  ...Object.values(FORMS).flatMap((groups) => groups.flatMap((group) => within(group.fields))),
]);

function within(fields: readonly Field[]): string[] {
  return fields.flatMap(({ name, inside }) => (inside ? [name, ...within(inside)] : []));
}

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
export const namesOf = (fields: readonly Field[]): string[] => fields.flatMap(({ name, or = [] }) => [name, ...or.map((way) => way.name)]);

export function groupsOf(type: unknown, language: QueryLanguage): Group[] {
  const groups = typeof type === "string" && Object.hasOwn(FORMS, type) ? FORMS[type as StateType] : [ABOUT];
  return groups.map(({ title, fields }) => ({ title, fields: fieldsOf(fields, language) })).filter(({ fields }) => fields.length > 0);
}

/** Returns the names of the fields that are set but have no place in the form. */
export function unknownNames(value: Record<string, unknown>, groups: readonly Group[], besides: readonly string[] = []): string[] {
  const known = new Set([...groups.flatMap(({ fields }) => namesOf(fields)), ...besides]);
  return Object.keys(value).filter((name) => !known.has(name));
}
