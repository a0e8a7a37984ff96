// Breakpoints of the protocol as breakpoints of the debugger, and where they stop in words.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Breakpoint } from "../api/debug.d.ts";
import { messageOf } from "../base/errors.ts";
import { Breakpoints } from "../debug/breakpoints.ts";
import { test } from "../debug/expressions.ts";
import { syntaxOf } from "../definition/expression-syntax.ts";
import type { Place, Places } from "./places.ts";

/** The stage at which a breakpoint on a field stops: after the field has done its part. */
const STAGES: Readonly<Record<string, string>> = {
  InputPath: "afterInputPath",
  ItemsPath: "afterItemsPath",
  Items: "afterItems",
  ItemSelector: "afterItemSelector",
  ItemBatcher: "afterItemBatcher",
  Parameters: "afterParameters",
  Arguments: "afterArguments",
  ResultSelector: "afterResultSelector",
  ResultPath: "afterResultPath",
  Output: "output",
  OutputPath: "output",
  Assign: "assignedVariables",
};
/** The field that shows where a state stands, by its last stage. */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  afterInputPath: ["InputPath"],
  afterItemsPath: ["ItemsPath"],
  afterItems: ["Items"],
  afterItemSelector: ["ItemSelector", "Parameters"],
  afterItemBatcher: ["ItemBatcher"],
  afterParameters: ["Parameters"],
  afterArguments: ["Arguments"],
  result: ["Resource", "Result"],
  afterResultSelector: ["ResultSelector"],
  afterResultPath: ["ResultPath"],
  output: ["Output", "OutputPath"],
  assignedVariables: ["Assign"],
  choice: ["Choices"],
  retry: ["Retry"],
  catch: ["Catch"],
};

/** A breakpoint of the protocol, whatever it is set on. */
type Asked = Pick<DebugProtocol.SourceBreakpoint, "condition" | "hitCondition" | "logMessage">;

/** A breakpoint as the session gets it, or why it cannot have it. */
export type Resolved = { breakpoint: Breakpoint; at: string } | { message: string };

/** What a place stops at: a breakpoint and its description. */
function stopAt({ state, field, index }: Place, places: Places): { breakpoint: Breakpoint; at: string } {
  const type = places.states.get(state)?.type;
  const number = (index ?? 0) + 1;
  switch (field) {
    case "Next":
    case "End":
      return { breakpoint: { kind: "exit", state }, at: `after ${state}` };
    case "Choices":
      return {
        breakpoint: { kind: "stage", state, stage: "choice", ...(index !== undefined && { taken: index }) },
        at: index === undefined ? `after the choice of ${state}` : `where ${state} takes rule ${number}`,
      };
    case "Default":
      return { breakpoint: { kind: "stage", state, stage: "choice", taken: "default" }, at: `where ${state} takes its Default` };
    case "Retry":
    case "Catch": {
      const kind = field === "Retry" ? "retry" : "catch";
      const which = index === undefined ? "" : ` by ${kind === "retry" ? "retrier" : "catcher"} ${number}`;
      return {
        breakpoint: { kind, state, ...(index !== undefined && { taken: index }) },
        at: kind === "retry" ? `before ${state} is retried${which}` : `where an error of ${state} is caught${which}`,
      };
    }
    default: {
      const stage = type === "Map" && field === "Parameters" ? "afterItemSelector" : STAGES[field ?? ""];
      if (stage === undefined) return { breakpoint: { kind: "entry", state }, at: `before ${state}` };
      return { breakpoint: { kind: "stage", state, stage }, at: `after ${field} of ${state}` };
    }
  }
}

/** A breakpoint on a line. */
export function onPlace(place: Place, places: Places, asked: Asked, machine: string | undefined): Resolved {
  const { breakpoint, at } = stopAt(place, places);
  return withTerms({ ...breakpoint, ...(machine !== undefined && { machine }) }, at, asked, places.states.get(place.state)?.language);
}

/** A breakpoint on a state by its name. */
export function onState(state: string, places: Places, asked: Asked, machine: string | undefined): Resolved {
  const language = places.states.get(state)?.language;
  return withTerms({ kind: "entry", state, ...(machine !== undefined && { machine }) }, `before ${state}`, asked, language);
}

/** A breakpoint on what `dataBreakpointInfo` has given: a variable, or a path in the data. */
export function onData(path: string, asked: Asked, language: Places["language"]): Resolved {
  return withTerms({ kind: "change", path }, `where ${path} changes`, asked, language);
}

function withTerms(breakpoint: Breakpoint, at: string, asked: Asked, language: Places["language"] = "JSONPath"): Resolved {
  const { condition, hitCondition, logMessage } = asked;
  const whole: Breakpoint = { ...breakpoint };
  if (condition?.trim()) {
    const read = conditionOf(condition, language);
    if ("message" in read) return read;
    Object.assign(whole, read);
  }
  if (hitCondition?.trim()) whole.hit = hitCondition;
  if (logMessage) whole.log = logMessage.replace(/\{(?!%)((?:[^{}]|\{[^{}]*\})*)\}/g, "{%$1%}");
  try {
    new Breakpoints().set([whole]);
  } catch (error) {
    return { message: messageOf(error) };
  }
  return { breakpoint: whole, at };
}

/** A condition in the query language of the state; what is no JSONPath is JSONata. */
function conditionOf(condition: string, language: Places["language"]): Pick<Breakpoint, "condition" | "language"> | { message: string } {
  const [, inside] = /^\s*\{%(.*)%\}\s*$/s.exec(condition) ?? [];
  if (inside === undefined && language === "JSONPath") {
    const { message } = test("jsonpath", condition, { input: {} });
    if (message === undefined) return { condition, language: "jsonpath" };
  }
  const text = (inside ?? condition).trim();
  const { message } = syntaxProblem(text);
  return message === undefined ? { condition: text, language: "jsonata" } : { message: `the condition cannot be read: ${message}` };
}

function syntaxProblem(text: string): { message?: string } {
  const part = syntaxOf(text, "jsonata");
  return "message" in part ? { message: part.message } : {};
}

/** The filters for errors that the editor offers. */
export const FILTERS: DebugProtocol.ExceptionBreakpointsFilter[] = [
  { filter: "all", label: "Any error", description: "Stops at every error, before Retry and Catch.", default: false },
  { filter: "uncaught", label: "Uncaught errors", description: "Stops at errors that no Retry and no Catch handles.", default: true },
  {
    filter: "named",
    label: "Errors by name",
    description: "Stops at errors with these names.",
    default: false,
    supportsCondition: true,
    conditionDescription: "Names of errors, separated by commas: Declined, States.Timeout",
  },
];

/** The names in the condition of the filter for named errors. */
export function namesIn(condition = ""): string[] {
  return condition
    .split(/[\s,]+/)
    .map((name) => name.replace(/^["']|["']$/g, ""))
    .filter((name) => name !== "");
}
