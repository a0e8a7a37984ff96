// Definitions from files: by themselves or in templates, in JSON, YAML or Terraform's language, with source positions in each of
// them.

// For Node the package consists of CommonJS files, each with what the same entries need. This import keeps the calls into the
// module and the driver in the same file: a Task takes a tenth longer if they are in different ones.
import "../../core/execution/machine.ts";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Diagnostic, MachineType, Range } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import { renderDiagnostics, validate } from "../../core/definition/definition.ts";
import { renderPlaced } from "../../core/definition/diagnose.ts";
import { inOrder } from "../../core/definition/placeholders.ts";
import { compileSettings } from "../../core/definition/settings.ts";
import { isMachineBlock } from "../sources/terraform.ts";
import { shortPath } from "./short-path.ts";
import { namedBy, tooMuch, type Machine, type DefinitionLocation, type Skipped } from "../sources/template-machine.ts";
import { substituted } from "../sources/resolver.ts";
import { encoded, type Resolved } from "../sources/mapped-text.ts";
import { FileBody, FileText, TextBody, ValueBody, type Body } from "./body.ts";
import { defined } from "./placeholders.ts";
import { extent, lookUp } from "./yaml-ranges.ts";
import { Invalid, Unusable, type SourceOptions } from "./problem.ts";
import { read } from "./reading.ts";
import { assemblyFolder, siblingPath, isHcl, machinesIn, machinesInHcl, machinesOfAssembly } from "./templates.ts";

/** A definition that can be parsed. */
export type UsableSource = Source & { json: string };

/** Returns a definition without errors, for commands that need one. Throws Invalid, or Unusable for placeholders without values. */
export function usable(source: Source, options: SourceOptions = {}): UsableSource {
  source.checkFilled();
  if (source.diagnostics(options).some(({ severity }) => severity === "error")) throw new Invalid(source, options);
  // A definition that cannot be parsed has an error, so this one has JSON.
  return source as UsableSource;
}

/** The content of a file or an assembly. */
interface Found {
  name: string;
  /** The machines. Undefined for a definition by itself. */
  machines: Map<string, Machine> | undefined;
  /** The file that was read. Undefined for an assembly, which has many. */
  fileText: FileText | undefined;
  /** The faults of a template outside of its machines. */
  faults: Fault[];
  /** Why parts that may contain machines were not read. */
  skipped: string[];
}

/** A fault of a template. */
interface Fault {
  code: string;
  message: string;
  range: Range;
  /** Whether a machine cannot be read because of it. */
  isOurs: boolean;
}

/** A definition of a file, by itself or in a template: `template.yaml#LogicalId`. */
export class Source {
  /** The file that contains the definition. `-` is standard input. */
  file = "";
  /** The name of the definition in messages. */
  name = "";
  /** The text of the file. */
  text = "";
  /** The machine's type, if a template states it. */
  type: MachineType | undefined;
  /** The machine's name: its logical id in a template, or the name of the file up to the first dot. */
  machine = "";
  /** The id in the file, if that is a template. */
  id: string | undefined;
  #fileText!: FileText;
  #body!: Body;
  /** Values of placeholders. */
  #values: Record<string, unknown>;
  /** The problems of the template outside of the definition. */
  #around: Diagnostic[] = [];

  /**
   * Reads one definition. `substitutions` are values of placeholders, in addition to those of --define. `text` is used in place of
   * the file's content.
   */
  constructor(spec: string, { substitutions = {}, text }: { substitutions?: Record<string, unknown>; text?: string } = {}) {
    const [file, fragment] = split(spec);
    this.#values = { ...substitutions, ...defined() };
    const found = find(file, this.#values, text);
    const { machines, fileText, name } = found;
    if (machines === undefined && fileText !== undefined) {
      if (fragment !== undefined) throw new Unusable(`${file} is not a template, so it has no ${fragment}`);
      this.machine = file === "-" ? "StateMachine" : basename(file).split(".")[0] || "StateMachine";
      this.#take(fileText, new FileBody(fileText, this.#values));
      return;
    }
    const id = chosen(found, fragment);
    const machine = machines?.get(id);
    if (machine === undefined) return;
    // The problems outside of all machines are reported with the first machine only.
    const isFirst = machines?.keys().next().value === id;
    this.#around = isFirst ? found.faults.map(around) : [];
    this.#choose(
      machine,
      id,
      () => (machine.file === undefined && fileText !== undefined ? fileText : readFile(machine.file ?? file)),
      name,
    );
  }

  /** Returns the names of the selected definitions: without a fragment, every one of a template. */
  static specs(spec: string, text?: string): string[] {
    const [file, fragment] = split(spec);
    if (fragment !== undefined) return [spec];
    const { machines, faults, skipped, name } = find(file, defined(), text);
    const lost = faults.find(({ isOurs }) => isOurs);
    if (lost !== undefined) throw lostTo(lost, name);
    if (machines?.size === 0) throw new Unusable(noMachineIn(name, skipped));
    return machines === undefined ? [spec] : [...machines.keys()].map((id) => `${file}#${id}`);
  }

  /** The definition as JSON text. Undefined if the file cannot be parsed. */
  get json(): string | undefined {
    return this.#body.json;
  }

  #take(fileText: FileText, body: Body): void {
    this.#fileText = fileText;
    this.#body = body;
    this.file = fileText.file;
    this.name = fileText.name;
    this.text = fileText.text;
    body.settle((json) => validate(json, this.options()));
  }

  #choose({ name, type, substitutions, definition }: Machine, id: string, open: () => FileText, template: string): void {
    if (definition.in === "nothing") throw new Unusable(`${template}#${id}: ${definition.problem}`);
    const fileText = open();
    this.machine = name;
    this.type = type === "EXPRESS" ? "EXPRESS" : undefined;
    if (definition.in === "file") {
      this.#values = { ...substitutions, ...this.#values };
      this.#around = this.#aroundIn(fileText);
      const own = fileOf(siblingPath(fileText.file, definition.path), `${template}#${id}`);
      this.#take(own, this.#bodyOf(own, definition));
      return;
    }
    this.id = id.split("/").at(-1);
    if (definition.in === "string" && definition.file !== undefined) {
      const own = fileOf(siblingPath(fileText.file, definition.file), `${template}#${id}`);
      this.#around = this.#aroundIn(fileText);
      this.#take(own, new TextBody(own, definition, this.#values));
    } else if (definition.in === "string") this.#take(fileText, new TextBody(fileText, definition, this.#values));
    else this.#take(fileText, new ValueBody(fileText, encoded(definition.value), definition.pointer));
  }

  /** Returns the problems around a definition that is in another file, with their file name. */
  #aroundIn({ name }: FileText): Diagnostic[] {
    return this.#around.map(({ range, ...one }) => ({ ...one, message: `${placeOf(name, range)}: ${one.message}` }));
  }

  /** Returns a definition in a file of its own, or in a part of one. */
  #bodyOf(own: FileText, { member, resolve }: DefinitionLocation & { in: "file" }): Body {
    if ((member === undefined && resolve === undefined) || own.value === undefined) return new FileBody(own, this.#values);
    let value: unknown = own.value;
    const names = member?.split(".") ?? [];
    for (const key of names) value = isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
    const resolved = resolve?.(value) ?? (value as Resolved);
    return new ValueBody(own, encoded(substituted(resolved ?? null, this.#values)), pointerTo("", ...names));
  }

  /** Throws if placeholders have no values, because nothing can run without them. `how` describes how to pass values. */
  checkFilled(how = (names: string[]) => `pass ${names.map((name) => `--define ${quoted(name)}=VALUE`).join(" ")}`): void {
    const missing = this.#body.filled?.missing ?? [];
    if (missing.length === 0) return;
    const places = this.#body.open().map(({ range }, i) => `  \${${missing[i]?.name}}  ${placeOf(this.name, range)}`);
    const names = [...new Set(missing.map(({ name }) => name))];
    throw new Unusable(
      `${this.name} needs a value for ${names.length === 1 ? "a placeholder" : `${names.length} placeholders`}: ${how(names)}\n${places.join("\n")}`,
    );
  }

  /** Returns the options with the machine's type: the requested one, or that of the template. */
  options({ type, ...others }: SourceOptions = {}): SourceOptions {
    const wanted = type ?? this.type;
    return wanted === undefined ? others : { ...others, type: wanted };
  }

  /** Returns all problems, with positions in the file. */
  diagnostics(options: SourceOptions = {}): Diagnostic[] {
    return this.#inOrder([...this.#around, ...this.ownDiagnostics(options)]);
  }

  /** Returns the problems of the machine itself, without those of the template around its machines. */
  ownDiagnostics(options: SourceOptions = {}): Diagnostic[] {
    const found = this.#placed(options).filter((one) => one !== undefined);
    return this.#inOrder([...this.#body.errors(), ...found, ...this.#body.open(HOW)]);
  }

  #inOrder(all: Diagnostic[]): Diagnostic[] {
    return this.#body.filled === undefined ? all : inOrder(all);
  }

  #found(options: SourceOptions): Diagnostic[] {
    return this.json === undefined ? [] : validate(this.json, this.options(options));
  }

  /** Returns the problems of the definition. Undefined for problems that are about guesses for placeholders. */
  #placed(options: SourceOptions): (Diagnostic | undefined)[] {
    return this.#body.placed(this.#found(options));
  }

  /** Returns all problems as a compiler prints them. */
  render(options: SourceOptions, color: boolean): string {
    const texts = (list: Diagnostic[]) => list.map((one) => rendered(one, this.name)).join("");
    const first = texts([...this.#around, ...this.#body.errors()]);
    const { json } = this;
    if (json === undefined) return first;
    const settings = { ...this.options(options), fileName: this.name, color };
    const open = this.#body.open(HOW);
    if (json === this.text) return first + renderDiagnostics(json, settings);
    // A problem whose position has another text in the file, which is not a placeholder, is reported without an excerpt.
    const isWritten = (one: Diagnostic) =>
      one.range !== undefined && /^\$\{[^{}"'\n]*\}$/.test(this.text.slice(one.range.start.offset, one.range.end.offset));
    const shown = open.every(isWritten) ? open : [];
    const report = {
      placed: this.#placed(options),
      open: shown,
      json,
      fileName: this.name,
      settings: compileSettings(this.options(options)),
      color,
      isSorted: this.#body.filled !== undefined,
    };
    return first + renderPlaced(this.text, report) + (shown.length < open.length ? texts(open) : "");
  }

  /**
   * Returns the line, from 1 on, of the value at a JSON Pointer into the definition. If the value has no position, returns that of
   * the nearest one around it.
   */
  line(pointer: string): number {
    return this.range(pointer).start.line;
  }

  /** Returns the same position as `FILE:LINE:COLUMN`. */
  place(pointer: string): string {
    return placeOf(shortPath(this.name), this.range(pointer));
  }

  /** Returns the range in the file of the value at a JSON Pointer into the definition, including its name. */
  range(pointer: string): Range {
    return this.#fileText.range(this.#body.extentOf(pointer));
  }
}

/** Says how to give a placeholder its value here. */
const HOW = "pass `--define NAME=VALUE`";

/** Quotes a name for a shell. */
function quoted(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}

function rendered({ code, severity, message, range, help }: Diagnostic, name: string): string {
  return `${severity}[${code}]: ${message}\n --> ${placeOf(name, range)}\n${help === undefined ? "" : `  = help: ${help}\n`}\n`;
}

function placeOf(name: string, range: Range | undefined): string {
  return `${name}${range === undefined ? "" : `:${range.start.line}:${range.start.column}`}`;
}

/** Splits `file#fragment`, unless a file with that whole name exists. */
export function split(spec: string): [file: string, fragment: string | undefined] {
  const at = spec.lastIndexOf("#");
  return at < 1 || existsSync(spec) ? [spec, undefined] : [spec.slice(0, at), spec.slice(at + 1)];
}

/** Returns the machines of a file or an assembly. */
function find(file: string, values: Record<string, unknown>, text?: string): Found {
  const folder = text === undefined ? assemblyFolder(file) : undefined;
  const skipped: Skipped[] = [];
  if (folder !== undefined) {
    const machines = attempt(file, () => machinesOfAssembly(folder, values, skipped));
    return { name: file, machines, fileText: undefined, faults: [], skipped: skipped.map(({ message }) => message) };
  }
  const fileText = text === undefined ? readFile(file) : new FileText(file, text);
  const { name } = fileText;
  if (isHcl(file)) {
    const { machines, faults } = attempt(file, () => machinesInHcl(file, fileText.text, values));
    const locatedFaults = faults.map(({ message, offset, block }): Fault => {
      return { code: "invalid-hcl", message, range: fileText.range([offset, offset + 1]), isOurs: isMachineBlock(block) };
    });
    return { name, machines, fileText, faults: locatedFaults, skipped: [] };
  }
  const machines = attempt(file, () => machinesIn(file, fileText.value, values, skipped));
  const faults =
    machines === undefined
      ? []
      : fileText.errors.map(({ pos: [start, end], message }): Fault => {
          return { code: "invalid-yaml", message, range: fileText.range([start, end]), isOurs: false };
        });
  // Parts that were not read may contain machines, so this is reported with the others.
  for (const { pointer, message } of machines === undefined ? [] : skipped)
    faults.push({ code: "not-read", message, range: fileText.range(extent(lookUp(fileText.document, pointer).key)), isOurs: false });
  return { name, machines, fileText, faults, skipped: skipped.map(({ message }) => message) };
}

function attempt<Result>(file: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw new Unusable(`cannot read ${file}: ${tooMuch(error)}`);
    throw error;
  }
}

/** Returns the selected machine. Throws Unusable with a list of the machines if the selection is ambiguous. */
function chosen({ name, machines = new Map(), faults, skipped }: Found, fragment: string | undefined): string {
  const lost = faults.find(({ isOurs }) => isOurs);
  const ids = [...machines.keys()];
  const [id, ...others] = fragment === undefined ? ids : namedBy(machines, fragment);
  if (lost !== undefined && (fragment === undefined || id === undefined)) throw lostTo(lost, name);
  if (id === undefined)
    throw new Unusable(
      fragment === undefined ? noMachineIn(name, skipped) : `${name} has no state machine ${fragment}; it has ${ids.join(", ") || "none"}`,
    );
  if (others.length === 0) return id;
  const many = [id, ...others];
  const what = fragment === undefined ? `${many.length} state machines` : `${many.length} state machines that go by ${fragment}`;
  throw new Unusable(`${name} has ${what}: choose one, for example ${name}#${id} (${many.join(", ")})`);
}

function noMachineIn(name: string, skipped: readonly string[]): string {
  return `${name} has no state machine${skipped.length === 0 ? "" : ` that can be read: ${skipped.join("; ")}`}`;
}

function lostTo({ message, range }: Fault, name: string): Unusable {
  return new Unusable(`${placeOf(name, range)}: ${message}`);
}

/** Returns the message of a fault that is in none of the template's machines. */
export const aroundMachines = (message: string): string => `${message} (outside of the template's state machines)`;

function around({ code, message, range }: Fault): Diagnostic & { range: Range } {
  return { code, severity: "warning", pointer: "", message: aroundMachines(message), range, labels: [], aws: [] };
}

function readFile(file: string): FileText {
  return new FileText(file, read(file));
}

/** Reads a file that a template names. */
function fileOf(path: string, by: string): FileText {
  try {
    return readFile(path);
  } catch (error) {
    throw error instanceof Unusable ? new Unusable(`${by}: ${error.message}`) : error;
  }
}
