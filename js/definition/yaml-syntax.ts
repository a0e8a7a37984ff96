// YAML as a syntax of `language.edit()`.

import { type Node, isScalar } from "yaml";
import type { Edited, RefusedEdit, Syntax, SyntaxText, TextRange, WrittenEdit, WrittenMark } from "../api/index.d.ts";
import { messageOf, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import { applied } from "./text-edits.ts";
import { Unwritable, YamlTree } from "./yaml-tree.ts";
import { type Change, YamlWriter } from "./yaml-write.ts";

/** See the declaration. */
export const yaml: Syntax = {
  read(text) {
    if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `read() takes a text, not ${shown(text)}`);
    try {
      return new YamlText(new YamlTree(text));
    } catch (error) {
      return refused("broken", `the text is not YAML: ${messageOf(error)}`);
    }
  },
};

function refused(code: "alias" | "broken", message: string): RefusedEdit {
  return { refused: { code, message } };
}

class YamlText implements SyntaxText {
  #tree: YamlTree;
  readonly json: string;

  constructor(tree: YamlTree) {
    this.#tree = tree;
    this.json = tree.json;
  }

  edited({ changes, caret, stops, edits: inJson, select, announce, losses, introduces, asl }: WrittenEdit): Edited | RefusedEdit {
    try {
      // The changes are the core's own.
      const edits = new YamlWriter(this.#tree, changes as Change[]).edits();
      const after = new YamlTree(applied(this.#tree.text, edits));
      this.#check(after, applied(this.json, inJson));
      const mark = (one: WrittenMark) => placed(after, one);
      const edited = { edits, select, caret: mark(caret), stops: stops.map(mark), announce, losses, introduces };
      return asl === undefined ? edited : { ...edited, asl };
    } catch (error) {
      if (error instanceof Unwritable) return refused(error.code, error.message);
      return refused("broken", `the change cannot be written here: ${messageOf(error)}`);
    }
  }

  /** An anchor, or what stands in a place that is not sound, may have made something else of it. */
  #check(after: YamlTree, expected: string): void {
    const broken = this.#tree.broken;
    if (after.broken !== undefined && broken === undefined)
      throw new Unwritable("broken", `the change cannot be written here: ${after.broken}`);
    const same = JSON.stringify(JSON.parse(after.json || "null")) === JSON.stringify(JSON.parse(expected || "null"));
    if (same) return;
    if (broken !== undefined) throw new Unwritable("broken", `the text is not YAML yet: ${broken}`);
    throw /[&*]\w|<<:/.test(this.#tree.text)
      ? new Unwritable("alias", "what would change is used elsewhere, by an alias: change it there")
      : new Unwritable("broken", "the change cannot be written here");
  }
}

/** Where a place of the JSON text stands in the YAML. */
function placed(tree: YamlTree, { pointer, key, part }: WrittenMark): TextRange {
  const { item } = tree.at(pointer);
  const node = key ? item.key : item.value;
  if (!node?.range) return { start: item.inner, end: item.inner };
  const { start, end } = inside(node);
  const at = part === undefined ? -1 : tree.text.slice(start, end).indexOf(part);
  if (part !== undefined && at >= 0) return { start: start + at, end: start + at + part.length };
  return isScalar(node) ? { start, end } : { start, end: start };
}

/** A node without its quotes. */
function inside(node: Node): TextRange {
  const [start = 0, end = 0] = node.range ?? [];
  const quoted = isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
  return quoted ? { start: start + 1, end: end - 1 } : { start, end };
}
