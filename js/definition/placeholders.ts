// @ts-nocheck: has no types yet.
// `${Name}` in a definition's text: what a deployment fills in, as DefinitionSubstitutions do. Inside of a string it is text; a
// bare one stands for any value, and the text is JSON only afterwards.

import { pointerTo } from "../base/pointer.ts";

const HOLE = /\$\{([^{}"'\n]*)\}/y;

/** The placeholders of a JSON text: `{name, start, end, quoted, pointer}`. */
export function jsonHoles(text) {
  const holes = [];
  if (!text.includes("${")) return holes;
  const stack = [];
  const pointer = () => pointerTo("", ...stack.map(({ at }) => at));
  const hole = (at, quoted) => {
    HOLE.lastIndex = at;
    const found = HOLE.exec(text);
    if (found === null) return false;
    holes.push({ name: found[1].trim(), start: at, end: HOLE.lastIndex, quoted, pointer: pointer() });
    return true;
  };
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    const top = stack.at(-1);
    if (c === '"') {
      const start = at;
      const before = holes.length;
      for (at += 1; at < text.length && text[at] !== '"' && text[at] !== "\n"; at++) {
        if (text[at] === "\\") at += 1;
        else if (text[at] === "$" && text[at + 1] === "{" && hole(at, '"')) at = holes.at(-1).end - 1;
      }
      if (top?.list === false && top.key) {
        top.at = textOf(text.slice(start, at + 1));
        for (const one of holes.slice(before)) one.pointer = pointer();
      }
    } else if (c === "{") stack.push({ list: false, at: "", key: true });
    else if (c === "[") stack.push({ list: true, at: 0 });
    else if (c === "}" || c === "]") stack.pop();
    else if (c === ":" && top) top.key = false;
    else if (c === "," && top?.list) top.at += 1;
    else if (c === "," && top) top.key = true;
    else if (c === "$" && text[at + 1] === "{" && hole(at, undefined)) at = holes.at(-1).end - 1;
  }
  return holes;
}

function textOf(quoted) {
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted.slice(1, -1);
  }
}

/** What a bare placeholder without a value may stand for; none is longer than the shortest placeholder. */
const GUESSES = ["1", '"x"', "{}", "[]", "true", "null"];

/** A text with values in place of its placeholders. */
export class Filled {
  #source;
  #values;
  #holes;
  /** Which guess stands for each placeholder without a value. */
  #guesses = new Map();
  /** Where each placeholder is in the filled text. */
  #places = [];
  text;

  /** A placeholder that is `plain` is a text by itself if nothing says otherwise: YAML needs no quotes. */
  constructor(source, holes, values = {}) {
    this.#source = source;
    this.#values = values;
    this.#holes = holes.filter((hole) => hole.quoted === undefined || Object.hasOwn(values, hole.name));
    for (const hole of this.#holes) if (!Object.hasOwn(values, hole.name)) this.#guesses.set(hole, hole.plain ? -1 : 0);
    this.#write();
  }

  /** Whether anything is written differently. */
  get differs() {
    return this.#holes.length > 0;
  }

  /** The placeholders that need a value. */
  get missing() {
    return this.#holes.filter((hole) => (this.#guesses.get(hole) ?? -1) >= 0);
  }

  #write() {
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

  #put(hole) {
    const own = this.#source.slice(hole.start, hole.end);
    const guess = this.#guesses.get(hole);
    // As long as it is, so that what follows keeps its place.
    if (guess !== undefined) return guess < 0 ? own : GUESSES[guess].padEnd(own.length);
    const value = this.#values[hole.name];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (hole.quoted === '"') return JSON.stringify(text).slice(1, -1);
    return hole.quoted === "'" ? text.replaceAll("'", "''") : text;
  }

  /**
   * Finds guesses with which `check`, a function of a text, finds no error at the placeholders; returns the report of what it
   * finds then.
   */
  settle(check) {
    let found = check(this.text);
    const settled = new Set();
    for (let round = 0; round <= GUESSES.length; round++) {
      const wrong = this.#places.filter(({ hole, from, to }) => this.#guesses.has(hole) && !settled.has(hole) && found.some((one) => one.severity === "error" && touches(one, from, to)));
      if (wrong.length === 0) break;
      for (const { hole } of wrong) {
        const next = this.#guesses.get(hole) + 1;
        if (next >= GUESSES.length) settled.add(hole);
        this.#guesses.set(hole, next >= GUESSES.length ? 0 : next);
      }
      this.#write();
      found = check(this.text);
    }
    return this.report(found);
  }

  /** What was found in the filled text, in the text as it was written, without what is said of guesses. */
  report(found) {
    const missing = new Set(this.missing);
    const open = this.#places.filter(({ hole }) => missing.has(hole));
    this.dropped = found.map((one) => open.some(({ from, to }) => touches(one, from, to)));
    return found.filter((_, i) => !this.dropped[i]).map((one) => this.#moved(one));
  }

  #moved({ range, labels = [], fix, ...rest }) {
    const out = { ...rest, ...(range && { range: this.range(range.start.offset, range.end.offset) }), labels: labels.map((label) => (label.range ? { ...label, range: this.range(label.range.start.offset, label.range.end.offset) } : label)) };
    if (fix) out.fix = fix.range ? { ...fix, range: this.range(fix.range.start.offset, fix.range.end.offset) } : fix;
    return out;
  }

  /** The range, in the text as it was written, of offsets in the filled one. */
  range(start, end) {
    return { start: positionOf(this.#source, this.back(start)), end: positionOf(this.#source, this.back(end, true)) };
  }

  /** An offset in the text as it was written. */
  back(offset, isEnd = false) {
    let shift = 0;
    for (const { hole, from, to } of this.#places) {
      if (offset < from || (offset === from && isEnd)) break;
      if (offset < to || (offset === to && isEnd)) return isEnd ? hole.end : hole.start;
      shift = hole.end - to;
    }
    return offset + shift;
  }

  /** What is to be said about the placeholders without a value. */
  diagnostics(severity, how = "give it one in the option `substitutions`") {
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

function touches({ range }, from, to) {
  return range !== undefined && range.start.offset < to && Math.max(range.end.offset, range.start.offset + 1) > from;
}

export function positionOf(text, offset) {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), offset };
}

/** In the order of their places. */
export function inOrder(diagnostics) {
  return diagnostics.sort((a, b) => (a.range?.start.offset ?? 0) - (b.range?.start.offset ?? 0));
}

/** A text of the same length in which bare placeholders are numbers: for who reads structure. */
export function solid(text) {
  let out = "";
  let at = 0;
  for (const { start, end, quoted } of jsonHoles(text)) {
    if (quoted !== undefined) continue;
    out += text.slice(at, start) + "1".padEnd(end - start, "0");
    at = end;
  }
  return out + text.slice(at);
}

/** Whether a text begins with a byte order mark. */
export function isMarked(text) {
  return typeof text === "string" && text.charCodeAt(0) === 0xfeff;
}

/** With white space for a byte order mark, so that all places stay. */
export function unmarked(text) {
  return isMarked(text) ? ` ${text.slice(1)}` : text;
}
