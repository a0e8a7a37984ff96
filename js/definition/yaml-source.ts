// YAML as JSON, with every name and value mapped to where it was written: through anchors, aliases and merge keys.

import * as yaml from "yaml";
import type { Diagnostic, Position, Range, TextEdit } from "../api/index.d.ts";
import { isObject } from "../base/json.ts";
import { messageOf } from "../base/errors.ts";
import { pointerSteps } from "../base/pointer.ts";
import { countFitting } from "../base/search.ts";
import { yamlDocument } from "./yaml.ts";
import { readYaml, yamlErrors } from "./yaml-document.ts";

/** A name or value: where it stands in the JSON text, and where in the YAML. */
interface Token {
  from: number;
  to: number;
  start: number;
  end: number;
  /** The alias through which it is here. */
  alias?: readonly [number, number];
  /** The YAML of a text is the text itself, so that places inside of it can be told. */
  plain: boolean;
  scalar: boolean;
}

/** Aliases may repeat what they stand for many times over. */
const MOST_JSON = 4_000_000;

/** What is wrong with a text as YAML. */
interface YamlProblem {
  code: "yaml";
  severity: "error" | "warning";
  message: string;
  pointer: string;
  range: Range;
}

/** How a text is read. */
interface YamlReading {
  /** Takes what there is of a text with errors. */
  loose?: boolean;
  /** The part that is meant, as a JSON Pointer: the definition in a template. */
  pointer?: string;
  /** Finds problems of a JSON text: where a placeholder cannot be a text, the JSON has it without quotes, as a value of any kind. */
  check?: (json: string) => readonly Diagnostic[];
}

type Node = yaml.Node | yaml.Pair | null | undefined;

const PLACEHOLDER = /\$\{[^{}"'\n]*\}/g;

export class YamlSource {
  json = "null";
  readonly problems: YamlProblem[];
  /** The placeholders by the words of their length that stand for them while the text is read: their brackets are none of YAML's. */
  readonly #holes = new Map<string, string>();
  /** Those that are whole values without quotes: where they stand in the JSON text, and whether they do without. */
  #whole: { from: number; to: number; at: number }[] = [];
  #bare = new Set<number>();
  readonly #text: string;
  /** The text as it is read. */
  readonly #source: string;
  #words: RegExp | undefined;
  /** Where in the document the definition is. */
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

  /** The text with a word for each placeholder. */
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

  /** A text that was read, with its placeholders. */
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

  /** The node of the definition. */
  #root(): Node {
    return this.#path.length === 0 ? this.#document.contents : (this.#document.getIn(this.#path, true) as Node);
  }

  /** Where a part of the JSON text was written; through an alias that is the alias, and `anchor` is what it stands for. */
  locate(from: number, to: number): { range: Range; anchor?: Range } | undefined {
    // Tokens stand in the order in which they begin, and within each other: the last one that reaches far enough is the smallest.
    let low = countFitting(this.#tokens.length, (i) => this.#tokens[i]!.from <= from);
    let best: Token | undefined;
    while (!best && --low >= 0) if (this.#tokens[low]!.to >= to) best = this.#tokens[low]!;
    if (!best) return undefined;
    const [a, b] =
      best.plain && best.scalar && (from > best.from || to < best.to)
        ? [best.start + Math.max(0, from - best.from - 1), best.start + Math.max(0, to - best.from - 1)]
        : [best.start, best.end];
    const written = this.#range(a, Math.min(Math.max(b, a), best.end));
    return best.alias ? { range: this.#range(...best.alias), anchor: written } : { range: written };
  }

  /** The offset in the JSON text of what stands at an offset here. */
  offset(at: number): number | undefined {
    let best: Token | undefined;
    for (const token of this.#tokens) {
      const [start, end] = token.alias ?? [token.start, token.end];
      if (start <= at && at <= end && token.scalar && (!best || end - start <= best.end - best.start)) best = token;
    }
    if (!best) return undefined;
    const inside = best.alias ? 0 : at - best.start - (best.plain ? 0 : 1);
    return Math.min(best.from + 1 + Math.max(0, inside), Math.max(best.from, best.to - 1));
  }

  /** The part of the JSON text that a part of the text stands for: its names and values, and of a name where its value begins. */
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

  /** How many `edits` can be asked for at once: each may be made in a copy of the whole text, which is read anew. */
  get mostEdits(): number {
    return Math.max(4, Math.ceil(500_000 / this.#text.length));
  }

  /** Changes of the JSON text as changes of the YAML; undefined where that cannot be said. */
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
      // A copy, as this one goes on telling places.
      const copy = readYaml(this.#source, { merge: true });
      // Around a definition nothing is laid out anew.
      if (this.#path.length > 0 && copy.toString({ lineWidth: 0 }) !== this.#source) return undefined;
      if (!change(copy, this.#path, valueOf(this.json), after)) return undefined;
      return [difference(this.#text, this.#unmasked(copy.toString({ lineWidth: 0 })))];
    } catch {
      return undefined;
    }
  }

  /** The text laid out anew; comments stay. */
  format(): TextEdit[] {
    if (this.#document.errors.length > 0) return [];
    const edit = difference(this.#text, this.#unmasked(this.#document.toString({ lineWidth: 0 })));
    return edit.start === edit.end && edit.text === "" ? [] : [edit];
  }

  /** An edit within one name or value, which is written anew as a whole. */
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
    const plain = source === (text.startsWith('"') ? text.slice(1, -1) : text);
    this.#tokens.push({ from, to: this.#length, start: range[0], end: range[1], plain, scalar: scalarNode, ...(alias ? { alias } : {}) });
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
      this.#tokens.push({
        from,
        to: from,
        start: node.range?.[0] ?? 0,
        end: node.range?.[1] ?? 0,
        plain: false,
        scalar: false,
        ...(alias ? { alias } : {}),
      });
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
    const meant = typeof value === "string" ? this.#unmasked(value) : typeof value === "bigint" ? Number(value) : value;
    const own = yaml.isScalar(node) && node.type === "PLAIN" && typeof value === "string" ? this.#holes.get(value) : undefined;
    const at = (yaml.isNode(node) && node.range?.[0]) || 0;
    const text = own !== undefined && this.#bare.has(at) ? own : (JSON.stringify(meant) ?? "null");
    if (own !== undefined) this.#whole.push({ from: this.#length, to: this.#length + text.length, at });
    if (node) this.#token(node, text, alias, true);
    else this.#put(text);
  }

  /** The members of a map with those that `<<` merges into it: what is written here counts before what is merged. */
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

/** What a JSON text says, its bare placeholders as texts. */
function valueOf(json: string): unknown {
  return JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|\$\{[^{}"'\n]*\}/g, (part) => (part.startsWith('"') ? part : JSON.stringify(part))));
}

/** A value on one line, without quotes where that is safe. */
export function scalar(value: unknown): string {
  return typeof value === "string" ? yaml.stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd() : JSON.stringify(value);
}

/** The one change that makes a text another one. */
function difference(before: string, after: string): TextEdit {
  let from = 0;
  const most = Math.min(before.length, after.length);
  while (from < most && before[from] === after[from]) from++;
  let tail = 0;
  while (tail < most - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { start: from, end: before.length - tail, text: after.slice(from, after.length - tail) };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Makes a document say what a value says, by as few changes as it takes; false where an alias stands in the way. */
function change(document: yaml.Document, path: readonly (string | number)[], before: unknown, after: unknown): boolean {
  if (same(before, after)) return true;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isObject(before) && isObject(after) && yaml.isMap(node)) {
    const [old, now] = [Object.keys(before), Object.keys(after)];
    const gone = old.filter((key) => !(key in after));
    const fresh = now.filter((key) => !(key in before));
    for (const key of gone) {
      // A member that only has another name keeps its place and its comments.
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
