// Placeholders (`${Name}`) of a definition, which a deployment fills in: with values given by hand, or with those of a recorded
// execution.

import { detailsOf } from "./details.ts";
import type { HistoryEvent } from "./recorded.ts";

const PLACEHOLDER = /\$\{([A-Za-z][^{}"'\n]*)\}/g;

/** Returns the names of the placeholders of a text, each once. */
export const namesIn = (text: string): string[] => [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))].sort();

/** Replaces placeholders by their values. Placeholders without a value stay. */
export function fill(definition: string, values: ReadonlyMap<string, string>): string {
  return definition.replace(PLACEHOLDER, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined || value === "" ? whole : JSON.stringify(value).slice(1, -1);
  });
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Derives the values of a definition's placeholders from the events of an execution: text that contains a placeholder is compared
 * with the corresponding value in an event.
 */
export function valuesIn(json: string, events: readonly HistoryEvent[]): Map<string, string> {
  const values = new Map<string, string>();
  if (namesIn(json).length === 0) return values;
  const states = statesOf(json);
  const entered = new Map<number, string>();
  for (const event of events) {
    const details = detailsOf(event);
    const before = entered.get(event.previousEventId);
    const name = /StateEntered$/.test(event.type) ? String(details["name"]) : before;
    if (name !== undefined) entered.set(event.id, name);
    const state = states.get(name ?? "");
    if (!state) continue;
    if (/Scheduled$/.test(event.type)) ofCall(state, event.type, details, values);
    // The output is the result of a Pass state.
    else if (event.type === "PassStateExited") {
      const output = parsed(details["output"]);
      for (const field of ["Result", "Parameters", "Output"]) match(state[field], output, values);
    }
  }
  return values;
}

function ofCall(state: Fields, type: string, details: Fields, values: Map<string, string>): void {
  const { resource, resourceType, region } = details;
  // A Lambda function or an activity has an ARN; an integration has a service and an action.
  if (type !== "TaskScheduled") match(state["Resource"], resource, values);
  else match(state["Resource"], `arn:${partitionOf(region)}:states:::${String(resourceType)}:${String(resource)}`, values);
  match(state["Parameters"] ?? state["Arguments"], parsed(details["parameters"]), values);
  match(state["TimeoutSeconds"], details["timeoutInSeconds"], values);
  match(state["HeartbeatSeconds"], details["heartbeatInSeconds"], values);
}

function partitionOf(region: unknown): string {
  const [, special] = /^(cn|us-gov)-/.exec(String(region)) ?? [];
  return special === undefined ? "aws" : `aws-${special}`;
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Collects the values that turn `written` into `had`. Both are traversed together, as far as their shapes agree. */
function match(written: unknown, had: unknown, values: Map<string, string>): void {
  if (Array.isArray(written)) {
    if (Array.isArray(had)) written.forEach((one, i) => match(one, had[i], values));
  } else if (isFields(written)) {
    if (isFields(had)) for (const [key, one] of Object.entries(written)) match(one, had[key], values);
  } else if (typeof written === "string" && /\$\{/.test(written)) matchText(written, had, values);
}

function matchText(written: string, had: unknown, values: Map<string, string>): void {
  const names: string[] = [];
  let pattern = "";
  let at = 0;
  for (const found of written.matchAll(PLACEHOLDER)) {
    pattern += `${escaped(written.slice(at, found.index))}(.+?)`;
    names.push(found[1]!);
    at = found.index + found[0].length;
  }
  if (names.length === 0 || had === undefined || had === null) return;
  const text = typeof had === "string" ? had : JSON.stringify(had);
  const parts = new RegExp(`^${pattern}${escaped(written.slice(at))}$`, "s").exec(text)?.slice(1);
  parts?.forEach((part, i) => {
    if (!values.has(names[i]!)) values.set(names[i]!, part);
  });
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns the states of a definition by name, including nested ones. */
function statesOf(json: string): Map<string, Fields> {
  const found = new Map<string, Fields>();
  let definition: unknown;
  try {
    // A placeholder outside a string stands for a value. It is read as a string here.
    definition = JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|\$\{[^{}"'\n]*\}/g, (part) => (part.startsWith("$") ? `"${part}"` : part)));
  } catch {
    return found;
  }
  const waiting: unknown[] = [definition];
  for (let scope = waiting.pop(); scope !== undefined; scope = waiting.pop()) {
    const states = isFields(scope) ? scope["States"] : undefined;
    for (const [name, state] of isFields(states) ? Object.entries(states) : []) {
      if (!isFields(state)) continue;
      found.set(name, state);
      const { Branches: branches, ItemProcessor: processor, Iterator: iterator } = state;
      waiting.push(...(Array.isArray(branches) ? branches : []), ...[processor, iterator].filter((one) => one !== undefined));
    }
  }
  return found;
}
