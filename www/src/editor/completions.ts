// What may stand here. In JSON the interpreter knows; YAML has fields, states and values of its own here.

import { type Completion, type CompletionContext, type CompletionResult, type CompletionSource, autocompletion, snippetCompletion } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { Completions } from "../model/protocol.ts";
import { stateRanges } from "./ranges.ts";

const COMMON = ["Type", "Comment", "QueryLanguage"];
const DATA = ["InputPath", "OutputPath", "Assign", "Output"];
const FLOW = ["Next", "End"];
const RECOVERY = ["Retry", "Catch"];
const FIELDS: Record<string, string[]> = {
  Pass: [...COMMON, ...FLOW, ...DATA, "Parameters", "ResultPath", "Result"],
  Task: [...COMMON, "Resource", ...FLOW, ...DATA, "Parameters", "Arguments", "ResultSelector", "ResultPath", ...RECOVERY, "TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath", "Credentials"],
  Choice: [...COMMON, "Choices", "Default", ...DATA],
  Wait: [...COMMON, ...FLOW, ...DATA, "Seconds", "SecondsPath", "Timestamp", "TimestampPath"],
  Succeed: [...COMMON, ...DATA],
  Fail: [...COMMON, "Error", "ErrorPath", "Cause", "CausePath"],
  Parallel: [...COMMON, "Branches", ...FLOW, ...DATA, "Parameters", "Arguments", "ResultSelector", "ResultPath", ...RECOVERY],
  Map: [...COMMON, "ItemProcessor", "ItemsPath", "Items", "ItemSelector", "MaxConcurrency", "MaxConcurrencyPath", "ItemReader", "ItemBatcher", "ResultWriter", "Label", "ToleratedFailurePercentage", "ToleratedFailureCount", ...FLOW, ...DATA, "Parameters", "ResultSelector", "ResultPath", ...RECOVERY],
};
const RETRY = ["ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds", "JitterStrategy"];
const CATCH = ["ErrorEquals", "Next", "ResultPath", "Assign", "Output"];
const MACHINE = ["Comment", "StartAt", "States", "Version", "TimeoutSeconds", "QueryLanguage"];
const CHOICE = [
  "Next", "Variable", "Condition", "And", "Or", "Not", "Comment", "Assign", "Output",
  "StringEquals", "StringLessThan", "StringGreaterThan", "StringLessThanEquals", "StringGreaterThanEquals", "StringMatches",
  "NumericEquals", "NumericLessThan", "NumericGreaterThan", "NumericLessThanEquals", "NumericGreaterThanEquals",
  "BooleanEquals", "TimestampEquals", "TimestampLessThan", "TimestampGreaterThan",
  "IsNull", "IsPresent", "IsNumeric", "IsString", "IsBoolean", "IsTimestamp",
];
const ERRORS = ["States.ALL", "States.TaskFailed", "States.Timeout", "States.HeartbeatTimeout", "States.Permissions", "States.DataLimitExceeded", "States.ResultPathMatchFailure", "States.ParameterPathFailure", "States.BranchFailed", "States.NoChoiceMatched", "States.IntrinsicFailure", "States.ExceedToleratedFailureThreshold", "States.ItemReaderFailed", "States.ResultWriterFailed", "States.Runtime", "Lambda.ServiceException", "Lambda.TooManyRequestsException"];
const VALUES: Record<string, string[]> = {
  Type: Object.keys(FIELDS),
  QueryLanguage: ["JSONPath", "JSONata"],
  JitterStrategy: ["FULL", "NONE"],
  ErrorEquals: ERRORS,
  Resource: ["arn:aws:states:::lambda:invoke", "arn:aws:states:::lambda:invoke.waitForTaskToken", "arn:aws:states:::sqs:sendMessage", "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "arn:aws:states:::sns:publish", "arn:aws:states:::dynamodb:getItem", "arn:aws:states:::dynamodb:putItem", "arn:aws:states:::dynamodb:updateItem", "arn:aws:states:::events:putEvents", "arn:aws:states:::states:startExecution.sync:2", "arn:aws:states:::http:invoke", "arn:aws:states:::s3:getObject"],
};

const NAMES = new Set(["Next", "Default", "StartAt"]);

export type Ask = (text: string, offset: number) => Promise<Completions>;

const KINDS: Record<string, string> = { field: "property", state: "variable", type: "type", function: "function", variable: "variable" };

/// Completions that the interpreter gives.
export function askedCompletions(ask: Ask, seen?: CompletionSource): Extension {
  return autocompletion({ override: [(context) => asked(context, ask), ...(seen ? [seen] : [])], icons: false });
}

async function asked(context: CompletionContext, ask: Ask): Promise<CompletionResult | null> {
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const quoted = (node.name === "String" || node.name === "PropertyName") && pos > node.from;
  if (!quoted && !context.explicit) return null;
  // A field's name without a value yet is written anew, with an empty value behind it.
  const fresh = quoted && node.name === "PropertyName" && !/^\s*:/.test(state.sliceDoc(node.to, node.to + 20));
  const text = state.doc.toString();
  const found = await ask(fresh ? text.slice(0, node.from) + text.slice(node.to) : text, fresh ? node.from : pos).catch(() => null);
  if (found === null || context.aborted || found.items.length === 0) return null;
  const from = fresh ? node.from : found.replace.start;
  const options = found.items.map(({ label, kind, detail, insert }): Completion => {
    const shown = { label: fresh || (!quoted && insert.startsWith('"')) ? `"${label}"` : label, displayLabel: label, detail, type: KINDS[kind] ?? "constant" };
    // The cursor goes between the quotes or brackets of an empty value.
    const blank = /^(.*)(""|\{\}|\[\])$/s.exec(insert);
    return blank && insert.length > 2 ? snippetCompletion(`${plain(blank[1]!)}${blank[2]![0]}\${}${blank[2]![1]}`, shown) : { ...shown, apply: insert };
  });
  return { from, to: fresh ? node.to : found.replace.end, options, filter: true };
}

/// Text that a snippet writes as it is.
function plain(text: string): string {
  return text.replace(/[{}]/g, "\\$&");
}

export function yamlCompletions(seen?: CompletionSource): Extension {
  return autocompletion({ override: [complete, ...(seen ? [seen] : [])], icons: false });
}

function complete(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const property = enclosing(node, ["Property", "Pair"]);
  const key = property?.firstChild;
  const inKey = key && pos <= key.to && pos >= key.from;
  const quoted = node.name === "String" || node.name === "PropertyName" || node.name === "QuotedLiteral";
  const from = quoted ? node.from : (context.matchBefore(/[\w.:$-]+/)?.from ?? pos);
  if (!quoted && from === pos && !context.explicit) return null;
  const to = quoted ? node.to : pos;

  if (key && !inKey) {
    const name = text(state, key);
    const options: Completion[] = NAMES.has(name)
      ? scopeNames(state, pos).map((label) => ({ label, type: "variable", detail: "state" }))
      : (VALUES[name] ?? []).map((label) => ({ label, type: "constant" }));
    return options.length > 0 ? { from, to, options, filter: true } : null;
  }
  // A field's name: only inside of an object, and only what is not there yet.
  const object = enclosing(inKey ? property!.parent : node, ["Object", "BlockMapping", "FlowMapping"]);
  if (!object || (!inKey && !context.explicit)) return null;
  const there = new Map<string, string>();
  for (let child = object.firstChild; child; child = child.nextSibling) {
    if (child !== property && child.firstChild && child.lastChild) there.set(text(state, child.firstChild), text(state, child.lastChild));
  }
  const fields = fieldsOf(state, object, there);
  const hasValue = inKey && property!.lastChild !== key;
  const options = fields.filter((field) => !there.has(field)).map((field) => {
    return hasValue ? { label: field, type: "property" } : snippetCompletion(`${field}: \${}`, { label: field, type: "property" });
  });
  return options.length > 0 ? { from, to, options } : null;
}

/// The fields that an object may have, from where it stands.
function fieldsOf(state: EditorState, object: SyntaxNode, there: Map<string, string>): string[] {
  const owner = enclosing(object.parent, ["Property", "Pair"]);
  if (!owner?.firstChild) return MACHINE;
  const name = text(state, owner.firstChild);
  if (name === "Retry") return RETRY;
  if (name === "Catch") return CATCH;
  if (["Choices", "And", "Or", "Not"].includes(name)) return CHOICE;
  if (["ItemProcessor", "Iterator"].includes(name)) return ["StartAt", "States", "ProcessorConfig"];
  if (name === "Branches") return ["StartAt", "States", "Comment"];
  const around = enclosing(owner.parent?.parent ?? null, ["Property", "Pair"]);
  if (around?.firstChild && text(state, around.firstChild) === "States") return FIELDS[there.get("Type") ?? ""] ?? [...new Set(Object.values(FIELDS).flat())];
  return [];
}

/// The names of the states in the innermost `States` around a place, and of those in the machine it begins.
function scopeNames(state: EditorState, pos: number): string[] {
  const all = stateRanges(state);
  const holding = all.filter(({ from, to }) => from <= pos && pos <= to);
  const inner = holding.at(-1);
  const parent = holding.at(-2);
  const within = parent ?? { from: 0, to: state.doc.length };
  const names = all.filter((range) => range.from >= within.from && range.to <= within.to && range !== parent && !all.some((other) => other !== range && other !== parent && other.from < range.from && other.to > range.to && other.from >= within.from));
  return [...new Set(names.filter((range) => range !== inner).map(({ name }) => name))];
}

function enclosing(node: SyntaxNode | null, names: string[]): SyntaxNode | null {
  for (let at = node; at; at = at.parent) if (names.includes(at.name)) return at;
  return null;
}

function text(state: EditorState, node: SyntaxNode): string {
  return state.doc.sliceString(node.from, node.to).replace(/^["']|["']$/g, "");
}
