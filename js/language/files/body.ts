// Definitions in their files, and the source positions of their problems.

import type { Document, YAMLError } from "yaml";
import type { Diagnostic, Position, Range } from "../../core/api/index.d.ts";
import { Filled, jsonPlaceholders } from "../../core/definition/placeholders.ts";
import { yamlPlaceholders } from "../../core/definition/yaml.ts";
import { yamlErrors } from "../../core/definition/yaml-document.ts";
import type { Origin, MappedText } from "../sources/mapped-text.ts";
import { document, isFaultyTemplate, isYaml, valueOfDocument, yamlDocument } from "./document.ts";
import { YamlRanges, extent, lookUp, type Extent } from "./yaml-ranges.ts";
import { textInJson, textInYaml, valueInJson, type StringOffsets } from "./string-offsets.ts";

/** A file that was read. */
export class FileText {
  readonly file: string;
  /** The name of the file in messages. */
  readonly name: string;
  readonly text: string;
  readonly isYaml: boolean;
  #document: Document | undefined;
  #value: { parsed: unknown } | undefined;
  #lines: Lines | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.name = file === "-" ? "<stdin>" : file;
    this.text = text;
    this.isYaml = isYaml(file, this.text);
  }

  /** The text as a YAML document. JSON is YAML, too. */
  get document(): Document {
    return (this.#document ??= document(this.text));
  }

  /** The parsed value. Undefined if the text cannot be parsed. */
  get value(): unknown {
    return (this.#value ??= { parsed: this.#parsed() }).parsed;
  }

  #parsed(): unknown {
    if (this.isYaml)
      return this.errors.length > 0 && !isFaultyTemplate(this.document, this.file) ? undefined : valueOfDocument(this.document, this.file);
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }

  /** The errors that prevent it from being YAML. */
  get errors(): readonly YAMLError[] {
    return this.isYaml ? yamlErrors(this.document) : [];
  }

  range(at: Extent): Range {
    return (this.#lines ??= new Lines(this.text)).range(at);
  }
}

/** A definition with its source positions in a file. */
export interface Body {
  /** The definition as JSON text. Undefined if the file cannot be parsed. */
  readonly json: string | undefined;
  /** The text with filled placeholders, if it has any. */
  readonly filled: Filled | undefined;
  /** Chooses guesses for placeholders without a value. `check` finds problems of a JSON text. */
  settle(check: (json: string) => Diagnostic[]): void;
  /**
   * Returns problems of `json` with their positions in the file. Undefined for problems that are about guesses for placeholders.
   */
  placed(found: Diagnostic[]): (Diagnostic | undefined)[];
  /** Returns the syntax errors of the file. */
  errors(): Diagnostic[];
  /** Returns diagnostics about the placeholders without a value, with their positions in the file. */
  open(how?: string): Diagnostic[];
  /**
   * Returns the range of the value at a JSON Pointer into the definition, including its name, or the range of the nearest value
   * around it.
   */
  extentOf(pointer: string): Extent;
}

function yamlError({ pos: [start, end], message }: YAMLError, range: (extent: Extent) => Range): Diagnostic {
  return { code: "invalid-yaml", severity: "error", pointer: "", message, range: range([start, end]), labels: [], aws: [] };
}

/** Returns the range from the name of the value at a pointer, if it has one, to the end of the value. */
function extentAt(parsed: Document, pointer: string): Extent {
  const { key, value } = lookUp(parsed, pointer);
  const [start] = extent(key ?? value);
  const [, end] = extent(value ?? key);
  return [start, Math.max(start, end)];
}

/** Returns a diagnostic with other ranges. */
function moved(diagnostic: Diagnostic, move: (pointer: string, range: Range) => Range): Diagnostic {
  const placed = <One extends { pointer?: string; range?: Range }>(one: One): One =>
    one.range === undefined ? one : { ...one, range: move(one.pointer ?? diagnostic.pointer, one.range) };
  const { labels, fix } = diagnostic;
  return { ...placed(diagnostic), labels: labels.map(placed), ...(fix && { fix: placed(fix) }) };
}

/** A definition that is the whole content of a file, in JSON or YAML. */
export class FileBody implements Body {
  #file: FileText;
  #document: Document | undefined;
  #places: Document | undefined;
  /** The text that was parsed: the text of the file, with its placeholders filled in. */
  #text = "";
  json: string | undefined;
  readonly filled: Filled | undefined;

  constructor(file: FileText, values: Record<string, unknown>) {
    this.#file = file;
    this.#read(file.text, file.isYaml ? file.document : undefined);
    if (!file.text.includes("${")) return;
    const filled = new Filled(file.text, file.isYaml ? yamlPlaceholders(file.text) : jsonPlaceholders(file.text), values);
    if (filled.differs) this.filled = filled;
  }

  #read(text: string, parsed: Document | undefined): void {
    this.#text = text;
    this.#document = parsed;
    this.#places = undefined;
    if (parsed === undefined) this.json = text;
    else this.json = parsed.errors.length > 0 ? undefined : JSON.stringify(valueOfDocument(parsed, this.#file.file) ?? null, null, 1);
  }

  settle(check: (json: string) => Diagnostic[]): void {
    this.filled?.settle((text: string) => {
      this.#read(text, this.#file.isYaml ? document(text) : undefined);
      return this.json === undefined ? this.#errors() : this.#located(check(this.json));
    });
  }

  /** Returns problems with ranges in the text that was parsed. */
  #located(found: Diagnostic[]): Diagnostic[] {
    if (this.#document === undefined || this.json === undefined) return found;
    const places = new YamlRanges(this.#document, this.#text, yamlDocument(this.json), this.json, "");
    const lines = new Lines(this.#text);
    return found.map((one) => moved(one, (pointer, range) => lines.range(places.find(pointer, range))));
  }

  #errors(): Diagnostic[] {
    const lines = new Lines(this.#text);
    return (this.#document === undefined ? [] : yamlErrors(this.#document)).map((error) => yamlError(error, (at) => lines.range(at)));
  }

  placed(found: Diagnostic[]): (Diagnostic | undefined)[] {
    const located = this.#located(found);
    if (this.filled === undefined) return located;
    const reported = this.filled.report(located);
    let next = 0;
    return this.filled.dropped.map((dropped) => (dropped ? undefined : reported[next++]));
  }

  errors(): Diagnostic[] {
    if (this.json !== undefined) return [];
    return this.filled?.report(this.#errors()) ?? this.#errors();
  }

  open(how?: string): Diagnostic[] {
    return this.filled?.diagnostics("warning", how) ?? [];
  }

  extentOf(pointer: string): Extent {
    // JSON is YAML, so the YAML parser finds the positions in it.
    const [start, end] = extentAt((this.#places ??= this.#document ?? document(this.#text)), pointer);
    return [this.filled?.back(start) ?? start, this.filled?.back(end) ?? end];
  }
}

/** The offsets of line starts. */
class Lines {
  #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  position(offset: number): Position {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return { line: low, column: offset - (this.#starts[low - 1] ?? 0) + 1, offset };
  }

  range([start, end]: Extent): Range {
    return { start: this.position(start), end: this.position(end) };
  }
}

/** A definition that is a part of a file: a value, or a string. */
abstract class PartBody implements Body {
  protected readonly file: FileText;
  /** The definition, with its placeholders. */
  protected readonly text: MappedText;
  readonly filled: Filled | undefined;

  constructor(file: FileText, text: MappedText, values: Record<string, unknown> = {}) {
    this.file = file;
    this.text = text;
    const json = text.text;
    // Placeholders that are whole unknown values are in quotes that the source does not have. They become strings by default.
    const whole = new Set(text.references.filter(({ isOpen, isWhole }) => isOpen && isWhole).map(({ start }) => start));
    const holes = jsonPlaceholders(json).map((hole) =>
      whole.has(hole.start) ? { ...hole, start: hole.start - 1, end: hole.end + 1, quoted: undefined, plain: true } : hole,
    );
    const filled = new Filled(json, holes, values);
    if (filled.differs) this.filled = filled;
  }

  get json(): string {
    return this.filled?.text ?? this.text.text;
  }

  settle(check: (json: string) => Diagnostic[]): void {
    this.filled?.settle(check);
  }

  placed(found: Diagnostic[]): (Diagnostic | undefined)[] {
    const move = (one: Diagnostic) => this.#moved(one);
    if (this.filled === undefined) return found.map(move);
    const reported = this.filled.report(found);
    let next = 0;
    return this.filled.dropped.map((dropped) => {
      const one = dropped ? undefined : reported[next++];
      return one && move(one);
    });
  }

  #moved(diagnostic: Diagnostic): Diagnostic {
    const { fix, ...rest } = diagnostic;
    const isKept = fix?.range !== undefined && this.takes(fix.range, fix.replacement);
    return moved({ ...rest, ...(isKept && { fix }) }, (pointer, range) => this.file.range(this.extent(pointer, range)));
  }

  errors(): Diagnostic[] {
    return [];
  }

  open(how?: string): Diagnostic[] {
    const open = this.filled?.diagnostics("warning", how) ?? [];
    return open.map((one) => moved(one, (pointer, range) => this.file.range(this.extent(pointer, range))));
  }

  abstract extentOf(pointer: string): Extent;
  /** Returns the range in the file for a range of the definition's text. */
  protected abstract extent(pointer: string, range: Range): Extent;
  /** Returns whether the file can express a replacement in that range. */
  protected abstract takes(range: Range, replacement: string): boolean;
}

/** A definition that is a value of a template. */
export class ValueBody extends PartBody {
  #pointer: string;
  #places: YamlRanges | undefined;

  constructor(file: FileText, text: MappedText, pointer: string) {
    super(file, text);
    this.#pointer = pointer;
  }

  protected extent(pointer: string, range: Range): Extent {
    const { text } = this.text;
    this.#places ??= new YamlRanges(this.file.document, this.file.text, yamlDocument(text), text, this.#pointer);
    return this.#places.find(pointer, range);
  }

  protected takes(): boolean {
    return true;
  }

  extentOf(pointer: string): Extent {
    return extentAt(this.file.document, this.#pointer + pointer);
  }
}

/** A definition that is a string in a template, or that is composed of strings. */
export class TextBody extends PartBody {
  #texts = new Map<string, StringOffsets | undefined>();
  #parsed: { json: string; document: Document } | undefined;
  #nowhere: Origin;

  constructor(file: FileText, { text, pointer }: { text: MappedText; pointer: string }, values: Record<string, unknown>) {
    super(file, text, values);
    this.#nowhere = { pointer, from: 0, to: 0 };
  }

  protected extent(_: string, { start, end }: Range): Extent {
    const [first = this.#nowhere, last = first] = this.text.ends(start.offset, end.offset);
    const from = this.#offset(first, first.from);
    const to = this.#offset(last, last.to);
    return [from, Math.max(from, to)];
  }

  /** Returns the offset in the file of a character of a string. */
  #offset({ pointer }: Origin, at: number): number {
    if (pointer === undefined) return at;
    const written = this.#written(pointer);
    if (written !== undefined) return written.offsets[Math.min(at, written.offsets.length - 1)] ?? 0;
    if (!this.file.isYaml) return valueInJson(this.file.text, pointer) ?? 0;
    const { key, value } = lookUp(this.file.document, pointer);
    return extent(value ?? key)[0];
  }

  #written(pointer: string): StringOffsets | undefined {
    if (!this.#texts.has(pointer)) {
      const { text, isYaml } = this.file;
      this.#texts.set(pointer, isYaml ? textInYaml(text, this.file.document, pointer) : textInJson(text, pointer));
    }
    return this.#texts.get(pointer);
  }

  /** A string in quotes or on several lines cannot contain a replacement with quotes or line breaks. */
  protected takes({ start, end }: Range, replacement: string): boolean {
    if (/\n/.test(replacement)) return false;
    const { pointer } = this.text.ends(start.offset, end.offset)[0] ?? {};
    const isVerbatim = pointer !== undefined && this.#written(pointer)?.isVerbatim === true;
    const [from, to] = this.extent("", { start, end });
    return (isVerbatim || !/["'\\]/.test(replacement)) && this.file.text.slice(from, to) === this.text.text.slice(start.offset, end.offset);
  }

  extentOf(pointer: string): Extent {
    if (this.#parsed?.json !== this.json) this.#parsed = { json: this.json, document: yamlDocument(this.json) };
    const [start, end] = extentAt(this.#parsed.document, pointer);
    const place = (at: number): Position => ({ line: 1, column: 1, offset: this.filled?.back(at) ?? at });
    return this.extent(pointer, { start: place(start), end: place(Math.max(end, start + 1)) });
  }
}
