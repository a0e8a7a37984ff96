// Writes changes of a definition's tree as edits of its YAML text. What stays the same is not touched, including comments and
// quotes. The core decides what a gesture means and makes the changes; here they are only written.

import { type Node, type Scalar, isMap, isScalar, stringify } from "yaml";
import type { TextEdit } from "../api/index.d.ts";
import { Unwritable, type Item, type YamlTree, isFlow } from "./yaml-tree.ts";

/** A value to write: a new one, or one that is moved from another position of the text. */
type Piece = { json: unknown } | { object: [string, Piece][] } | { list: Piece[] } | { old: string };

/** A change of the tree. Values of the text are identified by their JSON Pointers. */
export type Change =
  | { change: "whole"; value: Piece }
  | { change: "value"; at: string; value: Piece }
  | { change: "key"; at: string; name: string }
  | { change: "remove"; at: string }
  | { change: "insert"; at: string; after: number; name: string | null; value: Piece };

type Insert = Extract<Change, { change: "insert" }>;

/** Maximum width of a list of names on one line. */
const LINE = 80;

export class YamlWriter {
  #tree: YamlTree;
  #changes: readonly Change[];
  /** The indentation of one level, and of a list within an object. */
  #step: string;
  #listStep: string;

  constructor(tree: YamlTree, changes: readonly Change[]) {
    this.#tree = tree;
    this.#changes = changes.filter((change) => writtenHere(tree, change, changes));
    const { text } = tree;
    this.#step = /^[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n( +)[^\s#-]/m.exec(text)?.[1] ?? "  ";
    const list = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n( *)- /m.exec(text);
    this.#listStep = list && list[1]?.length === list[2]?.length ? "" : this.#step;
  }

  edits(): TextEdit[] {
    const [first] = this.#changes;
    const { text, eol } = this.#tree;
    if (first?.change === "whole") {
      const gap = text === "" || text.endsWith("\n") ? "" : eol;
      return [{ start: text.length, end: text.length, text: gap + this.#document(first.value) + eol }];
    }
    return this.#within("");
  }

  /** Returns the edit that writes a whole text. */
  #document(piece: Piece): string {
    const known = "old" in piece ? undefined : parts(piece);
    if (known === undefined || known.length === 0) return this.#flow(piece);
    return known.map(([name, value]) => this.#item(name, value, "")).join(this.#tree.eol);
  }

  /** Returns the edits inside of a value, except those inside of something that is removed or replaced there. */
  #within(root: string): TextEdit[] {
    const edits: TextEdit[] = [];
    const containers = new Map<string, { removed: Set<string>; inserts: Insert[] }>();
    const container = (pointer: string) => {
      const found = containers.get(pointer) ?? { removed: new Set(), inserts: [] };
      containers.set(pointer, found);
      return found;
    };
    for (const change of this.#changes) {
      if (change.change === "whole") continue;
      const parent = change.change === "remove" ? parentOf(change.at) : undefined;
      if (!this.#lives(parent ?? change.at, root, parent !== undefined || change.change === "insert")) continue;
      if (change.change === "value" && (change.at !== root || root === "")) edits.push(this.#replaced(change.at, change.value));
      if (change.change === "key" && change.at !== root) edits.push(this.#renamed(change.at, change.name));
      if (parent !== undefined) container(parent).removed.add(change.at);
      if (change.change === "insert") container(change.at).inserts.push(change);
    }
    for (const [pointer, { removed, inserts }] of containers) edits.push(...this.#rewritten(pointer, removed, inserts));
    return edits.sort((a, b) => a.start - b.start || a.end - b.end);
  }

  /**
   * Returns whether a value is inside of another one, and neither it nor anything around it is removed or replaced. `self` is true
   * for a collection that changes.
   */
  #lives(pointer: string, root: string, self: boolean): boolean {
    if (pointer !== root && !pointer.startsWith(`${root}/`)) return false;
    const inside = (at: string) => at !== root && at.startsWith(root);
    return !this.#changes.some((change) => {
      if (change.change === "remove") return inside(change.at) && (pointer === change.at || pointer.startsWith(`${change.at}/`));
      if (change.change !== "value" || !inside(change.at)) return false;
      return pointer.startsWith(`${change.at}/`) || (self && pointer === change.at);
    });
  }

  #renamed(pointer: string, name: string): TextEdit {
    const { key } = this.#tree.at(pointer).item;
    const [start, end] = this.#range(key);
    return { start, end, text: scalarText(name, isScalar(key) ? key.type : undefined) };
  }

  #range(node: Node | undefined): [number, number] {
    if (!node?.range) throw new Unwritable("broken", "there is no name here");
    return [node.range[0], node.range[1]];
  }

  #replaced(pointer: string, piece: Piece): TextEdit {
    const tree = this.#tree;
    const { item, parent } = tree.at(pointer);
    const { value } = item;
    if (isFlow(parent)) {
      const [start, end] = value?.range && value.range[1] > value.range[0] ? this.#range(value) : [item.inner, item.end];
      return { start, end: Math.max(start, Math.min(end, item.end)), text: (start === item.inner ? " " : "") + this.#flow(piece) };
    }
    const plain =
      isScalar(value) && value.range && item.end > item.inner && value.type !== "BLOCK_LITERAL" && value.type !== "BLOCK_FOLDED";
    const within = "json" in piece && isScalar(value) && !("anchor" in value && value.anchor) ? this.#words(value, piece.json) : undefined;
    if (within !== undefined) return within;
    if (plain && "json" in piece && (typeof piece.json !== "object" || piece.json === null)) {
      const [start] = this.#range(value);
      return { start, end: Math.max(item.end, start), text: scalarText(piece.json, value.type) };
    }
    const indent = " ".repeat(tree.column(item.start));
    const text = item.key === undefined && parent !== undefined ? this.#element(piece, indent) : this.#block(piece, indent);
    return { start: item.inner, end: item.end, text: parent === undefined ? this.#document(piece) : text };
  }

  /** Returns the edit of a string of several lines in which only words change, so that its line breaks stay. */
  #words(value: Scalar, now: unknown): TextEdit | undefined {
    if (typeof value.value !== "string" || typeof now !== "string") return undefined;
    const [start, end] = this.#range(value);
    const source = this.#tree.text.slice(start, end);
    const text = source.includes("\n") ? withWords(source, value.value, now) : undefined;
    return text === undefined ? undefined : { start, end, text };
  }

  /** Returns the edits of a collection whose members or elements are added or removed. */
  #rewritten(pointer: string, removed: ReadonlySet<string>, inserts: readonly Insert[]): TextEdit[] {
    const tree = this.#tree;
    const { item, parent } = tree.at(pointer);
    const node = tree.collection(item.value);
    const items = tree.items(node);
    const gone = new Set([...removed].map((at) => indexOf(tree, items, at)));
    const after = (index: number) => inserts.filter((insert) => Math.min(insert.after, items.length - 1) === index);
    if (isFlow(node)) {
      if (items.length === 0 && !isFlow(parent)) return [{ start: item.inner, end: item.end, text: this.#opened(item, inserts) }];
      return this.#flowRewritten(item, items, gone, after);
    }
    return this.#blockRewritten(item, items, gone, after);
  }

  /** Returns an empty `{}` or `[]` as a block with the inserted items. */
  #opened(item: Item, inserts: readonly Insert[]): string {
    const indent = " ".repeat(this.#tree.column(item.start));
    const members = inserts.map(({ name, value }): [string | null, Piece] => [name, value]);
    const named = members.flatMap(([name, value]): [string, Piece][] => (name === null ? [] : [[name, value]]));
    const piece: Piece = named.length > 0 ? { object: named } : { list: members.map(([, value]) => value) };
    return this.#block(piece, indent);
  }

  #flowRewritten(item: Item, items: Item[], gone: ReadonlySet<number>, after: (index: number) => Insert[]): TextEdit[] {
    const edits: TextEdit[] = [];
    const text = ({ name, value }: Insert) => (name === null ? "" : `${scalarText(name, "FLOW")}: `) + this.#flow(value);
    const [start, end] = this.#range(item.value);
    if (items.every((_, index) => gone.has(index))) {
      const all = [...after(-1), ...items.flatMap((_, index) => after(index))].map(text);
      return [{ start: start + 1, end: end - 1, text: all.join(", ") }];
    }
    for (const { keptItem, cut, added, next } of stretches(items, gone, after)) {
      if (cut.length === 0 && added.length === 0) continue;
      if (keptItem !== undefined)
        edits.push({ start: keptItem.end, end: cut.at(-1)?.end ?? keptItem.end, text: added.map((one) => `, ${text(one)}`).join("") });
      else if (next !== undefined)
        edits.push({ start: cut[0]?.start ?? next.start, end: next.start, text: added.map((one) => `${text(one)}, `).join("") });
    }
    return edits;
  }

  #blockRewritten(item: Item, items: Item[], gone: ReadonlySet<number>, after: (index: number) => Insert[]): TextEdit[] {
    const tree = this.#tree;
    const { eol } = tree;
    const edits: TextEdit[] = [];
    const [first] = items;
    const last = items.at(-1);
    if (first === undefined || last === undefined) throw new Unwritable("broken", "there is nothing here yet");
    const indent = " ".repeat(tree.column(first.start));
    const lines = (added: readonly Insert[]) => added.map(({ name, value }) => this.#item(name, value, indent));
    if (items.every((_, index) => gone.has(index))) {
      const all = lines([...after(-1), ...items.flatMap((_, index) => after(index))]);
      if (all.length > 0) return [{ start: first.start, end: last.end, text: all.join(eol + indent) }];
      const start = tree.text.slice(item.inner, first.start).includes("#") ? first.start : item.inner;
      const empty = first.key === undefined ? "[]" : "{}";
      // A list may be at the indentation of its name. A value that is not a block may not.
      const deeper = item.key !== undefined && tree.column(first.start) <= tree.column(item.start) ? this.#step : "";
      return [{ start, end: last.end, text: start === item.inner ? ` ${empty}` : deeper + empty }];
    }
    for (const { keptItem, cut, added, next } of stretches(items, gone, after)) {
      const [begin, finish] = [cut[0], cut.at(-1)];
      if (keptItem !== undefined) {
        const at = tree.lineEnd(keptItem.end);
        const text = lines(added)
          .map((line) => eol + indent + line)
          .join("");
        if (text !== "") edits.push({ start: at, end: at, text });
        if (begin && finish) {
          // The line break before it is removed with it.
          const from = tree.commented(begin.start);
          edits.push({ start: tree.text[from - 2] === "\r" ? from - 2 : from - 1, end: tree.lineEnd(finish.end), text: "" });
        }
      } else if (next !== undefined && (added.length > 0 || begin)) {
        const text = lines(added)
          .map((line) => line + eol + indent)
          .join("");
        const own = tree.ownLine(first.start);
        if (!own || begin === undefined) {
          const start = begin?.start ?? next.start;
          edits.push({ start, end: next.start, text });
        } else {
          const from = tree.commented(begin.start);
          const to = tree.commented(next.start);
          edits.push({ start: from, end: to, text: text === "" ? "" : indent + text.slice(0, text.length - indent.length) });
        }
      }
    }
    return merged(edits);
  }

  /** Returns a member or an element as a block. Its first line has no indentation. */
  #item(name: string | null, piece: Piece, indent: string): string {
    if (name === null) return `-${this.#element(piece, indent)}`;
    const comments = "old" in piece ? this.#comments(piece.old, indent) : "";
    const key = "old" in piece ? this.#keyOf(piece.old, name) : scalarText(name, undefined);
    return `${comments}${key}:${this.#block(piece, indent)}`;
  }

  /** Returns the comments above a moved member, each with its line break. */
  #comments(pointer: string, indent: string): string {
    const tree = this.#tree;
    const { item } = tree.at(pointer);
    if (!tree.ownLine(item.start)) return "";
    const lines = tree.text.slice(tree.commented(item.start), tree.lineStart(item.start)).split("\n").slice(0, -1);
    return lines.map((line) => `${line.trim()}${tree.eol}${indent}`).join("");
  }

  #keyOf(pointer: string, name: string): string {
    const { key } = this.#tree.at(pointer).item;
    const range = isScalar(key) && String(key.value) === name ? key.range : undefined;
    return range ? this.#tree.text.slice(range[0], range[1]) : scalarText(name, undefined);
  }

  /** Returns the value after a colon, with the space or line break between them. */
  #block(piece: Piece, indent: string): string {
    const { eol } = this.#tree;
    if ("old" in piece) return this.#moved(piece.old, indent, indent + this.#step);
    const known = parts(piece);
    if (known === undefined || known.length === 0) return ` ${this.#flow(piece)}`;
    const [[firstName]] = known as [[string | null, Piece]];
    if (firstName === null) {
      const short = this.#short(piece);
      if (short !== undefined) return ` ${short}`;
    }
    const deeper = indent + (firstName === null ? this.#listStep : this.#step);
    return known.map(([name, value]) => eol + deeper + this.#item(name, value, deeper)).join("");
  }

  /** Returns the value after a dash. */
  #element(piece: Piece, indent: string): string {
    const inner = `${indent}  `;
    if ("old" in piece) return this.#moved(piece.old, indent, inner, true);
    const known = parts(piece);
    if (known === undefined || known.length === 0) return ` ${this.#flow(piece)}`;
    const lines = known.map(([name, value]) => this.#item(name, value, inner));
    return ` ${lines.join(this.#tree.eol + inner)}`;
  }

  /** Returns a list of names on one line. */
  #short(piece: Piece): string | undefined {
    const list = "json" in piece && Array.isArray(piece.json) ? piece.json : undefined;
    if (list === undefined || list.some((one) => typeof one === "object" && one !== null)) return undefined;
    const text = this.#flow(piece);
    return text.length <= LINE ? text : undefined;
  }

  /** Returns a moved value with its own changes. `around` is the indentation of its new name, `inner` that of its own lines. */
  #moved(pointer: string, around: string, inner: string, element = false): string {
    const tree = this.#tree;
    const { item } = tree.at(pointer);
    const edits = this.#within(pointer);
    const { value } = item;
    const block = value !== undefined && !isScalar(value) && !isFlow(value) && "items" in value;
    const [start] = value?.range && item.end > item.inner ? this.#range(value) : [item.inner];
    // Comments between the name and the value, and anchors, are moved too.
    const from = block || value?.range ? item.inner : start;
    const until = block ? tree.lineEnd(item.end) : item.end;
    let text = "";
    let at = from;
    for (const edit of edits) {
      text += tree.text.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    text += tree.text.slice(at, Math.max(until, at));
    if (text.trim() === "") return "";
    if (!block) return shifted(text, tree.column(item.start), around);
    const own = tree.column(start);
    const head = tree.text.slice(item.inner, start);
    if (!head.includes("\n")) {
      // After a dash, the value begins on the same line.
      const body = shifted(text.trimStart(), own, inner);
      return element ? ` ${body}` : `${tree.eol}${inner}${body}`;
    }
    const listed = value !== undefined && !isMap(value) ? around + this.#listStep : inner;
    const target = element ? inner : listed;
    const body = shifted(text, own, target);
    const bare = head.trim() === "";
    return element && bare ? ` ${body.trimStart()}` : body;
  }

  /** Returns a value between brackets, or a scalar. */
  #flow(piece: Piece): string {
    if ("old" in piece) {
      const { item } = this.#tree.at(piece.old);
      const inFlow = isFlow(item.value) || (isScalar(item.value) && !String(item.value.type).startsWith("BLOCK"));
      if (!inFlow) throw new Unwritable("broken", "text on several lines cannot go between brackets");
      const [start, end] = this.#range(item.value);
      let text = "";
      let at = start;
      for (const edit of this.#within(piece.old)) {
        text += this.#tree.text.slice(at, edit.start) + edit.text;
        at = edit.end;
      }
      return text + this.#tree.text.slice(at, Math.max(at, end));
    }
    const known = parts(piece);
    if (known === undefined) return scalarText("json" in piece ? piece.json : null, "FLOW");
    const list = "list" in piece || ("json" in piece && Array.isArray(piece.json));
    const inner = known.map(([name, value]) => (name === null ? "" : `${scalarText(name, "FLOW")}: `) + this.#flow(value)).join(", ");
    return list ? `[${inner}]` : `{${inner}}`;
  }
}

/**
 * Returns whether a change must be written. A value that is used several times is written once, even if several uses request the
 * same change.
 */
function writtenHere(tree: YamlTree, change: Change, all: readonly Change[]): boolean {
  if (change.change === "whole") return true;
  const at = tree.written(change.at, change.change === "insert");
  if (at === change.at) return true;
  const same = JSON.stringify({ ...change, at });
  if (all.some((other) => JSON.stringify({ ...other }) === same)) return false;
  // This throws an error that names the anchor where the value is written.
  tree.at(change.at);
  return true;
}

const WORDS = /([\p{L}\p{N}_]+)/u;

/**
 * Returns the source of a text in which words have changed. Undefined if more than words has changed, or if the source has the
 * words in another form.
 */
function withWords(source: string, before: string, now: string): string | undefined {
  const [old, fresh, out] = [before.split(WORDS), now.split(WORDS), source.split(WORDS)];
  if (old.length !== fresh.length) return undefined;
  // The index of the word among the equal words of the source.
  const places = new Map<string, number[]>();
  for (const [i, word] of out.entries()) if (i % 2 === 1) places.set(word, [...(places.get(word) ?? []), i]);
  const seen = new Map<string, number>();
  for (const [i, word] of old.entries()) {
    const at = seen.get(word) ?? 0;
    seen.set(word, at + 1);
    if (fresh[i] === word) continue;
    const found = places.get(word);
    if (i % 2 === 0 || found === undefined || found.length !== old.filter((one, j) => j % 2 === 1 && one === word).length) return undefined;
    out[found[at] ?? 0] = fresh[i] ?? "";
  }
  return out.join("");
}

/** Merges adjacent edits. */
function merged(edits: TextEdit[]): TextEdit[] {
  const out: TextEdit[] = [];
  for (const edit of edits) {
    const last = out.at(-1);
    if (last !== undefined && last.end === edit.start) {
      last.text += edit.text;
      last.end = edit.end;
    } else out.push({ ...edit });
  }
  return out;
}

/** Returns the members or elements of a piece. Undefined for a scalar. */
function parts(piece: Piece): [string | null, Piece][] | undefined {
  if ("object" in piece) return piece.object;
  if ("list" in piece) return piece.list.map((one) => [null, one]);
  if (!("json" in piece) || typeof piece.json !== "object" || piece.json === null) return undefined;
  const { json } = piece;
  if (Array.isArray(json)) return json.map((one) => [null, { json: one }]);
  return Object.entries(json).map(([name, value]) => [name, { json: value }]);
}

export function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

function indexOf(tree: YamlTree, items: readonly Item[], pointer: string): number {
  const { start } = tree.at(pointer).item;
  return items.findIndex((item) => item.start === start);
}

/** Changes the indentation of all lines after the first. */
function shifted(text: string, from: number, indent: string): string {
  const [first = "", ...rest] = text.split("\n");
  const lines = rest.map((line) => {
    const blank = line.trim() === "";
    const leading = line.length - line.trimStart().length;
    return blank ? line : indent + line.slice(Math.min(from, leading));
  });
  return [first, ...lines].join("\n");
}

const WORD = /^[A-Za-z_$/][\w$./ -]*[\w$/]$|^[A-Za-z_]$/;
const OTHER = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

/** Formats a scalar on one line, in the quotes of the one that it replaces, or without quotes if that is safe. */
function scalarText(value: unknown, like: string | null | undefined): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  if (like === "QUOTE_DOUBLE") return JSON.stringify(value);
  const quotable = !/[\n\r\t\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufeff]/.test(value);
  if (like === "QUOTE_SINGLE" && quotable) return `'${value.replaceAll("'", "''")}'`;
  if (WORD.test(value) && !OTHER.test(value)) return value;
  if (like === "FLOW" || !quotable) return JSON.stringify(value);
  return stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd();
}

/** The changes between an unchanged item and the next one: removed items, and inserted ones in their position. */
interface Stretch {
  keptItem: Item | undefined;
  cut: Item[];
  added: Insert[];
  next: Item | undefined;
}

function stretches(items: readonly Item[], gone: ReadonlySet<number>, after: (index: number) => Insert[]): Stretch[] {
  const found: Stretch[] = [];
  let now: Stretch = { keptItem: undefined, cut: [], added: after(-1), next: undefined };
  for (const [index, one] of items.entries()) {
    if (gone.has(index)) {
      now.cut.push(one);
      now.added.push(...after(index));
    } else {
      found.push({ ...now, next: one });
      now = { keptItem: one, cut: [], added: after(index), next: undefined };
    }
  }
  return [...found, now];
}
