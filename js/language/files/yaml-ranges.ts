// Maps positions of a definition to the YAML document that contains it.

import { isAlias, isMap, isNode, isScalar, isSeq, type Document, type Node, type Pair, type YAMLMap } from "yaml";
import type { Range } from "../../core/api/index.d.ts";
import { pointerSteps } from "../../core/base/pointer.ts";

/** A start and an end offset. */
export type Extent = [start: number, end: number];

/** A node with the node of its key. */
interface Place {
  key: Node | undefined;
  value: Node | undefined;
}

/** Maps ranges of the JSON text of a YAML document to ranges of the document. */
export class YamlRanges {
  #yaml: Document;
  #source: string;
  #json: Document;
  #text: string;
  #prefix: string;

  /** `json` is the parsed document of the JSON text `text`. JSON is YAML, so the same parser finds the positions in it. */
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
      // A range inside of a string is mapped exactly if the string is written the same way in both.
      const within = start.offset - extent(json.value)[0];
      const part = this.#text.slice(start.offset, end.offset);
      const quote = yaml.value.type?.startsWith("QUOTE") ? 1 : 0;
      const at = extent(yaml.value)[0] + quote + within - 1;
      if (within > 0 && this.#source.slice(at, at + part.length) === part) return [at, at + part.length];
    }
    return extent(yaml.value ?? yaml.key);
  }
}

/** Returns the range of a node. For a node without a source range, that is the beginning of the text. */
export function extent(node: Node | undefined): Extent {
  return node?.range ? [node.range[0], node.range[1]] : [0, 0];
}

/** Returns the node at a JSON Pointer, or the nearest one around it. */
export function lookUp(document: Document, pointer: string): Place {
  let found: Place = { key: undefined, value: nodeOf(document.contents) };
  for (const name of pointerSteps(pointer)) {
    const node = written(document, found.value);
    if (node !== undefined && stepOfTag(node) === name) {
      // In `!Sub [a, b]`, the tag is the name of the function.
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

/** Number of members up to which they are searched one after another. */
const FEW = 32;
/** Indexes of larger mappings by name, because there may be thousands of problems in thousands of states. */
const indexes = new WeakMap<YAMLMap, Map<string, Pair>>();

const nameOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** Returns the member of a mapping with a name. If there are several, returns the first. */
export function memberOf(map: YAMLMap, name: string): Pair | undefined {
  if (map.items.length <= FEW) return map.items.find((pair) => nameOf(pair) === name);
  let index = indexes.get(map);
  if (index === undefined) {
    index = new Map(map.items.map((pair): [string, Pair] => [nameOf(pair), pair]).reverse());
    indexes.set(map, index);
  }
  return index.get(name);
}

/** Resolves an alias. */
export function written(document: Document, node: Node | undefined): Node | undefined {
  return isAlias(node) ? node.resolve(document) : node;
}

/** Returns the function of a short form, which is the only member of its value. */
function stepOfTag({ tag }: { tag?: string }): string | undefined {
  const [, name] = /^!(\w+)$/.exec(tag ?? "") ?? [];
  return name === undefined || name === "Ref" || name === "Condition" ? name : `Fn::${name}`;
}

function nodeOf(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}
