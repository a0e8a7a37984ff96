// A definition in a document: the JSON text that the language functions use, and the mapping between positions of both.

import type { Completion, Completions, MachineType, TextEdit, TextRange } from "../../core/api/index.d.ts";
import { complete, validate } from "../../core/definition/definition.ts";
import { yamlProposals } from "../../core/definition/yaml-proposals.ts";
import { YamlSource } from "../../core/definition/yaml-source.ts";
import type { Decoded } from "./decoded.ts";
import { freshName } from "./json.ts";

/** Completions for a position of the document. */
export interface Proposals {
  replace: TextRange;
  items: (Omit<Completion, "kind"> & { kind: string; caret?: number })[];
}

/** Identifies the owner of a definition. */
export interface Owner {
  /** The logical id in a template. Undefined for the document's own definition. */
  id?: string;
  type?: MachineType | undefined;
}

/** A definition in a document. All offsets are UTF-16 units; `json…` are those of its JSON text. */
export interface Part extends Owner {
  readonly json: string;
  /** The range in the document. */
  readonly range: TextRange;
  /** Returns the offset in the JSON text for an offset of the document. */
  jsonOffset(offset: number): number | undefined;
  /** Returns the range of the JSON text for a range of the document. */
  jsonRange(range: TextRange): TextRange | undefined;
  /** Returns the range of the document for a range of the JSON text. */
  documentRange(range: TextRange): TextRange | undefined;
  /** Maximum number of `edits` that should be requested at once. Undefined if each is quick. */
  readonly mostEdits?: number;
  /** Converts edits of the JSON text to edits of the document. Undefined if the document cannot express them. */
  edits(edits: readonly TextEdit[]): TextEdit[] | undefined;
  proposals(offset: number): Proposals | undefined;
}

/** A definition in JSON: a whole document, or a value in one. */
export class JsonPart implements Part {
  readonly json: string;
  readonly range: TextRange;
  declare readonly id?: string;
  declare readonly type?: MachineType | undefined;

  constructor(text: string, range: TextRange, owner: Owner = {}) {
    this.json = text.slice(range.start, range.end);
    this.range = range;
    Object.assign(this, owner);
  }

  jsonOffset(offset: number): number | undefined {
    return offset < this.range.start || offset > this.range.end ? undefined : offset - this.range.start;
  }

  jsonRange({ start, end }: TextRange): TextRange | undefined {
    return clipped({ start: start - this.range.start, end: end - this.range.start }, this.json.length);
  }

  documentRange({ start, end }: TextRange): TextRange {
    return { start: start + this.range.start, end: end + this.range.start };
  }

  edits(edits: readonly TextEdit[]): TextEdit[] {
    return edits.map((edit) => ({ ...this.documentRange(edit), text: edit.text }));
  }

  proposals(offset: number): Proposals | undefined {
    const at = this.jsonOffset(offset);
    const found = at === undefined ? undefined : jsonProposals(this.json, at);
    return found && { replace: this.documentRange(found.replace), items: found.items };
  }
}

/** A definition in YAML: a whole document, or the value at a JSON Pointer in one. */
export class YamlPart implements Part {
  readonly range: TextRange;
  declare readonly id?: string;
  declare readonly type?: MachineType | undefined;
  readonly #text: string;
  readonly #pointer: string;
  #source: YamlSource | undefined;

  constructor(text: string, range: TextRange, pointer: string, owner: Owner = {}) {
    this.range = range;
    this.#text = text;
    this.#pointer = pointer;
    Object.assign(this, owner);
  }

  get source(): YamlSource {
    return (this.#source ??= new YamlSource(this.#text, { loose: true, pointer: this.#pointer, check: (json) => validate(json) }));
  }

  get json(): string {
    return this.source.json;
  }

  jsonOffset(offset: number): number | undefined {
    return this.source.offset(offset);
  }

  jsonRange({ start, end }: TextRange): TextRange | undefined {
    return this.source.part(start, end);
  }

  documentRange({ start, end }: TextRange): TextRange | undefined {
    const found = this.source.locate(start, end)?.range;
    if (found === undefined) return undefined;
    const [from, to] = [found.start.offset, found.end.offset];
    // If the range of the name excludes its quotes in JSON, it excludes them here too.
    const quoted = /^(["']).*\1$/s.test(this.#text.slice(from, to)) && this.json[start] !== '"' && to - from - 2 === end - start;
    return quoted ? { start: from + 1, end: to - 1 } : { start: from, end: to };
  }

  get mostEdits(): number {
    return this.source.mostEdits;
  }

  edits(edits: readonly TextEdit[]): TextEdit[] | undefined {
    return this.source.edits(edits);
  }

  proposals(offset: number): Proposals | undefined {
    return yamlProposals(this.#text, offset, (json, at) => complete(json, at), this.#pointer) ?? undefined;
  }
}

/** A definition as JSON text in a string of a template. */
export class StringPart implements Part {
  readonly json: string;
  readonly range: TextRange;
  declare readonly id?: string;
  declare readonly type?: MachineType | undefined;
  readonly #decoded: Decoded;

  constructor(decoded: Decoded, owner: Owner = {}) {
    this.json = decoded.text;
    this.range = decoded.range;
    this.#decoded = decoded;
    Object.assign(this, owner);
  }

  jsonOffset(offset: number): number | undefined {
    return this.#decoded.inside(offset);
  }

  jsonRange({ start, end }: TextRange): TextRange | undefined {
    const { range } = this;
    const [from, to] = [this.#decoded.inside(Math.max(start, range.start)), this.#decoded.inside(Math.min(end, range.end))];
    return start > range.end || end < range.start || from === undefined || to === undefined ? undefined : { start: from, end: to };
  }

  documentRange(range: TextRange): TextRange {
    return this.#decoded.documentRange(range);
  }

  edits(edits: readonly TextEdit[]): TextEdit[] | undefined {
    const placed = edits.flatMap((edit) => {
      const written = this.#decoded.encode(edit.text);
      // The indentation after the last line belongs to the template.
      const text = edit.end === this.json.length ? written?.replace(/\n +$/, "\n") : written;
      return text === undefined ? [] : [{ ...this.documentRange(edit), text }];
    });
    return placed.length === edits.length ? placed : undefined;
  }

  proposals(offset: number): Proposals | undefined {
    const at = this.jsonOffset(offset);
    const found = at === undefined ? undefined : jsonProposals(this.json, at);
    if (found === undefined) return undefined;
    const items = found.items.flatMap((item) => {
      const caret = item.caret === undefined ? undefined : this.#decoded.encode(item.insert.slice(0, item.caret))?.length;
      const insert = this.#decoded.encode(item.insert);
      return insert === undefined ? [] : [{ ...item, insert, ...(caret !== undefined && { caret }) }];
    });
    return { replace: this.documentRange(found.replace), items };
  }
}

/** Returns completions in JSON. A name without a value is replaced, and an empty value is added. */
function jsonProposals(text: string, offset: number): Proposals {
  const fresh = freshName(text, offset);
  const found: Completions =
    fresh === undefined ? complete(text, offset) : complete(text.slice(0, fresh.start) + text.slice(fresh.end), fresh.start);
  const items = found.items.map((item) => {
    // The cursor goes between the quotes or brackets of an empty value.
    const blank = /(""|\{\}|\[\])$/.test(item.insert) && item.insert.length > 2;
    return blank ? { ...item, caret: item.insert.length - 1 } : item;
  });
  return { replace: fresh ?? found.replace, items };
}

function clipped({ start, end }: TextRange, length: number): TextRange | undefined {
  return end < 0 || start > length ? undefined : { start: Math.max(0, start), end: Math.min(length, end) };
}
