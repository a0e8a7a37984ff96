// Definitions and inputs from files, in JSON or YAML, with places in either.

import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { renderDiagnostics, validate } from "../node.js";
import { Invalid, Unusable } from "./problem.js";
import { intrinsicTags, machinesOf, substituted } from "./template.js";

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

/** A definition that can be used, for commands that do nothing with another: throws Invalid. */
export function usable(source, options = {}) {
  if (source.diagnostics(options).some(({ severity }) => severity === "error")) throw new Invalid(source, options);
  return source;
}

const DEPTH = 128;
const LEVELS = 500;
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

  /** The one definition that is meant. */
  constructor(spec) {
    const [file, fragment] = split(spec);
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

  #parse() {
    this.#yaml = undefined;
    this.json = undefined;
    if (isYaml(this.file, this.text)) {
      this.#lines = new LineCounter();
      this.#yaml = document(this.text, this.#lines);
      if (this.#yaml.errors.length === 0) this.json = JSON.stringify(valueOfDocument(this.#yaml, this.file) ?? null, null, 1);
    } else this.json = this.text;
  }

  #machines(file) {
    if (this.json === undefined) return undefined;
    try {
      return machinesOf(JSON.parse(this.json), file);
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
      this.#read(path);
      this.machine = name;
      this.#substitute(substitutions, member);
    } else if (machine.text !== undefined) {
      // A definition in a string has no places of its own in the template.
      this.embedded = true;
      this.name = `${this.name}#${id}`;
      this.#yaml = undefined;
      this.text = this.json = machine.text;
    } else {
      this.#fromValue(machine.value, machine.pointer);
    }
  }

  /** A definition whose value differs from what is written, at a place in the document. */
  #fromValue(value, pointer) {
    if (this.#yaml === undefined) {
      this.#lines = new LineCounter();
      this.#yaml = document(this.text, this.#lines);
    }
    this.#pointer = pointer;
    this.json = JSON.stringify(value, null, 1);
  }

  #substitute(substitutions, member) {
    if (this.json === undefined) return;
    let value;
    try {
      value = JSON.parse(this.json);
    } catch {
      // `"Seconds": ${Delay}` is JSON only afterwards.
      this.text = substituted(this.text, substitutions);
      this.#parse();
      return;
    }
    const pointer = member === undefined ? "" : `/${member.replaceAll(".", "/")}`;
    const inner = member === undefined ? value : member.split(".").reduce((at, key) => at?.[key], value);
    const result = substituted(inner, substitutions);
    if (member !== undefined || JSON.stringify(result) !== JSON.stringify(value)) this.#fromValue(result, pointer);
  }

  /** Options for the machine's type: the one asked for, or the template's. */
  options({ type } = {}) {
    const wanted = type ?? this.type;
    return wanted === undefined ? {} : { type: wanted };
  }

  /** All problems, with places in the file. */
  diagnostics(options) {
    if (this.json === undefined) return this.#yaml.errors.map((error) => this.#yamlError(error));
    const found = validate(this.json, this.options(options));
    if (this.#yaml === undefined) return found;
    const map = new YamlPlaces(this.#yaml, this.text, this.json, this.#pointer);
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
    if (this.#yaml === undefined) return renderDiagnostics(this.json, { ...this.options(options), fileName: this.name, color });
    const diagnostics = this.diagnostics(options);
    if (this.json === undefined) {
      return diagnostics.map(({ code, message, range: { start } }) => `error[${code}]: ${message}\n --> ${this.name}:${start.line}:${start.column}\n\n`).join("");
    }
    const places = diagnostics.flatMap(({ range, labels }) => [range, ...labels.map((label) => label.range)].flatMap((one) => this.#bytes(one)));
    return renderDiagnostics(this.json, { ...this.options(options), fileName: this.name, color, source: this.text, places });
  }

  /** The line of a JSON Pointer into the definition, from 1 on; of what has no place of its own the nearest one around it. */
  line(pointer) {
    this.#places ??= { lines: new LineCounter() };
    // JSON is YAML; the document of a template is there already.
    this.#places.document ??= this.#yaml ?? document(this.text, this.#places.lines);
    const lines = this.#yaml === undefined ? this.#places.lines : this.#lines;
    const { key, value } = lookUp(this.#places.document, this.#pointer + pointer);
    return lines.linePos(extent(key ?? value)[0]).line;
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
}

/** The unescaped steps of a JSON Pointer. */
export function pointerSteps(pointer) {
  return pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
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

/** `parseDocument` for texts from anywhere: it calls itself for each level, and V8 may end the process where its stack ends. */
export function yamlDocument(text, options) {
  if (mayBeDeep(text)) throw new Unusable("its values are nested too deeply");
  return parseDocument(text, options);
}

/** Whether so many brackets are open at once, or a line is so far indented, that the levels may be more than `LEVELS`. */
function mayBeDeep(text) {
  let open = 0;
  let indent = 0;
  let leading = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) [indent, leading] = [0, true];
    else if (leading && (code === 32 || code === 45 || code === 63)) indent += 1;
    else leading = false;
    if (code === 91 || code === 123) open += 1;
    else if ((code === 93 || code === 125) && open > 0) open -= 1;
    if (open > LEVELS || indent > 2 * LEVELS) return true;
  }
  return false;
}

/** What a YAML document stands for. Aliases that multiply without end, and values too deep in one another, are refused. */
export function valueOfDocument(document, file) {
  try {
    const value = document.toJS();
    if (isDeep(value)) throw new RangeError();
    return value;
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${error instanceof RangeError ? "its values are nested too deeply" : error.message}`);
  }
}

/** More values in one another than any reader of JSON takes here. */
function isDeep(value, depth = 0) {
  if (typeof value !== "object" || value === null) return false;
  return depth > DEPTH || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}


/** What a file holds; undefined where it cannot be parsed. */
function valueOf(file, text) {
  if (isYaml(file, text)) {
    const parsed = document(text);
    return parsed.errors.length > 0 ? undefined : valueOfDocument(parsed, file);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
