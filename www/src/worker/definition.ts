// Definitions as people write them: JSON, or YAML with places mapped back.

import type { Diagnostic, Place, TaskInfo } from "../model/protocol.ts";

export interface Source {
  /// JSON text for the interpreter.
  json: string;
  /// Where a pointer stands in the text as written; only for YAML, JSON has its places already.
  locate?: (pointer: string) => { start: Place; end: Place } | undefined;
  problems: Diagnostic[];
}

export async function readSource(text: string, format: "json" | "yaml"): Promise<Source> {
  if (format === "json") return { json: text, problems: [] };
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, offset };
  };
  const range = (from: number, to: number) => ({ start: place(from), end: place(Math.max(to, from)) });
  const problems = [...document.errors, ...document.warnings].map((problem): Diagnostic => ({
    code: "yaml",
    severity: problem.name === "YAMLWarning" ? "warning" : "error",
    message: problem.message,
    pointer: "",
    range: range(problem.pos[0], problem.pos[1]),
  }));
  let json = "null";
  if (document.errors.length === 0) {
    try {
      json = JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null);
    } catch (error) {
      problems.push({ code: "yaml", severity: "error", message: String((error as Error).message), pointer: "", range: range(0, 0) });
    }
  }
  const locate = (pointer: string) => {
    const path = pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    for (let length = path.length; length >= 0; length--) {
      const keys = path.slice(0, length).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
      const node = length === 0 ? document.contents : (document.getIn(keys, true) as { range?: [number, number, number] } | undefined);
      const at = node && typeof node === "object" ? node.range : undefined;
      if (at) return range(at[0], length === path.length ? at[1] : at[0] + 1);
    }
    return undefined;
  };
  return { json, locate, problems };
}

/// All Task states of a definition with what they call. Reads anything, however broken.
export function findTasks(json: string): TaskInfo[] {
  let definition: unknown;
  try {
    definition = JSON.parse(json);
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
