// @ts-nocheck: has no types yet.
// Definitions and inputs from files, in JSON or YAML, with places in either.

import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { LineCounter, isAlias, isMap, isScalar, isSeq } from "yaml";
import { pointerSteps } from "../base/pointer.ts";
import { renderDiagnostics, validate } from "../entries/node.ts";
import { renderFilled } from "../definition/diagnose.ts";
import { compileSettings } from "../execution/machine.ts";
import { Filled, inOrder, jsonHoles, positionOf } from "../definition/placeholders.ts";
import * as yaml from "../definition/yaml.ts";
import { defined } from "./placeholders.ts";
import { Invalid, Unusable } from "./problem.ts";
import { intrinsicTags, machinesOf } from "../definition/template.ts";

/** Writes a file. */
export function write(file, text) {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${error.message}`);
  }
}

/** It can be read once only, and a template in it holds several definitions. */
let standardInput;

/** The text of a file; - is standard input. */
export function read(file) {
  try {
    if (file === "-") return (standardInput ??= decoded(readStandardInput()));
    return decoded(readFileSync(file));
  } catch (error) {
    const why = { ENOENT: "no such file", ENOTDIR: "no such file", EISDIR: "it is a directory", EACCES: "permission denied", ELOOP: "too many symbolic links", EBADF: "it is closed" }[error.code] ?? error.message;
    throw new Unusable(`cannot read ${file === "-" ? "standard input" : file}: ${why}`);
  }
}

/** A terminal or a pipe that does not block has nothing yet where it says EAGAIN. */
function readStandardInput() {
  const chunks = [];
  for (;;) {
    try {
      chunks.push(readFileSync(0));
      return Buffer.concat(chunks);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Text in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes what is redirected. */
function decoded(bytes) {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  let text;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw error.code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? new Error("it is not UTF-8 text") : error;
  }
  if (text.includes("\0")) throw new Error("it is not a text file");
  return text;
}

/** A definition that can be used, for commands that do nothing with another: throws Invalid, or Unusable for placeholders. */
export function usable(source, options = {}) {
  source.checkFilled();
  if (source.diagnostics(options).some(({ severity }) => severity === "error")) throw new Invalid(source, options);
  return source;
}

const DEFINITION = /\.asl\.(json|ya?ml)$/i;
const MAY_BE_TEMPLATE = /\.(json|ya?ml|template)$/i;
const TEMPLATE = /AWS::(StepFunctions|Serverless)::StateMachine|^\s*["']?stepFunctions["']?\s*:/m;

/**
 * The definitions below a folder: files `*.asl.json`, `*.asl.yaml`, `*.asl.yml`, and templates with state machines. Other
 * packages (node_modules) and folders whose name begins with a dot are passed over, and links to folders not followed.
 * `problems` gets what cannot be read.
 */
export function definitionsBelow(folder, problems) {
  const found = [];
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    problems.push({ file: folder, message: `cannot read ${folder}: ${error.code === "EACCES" ? "permission denied" : error.message}` });
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
function isTemplate(file) {
  try {
    const text = read(file);
    return TEMPLATE.test(text) && (machinesOf(valueOf(file, text), file)?.size ?? 0) > 0;
  } catch {
    return false;
  }
}

/** Whether there is a folder of that name. */
export function isFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A definition of a file, in JSON or YAML, by itself or in a template: `template.yaml#LogicalId`. */
export class Source {
  /** The definition as JSON text; undefined where the file cannot be parsed. */
  json;
  /** STANDARD or EXPRESS, where a template says so. */
  type;
  /** Whether it stands in a string of a template: lines are then those of the string. */
  embedded = false;
  /** The machine's name: its logical id in a template, or the file's name without what follows the first dot. */
  machine;
  #yaml;
  #lines;
  /** Where the definition stands in #yaml. */
  #pointer = "";
  #places;
  /** Values of placeholders. */
  #values;
  /** The text with its placeholders filled in, where it has any. */
  #filled;
  /** What #yaml or json was read from: the file's text, with its placeholders filled in. */
  #current;
  /** Faults of a template outside of its machines; those of one that a definition's own file is named in. */
  #faults = [];
  #around = [];

  /** The one definition that is meant. `substitutions` are values for placeholders, besides those of --define. */
  constructor(spec, { substitutions = {} } = {}) {
    const [file, fragment] = split(spec);
    this.#values = { ...substitutions, ...defined() };
    this.#read(file);
    const machines = this.#machines(file);
    if (machines === undefined) {
      if (fragment !== undefined) throw new Unusable(`${file} is not a template, so it has no ${fragment}`);
      return;
    }
    const names = [...machines.keys()];
    if (fragment === undefined && names.length !== 1) {
      const several = names.length === 0 ? "no state machine" : `${names.length} state machines: choose one, for example ${this.name}#${names[0]} (${names.join(", ")})`;
      throw new Unusable(`${this.name} has ${several}`);
    }
    const chosen = machines.get(fragment ?? names[0]);
    if (chosen === undefined) throw new Unusable(`${this.name} has no state machine ${fragment}; it has ${names.join(", ") || "none"}`);
    // One machine tells what is wrong around them all.
    if (names.indexOf(fragment ?? names[0]) > 0) this.#faults = [];
    this.#choose(chosen, fragment ?? names[0]);
  }

  /** Names of all definitions that are meant: of a template without a fragment every one. */
  static specs(spec) {
    const [file, fragment] = split(spec);
    if (fragment !== undefined) return [spec];
    const machines = machinesOf(valueOf(file, read(file)), file);
    return machines === undefined ? [spec] : [...machines.keys()].map((name) => `${file}#${name}`);
  }

  #read(file) {
    this.file = file;
    this.name = file === "-" ? "<stdin>" : file;
    this.machine = file === "-" ? "StateMachine" : basename(file).split(".")[0] || "StateMachine";
    this.text = read(file);
    this.#parse();
  }

  #parse(isOne = isYaml(this.file, this.text)) {
    this.#filled = undefined;
    this.#pointer = "";
    this.#lines = undefined;
    this.#as(this.text, isOne);
    if (!this.text.includes("${") || this.#machines(this.file) !== undefined) return;
    const filled = new Filled(this.text, isOne ? yaml.yamlHoles(this.text) : jsonHoles(this.text), this.#values);
    if (!filled.differs) return;
    filled.settle((text) => {
      this.#as(text, isOne);
      return this.#found({});
    });
    this.#filled = filled;
  }

  /** Reads a text that the file has, or has with its placeholders filled in. */
  #as(text, isOne) {
    this.#current = text;
    this.#yaml = undefined;
    this.json = isOne ? undefined : text;
    if (!isOne) return;
    this.#lines = new LineCounter();
    this.#yaml = document(text, this.#lines);
    const { errors } = this.#yaml;
    this.#faults = [];
    if (errors.length > 0 && !isFaultyTemplate(this.#yaml, this.file)) return;
    this.#faults = errors;
    this.json = JSON.stringify(valueOfDocument(this.#yaml, this.file) ?? null, null, 1);
  }

  #machines(file) {
    if (this.json === undefined) return undefined;
    try {
      return machinesOf(JSON.parse(this.json), file, this.#values);
    } catch {
      return undefined;
    }
  }

  #choose(machine, id) {
    if (machine.problem !== undefined) throw new Unusable(`${this.name}#${id}: ${machine.problem}`);
    const { name, type, substitutions, path, member } = machine;
    this.machine = name;
    this.type = type === "EXPRESS" ? "EXPRESS" : undefined;
    if (path !== undefined) {
      this.#values = { ...substitutions, ...this.#values };
      const faults = this.#faults.map((error) => this.#fault(error));
      const template = this.name;
      this.#read(path);
      this.machine = name;
      this.#faults = [];
      this.#around = faults.map(({ range: { start }, message, ...rest }) => ({ ...rest, message: `${template}:${start.line}:${start.column}: ${message}` }));
      if (member !== undefined && this.json !== undefined) this.#memberOf(member);
    } else if (machine.text !== undefined) {
      // A definition in a string has no places of its own in the template.
      this.embedded = true;
      this.name = `${this.name}#${id}`;
      this.text = machine.text;
      this.#faults = [];
      this.#parse(false);
    } else {
      this.#fromValue(machine.value, machine.pointer);
    }
  }

  /** A definition whose value differs from what is written, at a place in the document. */
  #fromValue(value, pointer) {
    if (this.#yaml === undefined) {
      this.#lines = new LineCounter();
      this.#yaml = document(this.#current, this.#lines);
    }
    this.#pointer = pointer;
    this.json = JSON.stringify(value, null, 1);
  }

  #memberOf(member) {
    let value;
    try {
      value = JSON.parse(this.json);
    } catch {
      return;
    }
    this.#fromValue(member.split(".").reduce((at, key) => at?.[key], value), `/${member.replaceAll(".", "/")}`);
  }

  /** Throws where placeholders need values, which `how` says how to give: nothing can be run without them. */
  checkFilled(how = (names) => `pass ${names.map((name) => `--define ${name}=VALUE`).join(" ")}`) {
    const missing = this.#filled?.missing ?? [];
    if (missing.length === 0) return;
    const places = missing.map(({ name, start }) => {
      const { line, column } = positionOf(this.text, start);
      return `  \${${name}}  ${this.name}:${line}:${column}`;
    });
    const names = [...new Set(missing.map(({ name }) => name))];
    throw new Unusable(`${this.name} needs a value for ${names.length === 1 ? "a placeholder" : `${names.length} placeholders`}: ${how(names)}\n${places.join("\n")}`);
  }

  /** Options for the machine's type: the one asked for, or the template's. */
  options({ type } = {}) {
    const wanted = type ?? this.type;
    return wanted === undefined ? {} : { type: wanted };
  }

  /** All problems, with places in the file. */
  diagnostics(options) {
    const around = [...this.#around, ...this.#faults.map((error) => this.#fault(error))];
    if (this.#filled === undefined) return [...around, ...this.#found(options)];
    const found = this.#filled.report(this.#found(options));
    return inOrder([...around, ...found, ...this.#filled.diagnostics("warning", HOW)]);
  }

  /** Problems with places in the text that was read: the file's, with its placeholders filled in. */
  #found(options) {
    if (this.json === undefined) return this.#yaml.errors.map((error) => this.#yamlError(error));
    const found = validate(this.json, this.options(options));
    if (this.#yaml === undefined) return found;
    const map = new YamlPlaces(this.#yaml, this.#current, this.json, this.#pointer);
    const moved = ({ range, pointer, ...rest }) => {
      const at = range && map.find(pointer, range);
      return { ...rest, pointer, ...(at && { range: { start: this.#position(at[0]), end: this.#position(at[1]) } }) };
    };
    return found.map((diagnostic) => {
      const out = { ...moved(diagnostic), labels: diagnostic.labels.map(moved) };
      if (diagnostic.fix) out.fix = moved(diagnostic.fix);
      return out;
    });
  }

  /** All problems as a compiler prints them. */
  render(options, color) {
    const around = [...this.#around, ...this.#faults.map((error) => this.#fault(error))].map((one) => rendered(one, this.name)).join("");
    if (this.#filled !== undefined) return around + this.#renderFilled(options, color);
    if (this.#yaml === undefined) return around + renderDiagnostics(this.json, { ...this.options(options), fileName: this.name, color });
    const diagnostics = this.#found(options);
    if (this.json === undefined) return diagnostics.map((one) => rendered(one, this.name)).join("");
    return around + this.#renderAt(diagnostics, options, color);
  }

  /** What a definition in JSON has, with the excerpts of the text that it was written in. */
  #renderAt(diagnostics, options, color) {
    const places = diagnostics.flatMap(({ range, labels }) => [range, ...labels.map((label) => label.range)].flatMap((one) => this.#bytes(one)));
    return renderDiagnostics(this.json, { ...this.options(options), fileName: this.name, color, source: this.text, places });
  }

  #renderFilled(options, color) {
    const read = this.#found(options);
    const found = this.#filled.report(read);
    if (this.json === undefined) return found.map((one) => rendered(one, this.name)).join("");
    return renderFilled(this.text, this.#filled, read, this.#filled.diagnostics("warning", HOW), this.json, this.name, compileSettings(this.options(options)), color);
  }

  /** The line of a JSON Pointer into the definition, from 1 on; of what has no place of its own the nearest one around it. */
  line(pointer) {
    this.#places ??= { lines: new LineCounter() };
    // JSON is YAML; the document of a template is there already.
    this.#places.document ??= this.#yaml ?? document(this.#current, this.#places.lines);
    const { key, value } = lookUp(this.#places.document, this.#pointer + pointer);
    const [offset] = extent(key ?? value);
    if (this.#filled !== undefined) return this.#filled.range(offset, offset).start.line;
    return (this.#yaml === undefined ? this.#places.lines : this.#lines).linePos(offset).line;
  }

  #bytes(range) {
    if (range === undefined) return [0xffffffff, 0xffffffff];
    return [range.start, range.end].map(({ offset }) => Buffer.byteLength(this.text.slice(0, offset)));
  }

  #position(offset) {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col, offset };
  }

  #yamlError(error) {
    const range = { start: this.#position(error.pos[0]), end: this.#position(error.pos[1]) };
    return { code: "invalid-yaml", severity: "error", pointer: "", message: error.message, range, labels: [], aws: [] };
  }

  #fault(error) {
    const { message, ...rest } = this.#yamlError(error);
    return { ...rest, severity: "warning", message: `${message} (in a part of the template that is no state machine)` };
  }
}

/** How a placeholder gets its value here. */
const HOW = "pass `--define NAME=VALUE`";

function rendered({ code, severity, message, range }, name) {
  return `${severity}[${code}]: ${message}\n --> ${name}${range === undefined ? "" : `:${range.start.line}:${range.start.column}`}\n\n`;
}

/** `file#fragment`, unless there is a file of that very name. */
export function split(spec) {
  const at = spec.lastIndexOf("#");
  return at < 1 || existsSync(spec) ? [spec, undefined] : [spec.slice(0, at), spec.slice(at + 1)];
}

function isYaml(file, text) {
  const named = /\.(ya?ml)$/i.test(file) ? true : /\.json$/i.test(file) ? false : undefined;
  return named ?? !/^\s*\{/.test(text);
}

function document(text, lineCounter) {
  return yamlDocument(text, { lineCounter, merge: true, prettyErrors: false, customTags: intrinsicTags });
}

/** `parseDocument` for texts from anywhere. */
export function yamlDocument(text, options) {
  try {
    return yaml.yamlDocument(text, options);
  } catch (error) {
    throw new Unusable(error.message);
  }
}

/** What a YAML document stands for. */
export function valueOfDocument(document, file) {
  try {
    return yaml.valueOfDocument(document);
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${error.message}`);
  }
}

/** What a file holds; undefined where it cannot be parsed. */
function valueOf(file, text) {
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
export function isFaultyTemplate(document, file) {
  let machines;
  try {
    machines = machinesOf(valueOfDocument(document, file), file);
  } catch {
    return false;
  }
  if ((machines?.size ?? 0) === 0) return false;
  const own = [...machines.values()].map(({ resource }) => lookUp(document, resource).value?.range).filter(Boolean);
  return document.errors.every(({ pos: [start] }) => own.every(([from, to]) => start < from || start >= to));
}

/** From a place in the JSON text of a YAML document to the place in the document. */
class YamlPlaces {
  #yaml;
  #source;
  #json;
  #text;
  #prefix;

  constructor(yaml, source, text, prefix) {
    this.#prefix = prefix;
    this.#yaml = yaml;
    this.#source = source;
    this.#text = text;
    // JSON is YAML: the same reader tells where things stand in the JSON text.
    this.#json = yamlDocument(text);
  }

  /** Offsets of start and end. */
  find(pointer, { start, end }) {
    const json = lookUp(this.#json, pointer);
    const yaml = lookUp(this.#yaml, this.#prefix + pointer);
    if (json.key && start.offset >= json.key.range[0] && start.offset < json.key.range[1]) return extent(yaml.key ?? yaml.value);
    if (isScalar(json.value) && isScalar(yaml.value) && start.offset > json.value.range[0]) {
      // A stretch inside of a string, where it is written the same way in both.
      const part = this.#text.slice(start.offset, end.offset);
      const quote = yaml.value.type?.startsWith("QUOTE") ? 1 : 0;
      const at = yaml.value.range[0] + quote + (start.offset - json.value.range[0] - 1);
      if (this.#source.slice(at, at + part.length) === part) return [at, at + part.length];
    }
    return extent(yaml.value ?? yaml.key);
  }
}

function extent(node) {
  return node?.range ? [node.range[0], node.range[1]] : [0, 0];
}

/** The node at a JSON Pointer with the node of its key, or the nearest one around it. */
function lookUp(document, pointer) {
  let found = { key: undefined, value: document.contents };
  for (const name of pointerSteps(pointer)) {
    const node = isAlias(found.value) ? found.value.resolve(document) : found.value;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === name);
      if (pair === undefined) break;
      found = { key: pair.key, value: pair.value ?? pair.key };
    } else if (isSeq(node) && node.items[Number(name)] !== undefined) {
      found = { key: undefined, value: node.items[Number(name)] };
    } else {
      break;
    }
  }
  return found;
}
