// Converts YAML to JSON, and maps every name and value to its source position: through anchors, aliases and merge keys.

import * as yaml from "yaml";
import type { Diagnostic, Position, Range, TextEdit } from "../api/index.d.ts";
import { isObject } from "../base/json.ts";
import { messageOf } from "../base/errors.ts";
import { pointerSteps } from "../base/pointer.ts";
import { countFitting } from "../base/search.ts";
import { yamlDocument } from "./yaml.ts";
import { readYaml, yamlErrors } from "./yaml-document.ts";

/** A name or value: its range in the JSON text and in the YAML. */
interface Token {
  from: number;
  to: number;
  start: number;
  end: number;
  /** The range of the alias through which it is used. */
  alias?: readonly [number, number];
  /** The length of the quote before a string, if its YAML is the string itself. Then positions inside of it can be mapped. */
  quote: 0 | 1 | undefined;
  scalar: boolean;
}

/** Maximum length of the JSON text. Aliases may repeat their values many times. */
const MOST_JSON = 4_000_000;

/** A syntax error of YAML. */
interface YamlProblem {
  code: "yaml";
  severity: "error" | "warning";
  message: string;
  pointer: string;
  range: Range;
}

/** How a text is parsed. */
interface YamlReading {
  /** Whether a text with errors is parsed as far as possible. */
  loose?: boolean;
  /** The JSON Pointer of the definition in a template. */
  pointer?: string;
  /** Finds problems of a JSON text. If a placeholder cannot be a string, the JSON has it without quotes, as a value of any kind. */
  check?: (json: string) => readonly Diagnostic[];
}

type Node = yaml.Node | yaml.Pair | null | undefined;

const PLACEHOLDER = /\$\{[^{}"'\n]*\}/g;

export class YamlSource {
  json = "null";
  readonly problems: YamlProblem[];
  /** The placeholders by the words of equal length that replace them during parsing, because their brackets mean something in YAML. */
  readonly #holes = new Map<string, string>();
  /**
   * Placeholders that are whole values without quotes: their positions in the JSON text, and `at` in the source. `#bare` has the
   * source positions of those that have no quotes in the JSON either.
   */
  #whole: { from: number; to: number; at: number }[] = [];
  #bare = new Set<number>();
  readonly #text: string;
  /** The text that is parsed. */
  readonly #source: string;
  #words: RegExp | undefined;
  /** The path of the definition in the document. */
  readonly #path: readonly string[];
  #tokens: Token[] = [];
  readonly #document: yaml.Document;
  readonly #lines = new yaml.LineCounter();
  #out: string[] = [];
  #length = 0;

  constructor(text: string, { loose = false, pointer = "", check }: YamlReading = {}) {
    this.#text = text;
    this.#path = pointerSteps(pointer);
    this.problems = [];
    this.#source = text.includes("${") ? this.#masked() : text;
    this.#document = this.#read();
    const { errors, warnings } = this.#document;
    this.problems.push(
      ...[...yamlErrors(this.#document), ...warnings].map((problem): YamlProblem => ({
        code: "yaml",
        severity: problem.name === "YAMLWarning" ? "warning" : "error",
        message: problem.message,
        pointer: "",
        range: this.#range(problem.pos[0], problem.pos[1]),
      })),
    );
    if (errors.length > 0 && !loose) return;
    this.#compose();
    if (check === undefined || this.#whole.length === 0) return;
    const wrong = check(this.json).filter(({ severity }) => severity === "error");
    for (const { from, to, at } of this.#whole)
      if (wrong.some(({ range }) => range !== undefined && range.start.offset < to && range.end.offset > from)) this.#bare.add(at);
    if (this.#bare.size > 0) this.#compose();
  }

  #compose(): void {
    [this.#tokens, this.#whole, this.#out, this.#length] = [[], [], [], 0];
    try {
      this.#write(this.#root(), undefined, 0);
      this.json = this.#out.join("");
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Returns the text with a word in place of each placeholder. */
  #masked(): string {
    let i = 0;
    return this.#text.replace(PLACEHOLDER, (written) => {
      for (const most = i + 1000; i < most;) {
        const word = `q${(i++).toString(36)}`.padEnd(written.length, "_");
        if (word.length > written.length || this.#text.includes(word)) continue;
        this.#holes.set(word, written);
        return word;
      }
      return written;
    });
  }

  /** Puts the placeholders back into a parsed text. */
  #unmasked(text: string): string {
    if (this.#holes.size === 0 || !text.includes("q")) return text;
    this.#words ??= new RegExp([...this.#holes.keys()].join("|"), "g");
    return text.replace(this.#words, (word) => this.#holes.get(word) ?? word);
  }

  #read(): yaml.Document {
    try {
      return yamlDocument(this.#source, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    } catch (error) {
      this.#refuse(error);
      return new yaml.Document(null);
    }
  }

  #refuse(error: unknown): void {
    this.problems.push({ code: "yaml", severity: "error", message: messageOf(error), pointer: "", range: this.#range(0, 0) });
  }

  /** Returns the node of the definition. */
  #root(): Node {
    return this.#path.length === 0 ? this.#document.contents : (this.#document.getIn(this.#path, true) as Node);
  }

  /**
   * Returns the source range of a part of the JSON text. For an aliased value, that is the alias, and `anchor` is the range of the
   * value.
   */
  locate(from: number, to: number): { range: Range; anchor?: Range } | undefined {
    // Tokens are sorted by their starts and nested. So the last one that reaches far enough is the smallest.
    let low = countFitting(this.#tokens.length, (i) => this.#tokens[i]!.from <= from);
    let best: Token | undefined;
    while (!best && --low >= 0) if (this.#tokens[low]!.to >= to) best = this.#tokens[low]!;
    if (!best) return undefined;
    const [a = 0, b = 0] =
      best.quote !== undefined && best.scalar && (from > best.from || to < best.to)
        ? [from, to].map((at) => best.start + (best.quote ?? 0) + Math.max(0, at - best.from - 1))
        : [best.start, best.end];
    const written = this.#range(a, Math.min(Math.max(b, a), best.end));
    return best.alias ? { range: this.#range(...best.alias), anchor: written } : { range: written };
  }

  /** Returns the offset in the JSON text for an offset of the source. */
  offset(at: number): number | undefined {
    let best: Token | undefined;
    for (const token of this.#tokens) {
      const [start, end] = token.alias ?? [token.start, token.end];
      if (start <= at && at <= end && token.scalar && (!best || end - start <= best.end - best.start)) best = token;
    }
    if (!best) return undefined;
    const inside = best.alias ? 0 : at - best.start - (best.quote ?? 1);
    return Math.min(best.from + 1 + Math.max(0, inside), Math.max(best.from, best.to - 1));
  }

  /**
   * Returns the range of the JSON text for the names and values in a range of the source. If only a name is in the range, it ends
   * where the value begins.
   */
  part(from: number, to: number): { start: number; end: number } | undefined {
    let [start, end] = [Infinity, -1];
    for (const token of this.#tokens) {
      const [first, last] = token.alias ?? [token.start, token.end];
      if (!token.scalar || first > to || last < from) continue;
      start = Math.min(start, token.from);
      end = Math.max(end, this.json[token.to] === ":" ? token.to + 2 : token.to);
    }
    return end < 0 ? undefined : { start, end };
  }

  /** Maximum number of `edits` that should be requested at once, because each may need a copy of the whole text, parsed again. */
  get mostEdits(): number {
    return Math.max(4, Math.ceil(500_000 / this.#text.length));
  }

  /** Converts edits of the JSON text to edits of the YAML. Undefined if that is impossible. */
  edits(given: readonly TextEdit[]): TextEdit[] | undefined {
    const direct = given.map((edit) => this.#direct(edit));
    if (direct.every((edit) => edit !== undefined)) return direct;
    try {
      let json = "";
      let at = 0;
      for (const { start, end, text } of given) {
        json += this.json.slice(at, start) + text;
        at = end;
      }
      const after = valueOf(json + this.json.slice(at));
      // A copy is changed, because this document is still used to find positions.
      const copy = readYaml(this.#source, { merge: true });
      // The text around a definition must not be formatted.
      if (this.#path.length > 0 && copy.toString({ lineWidth: 0 }) !== this.#source) return undefined;
      if (!change(copy, this.#path, valueOf(this.json), after)) return undefined;
      return [difference(this.#text, this.#unmasked(copy.toString({ lineWidth: 0 })))];
    } catch {
      return undefined;
    }
  }

  /** Formats the text. Comments stay. */
  format(): TextEdit[] {
    if (this.#document.errors.length > 0) return [];
    const edit = difference(this.#text, this.#unmasked(this.#document.toString({ lineWidth: 0 })));
    return edit.start === edit.end && edit.text === "" ? [] : [edit];
  }

  /** Returns an edit within one name or value, which is written again as a whole. */
  #direct({ start, end, text }: TextEdit): TextEdit | undefined {
    const token = this.#tokens.find(
      (candidate) => candidate.scalar && candidate.from <= start && end <= candidate.to && start < candidate.to,
    );
    if (!token || token.alias || start === end) return undefined;
    try {
      const value: unknown = JSON.parse(this.json.slice(token.from, start) + text + this.json.slice(end, token.to));
      if (typeof value === "object") return undefined;
      return { start: token.start, end: token.end, text: scalar(value) };
    } catch {
      return undefined;
    }
  }

  #range(from: number, to: number): Range {
    const place = (offset: number): Position => {
      const { line, col } = this.#lines.linePos(offset);
      return { line, column: col, offset };
    };
    return { start: place(from), end: place(Math.max(from, to)) };
  }

  #put(text: string): void {
    this.#out.push(text);
    this.#length += text.length;
    if (this.#length > MOST_JSON) throw new Error("The aliases of this text expand to more than can be read.");
  }

  #token(node: Node, text: string, alias: Token["alias"], scalarNode: boolean): void {
    const range = (node as yaml.Node | undefined)?.range;
    const from = this.#length;
    this.#put(text);
    if (!range) return;
    const source = this.#text.slice(range[0], range[1]);
    const quote = /^["']/.test(source) ? 1 : 0;
    const isSame = source.slice(quote, source.length - quote) === (text.startsWith('"') ? text.slice(1, -1) : text);
    const [start, end] = range;
    const token: Token = { from, to: this.#length, start, end, quote: isSame ? quote : undefined, scalar: scalarNode };
    this.#tokens.push(alias ? { ...token, alias } : token);
  }

  #write(node: Node, alias: Token["alias"], depth: number): void {
    if (depth > 120) throw new Error("This text is nested too deeply.");
    if (yaml.isAlias(node)) {
      const target = node.resolve(this.#document);
      const at = alias ?? (node.range ? ([node.range[0], node.range[1]] as const) : undefined);
      if (!target) throw new Error(`There is no anchor &${node.source}.`);
      return this.#write(target, at, depth + 1);
    }
    if (yaml.isMap(node) || yaml.isSeq(node)) {
      const place = this.#tokens.length;
      const from = this.#length;
      const [start, end] = node.range ?? [0, 0];
      this.#tokens.push({ from, to: from, start, end, quote: undefined, scalar: false, ...(alias ? { alias } : {}) });
      if (yaml.isSeq(node)) {
        this.#put("[");
        node.items.forEach((item, i) => {
          if (i > 0) this.#put(",");
          this.#write(item as Node, alias, depth + 1);
        });
        this.#put("]");
      } else {
        this.#put("{");
        this.#pairs(node, alias).forEach(({ key, value, via }, i) => {
          if (i > 0) this.#put(",");
          this.#token(key, JSON.stringify(this.#unmasked(String(yaml.isScalar(key) ? key.value : key))), via, true);
          this.#put(":");
          this.#write(value, via, depth + 1);
        });
        this.#put("}");
      }
      this.#tokens[place]!.to = this.#length;
      return;
    }
    const value = yaml.isScalar(node) ? node.value : null;
    const unmasked = typeof value === "string" ? this.#unmasked(value) : typeof value === "bigint" ? Number(value) : value;
    const own = yaml.isScalar(node) && node.type === "PLAIN" && typeof value === "string" ? this.#holes.get(value) : undefined;
    const at = (yaml.isNode(node) && node.range?.[0]) || 0;
    const text = own !== undefined && this.#bare.has(at) ? own : (JSON.stringify(unmasked) ?? "null");
    if (own !== undefined) this.#whole.push({ from: this.#length, to: this.#length + text.length, at });
    if (node) this.#token(node, text, alias, true);
    else this.#put(text);
  }

  /** Returns the members of a map, including those that `<<` merges into it. The map's own members take precedence. */
  #pairs(map: yaml.YAMLMap, alias: Token["alias"], depth = 0): { key: yaml.Node; value: Node; via: Token["alias"] }[] {
    const own: { key: yaml.Node; value: Node; via: Token["alias"] }[] = [];
    const merged: typeof own = [];
    for (const { key, value } of map.items as yaml.Pair<yaml.Node, yaml.Node | null>[]) {
      if (yaml.isScalar(key) && (key.value === "<<" || key.source === "<<") && depth < 50) {
        for (const source of yaml.isSeq(value) ? value.items : [value]) {
          const at = alias ?? (yaml.isAlias(source) && source.range ? ([source.range[0], source.range[1]] as const) : undefined);
          const target = yaml.isAlias(source) ? source.resolve(this.#document) : source;
          if (yaml.isMap(target)) merged.push(...this.#pairs(target, at, depth + 1));
        }
      } else own.push({ key, value, via: alias });
    }
    const name = (key: yaml.Node): string => String(yaml.isScalar(key) ? key.value : key);
    const seen = new Set(own.map(({ key }) => name(key)));
    for (const pair of merged) {
      if (seen.has(name(pair.key))) continue;
      seen.add(name(pair.key));
      own.push(pair);
    }
    return own;
  }
}

/** Parses a JSON text in which bare placeholders become strings. */
function valueOf(json: string): unknown {
  return JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|\$\{[^{}"'\n]*\}/g, (part) => (part.startsWith('"') ? part : JSON.stringify(part))));
}

/** Formats a value on one line, without quotes if that is safe. */
export function scalar(value: unknown): string {
  return typeof value === "string" ? yaml.stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd() : JSON.stringify(value);
}

/** Returns the one edit that turns a text into another. */
function difference(before: string, after: string): TextEdit {
  let from = 0;
  const most = Math.min(before.length, after.length);
  while (from < most && before[from] === after[from]) from++;
  let tail = 0;
  while (tail < most - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { start: from, end: before.length - tail, text: after.slice(from, after.length - tail) };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Changes a document to a value with as few changes as possible. Returns false if an alias prevents it. */
function change(document: yaml.Document, path: readonly (string | number)[], before: unknown, after: unknown): boolean {
  if (same(before, after)) return true;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isObject(before) && isObject(after) && yaml.isMap(node)) {
    const [old, now] = [Object.keys(before), Object.keys(after)];
    const gone = old.filter((key) => !(key in after));
    const fresh = now.filter((key) => !(key in before));
    for (const key of gone) {
      // A renamed member keeps its position and its comments.
      const other = fresh.find((candidate) => old.indexOf(key) === now.indexOf(candidate));
      const pair = node.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === key);
      if (!pair) return false;
      if (other !== undefined && yaml.isScalar(pair.key)) {
        fresh.splice(fresh.indexOf(other), 1);
        pair.key.value = other;
        if (!change(document, [...path, other], before[key], after[other])) return false;
      } else node.delete(key);
    }
    for (const key of fresh) node.add(document.createPair(key, after[key]));
    return now.filter((key) => key in before).every((key) => change(document, [...path, key], before[key], after[key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && yaml.isSeq(node)) {
    if (before.length === after.length && !after.every((item) => before.some((other) => same(item, other)))) {
      return after.every((item, i) => change(document, [...path, i], before[i], item));
    }
    const left = before.map((value, i) => ({ value, item: node.items[i] }));
    node.items = after.map((value) => {
      const at = left.findIndex((candidate) => same(candidate.value, value));
      return at >= 0 ? left.splice(at, 1)[0]!.item : document.createNode(value);
    });
    return true;
  }
  if (node === undefined || yaml.isAlias(node)) return false;
  document.setIn(path, after);
  return true;
}
