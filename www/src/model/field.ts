// An expression field of a state: what it is written in, what it sees, and what it gives.

import type { Evaluated } from "stepglass/debug";
import type { Completions } from "./protocol.ts";

/// What may be written into a field.
export type FieldForm = "path" | "reference" | "template" | "jsonata" | "condition" | "text-or-jsonata" | "number-or-jsonata";

/// Where a field stands in a definition. Pointers are JSON pointers, in YAML too.
export interface FieldPlace {
  text: string;
  format: "json" | "yaml";
  state: string;
  pointer: string;
  language: "JSONPath" | "JSONata";
  form: FieldForm;
  /// Which item a selector of a Map is asked about; the first where none is said.
  item?: number;
}

/// Data that somebody gives a state which has not run.
export interface Sample {
  input: unknown;
  result?: unknown;
}

/// Something that an expression can name, with its value: `$states.input`, `$$`, a variable.
export interface FieldRoot {
  name: string;
  label: string;
  value: unknown;
}

/// Whose data it is: of a run, of a recorded execution, the input of a run to come, or an example.
export type FieldOrigin = "run" | "recording" | "input" | "example";

/// What a field sees.
export interface FieldData {
  roots: FieldRoot[];
  from: FieldOrigin;
  /// The number of the run.
  run?: number;
  /// Why there is no data for the field; then there are no roots but those that are there all the same.
  lacks?: "not visited" | "no result" | "no error";
}

/// What a field gives, or why nothing.
export interface FieldValue extends Evaluated {
  /// Where in a template the problem is.
  path?: (string | number)[];
  from: FieldOrigin;
  run?: number;
  lacks?: FieldData["lacks"];
  /// The text is no expression: it stands for itself.
  literal?: true;
}

/// What is asked about a field: its data, the value of a text in it, what may be written at a place of the text, an example.
export interface FieldQuestions {
  data: { params: { sample?: Sample; input?: string }; value: FieldData };
  value: { params: { written: string; sample?: Sample; input?: string }; value: FieldValue };
  proposals: { params: { written: string; caret: number }; value: Completions };
  example: { params: object; value: Sample };
}

export type FieldQuestion = { [Q in keyof FieldQuestions]: FieldPlace & { ask: Q } & FieldQuestions[Q]["params"] }[keyof FieldQuestions];
export type FieldAnswer = FieldQuestions[keyof FieldQuestions]["value"];

const EXPRESSION = /^\{%[^]*%\}$/;

/// The text that a field shows for its value; expressions of JSONata without their `{% %}` where nothing else may stand there.
export function textOf(value: unknown, form: FieldForm): string {
  if (value === undefined) return "";
  // A template that is one expression as a whole needs no quotes around it.
  if (form === "template") return typeof value === "string" && EXPRESSION.test(value) ? value : JSON.stringify(value, null, 2);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return isBare(form) && EXPRESSION.test(text) ? text.slice(2, -2).trim() : text;
}

/// Whether a text stands for itself and is no JSON: also that of a template which is one expression as a whole.
export function isText(form: FieldForm, text: string): boolean {
  return form !== "template" || text.trimStart().startsWith("{%");
}

/// Whether a field is all expression, and shown without `{% %}`.
export function isBare(form: FieldForm): boolean {
  return form === "jsonata" || form === "condition";
}

/// The value that a field's text stands for: undefined for none, or what is wrong with the text.
export function valueOf(text: string, form: FieldForm): { value: unknown } | { problem: string; offset?: number } {
  const trimmed = text.trim();
  if (trimmed === "") return { value: undefined };
  switch (form) {
    case "template":
      if (EXPRESSION.test(trimmed)) return { value: trimmed };
      try {
        return { value: JSON.parse(text) as unknown };
      } catch (error) {
        return jsonProblem(text, error as Error);
      }
    case "jsonata":
    case "condition":
      return { value: EXPRESSION.test(trimmed) ? trimmed : `{% ${trimmed} %}` };
    case "number-or-jsonata":
      return { value: /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed };
    case "text-or-jsonata":
      return { value: text };
    default:
      return { value: trimmed === "null" ? null : trimmed };
  }
}

/// Browsers say where JSON is wrong in words of their own, or not at all.
function jsonProblem(text: string, error: Error): { problem: string; offset?: number } {
  const position = /position (\d+)/.exec(error.message)?.[1];
  const line = /line (\d+) column (\d+)/.exec(error.message);
  const ended = /end of (JSON|data)|Unterminated|Unexpected EOF/i.test(error.message);
  const offset =
    position !== undefined
      ? Number(position)
      : line
        ? text
            .split("\n")
            .slice(0, Number(line[1]) - 1)
            .reduce((sum, one) => sum + one.length + 1, 0) +
          Number(line[2]) -
          1
        : ended
          ? text.length
          : undefined;
  const problem = text.trimStart().startsWith("$")
    ? "Write expressions between {% and %}; everything else is JSON."
    : ended
      ? "This is not JSON yet: something is missing at its end."
      : "This is not JSON.";
  return { problem, ...(offset !== undefined && { offset: Math.min(offset, text.length) }) };
}
