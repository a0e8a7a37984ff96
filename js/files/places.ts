// Places of a definition in the YAML document that it was written in.

import { isAlias, isMap, isNode, isScalar, isSeq, type Document, type Node, type Pair, type YAMLMap } from "yaml";
import type { Range } from "../api/index.d.ts";
import { pointerSteps } from "../base/pointer.ts";

/** Offsets of a start and an end. */
export type Extent = [start: number, end: number];

/** A node with the node of its key. */
interface Place {
  key: Node | undefined;
  value: Node | undefined;
}

/** From a place in the JSON text of a YAML document to the place in the document. */
export class YamlPlaces {
  #yaml: Document;
  #source: string;
  #json: Document;
  #text: string;
  #prefix: string;

  /** `json` is the document of `text`, the JSON text: JSON is YAML, so the same reader tells where things stand in it. */
  constructor(yaml: Document, source: string, json: Document, text: string, prefix: string) {
    this.#yaml = yaml;
    this.#source = source;
    this.#json = json;
    this.#text = text;
    this.#prefix = prefix;
  }

  find(pointer: string, { start, end }: Range): Extent {
    const json = lookUp(this.#json, pointer);
    const yaml = lookUp(this.#yaml, this.#prefix + pointer);
    if (json.key) {
      const [from, to] = extent(json.key);
      if (start.offset >= from && start.offset < to) return extent(yaml.key ?? yaml.value);
    }
    if (isScalar(json.value) && isScalar(yaml.value)) {
      // A stretch inside of a string, where it is written the same way in both.
      const within = start.offset - extent(json.value)[0];
      const part = this.#text.slice(start.offset, end.offset);
      const quote = yaml.value.type?.startsWith("QUOTE") ? 1 : 0;
      const at = extent(yaml.value)[0] + quote + within - 1;
      if (within > 0 && this.#source.slice(at, at + part.length) === part) return [at, at + part.length];
    }
    return extent(yaml.value ?? yaml.key);
  }
}

/** Where a node is; the beginning of the text for one that was not written. */
export function extent(node: Node | undefined): Extent {
  return node?.range ? [node.range[0], node.range[1]] : [0, 0];
}

/** The node at a JSON Pointer, or the nearest one around it. */
export function lookUp(document: Document, pointer: string): Place {
  let found: Place = { key: undefined, value: nodeOf(document.contents) };
  for (const name of pointerSteps(pointer)) {
    const node = written(document, found.value);
    if (node !== undefined && stepOfTag(node) === name) {
      // `!Sub [a, b]`: the name of the function is its tag.
      found = { key: found.key, value: node };
    } else if (isMap(node)) {
      const pair = memberOf(node, name);
      if (pair === undefined) break;
      found = { key: nodeOf(pair.key), value: nodeOf(pair.value) ?? nodeOf(pair.key) };
    } else if (isSeq(node) && node.items[Number(name)] !== undefined) {
      found = { key: undefined, value: nodeOf(node.items[Number(name)]) };
    } else {
      break;
    }
  }
  return found;
}

/** So many members are looked through one after another. */
const FEW = 32;
/** The members of larger mappings by their names: thousands of problems ask for thousands of states. */
const indexes = new WeakMap<YAMLMap, Map<string, Pair>>();

const nameOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** The member of a mapping with this name; of several the first one. */
export function memberOf(map: YAMLMap, name: string): Pair | undefined {
  if (map.items.length <= FEW) return map.items.find((pair) => nameOf(pair) === name);
  let index = indexes.get(map);
  if (index === undefined) {
    index = new Map(map.items.map((pair): [string, Pair] => [nameOf(pair), pair]).reverse());
    indexes.set(map, index);
  }
  return index.get(name);
}

/** What an alias stands for. */
export function written(document: Document, node: Node | undefined): Node | undefined {
  return isAlias(node) ? node.resolve(document) : node;
}

/** The function that a short form stands for: the only member of its value. */
function stepOfTag({ tag }: { tag?: string }): string | undefined {
  const [, name] = /^!(\w+)$/.exec(tag ?? "") ?? [];
  return name === undefined || name === "Ref" || name === "Condition" ? name : `Fn::${name}`;
}

function nodeOf(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}
