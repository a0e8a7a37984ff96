// Two JSON values as the lines of one tree, with the changes between them.

import { equal } from "../model/equal.ts";
import type { Path } from "../model/stages.ts";

export { equal };

export interface Line {
  depth: number;
  /** The label before the value: a member's name or an index. */
  key: string;
  path: Path;
  /** The text of the value. For a container, only its beginning or end. */
  text: string;
  mark: "" | "+" | "-" | "~";
  /** For a changed leaf: the text of the old value. */
  was?: string;
  /** The number of lines of an unchanged container that are folded into this one. */
  folded?: number;
  leaf: boolean;
  /** Whether the line is the end of a container, which is not a value of its own. */
  end?: boolean;
}

export interface Lines {
  lines: Line[];
  /** Whether lines were left out. */
  cut: boolean;
}

/** The number of characters that are shown at first, and the maximum. */
export const SHOWN = 65_536;
const MOST = 1_000_000;

/** The maximum number of characters shown of a single string. */
const LONGEST = 20_000;

/** The collected lines, and the remaining number of characters. */
interface Collected extends Array<Line> {
  left?: number;
}

/**
 * Returns the lines. Without `compare`, all lines are included and have no marks. `open` has the paths of unchanged containers
 * that are not folded, or "all".
 */
export function linesOf(before: unknown, after: unknown, compare: boolean, open: ReadonlySet<string> | "all", all = false): Lines {
  const lines: Collected = [];
  lines.left = all ? MOST : SHOWN;
  walk(lines, "", [], compare ? before : after, after, 0, compare ? "both" : "plain", open);
  return { lines, cut: lines.left <= 0 };
}

type How = "both" | "plain" | "added" | "removed";

function walk(
  lines: Collected,
  key: string,
  path: Path,
  before: unknown,
  after: unknown,
  depth: number,
  how: How,
  open: ReadonlySet<string> | "all",
): void {
  if (lines.left! <= 0) return;
  const value = how === "removed" ? before : after;
  const mark = how === "added" ? "+" : how === "removed" ? "-" : "";
  if (how === "both" && isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    if (equal(before, after) && depth > 0 && open !== "all" && !open.has(nameOf(path))) {
      const n = Object.keys(after as object).length;
      add(lines, {
        depth,
        key,
        path,
        text: n === 0 ? (Array.isArray(after) ? "[]" : "{}") : Array.isArray(after) ? `[ ${n} unchanged ]` : `{ ${n} unchanged }`,
        mark: "",
        folded: n,
        leaf: n === 0,
      });
      return;
    }
    return container(lines, key, path, before, after, depth, "both", open, "");
  }
  if (how === "both" && !equal(before, after)) {
    if (!isContainer(before) && !isContainer(after)) {
      add(lines, { depth, key, path, text: brief(after), mark: "~", was: brief(before), leaf: true });
      return;
    }
    walk(lines, key, path, before, undefined, depth, "removed", open);
    walk(lines, key, path, undefined, after, depth, "added", open);
    return;
  }
  if (isContainer(value) && Object.keys(value as object).length > 0)
    return container(lines, key, path, before, after, depth, how, open, mark);
  add(lines, { depth, key, path, text: brief(value), mark, leaf: true });
}

function container(
  lines: Collected,
  key: string,
  path: Path,
  before: unknown,
  after: unknown,
  depth: number,
  how: How,
  open: ReadonlySet<string> | "all",
  mark: Line["mark"],
): void {
  const value = (how === "removed" ? before : after) as object;
  const list = Array.isArray(value);
  add(lines, { depth, key, path, text: list ? "[" : "{", mark, leaf: false });
  const now = (how === "removed" ? {} : after) as Record<string, unknown>;
  const then = (how === "removed" || how === "both" ? before : {}) as Record<string, unknown>;
  const names =
    how === "both"
      ? [...Object.keys(now), ...Object.keys(then).filter((name) => !Object.hasOwn(now, name))]
      : Object.keys(how === "removed" ? then : now);
  for (const name of names) {
    const step = list ? Number(name) : name;
    const shown = list ? "" : `${JSON.stringify(name)}: `;
    const inner: How = how !== "both" ? how : !Object.hasOwn(then, name) ? "added" : !Object.hasOwn(now, name) ? "removed" : "both";
    walk(lines, shown, [...path, step], then[name], now[name], depth + 1, inner, open);
  }
  add(lines, { depth, key: "", path, text: list ? "]" : "}", mark, leaf: false, end: true });
}

function add(lines: Collected, line: Line): void {
  lines.push(line);
  lines.left! -= line.depth * 2 + line.key.length + line.text.length + (line.was?.length ?? 0);
}

export function nameOf(path: Path): string {
  return JSON.stringify(path);
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
