// A YAML text as a tree of source ranges next to its JSON: each member and element, with its comments.

import { type Document, type Node, type YAMLMap, type YAMLSeq, isAlias, isMap, isPair, isScalar, isSeq } from "yaml";
import { messageOf } from "../base/errors.ts";
import { pointerSteps, pointerTo } from "../base/pointer.ts";
import { intrinsicTags } from "./tags.ts";
import { valueOfDocument, yamlDocument } from "./yaml.ts";
import { yamlErrors } from "./yaml-document.ts";

/** The reason why a change cannot be written. */
export class Unwritable extends Error {
  readonly code: "alias" | "broken";
  constructor(code: "alias" | "broken", message: string) {
    super(message);
    this.code = code;
  }
}

/** The source positions of a member or an element. */
export interface Item {
  /** The node of the member's name. */
  key: Node | undefined;
  value: Node | undefined;
  /** The start of the name, or of the dash. */
  start: number;
  /** The first position for the value: after the colon or the dash. */
  inner: number;
  /** The position after its last character that is neither white space nor a comment. */
  end: number;
}

/** An object or list in the source, or the value in its position. */
export interface Place {
  item: Item;
  /** The collection that contains it. */
  parent: YAMLMap | YAMLSeq | undefined;
}

/** A value that is written elsewhere: the pointer of its use, and the anchor where it is written. */
export interface Use {
  pointer: string;
  anchor: string;
}

export class YamlTree {
  #pointers: Map<Node, string> | undefined;
  readonly text: string;
  readonly document: Document;
  readonly json: string;
  readonly eol: string;

  constructor(text: string) {
    this.text = text;
    this.document = yamlDocument(text, { merge: true, prettyErrors: false, customTags: intrinsicTags(), keepSourceTokens: true });
    // Throws for values that are too deep, and for aliases that multiply.
    valueOfDocument(this.document);
    this.json = isNode(this.document.contents) ? this.#write(this.document.contents) : "";
    this.eol = text.includes("\r\n") ? "\r\n" : "\n";
  }

  get broken(): string | undefined {
    const [error] = yamlErrors(this.document);
    return error && messageOf(error);
  }

  /** Returns the members of a collection in the order of the JSON text. Merged members come last, and have no source position. */
  items(node: YAMLMap | YAMLSeq): Item[] {
    const items = node.items.flatMap((_, index) => {
      const item = this.#item(node, index);
      return item.key !== undefined && isMerge(item.key) ? [] : [item];
    });
    return items;
  }

  #item(node: YAMLMap | YAMLSeq, index: number): Item {
    const one = node.items[index];
    const source = node.srcToken && "items" in node.srcToken ? node.srcToken.items[index] : undefined;
    if (isPair(one)) {
      const key = nodeOf(one.key);
      const value = nodeOf(one.value);
      const start = key?.range?.[0] ?? 0;
      const colon = source?.sep?.find(({ type }) => type === "map-value-ind");
      const inner = colon === undefined ? (key?.range?.[1] ?? 0) : colon.offset + 1;
      return { key, value, start, inner, end: this.#end(value, inner) };
    }
    const value = nodeOf(one);
    const dash = source?.start.find(({ type }) => type === "seq-item-ind");
    const start = dash?.offset ?? value?.range?.[0] ?? 0;
    const inner = dash === undefined ? start : dash.offset + 1;
    return { key: undefined, value, start, inner, end: this.#end(value, inner) };
  }

  #end(value: Node | undefined, inner: number): number {
    let end = value?.range?.[1] ?? inner;
    while (end > inner && /\s/.test(this.text.charAt(end - 1))) end -= 1;
    return Math.max(end, inner);
  }

  /** Returns the place at a JSON Pointer. Throws if the value is written elsewhere, because it cannot be changed then. */
  at(pointer: string): Place {
    const contents = nodeOf(this.document.contents);
    const range = contents?.range ?? [0, 0, 0];
    let place: Place = {
      item: { key: undefined, value: contents, start: range[0], inner: range[0], end: this.#end(contents, range[0]) },
      parent: undefined,
    };
    for (const step of pointerSteps(pointer)) {
      const node = this.collection(place.item.value);
      const items = this.items(node);
      const found = isMap(node) ? items.findLast(({ key }) => key !== undefined && nameOf(key) === step) : items[Number(step)];
      if (found === undefined) throw new Unwritable("alias", `\`${step}\` is written elsewhere, at an anchor: change it there`);
      place = { item: found, parent: node };
    }
    return place;
  }

  /** Returns an object or list that is written in its own position. */
  collection(node: Node | undefined): YAMLMap | YAMLSeq {
    if (isMap(node) || isSeq(node)) return node;
    if (isAlias(node))
      throw new Unwritable("alias", `what would change is written elsewhere, at the anchor &${node.source}: change it there`);
    throw new Unwritable("broken", "there is no object or list here");
  }

  /**
   * Returns the JSON Pointer at which a value is written, which differs if an alias or a merge key is on the path. Only with
   * `whole`, an alias at the pointer itself is resolved, too.
   */
  written(pointer: string, whole = false): string {
    let node = nodeOf(this.document.contents);
    let at = "";
    const steps = pointerSteps(pointer);
    for (const [i, step] of steps.entries()) {
      [node, at] = this.#target(node, at);
      const own = this.#child(node, step);
      if (own === undefined && isMap(node)) {
        const source = this.#sources(node).find(({ map }) => this.#members(map).some(([name]) => name === step));
        const from = source && this.#pointerOf(source.map);
        return from === undefined ? pointer : this.written(pointerTo(from, ...steps.slice(i)), whole);
      }
      node = own;
      at = pointerTo(at, step);
    }
    return whole ? this.#target(node, at)[1] : at;
  }

  /** Returns the values that are used through an alias or a merge key, each with its anchor, but not the values inside of them. */
  uses(): Use[] {
    const found: Use[] = [];
    const visit = (node: Node | undefined, pointer: string): void => {
      if (isAlias(node)) found.push({ pointer, anchor: node.source });
      else if (isSeq(node)) for (const [i, { value }] of this.items(node).entries()) visit(value, pointerTo(pointer, i));
      else if (isMap(node)) {
        const own = this.items(node);
        for (const { key, value } of own) visit(value, pointerTo(pointer, key === undefined ? "" : nameOf(key)));
        const seen = new Set(own.map(({ key }) => (key === undefined ? "" : nameOf(key))));
        for (const { map, anchor } of this.#sources(node))
          for (const [name] of this.#members(map)) {
            if (!seen.has(name)) found.push({ pointer: pointerTo(pointer, name), anchor });
            seen.add(name);
          }
      }
    };
    visit(nodeOf(this.document.contents), "");
    return found;
  }

  #child(node: Node | undefined, step: string): Node | undefined {
    if (isSeq(node)) return nodeOf(node.items[Number(step)]);
    if (!isMap(node)) return undefined;
    return this.items(node).findLast(({ key }) => key !== undefined && nameOf(key) === step)?.value;
  }

  /** Returns the value of an alias, and where it is written. */
  #target(node: Node | undefined, at: string): [Node | undefined, string] {
    if (!isAlias(node)) return [node, at];
    const target = node.resolve(this.document);
    return [target, (target && this.#pointerOf(target)) ?? at];
  }

  /** Returns the maps that a map merges. */
  #sources(map: YAMLMap): { map: YAMLMap; anchor: string }[] {
    return map.items.flatMap(({ key, value }) => {
      const name = nodeOf(key);
      if (name === undefined || !isMerge(name)) return [];
      return (isSeq(value) ? value.items.map(nodeOf) : [nodeOf(value)]).flatMap((source) => {
        const target = isAlias(source) ? source.resolve(this.document) : source;
        return isMap(target) ? [{ map: target, anchor: isAlias(source) ? source.source : (target.anchor ?? "") }] : [];
      });
    });
  }

  #pointerOf(target: Node): string | undefined {
    if (this.#pointers === undefined) {
      const known = new Map<Node, string>();
      const visit = (node: Node | undefined, pointer: string): void => {
        if (node === undefined) return;
        known.set(node, pointer);
        if (isMap(node) || isSeq(node))
          for (const [i, { key, value }] of this.items(node).entries())
            visit(value, pointerTo(pointer, isMap(node) ? (key === undefined ? "" : nameOf(key)) : i));
      };
      visit(nodeOf(this.document.contents), "");
      this.#pointers = known;
    }
    return this.#pointers.get(target);
  }

  lineStart(at: number): number {
    return this.text.lastIndexOf("\n", at - 1) + 1;
  }

  /** Returns the end of the line, before its line break. */
  lineEnd(at: number): number {
    const next = this.text.indexOf("\n", at);
    const end = next < 0 ? this.text.length : next;
    return end > at && this.text[end - 1] === "\r" ? end - 1 : end;
  }

  column(at: number): number {
    return at - this.lineStart(at);
  }

  /** Returns whether a position is the first on its line, after white space. */
  ownLine(at: number): boolean {
    return this.text.slice(this.lineStart(at), at).trim() === "";
  }

  /** Returns where the comments directly above a line begin, or the start of the line if there are none. */
  commented(at: number): number {
    let start = this.lineStart(at);
    const column = this.column(at);
    while (start > 0) {
      const above = this.lineStart(start - 1);
      const line = this.text.slice(above, start);
      if (!line.trimStart().startsWith("#") || line.length - line.trimStart().length !== column) break;
      start = above;
    }
    return start;
  }

  #write(node: Node | null | undefined): string {
    if (isAlias(node)) return this.#write(node.resolve(this.document));
    // The short forms of CloudFormation stand for objects.
    if (node?.tag?.startsWith("!")) return JSON.stringify(node.toJS(this.document)) ?? "null";
    if (isMap(node)) {
      const members = this.#members(node).map(([name, value]) => `${JSON.stringify(name)}:${this.#write(value)}`);
      return `{${members.join(",")}}`;
    }
    if (isSeq(node)) return `[${node.items.map((item) => this.#write(nodeOf(item))).join(",")}]`;
    if (!isScalar(node)) return "null";
    const { value } = node;
    return JSON.stringify(typeof value === "bigint" ? Number(value) : value) ?? "null";
  }

  /** Returns the members of a map, followed by those that `<<` merges into it. */
  #members(map: YAMLMap): [string, Node | undefined][] {
    const own: [string, Node | undefined][] = [];
    const merged: [string, Node | undefined][] = [];
    for (const pair of map.items) {
      const key = nodeOf(pair.key);
      const value = nodeOf(pair.value);
      if (key === undefined || !isMerge(key)) {
        own.push([key === undefined ? "" : nameOf(key), value]);
        continue;
      }
      for (const source of isSeq(value) ? value.items.map(nodeOf) : [value]) {
        const target = isAlias(source) ? source.resolve(this.document) : source;
        if (isMap(target)) merged.push(...this.#members(target));
      }
    }
    const seen = new Set(own.map(([name]) => name));
    return [...own, ...merged.filter(([name]) => !seen.has(name) && seen.add(name))];
  }
}

export function isFlow(node: Node | undefined): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true;
}

export function nameOf(key: Node): string {
  return String(isScalar(key) ? key.value : key);
}

function isMerge(key: Node): boolean {
  return isScalar(key) && (key.value === "<<" || key.source === "<<") && (key.type === undefined || key.type === "PLAIN");
}

export function nodeOf(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value) || isAlias(value);
}
