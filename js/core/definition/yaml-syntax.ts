// YAML as a syntax of `language.edit()`.

import { type Node, isScalar } from "yaml";
import type { Diagnostic, Edited, RefusedEdit, Syntax, SyntaxText, TextRange, WrittenEdit, WrittenMark } from "../api/index.d.ts";
import { messageOf, misuse } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { pointerSteps } from "../base/pointer.ts";
import { shown } from "../base/shown.ts";
import { applied } from "./text-edits.ts";
import { Unwritable, type Use, YamlTree } from "./yaml-tree.ts";
import { type Change, YamlWriter, parentOf } from "./yaml-write.ts";

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

const GONE = "an alias elsewhere refers to what this would remove: change that first";

class YamlText implements SyntaxText {
  #tree: YamlTree;
  readonly json: string;

  constructor(tree: YamlTree) {
    this.#tree = tree;
    this.json = tree.json;
  }

  edited(
    { changes, caret, stops, edits: inJson, select, announce, losses: own, introduces: brought, asl }: WrittenEdit,
    problems: (json: string) => Diagnostic[] = () => [],
  ): Edited | RefusedEdit {
    try {
      // The changes come from the core in this form.
      const edits = new YamlWriter(this.#tree, changes as Change[]).edits();
      const after = new YamlTree(applied(this.#tree.text, edits));
      const expected = applied(this.json, inJson);
      const uses = this.#check(after, expected);
      const losses = [...own, ...uses.map(consequence)];
      const introduces = uses.length === 0 ? brought : introduced(brought, [this.json, expected, after.json].map(problems));
      const mark = (one: WrittenMark) => placed(after, one);
      const edited = { edits, select, caret: mark(caret), stops: stops.map(mark), announce, losses, introduces };
      return asl === undefined ? edited : { ...edited, asl };
    } catch (error) {
      if (error instanceof Unwritable) return refused(error.code, error.message);
      if (/unresolved alias/i.test(messageOf(error))) return refused("alias", GONE);
      return refused("broken", `the change cannot be written here: ${messageOf(error)}`);
    }
  }

  /**
   * Checks a change: what is wrong in the source may have made something else of it. Returns the other uses of an anchor whose
   * values have changed with it.
   */
  #check(after: YamlTree, expected: string): Use[] {
    const broken = this.#tree.broken;
    if (after.broken !== undefined && broken === undefined)
      throw new Unwritable("broken", `the change cannot be written here: ${after.broken}`);
    const [now, expectedValue] = [valueOf(after.json), valueOf(expected)];
    if (isDeepEqual(now, expectedValue)) return [];
    if (broken !== undefined) throw new Unwritable("broken", `the text is not YAML yet: ${broken}`);
    const uses = after.uses().filter(({ pointer }) => !isDeepEqual(at(now, pointer), at(expectedValue, pointer)));
    for (const { pointer } of uses) for (const value of [now, expectedValue]) take(value, pointer);
    if (!isDeepEqual(now, expectedValue)) throw new Unwritable("broken", "the change cannot be written here");
    return uses;
  }
}

/** Returns the consequence for a value that is also used elsewhere. */
function consequence({ pointer, anchor }: Use): { pointer: string; message: string } {
  const name = pointerSteps(pointer).at(-1) ?? "";
  return { pointer, message: `\`${name}\` changes too: it is the same text, written at the anchor &${anchor}` };
}

/** Returns the problems that a change introduces, including those at other uses of the changed value. */
function introduced(brought: Edited["introduces"], [before = [], expected = [], after = []]: Diagnostic[][]): Edited["introduces"] {
  type Said = { code: string; message: string };
  const same = (one: Said) => (other: Said) => one.code === other.code && one.message === other.message;
  /** Returns the problems that the others do not contain. Each of the others removes only one. */
  const without = <One extends Said>(all: readonly One[], others: readonly Said[]): One[] => {
    const left = [...others];
    return all.filter((one) => {
      const at = left.findIndex(same(one));
      return at < 0 || (left.splice(at, 1), false);
    });
  };
  // If the gesture renames something, the same problem contains another name.
  const remaining = without(expected, brought);
  const known = [...remaining, ...without(before, remaining)];
  return without(after, known).map(({ code, severity, pointer, message }) => ({ code, severity, pointer, message }));
}

function valueOf(json: string): unknown {
  return JSON.parse(json || "null");
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns the value at a pointer. */
function at(value: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce(
    (inner: unknown, step) => (isObject(inner) || Array.isArray(inner) ? own(inner, step) : undefined),
    value,
  );
}

function own(value: object, step: string): unknown {
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}

/** Removes the value at a pointer. */
function take(value: unknown, pointer: string): void {
  const around = at(value, parentOf(pointer));
  const step = pointerSteps(pointer).at(-1) ?? "";
  if (Array.isArray(around)) around[Number(step)] = null;
  else if (isObject(around)) delete around[step];
}

/** Returns the range in the YAML for a position of the JSON text. */
function placed(tree: YamlTree, { pointer, key, part }: WrittenMark): TextRange {
  const { item } = tree.at(tree.written(pointer));
  const node = key ? item.key : item.value;
  if (!node?.range) return { start: item.inner, end: item.inner };
  const { start, end } = inside(node);
  const at = part === undefined ? -1 : tree.text.slice(start, end).indexOf(part);
  if (part !== undefined && at >= 0) return { start: start + at, end: start + at + part.length };
  return isScalar(node) ? { start, end } : { start, end: start };
}

/** Returns the range of a node without its quotes. */
function inside(node: Node): TextRange {
  const [start = 0, end = 0] = node.range ?? [];
  const quoted = isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
  return quoted ? { start: start + 1, end: end - 1 } : { start, end };
}
