// Reads definitions in JSON or YAML. For YAML it maps positions of the JSON back to the text.

import { validate } from "stepglass";
import { pointerTo } from "stepglass/pointer";
import type { YamlSource } from "stepglass/yaml-source";
import type { Diagnostic, StateInfo, TaskInfo } from "../model/protocol.ts";

export interface Source {
  /** The definition as JSON text. */
  json: string;
  /** The positions of its parts in the YAML text. Absent for JSON, whose positions need no mapping. */
  yaml?: YamlSource;
  problems: Diagnostic[];
}

let last: { text: string; source: Source } | undefined;

/** Reads a text. The YAML reader is loaded with the first YAML text. */
export async function readSource(text: string, format: "json" | "yaml"): Promise<Source> {
  if (format === "json") return { json: text, problems: [] };
  if (last?.text === text) return last.source;
  const { YamlSource } = await import("stepglass/yaml-source");
  const yaml = new YamlSource(text, { check: (json) => validate(json) });
  last = { text, source: { json: yaml.json, yaml, problems: yaml.problems } };
  return last.source;
}

/** Returns the value of a definition. A placeholder outside strings stands for a value and is replaced by a number. */
export function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The text has placeholders or is not valid JSON.
  }
  return JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|\$\{[^{}"'\n]*\}/g, (part) => (part.startsWith("$") ? "1" : part)));
}

let states: { json: string; found: StateInfo[] } = { json: "", found: [] };

/** Returns all states of a definition, nested states after the others. The text may be broken anywhere. */
export function findStates(json: string): StateInfo[] {
  // The layout and the analysis both need the states, so the last result is stored.
  if (states.json !== json) states = { json, found: statesIn(json) };
  return states.found;
}

function statesIn(json: string): StateInfo[] {
  let definition: unknown;
  try {
    definition = valueOf(json);
  } catch {
    return [];
  }
  const found: StateInfo[] = [];
  const scope = (value: unknown, pointer: string, depth: number): void => {
    if (depth > 32) return;
    for (const [name, body] of entries(member(value, "States"))) {
      if (found.length >= 20_000) return;
      const at = pointerTo(pointer, "States", name);
      const text = (key: string): string => (typeof member(body, key) === "string" ? (member(body, key) as string) : "");
      found.push({ name, type: text("Type"), pointer: at, detail: text("Resource") });
      const branches = member(body, "Branches");
      if (Array.isArray(branches)) branches.forEach((branch, i) => scope(branch, `${at}/Branches/${i}`, depth + 1));
      for (const key of ["ItemProcessor", "Iterator"])
        if (member(body, key) !== undefined) scope(member(body, key), `${at}/${key}`, depth + 1);
    }
  };
  scope(definition, "", 0);
  return found;
}

/** Returns all Task states of a definition with what they call. The text may be broken anywhere. */
export function findTasks(json: string): TaskInfo[] {
  let definition: unknown;
  try {
    definition = valueOf(json);
  } catch {
    return [];
  }
  const found: TaskInfo[] = [];
  const queue: unknown[] = [definition];
  for (let scope = queue.shift(); scope !== undefined && found.length < 1000; scope = queue.shift()) {
    for (const [state, body] of entries(member(scope, "States"))) {
      const resource = member(body, "Resource");
      if (member(body, "Type") === "Task" && typeof resource === "string") {
        const called = member(member(body, "Parameters") ?? member(body, "Arguments"), "FunctionName");
        found.push({ state, resource, ...(typeof called === "string" ? { functionName: called } : {}) });
      }
      const branches = member(body, "Branches");
      if (Array.isArray(branches)) queue.push(...branches);
      for (const key of ["ItemProcessor", "Iterator"]) if (member(body, key) !== undefined) queue.push(member(body, key));
    }
  }
  return found;
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
