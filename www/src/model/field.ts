// An expression field of a state: its syntax, the data in its scope, and its result.

import type { Evaluated } from "stepglass/debug";
import type { Completions } from "./analysisReport.ts";

/** The kind of text that a field accepts. */
export type FieldForm = "path" | "reference" | "template" | "jsonata" | "condition" | "text-or-jsonata" | "number-or-jsonata";

/** The position of a field in a definition. Pointers are JSON Pointers, for YAML too. */
export interface FieldPlace {
  text: string;
  format: "json" | "yaml";
  state: string;
  pointer: string;
  language: "JSONPath" | "JSONata";
  form: FieldForm;
  /** The index of the Map's item that an `ItemSelector` is evaluated for. The default is the first item. */
  item?: number;
}

/** Sample data for a state that has not run. */
export interface Sample {
  input: unknown;
  result?: unknown;
}

/** A name that an expression can use, with its value: `$states.input`, `$$`, or a variable. */
export interface FieldRoot {
  name: string;
  label: string;
  value: unknown;
}

/** The origin of the data: a run, a recorded execution, the input of the next run, or an example. */
export type FieldOrigin = "run" | "recording" | "input" | "example";

/** The data that is in scope in a field. */
export interface FieldData {
  roots: FieldRoot[];
  from: FieldOrigin;
  /** The number of the run. */
  run?: number;
  /** Why the field has no data. Then `roots` has only the names that do not depend on a visit. */
  lacks?: "not visited" | "no result" | "no error";
}

/** The result of a field's expression, or the reason why there is none. */
export interface FieldValue extends Evaluated {
  /** The path to the problem within a template. */
  path?: (string | number)[];
  from: FieldOrigin;
  run?: number;
  lacks?: FieldData["lacks"];
  /** The text is not an expression: it is the value itself. */
  literal?: true;
}

/** The queries about a field: its data, the result of a text in it, completions at a position of the text, and an example. */
export interface FieldQuestions {
  data: { params: { sample?: Sample; input?: string }; value: FieldData };
  value: { params: { written: string; sample?: Sample; input?: string }; value: FieldValue };
  proposals: { params: { written: string; caret: number }; value: Completions };
  example: { params: object; value: Sample };
}

export type FieldQuestion = { [Q in keyof FieldQuestions]: FieldPlace & { ask: Q } & FieldQuestions[Q]["params"] }[keyof FieldQuestions];
export type FieldAnswer = FieldQuestions[keyof FieldQuestions]["value"];

const EXPRESSION = /^\{%[^]*%\}$/;

/**
 * Returns the text that a field shows for its value. If the field accepts only JSONata, the expression is shown without `{% %}`.
 */
export function textOf(value: unknown, form: FieldForm): string {
  if (value === undefined) return "";
  // A template that consists of a single expression is shown without quotes.
  if (form === "template") return typeof value === "string" && EXPRESSION.test(value) ? value : JSON.stringify(value, null, 2);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return isBare(form) && EXPRESSION.test(text) ? text.slice(2, -2).trim() : text;
}

/** Returns whether a text is the value itself and not JSON. This includes a template that consists of a single expression. */
export function isText(form: FieldForm, text: string): boolean {
  return form !== "template" || text.trimStart().startsWith("{%");
}

/** Returns whether the whole field is an expression and is shown without `{% %}`. */
export function isBare(form: FieldForm): boolean {
  return form === "jsonata" || form === "condition";
}

/** Returns the value of a field's text, where undefined means that the field is empty, or what is wrong with the text. */
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

/** Browsers report the position of a JSON error in different wordings, or not at all. */
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
