// Reads YAML or JSON whose fields are known, and reports all problems with their positions.

import { LineCounter, isAlias, isMap, isNode, isSeq, type Document } from "yaml";
import { isObject } from "../core/base/json.ts";
import { yamlErrors } from "../core/definition/yaml-document.ts";
import { valueOfDocument, yamlDocument } from "../language/files/document.ts";
import { memberOf } from "../language/files/yaml-ranges.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Check, Checks } from "./test-fields.ts";

/** A problem in a file. Lines and columns begin at 1. */
export interface Problem {
  message: string;
  line: number;
  column: number;
}

/** Thrown for a file that cannot be used, with all its problems. */
export class BadFile extends Error {
  readonly problems: Problem[];

  constructor(file: string, problems: Problem[]) {
    super(problems.map(({ message, line, column }) => `${file}:${line}:${column}: ${message}`).join("\n"));
    this.problems = problems;
  }
}

/** Names and indices, from the outside in. */
export type Path = readonly (string | number)[];

export class CheckedYaml {
  #file: string;
  #lines = new LineCounter();
  #document: Document;
  #problems: Problem[] = [];

  constructor(file: string, text: string) {
    this.#file = file;
    this.#document = yamlDocument(text, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    for (const { message, pos } of yamlErrors(this.#document)) this.#problems.push({ message, ...this.#position(pos[0]) });
  }

  /** Returns what a function makes of the value. Throws BadFile if there is any problem; the function may return undefined then. */
  read<Result>(convert: (value: unknown) => Result | undefined): Result {
    const result = this.#problems.length === 0 ? convert(valueOfDocument(this.#document, this.#file)) : undefined;
    if (result !== undefined && this.#problems.length === 0) return result;
    throw new BadFile(
      this.#file,
      this.#problems.sort((a, b) => a.line - b.line || a.column - b.column),
    );
  }

  /** Returns the valid fields of an object, and reports the others. Undefined if the value is not an object. */
  fields<Fields>(value: unknown, path: Path, what: string, checks: Checks<Fields>): Partial<Fields> | undefined {
    const known = new Map<string, Check>(Object.entries(checks));
    if (!isObject(value)) {
      this.wrong(path, `${what} must be a map with the fields ${[...known.keys()].filter((name) => !name.startsWith("$")).join(", ")}`);
      return undefined;
    }
    const fields: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const check = known.get(key);
      if (check === undefined) {
        const names = [...known.keys()];
        this.wrong(
          [...path, key],
          `${what} has no field ${JSON.stringify(key)}${didYouMean(key, names) || `; it has ${names.join(", ")}`}`,
          true,
        );
        continue;
      }
      const problem = check(item, (member, message) => this.wrong([...path, key, member], message));
      if (problem === undefined) fields[key] = item;
      else this.wrong([...path, key], `${key} ${problem}`);
    }
    // Each value has passed the check of its name.
    return fields as Partial<Fields>;
  }

  /** Adds a problem at a value, or with `atKey` at its name. */
  wrong(path: Path, message: string, atKey = false): void {
    this.#problems.push({ message, ...this.place(path, atKey) });
  }

  /** Returns the line and column of a value, or with `atKey` of its name. */
  place(path: Path, atKey = false): { line: number; column: number } {
    let node: unknown = this.#document.contents;
    let offset = startOf(node) ?? 0;
    for (const [i, part] of path.entries()) {
      if (isAlias(node)) node = node.resolve(this.#document);
      if (isMap(node)) {
        const pair = memberOf(node, String(part));
        if (pair === undefined) break;
        node = pair.value;
        const start = startOf(node);
        // A block begins on the line after its name. The position of the name is more useful.
        const isNamed = (atKey && i === path.length - 1) || start === undefined || isMap(node) || isSeq(node);
        offset = (isNamed ? startOf(pair.key) : start) ?? offset;
      } else if (isSeq(node)) {
        node = node.items[Number(part)];
        offset = startOf(node) ?? offset;
      } else break;
    }
    return this.#position(offset);
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
