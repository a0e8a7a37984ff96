// Definitions and inputs from files, in JSON or YAML, with places in either.

// For Node the package is CommonJS files, each with what the same entries need. This import keeps the calls into the module and the
// driver in one of them: a Task costs a tenth more where they are apart.
import "../execution/machine.ts";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync, type Dirent } from "node:fs";
import { basename, join } from "node:path";
import { LineCounter, type Document, type YAMLError } from "yaml";
import type { Diagnostic, MachineType, Position, Range } from "../api/index.d.ts";
import { codeOf, messageOf } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { renderDiagnostics, validate } from "../definition/definition.ts";
import { renderFilled } from "../definition/diagnose.ts";
import { Filled, inOrder, jsonHoles, positionOf } from "../definition/placeholders.ts";
import { compileSettings } from "../definition/settings.ts";
import { intrinsicTags } from "../definition/tags.ts";
import { machinesOf, type Machine } from "../definition/template.ts";
import * as yaml from "../definition/yaml.ts";
import { defined } from "./placeholders.ts";
import { YamlPlaces, extent, lookUp } from "./places.ts";
import { Invalid, Unusable, type SourceOptions } from "./problem.ts";

/** Writes a file. */
export function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/** It can be read once only, and a template in it holds several definitions. */
let standardInput: string | undefined;

const REASONS = new Map<unknown, string>([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "no such file"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission denied"],
  ["ELOOP", "too many symbolic links"],
  ["EBADF", "it is closed"],
]);

/** Whoever stands between this process and the disk. */
let reader: ((file: string) => string | undefined) | undefined;

/**
 * Sets who is asked for the text of every file first: an editor has some open, and a server refuses those outside of its folder, by
 * throwing Unusable. Of what it has no text for, the text on the disk counts.
 */
export function readThrough(asked: (file: string) => string | undefined): void {
  reader = asked;
}

/** The text of a file; - is standard input. */
export function read(file: string): string {
  try {
    const held = reader?.(file);
    if (held !== undefined) return held;
    if (file === "-") return (standardInput ??= decoded(readStandardInput()));
    return decoded(readFileSync(file));
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw new Unusable(`cannot read ${file === "-" ? "standard input" : file}: ${REASONS.get(codeOf(error)) ?? messageOf(error)}`);
  }
}

/** A terminal or a pipe that does not block has nothing yet where it says EAGAIN. */
function readStandardInput(): Buffer {
  const chunks: Buffer[] = [];
  for (;;) {
    try {
      chunks.push(readFileSync(0));
      return Buffer.concat(chunks);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Text in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes what is redirected. */
function decoded(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA" ? new Error("it is not UTF-8 text") : error;
  }
  if (text.includes("\0")) throw new Error("it is not a text file");
  return text;
}

/** A definition without errors. */
export type UsableSource = Source & { json: string };

/** A definition that can be used, for commands that do nothing with another: throws Invalid, or Unusable for placeholders. */
export function usable(source: Source, options: SourceOptions = {}): UsableSource {
  source.checkFilled();
  if (source.diagnostics(options).some(({ severity }) => severity === "error")) throw new Invalid(source, options);
  // What cannot be parsed has an error.
  return source as UsableSource;
}

const DEFINITION = /\.asl\.(json|ya?ml)$/i;
const MAY_BE_TEMPLATE = /\.(json|ya?ml|template)$/i;
const TEMPLATE = /AWS::(StepFunctions|Serverless)::StateMachine|^\s*["']?stepFunctions["']?\s*:/m;

/**
 * The definitions below a folder: files `*.asl.json`, `*.asl.yaml`, `*.asl.yml`, and templates with state machines. Other
 * packages (node_modules) and folders whose name begins with a dot are passed over, and links to folders not followed.
 * `problems` gets what cannot be read.
 */
export function definitionsBelow(folder: string, problems: { file: string; message: string }[]): string[] {
  const found: string[] = [];
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    problems.push({
      file: folder,
      message: `cannot read ${folder}: ${codeOf(error) === "EACCES" ? "permission denied" : messageOf(error)}`,
    });
    return found;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules" && !entry.name.startsWith(".")) found.push(...definitionsBelow(path, problems));
    } else if (DEFINITION.test(entry.name)) found.push(path);
    else if (MAY_BE_TEMPLATE.test(entry.name) && isTemplate(path)) found.push(path);
  }
  return found;
}

/** Whether a file is a template with a state machine in it. What cannot be read is none. */
function isTemplate(file: string): boolean {
  try {
    const text = read(file);
    return TEMPLATE.test(text) && (machinesOf(valueOf(file, text), file)?.size ?? 0) > 0;
  } catch {
    return false;
  }
}

/** Whether there is a folder of that name. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A text that was read as YAML, and its lines. */
interface Written {
  document: Document;
  lines: LineCounter;
}

/** A definition of a file, in JSON or YAML, by itself or in a template: `template.yaml#LogicalId`. */
export class Source {
  /** The file; - is standard input. */
  file = "";
  /** What messages call it. */
  name = "";
  /** The text as it was written. */
  text = "";
  /** The definition as JSON text; undefined where the file cannot be parsed. */
  json: string | undefined;
  /** EXPRESS, where a template says so. */
  type: MachineType | undefined;
  /** Whether it stands in a string of a template: lines are then those of the string. */
  embedded = false;
  /** The machine's name: its logical id in a template, or the file's name without what follows the first dot. */
  machine = "";
  #yaml: Document | undefined;
  #lines = new LineCounter();
  /** Where the definition stands in #yaml. */
  #pointer = "";
  /** JSON read as YAML, where there is no #yaml: for lines. */
  #places: Written | undefined;
  /** Values of placeholders. */
  #values: Record<string, unknown>;
  /** The text with its placeholders filled in, where it has any. */
  #filled: Filled | undefined;
  /** What #yaml or json was read from: the file's text, with its placeholders filled in. */
  #current = "";
  /** Faults of a template outside of its machines; those of one that a definition's own file is named in. */
  #faults: YAMLError[] = [];
  #around: Diagnostic[] = [];

  /**
   * The one definition that is meant. `substitutions` are values for placeholders, besides those of --define; `text` is that of the
   * file, for one that is nowhere.
   */
  constructor(spec: string, { substitutions = {}, text }: { substitutions?: Record<string, unknown>; text?: string } = {}) {
    const [file, fragment] = split(spec);
    this.#values = { ...substitutions, ...defined() };
    this.#read(file, text);
    const machines = this.#machines(file);
    if (machines === undefined) {
      if (fragment !== undefined) throw new Unusable(`${file} is not a template, so it has no ${fragment}`);
      return;
    }
    const names = [...machines.keys()];
    const [id, ...rest] = fragment === undefined ? names : [fragment];
    if (id === undefined) throw new Unusable(`${this.name} has no state machine`);
    if (rest.length > 0)
      throw new Unusable(
        `${this.name} has ${names.length} state machines: choose one, for example ${this.name}#${id} (${names.join(", ")})`,
      );
    const chosen = machines.get(id);
    if (chosen === undefined) throw new Unusable(`${this.name} has no state machine ${id}; it has ${names.join(", ") || "none"}`);
    // One machine tells what is wrong around them all.
    if (names.indexOf(id) > 0) this.#faults = [];
    this.#choose(chosen, id);
  }

  /** Names of all definitions that are meant: of a template without a fragment every one. */
  static specs(spec: string, text?: string): string[] {
    const [file, fragment] = split(spec);
    if (fragment !== undefined) return [spec];
    const machines = machinesOf(valueOf(file, text ?? read(file)), file);
    return machines === undefined ? [spec] : [...machines.keys()].map((name) => `${file}#${name}`);
  }

  #read(file: string, text = read(file)): void {
    this.file = file;
    this.name = file === "-" ? "<stdin>" : file;
    this.machine = file === "-" ? "StateMachine" : basename(file).split(".")[0] || "StateMachine";
    this.text = text;
    this.#parse();
  }

  #parse(isOne = isYaml(this.file, this.text)): void {
    this.#filled = undefined;
    this.#pointer = "";
    this.#as(this.text, isOne);
    if (!this.text.includes("${") || this.#machines(this.file) !== undefined) return;
    const filled = new Filled(this.text, isOne ? yaml.yamlHoles(this.text) : jsonHoles(this.text), this.#values);
    if (!filled.differs) return;
    filled.settle((text: string) => {
      this.#as(text, isOne);
      return this.#found({});
    });
    this.#filled = filled;
  }

  /** Reads a text that the file has, or has with its placeholders filled in. */
  #as(text: string, isOne: boolean): void {
    this.#current = text;
    this.#yaml = undefined;
    this.json = isOne ? undefined : text;
    if (!isOne) return;
    const written = this.#documentOf(text);
    const { errors } = written;
    this.#faults = [];
    if (errors.length > 0 && !isFaultyTemplate(written, this.file)) return;
    this.#faults = errors;
    this.json = JSON.stringify(valueOfDocument(written, this.file) ?? null, null, 1);
  }

  /** Reads a text as YAML, and counts its lines. */
  #documentOf(text: string): Document {
    this.#lines = new LineCounter();
    return (this.#yaml = document(text, this.#lines));
  }

  #machines(file: string): Map<string, Machine> | undefined {
    if (this.json === undefined) return undefined;
    try {
      return machinesOf(JSON.parse(this.json), file, this.#values);
    } catch {
      return undefined;
    }
  }

  #choose({ name, type, substitutions, definition }: Machine, id: string): void {
    if (definition.in === "nothing") throw new Unusable(`${this.name}#${id}: ${definition.problem}`);
    this.machine = name;
    this.type = type === "EXPRESS" ? "EXPRESS" : undefined;
    if (definition.in === "file") {
      this.#values = { ...substitutions, ...this.#values };
      const faults = this.#faults.map((error) => this.#fault(error));
      const template = this.name;
      this.#read(definition.path);
      this.machine = name;
      this.#faults = [];
      this.#around = faults.map(({ range, message, ...rest }) => ({
        ...rest,
        message: `${template}:${range.start.line}:${range.start.column}: ${message}`,
      }));
      if (definition.member !== undefined && this.json !== undefined) this.#memberOf(definition.member);
    } else if (definition.in === "string") {
      // A definition in a string has no places of its own in the template.
      this.embedded = true;
      this.name = `${this.name}#${id}`;
      this.text = definition.text;
      this.#faults = [];
      this.#parse(false);
    } else {
      this.#fromValue(definition.value, definition.pointer);
    }
  }

  /** A definition whose value differs from what is written, at a place in the document. */
  #fromValue(value: unknown, pointer: string): void {
    if (this.#yaml === undefined) this.#documentOf(this.#current);
    this.#pointer = pointer;
    this.json = JSON.stringify(value, null, 1);
  }

  #memberOf(member: string): void {
    let value: unknown;
    try {
      value = JSON.parse(this.json ?? "");
    } catch {
      return;
    }
    for (const key of member.split("."))
      value = isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
    this.#fromValue(value, `/${member.replaceAll(".", "/")}`);
  }

  /** Throws where placeholders need values, which `how` says how to give: nothing can be run without them. */
  checkFilled(how = (names: string[]) => `pass ${names.map((name) => `--define ${name}=VALUE`).join(" ")}`): void {
    const missing = this.#filled?.missing ?? [];
    if (missing.length === 0) return;
    const places = missing.map(({ name, start }) => {
      const { line, column } = positionOf(this.text, start);
      return `  \${${name}}  ${this.name}:${line}:${column}`;
    });
    const names = [...new Set(missing.map(({ name }) => name))];
    throw new Unusable(
      `${this.name} needs a value for ${names.length === 1 ? "a placeholder" : `${names.length} placeholders`}: ${how(names)}\n${places.join("\n")}`,
    );
  }

  /** Options for the machine's type: the one asked for, or the template's. */
  options({ type }: SourceOptions = {}): SourceOptions {
    const wanted = type ?? this.type;
    return wanted === undefined ? {} : { type: wanted };
  }

  /** All problems, with places in the file. */
  diagnostics(options: SourceOptions = {}): Diagnostic[] {
    const around = [...this.#around, ...this.#faults.map((error) => this.#fault(error))];
    if (this.#filled === undefined) return [...around, ...this.#found(options)];
    const found = this.#filled.report(this.#found(options));
    return inOrder([...around, ...found, ...this.#filled.diagnostics("warning", HOW)]);
  }

  /** Problems with places in the text that was read: the file's, with its placeholders filled in. */
  #found(options: SourceOptions): Diagnostic[] {
    if (this.json === undefined) return this.#yaml?.errors.map((error) => this.#yamlError(error)) ?? [];
    const found: Diagnostic[] = validate(this.json, this.options(options));
    if (this.#yaml === undefined) return found;
    const map = new YamlPlaces(this.#yaml, this.#current, yamlDocument(this.json), this.json, this.#pointer);
    const moved = (pointer: string, range: Range): Range => {
      const [start, end] = map.find(pointer, range);
      return { start: this.#position(start), end: this.#position(end) };
    };
    const placed = <One extends { pointer: string; range?: Range }>(one: One): One =>
      one.range === undefined ? one : { ...one, range: moved(one.pointer, one.range) };
    return found.map((diagnostic) => {
      const { fix } = diagnostic;
      return { ...placed(diagnostic), labels: diagnostic.labels.map(placed), ...(fix && { fix: placed(fix) }) };
    });
  }

  /** All problems as a compiler prints them. */
  render(options: SourceOptions, color: boolean): string {
    const around = [...this.#around, ...this.#faults.map((error) => this.#fault(error))].map((one) => rendered(one, this.name)).join("");
    if (this.#filled !== undefined) return around + this.#renderFilled(this.#filled, options, color);
    if (this.#yaml === undefined && this.json !== undefined)
      return around + renderDiagnostics(this.json, { ...this.options(options), fileName: this.name, color });
    const diagnostics = this.#found(options);
    if (this.json === undefined) return diagnostics.map((one) => rendered(one, this.name)).join("");
    return around + this.#renderAt(this.json, diagnostics, options, color);
  }

  /** What a definition in JSON has, with the excerpts of the text that it was written in. */
  #renderAt(json: string, diagnostics: Diagnostic[], options: SourceOptions, color: boolean): string {
    const places = diagnostics.flatMap(({ range, labels }) =>
      [range, ...labels.map((label) => label.range)].flatMap((one) => this.#bytes(one)),
    );
    return renderDiagnostics(json, { ...this.options(options), fileName: this.name, color, source: this.text, places });
  }

  #renderFilled(filled: Filled, options: SourceOptions, color: boolean): string {
    const read = this.#found(options);
    const found = filled.report(read);
    if (this.json === undefined) return found.map((one) => rendered(one, this.name)).join("");
    return renderFilled(this.text, filled, {
      read,
      open: filled.diagnostics("warning", HOW),
      json: this.json,
      fileName: this.name,
      settings: compileSettings(this.options(options)),
      color,
    });
  }

  /** The line of a JSON Pointer into the definition, from 1 on; of what has no place of its own the nearest one around it. */
  line(pointer: string): number {
    const { document: written, lines } = this.#written();
    const { key, value } = lookUp(written, this.#pointer + pointer);
    const [offset] = extent(key ?? value);
    return this.#filled === undefined ? lines.linePos(offset).line : this.#filled.range(offset, offset).start.line;
  }

  /** The document of what was read. JSON is YAML. */
  #written(): Written {
    if (this.#yaml !== undefined) return { document: this.#yaml, lines: this.#lines };
    if (this.#places === undefined) {
      const lines = new LineCounter();
      this.#places = { document: document(this.#current, lines), lines };
    }
    return this.#places;
  }

  #bytes(range: Range | undefined): number[] {
    if (range === undefined) return [0xffffffff, 0xffffffff];
    return [range.start, range.end].map(({ offset }) => Buffer.byteLength(this.text.slice(0, offset)));
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col, offset };
  }

  #yamlError(error: YAMLError): Diagnostic & { range: Range } {
    const range = { start: this.#position(error.pos[0]), end: this.#position(error.pos[1]) };
    return { code: "invalid-yaml", severity: "error", pointer: "", message: error.message, range, labels: [], aws: [] };
  }

  #fault(error: YAMLError): Diagnostic & { range: Range } {
    const { message, ...rest } = this.#yamlError(error);
    return { ...rest, severity: "warning", message: `${message} (in a part of the template that is no state machine)` };
  }
}

/** How a placeholder gets its value here. */
const HOW = "pass `--define NAME=VALUE`";

function rendered({ code, severity, message, range }: Diagnostic, name: string): string {
  return `${severity}[${code}]: ${message}\n --> ${name}${range === undefined ? "" : `:${range.start.line}:${range.start.column}`}\n\n`;
}

/** `file#fragment`, unless there is a file of that very name. */
export function split(spec: string): [file: string, fragment: string | undefined] {
  const at = spec.lastIndexOf("#");
  return at < 1 || existsSync(spec) ? [spec, undefined] : [spec.slice(0, at), spec.slice(at + 1)];
}

function isYaml(file: string, text: string): boolean {
  const named = /\.(ya?ml)$/i.test(file) ? true : /\.json$/i.test(file) ? false : undefined;
  return named ?? !/^\s*\{/.test(text);
}

function document(text: string, lineCounter?: LineCounter): Document {
  return yamlDocument(text, { ...(lineCounter && { lineCounter }), merge: true, prettyErrors: false, customTags: intrinsicTags });
}

/** `parseDocument` for texts from anywhere. */
export function yamlDocument(text: string, options: yaml.YamlOptions = {}): Document {
  try {
    return yaml.yamlDocument(text, options);
  } catch (error) {
    throw new Unusable(messageOf(error));
  }
}

/** What a YAML document stands for. */
export function valueOfDocument(document: Document, file: string): unknown {
  try {
    return yaml.valueOfDocument(document);
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
}

/** What a file holds; undefined where it cannot be parsed. */
function valueOf(file: string, text: string): unknown {
  if (isYaml(file, text)) {
    const parsed = document(text);
    return parsed.errors.length > 0 && !isFaultyTemplate(parsed, file) ? undefined : valueOfDocument(parsed, file);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether all that is wrong in a document stands outside of the state machines of a template. */
export function isFaultyTemplate(document: Document, file: string): boolean {
  let machines: Map<string, Machine> | undefined;
  try {
    machines = machinesOf(valueOfDocument(document, file), file);
  } catch {
    return false;
  }
  if (machines === undefined || machines.size === 0) return false;
  const own = [...machines.values()].map(({ resource }) => extent(lookUp(document, resource).value));
  return document.errors.every(({ pos: [start] }) => own.every(([from, to]) => start < from || start >= to));
}
