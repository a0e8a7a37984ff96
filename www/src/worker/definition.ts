// Definitions as people write them: JSON, or YAML with places mapped back.

import { validate } from "stepglass";
import { pointerTo } from "stepglass/pointer";
import type { YamlSource } from "stepglass/yaml-source";
import type { Diagnostic, StateInfo, TaskInfo } from "../model/protocol.ts";

export interface Source {
  /// JSON text for the interpreter.
  json: string;
  /// Where its parts were written; only for YAML, JSON has its places already.
  yaml?: YamlSource;
  problems: Diagnostic[];
}

let last: { text: string; source: Source } | undefined;

/// Reads a text; the reader of YAML is loaded with the first.
export async function readSource(text: string, format: "json" | "yaml"): Promise<Source> {
  if (format === "json") return { json: text, problems: [] };
  if (last?.text === text) return last.source;
  const { YamlSource } = await import("stepglass/yaml-source");
  const yaml = new YamlSource(text, { check: (json) => validate(json) });
  last = { text, source: { json: yaml.json, yaml, problems: yaml.problems } };
  return last.source;
}

/// What a definition says; a placeholder outside of strings stands for a value, and has a number in its place.
export function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // It has placeholders, or is broken.
  }
  return JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|\$\{[^{}"'\n]*\}/g, (part) => (part.startsWith("$") ? "1" : part)));
}

let states: { json: string; found: StateInfo[] } = { json: "", found: [] };

/// All states of a definition, those inside of others after them. Reads anything, however broken.
export function findStates(json: string): StateInfo[] {
  // Who draws a text and who looks for its problems both ask.
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

/// All Task states of a definition with what they call. Reads anything, however broken.
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
