// Converts JSON values to variables of the protocol: a short text, and members that are listed in pages.

import type { DebugProtocol } from "@vscode/debugprotocol";

/** Maximum number of characters of a value's short text. */
const SHOWN = 100;
/** Maximum number of members that are listed for a client that asks for all of them. */
const LISTED = 1000;
/** Number of members above which a value is offered in pages. */
const PAGED = 100;

/** Names and indices that lead from a value to one inside of it. */
export type Path = readonly (string | number)[];

/** A list whose items are computed on access. */
export class LazyList {
  readonly length: number;
  readonly item: (index: number) => unknown;

  constructor(length: number, item: (index: number) => unknown) {
    this.length = length;
    this.item = item;
  }
}

/** Returns the short text of a value: `{id: 7, items: [1, 2, …]}`. */
export function brief(value: unknown, most = SHOWN): string {
  if (value instanceof LazyList) return `(${value.length})`;
  if (typeof value !== "object" || value === null) return cut(value === undefined ? "undefined" : JSON.stringify(value), most);
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let length = 2;
  for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
    const left = most - length;
    if (left < 8) {
      parts.push("…");
      break;
    }
    const text = `${isList ? "" : `${key}: `}${brief(member, Math.min(left, 40))}`;
    parts.push(text);
    length += text.length + 2;
  }
  const prefix = isList && value.length > 3 ? `(${value.length}) ` : "";
  return isList ? `${prefix}[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Returns the JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value instanceof LazyList || Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

/** Returns whether a value has members. */
export function hasMembers(value: unknown): boolean {
  return value instanceof LazyList ? value.length > 0 : typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Returns how many members a value has, if it is offered in pages. */
export function counts(value: unknown): Pick<DebugProtocol.Variable, "indexedVariables" | "namedVariables"> {
  if (value instanceof LazyList || Array.isArray(value)) return value.length > PAGED ? { indexedVariables: value.length } : {};
  const named = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  return named > PAGED ? { namedVariables: named } : {};
}

/** Returns a page of a value's members. `more` is the number of members after it, if the client asked for all. */
export function membersOf(
  value: unknown,
  { start = 0, count }: { start?: number | undefined; count?: number | undefined },
): { members: [name: string | number, value: unknown][]; more: number } {
  const most = count === undefined || count === 0 ? LISTED : count;
  const more = (all: number): number => (count ? 0 : Math.max(0, all - start - most));
  if (value instanceof LazyList || Array.isArray(value)) {
    const end = Math.min(value.length, start + most);
    const members: [number, unknown][] = [];
    for (let i = start; i < end; i++) members.push([i, value instanceof LazyList ? value.item(i) : value[i]]);
    return { members, more: more(value.length) };
  }
  if (typeof value !== "object" || value === null) return { members: [], more: 0 };
  const names = Object.keys(value);
  const members = names.slice(start, start + most).map((name): [string, unknown] => [name, (value as Record<string, unknown>)[name]]);
  return { members, more: more(names.length) };
}

/** Returns a copy of a value with another value at a path. */
export function withValue(value: unknown, [first, ...rest]: Path, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  if (Array.isArray(value)) return value.map((one: unknown, i) => (i === Number(first) ? withValue(one, rest, replacement) : one));
  const object = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  // A computed key can be any name, including __proto__.
  return { ...object, [first]: withValue(object[first], rest, replacement) };
}

/** Returns a path step in the syntax of JSONata and JSONPath: `.name`, `[3]`. */
export function stepText(step: string | number, language: "jsonata" | "jsonpath"): string {
  if (typeof step === "number") return `[${step}]`;
  if (/^[A-Za-z_]\w*$/.test(step)) return `.${step}`;
  return language === "jsonata" ? `.\`${step}\`` : `[${JSON.stringify(step)}]`;
}
