// What an expression reads, told from its text.

import { inner } from "../model/stages.ts";

export interface Read {
  /// `$` of JSONPath, a member of `$states`, the Context Object, or a variable.
  of: "data" | "input" | "result" | "errorOutput" | "context" | "variable";
  /// The variable's name.
  name?: string;
  /// The path from there, in the expression's own words.
  path: string;
}

export interface Reads {
  reads: Read[];
  /// The expression is one path and nothing else.
  plain: boolean;
}

/// Of a path, or a call of intrinsic functions, of JSONPath.
export function readsOfPath(text: string): Reads {
  const trimmed = text.trim();
  if (trimmed.startsWith("$")) return { reads: [rooted(trimmed)], plain: true };
  const reads: Read[] = [];
  for (const argument of argumentsOf(trimmed)) if (argument.startsWith("$")) reads.push(rooted(argument));
  return { reads, plain: false };
}

function rooted(path: string): Read {
  if (path.startsWith("$$")) return { of: "context", path: path.slice(2) };
  const variable = /^\$([A-Za-z_]\w*)/.exec(path);
  if (variable) return { of: "variable", name: variable[1]!, path: path.slice(variable[0].length) };
  return { of: "data", path: path.slice(1) };
}

/// All arguments of a call and of those in it, flat.
function argumentsOf(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  let quote = false;
  let depth = 0;
  const end = (at: number): void => {
    const argument = text.slice(from, at).trim();
    if (argument !== "") found.push(argument);
    from = at + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quote) {
      if (c === "\\") i++;
      else if (c === "'") quote = false;
    } else if (c === "'") quote = true;
    else if (c === "[") depth++;
    else if (c === "]") depth--;
    else if (depth === 0 && c === "(") from = i + 1;
    else if (depth === 0 && (c === "," || c === ")")) end(i);
  }
  end(text.length);
  return found;
}

const CHAIN = /^(?:\s*\.\s*(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*(?![\w\u0080-\uffff]|\s*\()|`[^`]*`)|\s*\[\s*-?\d+\s*\])*/;

/// Of a JSONata expression, with or without its `{% … %}`.
export function readsOfJsonata(text: string): Reads {
  const code = inner(text).trim();
  const own = new Set<string>();
  for (const [, name] of code.matchAll(/\$([A-Za-z_]\w*)\s*:=/g)) own.add(name!);
  for (const [, names] of code.matchAll(/(?:function|λ)\s*\(([^)]*)\)/g))
    for (const [, name] of names!.matchAll(/\$([A-Za-z_]\w*)/g)) own.add(name!);
  for (const [, name] of code.matchAll(/[@#]\s*\$([A-Za-z_]\w*)/g)) own.add(name!);
  const reads: Read[] = [];
  let plain = false;
  for (let i = 0; i < code.length; i++) {
    const c = code[i]!;
    if (c === '"' || c === "'" || c === "`") {
      for (i++; i < code.length && code[i] !== c; i++) if (code[i] === "\\" && c !== "`") i++;
      continue;
    }
    if (c === "/" && code[i + 1] === "*") {
      const end = code.indexOf("*/", i + 2);
      i = end < 0 ? code.length : end + 1;
      continue;
    }
    if (c !== "$") continue;
    const name = /^\$([A-Za-z_]\w*)/.exec(code.slice(i));
    if (!name) continue;
    const start = i;
    i += name[0].length - 1;
    if (own.has(name[1]!) || /^\s*\(/.test(code.slice(i + 1))) continue;
    let rest = code.slice(i + 1);
    let read: Read | undefined;
    if (name[1] === "states") {
      const part = /^\s*\.\s*(input|result|errorOutput|context)\b/.exec(rest);
      if (!part) {
        reads.push({ of: "input", path: "" });
        continue;
      }
      i += part[0].length;
      rest = code.slice(i + 1);
      read = { of: part[1] as Read["of"], path: "" };
    } else read = { of: "variable", name: name[1]!, path: "" };
    const [chain] = CHAIN.exec(rest)!;
    read.path = chain.trimEnd();
    i += read.path.length;
    reads.push(read);
    plain ||= start === 0 && i + 1 >= code.length;
  }
  return { reads, plain: plain && reads.length === 1 };
}
