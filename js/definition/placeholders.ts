// `${Name}` in a definition's text: what a deployment fills in, as DefinitionSubstitutions do. Inside of a string it is text; a
// bare one stands for any value, and the text is JSON only afterwards.

import type { Diagnostic, Position, Range } from "../api/index.d.ts";
import { pointerTo } from "../base/pointer.ts";

/** A placeholder in a text, from the offset `start` to `end`. */
export interface Hole {
  name: string;
  start: number;
  end: number;
  /** The quote of the string that it is in. */
  quoted: string | undefined;
  /** Whether it is a text by itself if nothing says otherwise: YAML needs no quotes. */
  plain?: boolean;
  pointer?: string;
}

/** What a JSON text is in, at a place: a list and an index, or an object and a name. */
interface Level {
  list: boolean;
  at: string | number;
  /** Whether a name of a member comes next. */
  key?: boolean;
}

const HOLE = /\$\{([^{}"'\n]*)\}/y;

/** The placeholders of a JSON text. */
export function jsonHoles(text: string): Hole[] {
  const holes: Hole[] = [];
  if (!text.includes("${")) return holes;
  const stack: Level[] = [];
  const pointer = () => pointerTo("", ...stack.map(({ at }) => at));
  /** Takes the placeholder at an offset; gives where it ends, or undefined where there is none. */
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

/** What a bare placeholder without a value may stand for; none is longer than the shortest placeholder. */
const GUESSES = ["1", '"x"', "{}", "[]", "true", "null"];

/** What stands for a whole state first: one that may stand anywhere. */
const STATE = '{"Type":"Succeed"}';

/** Whether a placeholder stands for a whole state. */
const isState = ({ pointer = "" }: Hole): boolean => /(^|\/)States\/[^/]+$/.test(pointer);

/** What is said of other states where one is not known: it may lead to them. */
const UNKNOWN_WAYS: ReadonlySet<string> = new Set(["unreachable-state"]);

/** A text with values in place of its placeholders. */
export class Filled {
  #source: string;
  #values: Readonly<Record<string, unknown>>;
  #holes: Hole[];
  /** Which guess stands for each placeholder without a value. */
  #guesses = new Map<Hole, number>();
  /** Where each placeholder is in the filled text. */
  #places: { hole: Hole; from: number; to: number }[] = [];
  /** The text with the values. */
  text = "";
  /** Which problems of the last report are said of guesses, and not of what was written. */
  dropped: boolean[] = [];

  /** A placeholder that is `plain` is a text by itself if nothing says otherwise: YAML needs no quotes. */
  constructor(source: string, holes: Hole[], values: Readonly<Record<string, unknown>> = {}) {
    this.#source = source;
    this.#values = values;
    this.#holes = holes.filter((hole) => hole.quoted === undefined || Object.hasOwn(values, hole.name));
    for (const hole of this.#holes) if (!Object.hasOwn(values, hole.name)) this.#guesses.set(hole, hole.plain ? -1 : 0);
    this.#write();
  }

  /** Whether anything is written differently. */
  get differs(): boolean {
    return this.#holes.length > 0;
  }

  /** The placeholders that need a value. */
  get missing(): Hole[] {
    return this.#holes.filter((hole) => (this.#guesses.get(hole) ?? -1) >= 0);
  }

  #write(): void {
    let text = "";
    let at = 0;
    this.#places = [];
    for (const hole of this.#holes) {
      text += this.#source.slice(at, hole.start);
      const from = text.length;
      text += this.#put(hole);
      this.#places.push({ hole, from, to: text.length });
      at = hole.end;
    }
    this.text = text + this.#source.slice(at);
  }

  #put(hole: Hole): string {
    const own = this.#source.slice(hole.start, hole.end);
    const guess = this.#guesses.get(hole);
    // As long as it is, so that what follows keeps its place.
    if (guess === 0 && isState(hole)) return STATE;
    if (guess !== undefined) return guess < 0 ? own : (GUESSES[guess] ?? "").padEnd(own.length);
    const value = this.#values[hole.name];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (hole.quoted === '"') return JSON.stringify(text).slice(1, -1);
    return hole.quoted === "'" ? text.replaceAll("'", "''") : text;
  }

  /**
   * Finds guesses with which `check`, a function of a text, finds no error at the placeholders; returns the report of what it
   * finds then.
   */
  settle(check: (text: string) => Diagnostic[]): Diagnostic[] {
    let found = check(this.text);
    const settled = new Set<Hole>();
    for (let round = 0; round <= GUESSES.length; round++) {
      const wrong = this.#places.filter(
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

  /** What was found in the filled text, in the text as it was written, without what is said of guesses. */
  report(found: Diagnostic[]): Diagnostic[] {
    const missing = new Set(this.missing);
    const open = this.#places.filter(({ hole }) => missing.has(hole));
    const isOpen = open.some(({ hole }) => isState(hole));
    this.dropped = found.map((one) => (isOpen && UNKNOWN_WAYS.has(one.code)) || open.some(({ from, to }) => touches(one, from, to)));
    return found.filter((_, i) => !this.dropped[i]).map((one) => this.#moved(one));
  }

  #moved(diagnostic: Diagnostic): Diagnostic {
    const placed = <One extends { range?: Range }>(one: One): One =>
      one.range === undefined ? one : { ...one, range: this.range(one.range.start.offset, one.range.end.offset) };
    const { labels, fix } = diagnostic;
    return { ...placed(diagnostic), labels: labels.map(placed), ...(fix && { fix: placed(fix) }) };
  }

  /** The range, in the text as it was written, of offsets in the filled one. */
  range(start: number, end: number): Range {
    return { start: positionOf(this.#source, this.back(start)), end: positionOf(this.#source, this.back(end, true)) };
  }

  /** An offset in the text as it was written. */
  back(offset: number, isEnd = false): number {
    let shift = 0;
    for (const { hole, from, to } of this.#places) {
      if (offset < from || (offset === from && isEnd)) break;
      if (offset < to || (offset === to && isEnd)) return isEnd ? hole.end : hole.start;
      shift = hole.end - to;
    }
    return offset + shift;
  }

  /** What is to be said about the placeholders without a value. */
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

/** In the order of their places. */
export function inOrder(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.sort((a, b) => (a.range?.start.offset ?? 0) - (b.range?.start.offset ?? 0));
}

/** A text of the same length in which bare placeholders are numbers: for who reads structure. */
export function solid(text: string): string {
  let out = "";
  let at = 0;
  for (const { start, end, quoted } of jsonHoles(text)) {
    if (quoted !== undefined) continue;
    out += text.slice(at, start) + "1".padEnd(end - start, "0");
    at = end;
  }
  return out + text.slice(at);
}

/** Numbers of more digits are written in another way when they were read. */
const MOST_DIGITS = 15;

/**
 * Texts in which each bare placeholder is a number or a string of its length that stands nowhere else, and back: for who moves
 * parts of texts.
 */
export function standIns(sources: readonly string[]): { texts: string[]; back(text: string): string } {
  const known = new Map<string, string>();
  const standIn = (own: string): string => {
    const same = [...known].find(([, placeholder]) => placeholder === own);
    if (same) return same[0];
    for (let i = known.size + 1; ; i++) {
      const digits = (length: number) => `9${String(i).padStart(length - 1, "0")}`.slice(0, length);
      const candidate = own.length > MOST_DIGITS ? `"${digits(own.length - 2)}"` : digits(own.length);
      // There are more numbers of a length than names of it, unless somebody has written them all.
      const free =
        [...sources, ...known.keys()].every((other) => !other.includes(candidate)) &&
        ![...known.keys()].some((key) => candidate.includes(key));
      if (i > 9999 || free) return candidate;
    }
  };
  const filled = (source: string): string => {
    let text = "";
    let at = 0;
    for (const { start, end, quoted } of jsonHoles(source)) {
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

/** The JSON Pointers of the bare placeholders of a text. */
export function openPlaces(text: string): Set<string> {
  return new Set(jsonHoles(text).flatMap(({ quoted, pointer }) => (quoted === undefined && pointer !== undefined ? [pointer] : [])));
}

/** Whether a text begins with a byte order mark. */
export function isMarked(text: unknown): text is string {
  return typeof text === "string" && text.charCodeAt(0) === 0xfeff;
}

/** With white space for a byte order mark, so that all places stay. */
export function unmarked<Given>(text: Given): Given | string {
  return isMarked(text) ? ` ${text.slice(1)}` : text;
}
