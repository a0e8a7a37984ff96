// Converts breakpoints of the protocol to breakpoints of the debugger, with a description of where they stop.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Breakpoint } from "../../core/api/debug.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { Breakpoints } from "../debug/breakpoints.ts";
import { test } from "../debug/expressions.ts";
import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import type { SourceLocation, SourceLocations } from "./source-locations.ts";

/** The stage at which a breakpoint on a field stops: after the field has been applied. */
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
/** The field that is shown as the current location of a state, by its last stage. */
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

/** The conditions of a breakpoint of the protocol, of any kind. */
type BreakpointTerms = Pick<DebugProtocol.SourceBreakpoint, "condition" | "hitCondition" | "logMessage">;

/** A breakpoint for the session, or the reason why it is invalid. */
export type Resolved = { breakpoint: Breakpoint; at: string } | { message: string };

/** Returns the breakpoint for a location, and its description. */
function stopAt({ state, field, index }: SourceLocation, locations: SourceLocations): { breakpoint: Breakpoint; at: string } {
  const type = locations.states.get(state)?.type;
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

/** Returns the breakpoint for a line. */
export function onLocation(
  location: SourceLocation,
  locations: SourceLocations,
  asked: BreakpointTerms,
  machine: string | undefined,
): Resolved {
  const { breakpoint, at } = stopAt(location, locations);
  return withTerms({ ...breakpoint, ...(machine !== undefined && { machine }) }, at, asked, locations.states.get(location.state)?.language);
}

/** Returns the breakpoint for a state, by its name. */
export function onState(state: string, locations: SourceLocations, asked: BreakpointTerms, machine: string | undefined): Resolved {
  const language = locations.states.get(state)?.language;
  return withTerms({ kind: "entry", state, ...(machine !== undefined && { machine }) }, `before ${state}`, asked, language);
}

/** Returns the breakpoint for the data id of `dataBreakpointInfo`: a variable, or a path in the data. */
export function onData(path: string, asked: BreakpointTerms, language: SourceLocations["language"]): Resolved {
  return withTerms({ kind: "change", path }, `where ${path} changes`, asked, language);
}

function withTerms(
  breakpoint: Breakpoint,
  at: string,
  asked: BreakpointTerms,
  language: SourceLocations["language"] = "JSONPath",
): Resolved {
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

/** Parses a condition in the query language of the state. Text that is not valid JSONPath is JSONata. */
function conditionOf(
  condition: string,
  language: SourceLocations["language"],
): Pick<Breakpoint, "condition" | "language"> | { message: string } {
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

/** The exception filters that the editor offers. */
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

/** Returns the error names in the condition of the filter for named errors. */
export function namesIn(condition = ""): string[] {
  return condition
    .split(/[\s,]+/)
    .map((name) => name.replace(/^["']|["']$/g, ""))
    .filter((name) => name !== "");
}
