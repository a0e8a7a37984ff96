// What an expression reads.

import { type ExpressionPart, language } from "stepglass";
import { type Path, inner } from "../model/stages.ts";

export interface Read {
  /// `$` of JSONPath, a member of `$states`, the Context Object, or a variable.
  of: "data" | "input" | "result" | "errorOutput" | "context" | "variable";
  /// The variable's name.
  name?: string;
  /// The path from there, in the expression's own words.
  path: string;
  /// Its steps as far as each is a name or an index from the front.
  steps: Path;
  /// Where it begins, the part of `path` included that says what it reads of, and the steps of `path`: all in the expression's text.
  start: number;
  parts: ExpressionPart[];
}

export interface Reads {
  reads: Read[];
  /// The expression is one path and nothing else.
  plain: boolean;
}

const NOTHING: Reads = { reads: [], plain: false };

/// Of a path, or a call of intrinsic functions, of JSONPath.
export function readsOfPath(text: string): Reads {
  const trimmed = text.trim();
  const syntax = language.syntax(trimmed, "jsonpath");
  if ("message" in syntax) return NOTHING;
  const reads = [...pathsIn(syntax)].map((path) => {
    const [root, ...steps] = path.parts!;
    const of = root!.kind === "variable" ? "variable" : root!.value === "$$" ? "context" : "data";
    return readOf(trimmed, of, root!, steps, root!.end);
  });
  return { reads, plain: syntax.kind === "path" };
}

const MEMBERS: ReadonlySet<unknown> = new Set(["input", "result", "errorOutput", "context"]);

/// Of a JSONata expression, with or without its `{% … %}`.
export function readsOfJsonata(text: string): Reads {
  const code = inner(text).trim();
  const syntax = language.syntax(code, "jsonata");
  if ("message" in syntax) return NOTHING;
  let plain = false;
  const reads = [...pathsIn(syntax)].flatMap((path): Read[] => {
    const [root, ...all] = path.parts!;
    if (root!.kind !== "variable") return [];
    const end = all.findIndex(({ kind }) => kind !== "name" && kind !== "index");
    const steps = end < 0 ? all : all.slice(0, end);
    const [member, ...rest] = steps;
    const isOfStates = root!.value === "states";
    // Of `$states` alone it is not told what is read.
    if (isOfStates && !MEMBERS.has(member?.value)) return [{ of: "input", path: "", steps: [], start: root!.start, parts: [] }];
    plain ||= path === syntax && end < 0;
    return [
      isOfStates ? readOf(code, member!.value as Read["of"], root!, rest, member!.end) : readOf(code, "variable", root!, steps, root!.end),
    ];
  });
  return { reads, plain };
}

function readOf(text: string, of: Read["of"], root: ExpressionPart, parts: ExpressionPart[], from: number): Read {
  const path = text.slice(from, parts.at(-1)?.end ?? from);
  const stop = parts.findIndex(({ kind, value }) => kind !== "name" && !(kind === "index" && Number(value) >= 0));
  const steps = (stop < 0 ? parts : parts.slice(0, stop)).map(({ value }) => value as string | number);
  return { of, ...(of === "variable" && { name: String(root.value) }), path, steps, start: root.start, parts };
}

/// All paths of an expression, in the order of its text.
function* pathsIn(part: ExpressionPart): Generator<ExpressionPart> {
  if (part.kind === "path") yield part;
  for (const one of part.parts ?? []) yield* pathsIn(one);
}

/// What a condition reads, each in its own words once; not whole inputs, which say nothing beside their parts.
export function readWords(condition: string): string[] {
  const code = inner(condition).trim();
  const { reads } = readsOfJsonata(code);
  const words = reads.flatMap(({ name, path, start, parts }) =>
    path === "" ? (name === undefined ? [] : [`$${name}`]) : [code.slice(start, parts.at(-1)!.end)],
  );
  return [...new Set(words)].slice(0, 8);
}
