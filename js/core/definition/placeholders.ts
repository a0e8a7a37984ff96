// Placeholders `${Name}` in a definition's text, which a deployment fills in like DefinitionSubstitutions. Inside of a string they
// are text. A bare one stands for any value, so the text becomes JSON only when it is filled in.

import type { Diagnostic, Position, Range } from "../api/index.d.ts";
import { pointerTo } from "../base/pointer.ts";

/** A placeholder in a text, from the offset `start` to `end`. */
export interface Placeholder {
  name: string;
  start: number;
  end: number;
  /** The quote of the string that contains it. */
  quoted: string | undefined;
  /** Whether it becomes a string by default, because YAML needs no quotes. */
  plain?: boolean;
  pointer?: string;
}

/** What contains a position of a JSON text: a list and an index, or an object and a name. */
interface Level {
  list: boolean;
  at: string | number;
  /** Whether a member's name comes next. */
  key?: boolean;
}

const HOLE = /\$\{([^{}"'\n]*)\}/y;

/** Returns the placeholders of a JSON text. */
export function jsonPlaceholders(text: string): Placeholder[] {
  const holes: Placeholder[] = [];
  if (!text.includes("${")) return holes;
  const stack: Level[] = [];
  const pointer = () => pointerTo("", ...stack.map(({ at }) => at));
  /** Records the placeholder at an offset. Returns where it ends, or undefined if there is none. */
  const hole = (at: number, quoted: string | undefined) => {
    HOLE.lastIndex = at;
    const found = HOLE.exec(text);
    if (found === null) return undefined;
    holes.push({ name: (found[1] ?? "").trim(), start: at, end: HOLE.lastIndex, quoted, pointer: pointer() });
    return HOLE.lastIndex;
  };
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    const top = stack.at(-1);
    if (c === '"') {
      const start = at;
      const before = holes.length;
      for (at += 1; at < text.length && text[at] !== '"' && text[at] !== "\n"; at++) {
        if (text[at] === "\\") at += 1;
        else if (text[at] === "$" && text[at + 1] === "{") at = (hole(at, '"') ?? at + 1) - 1;
      }
      if (top?.list === false && top.key) {
        top.at = textOf(text.slice(start, at + 1));
        for (const one of holes.slice(before)) one.pointer = pointer();
      }
    } else if (c === "{") stack.push({ list: false, at: "", key: true });
    else if (c === "[") stack.push({ list: true, at: 0 });
    else if (c === "}" || c === "]") stack.pop();
    else if (c === ":" && top) top.key = false;
    else if (c === "," && typeof top?.at === "number") top.at += 1;
    else if (c === "," && top) top.key = true;
    else if (c === "$" && text[at + 1] === "{") at = (hole(at, undefined) ?? at + 1) - 1;
  }
  return holes;
}

function textOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** The guesses for a bare placeholder without a value. None is longer than the shortest placeholder. */
const GUESSES = ["1", '"x"', "{}", "[]", "true", "null"];

/** The first guess for a whole state: a state that is valid anywhere. */
const STATE = '{"Type":"Succeed"}';

/** Returns whether a placeholder stands for a whole state. */
const isState = ({ pointer = "" }: Placeholder): boolean => /(^|\/)States\/[^/]+$/.test(pointer);

/** Problems of other states that may not exist if a state is unknown, because that state may lead to them. */
const UNREACHABLE: ReadonlySet<string> = new Set(["unreachable-state"]);

/** A text with values in place of its placeholders. */
export class Filled {
  #source: string;
  #values: Readonly<Record<string, unknown>>;
  #holes: Placeholder[];
  /** The index of the guess for each placeholder without a value. */
  #guesses = new Map<Placeholder, number>();
  /** The position of each placeholder in the filled text. */
  #positions: { hole: Placeholder; from: number; to: number }[] = [];
  /** The filled text. */
  text = "";
  /** For each problem of the last report, whether it is about a guess and not about the source. */
  dropped: boolean[] = [];

  /** A placeholder that is `plain` becomes a string by default, because YAML needs no quotes. */
  constructor(source: string, holes: Placeholder[], values: Readonly<Record<string, unknown>> = {}) {
    this.#source = source;
    this.#values = values;
    this.#holes = holes.filter((hole) => hole.quoted === undefined || Object.hasOwn(values, hole.name));
    for (const hole of this.#holes) if (!Object.hasOwn(values, hole.name)) this.#guesses.set(hole, hole.plain ? -1 : 0);
    this.#write();
  }

  /** Whether the filled text differs from the source. */
  get differs(): boolean {
    return this.#holes.length > 0;
  }

  /** The placeholders that need a value. */
  get missing(): Placeholder[] {
    return this.#holes.filter((hole) => (this.#guesses.get(hole) ?? -1) >= 0);
  }

  #write(): void {
    let text = "";
    let at = 0;
    this.#positions = [];
    for (const hole of this.#holes) {
      text += this.#source.slice(at, hole.start);
      const from = text.length;
      text += this.#put(hole);
      this.#positions.push({ hole, from, to: text.length });
      at = hole.end;
    }
    this.text = text + this.#source.slice(at);
  }

  #put(hole: Placeholder): string {
    const own = this.#source.slice(hole.start, hole.end);
    const guess = this.#guesses.get(hole);
    // The value has the length of the placeholder, so that the following text keeps its position.
    if (guess === 0 && isState(hole)) return STATE;
    if (guess !== undefined) return guess < 0 ? own : (GUESSES[guess] ?? "").padEnd(own.length);
    const value = this.#values[hole.name];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (hole.quoted === '"') return JSON.stringify(text).slice(1, -1);
    return hole.quoted === "'" ? text.replaceAll("'", "''") : text;
  }

  /** Finds guesses for which `check` reports no error at the placeholders. Returns the report for these guesses. */
  settle(check: (text: string) => Diagnostic[]): Diagnostic[] {
    let found = check(this.text);
    const settled = new Set<Placeholder>();
    for (let round = 0; round <= GUESSES.length; round++) {
      const wrong = this.#positions.filter(
        ({ hole, from, to }) =>
          this.#guesses.has(hole) && !settled.has(hole) && found.some((one) => one.severity === "error" && touches(one, from, to)),
      );
      if (wrong.length === 0) break;
      for (const { hole } of wrong) {
        const next = (this.#guesses.get(hole) ?? 0) + 1;
        if (next >= GUESSES.length) settled.add(hole);
        this.#guesses.set(hole, next >= GUESSES.length ? 0 : next);
      }
      this.#write();
      found = check(this.text);
    }
    return this.report(found);
  }

  /** Converts problems of the filled text to problems of the source, without those about guesses. */
  report(found: Diagnostic[]): Diagnostic[] {
    const missing = new Set(this.missing);
    const open = this.#positions.filter(({ hole }) => missing.has(hole));
    const isOpen = open.some(({ hole }) => isState(hole));
    this.dropped = found.map((one) => (isOpen && UNREACHABLE.has(one.code)) || open.some(({ from, to }) => touches(one, from, to)));
    return found.filter((_, i) => !this.dropped[i]).map((one) => this.#moved(one));
  }

  #moved(diagnostic: Diagnostic): Diagnostic {
    const placed = <One extends { range?: Range }>(one: One): One =>
      one.range === undefined ? one : { ...one, range: this.range(one.range.start.offset, one.range.end.offset) };
    const { labels, fix } = diagnostic;
    return { ...placed(diagnostic), labels: labels.map(placed), ...(fix && { fix: placed(fix) }) };
  }

  /** Returns the range in the source for offsets in the filled text. */
  range(start: number, end: number): Range {
    return { start: positionOf(this.#source, this.back(start)), end: positionOf(this.#source, this.back(end, true)) };
  }

  /** Returns the offset in the source for an offset in the filled text. */
  back(offset: number, isEnd = false): number {
    let shift = 0;
    for (const { hole, from, to } of this.#positions) {
      if (offset < from || (offset === from && isEnd)) break;
      if (offset < to || (offset === to && isEnd)) return isEnd ? hole.end : hole.start;
      shift = hole.end - to;
    }
    return offset + shift;
  }

  /** Returns the diagnostics about placeholders without a value. */
  diagnostics(severity: Diagnostic["severity"], how = "give it one in the option `substitutions`"): Diagnostic[] {
    return this.missing.map(({ name, start, end, pointer = "" }) => ({
      code: "placeholder",
      severity,
      pointer,
      message: `the placeholder \`\${${name}}\` has no value`,
      range: { start: positionOf(this.#source, start), end: positionOf(this.#source, end) },
      labels: [],
      help: how,
      aws: [],
    }));
  }
}

function touches({ range }: Diagnostic, from: number, to: number): boolean {
  return range !== undefined && range.start.offset < to && Math.max(range.end.offset, range.start.offset + 1) > from;
}

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), offset };
}

/** Sorts diagnostics by position. */
export function inOrder(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.sort((a, b) => (a.range?.start.offset ?? 0) - (b.range?.start.offset ?? 0));
}

/** Returns a text of the same length in which bare placeholders are numbers, so that its structure can be parsed. */
export function solid(text: string): string {
  let out = "";
  let at = 0;
  for (const { start, end, quoted } of jsonPlaceholders(text)) {
    if (quoted !== undefined) continue;
    out += text.slice(at, start) + "1".padEnd(end - start, "0");
    at = end;
  }
  return out + text.slice(at);
}

/** Maximum number of digits. A longer number changes when it is parsed and written again. */
const MOST_DIGITS = 15;

/**
 * Replaces each bare placeholder by a number or string of the same length that occurs nowhere else, and converts texts back. So
 * parts of texts can be moved.
 */
export function standIns(sources: readonly string[]): { texts: string[]; back(text: string): string } {
  const known = new Map<string, string>();
  const standIn = (own: string): string => {
    const same = [...known].find(([, placeholder]) => placeholder === own);
    if (same) return same[0];
    for (let i = known.size + 1; ; i++) {
      const digits = (length: number) => `9${String(i).padStart(length - 1, "0")}`.slice(0, length);
      const candidate = own.length > MOST_DIGITS ? `"${digits(own.length - 2)}"` : digits(own.length);
      // There are more numbers of a length than placeholders of that length, unless the text contains all of these numbers.
      const free =
        [...sources, ...known.keys()].every((other) => !other.includes(candidate)) &&
        ![...known.keys()].some((key) => candidate.includes(key));
      if (i > 9999 || free) return candidate;
    }
  };
  const filled = (source: string): string => {
    let text = "";
    let at = 0;
    for (const { start, end, quoted } of jsonPlaceholders(source)) {
      if (quoted !== undefined) continue;
      const own = source.slice(start, end);
      const put = standIn(own);
      known.set(put, own);
      text += source.slice(at, start) + put;
      at = end;
    }
    return text + source.slice(at);
  };
  return {
    texts: sources.map(filled),
    back: (given) => [...known].reduce((out, [put, own]) => out.replaceAll(put, own), given),
  };
}

/** Returns the JSON Pointers of the bare placeholders of a text. */
export function barePointers(text: string): Set<string> {
  return new Set(jsonPlaceholders(text).flatMap(({ quoted, pointer }) => (quoted === undefined && pointer !== undefined ? [pointer] : [])));
}

/** Returns whether a text begins with a byte order mark. */
export function isMarked(text: unknown): text is string {
  return typeof text === "string" && text.charCodeAt(0) === 0xfeff;
}

/** Replaces a byte order mark by white space, so that all positions stay the same. */
export function unmarked<Given>(text: Given): Given | string {
  return isMarked(text) ? ` ${text.slice(1)}` : text;
}
