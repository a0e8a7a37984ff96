// Definitions and inputs from files, in JSON or YAML, with places in either.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { renderDiagnostics, validate } from "../node.js";
import { intrinsicTags, machinesOf, substituted } from "./template.js";

/** A file or argument that cannot be used: exit code 2. */
export class Unusable extends Error {
  constructor(message, { usage = false } = {}) {
    super(message);
    this.usage = usage;
  }
}

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
    if (file === "-") return (standardInput ??= readFileSync(0, "utf8").replace(/^\uFEFF/, ""));
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const why = { ENOENT: "no such file", EISDIR: "it is a directory", EACCES: "permission denied" }[error.code] ?? error.message;
    throw new Unusable(`cannot read ${file}: ${why}`);
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

  /** All definitions that are meant: of a template without a fragment every one. */
  static all(spec) {
    const [file, fragment] = split(spec);
    if (fragment !== undefined) return [new Source(spec)];
    const machines = machinesOf(valueOf(file, read(file)), file);
    return machines === undefined ? [new Source(spec)] : [...machines.keys()].map((name) => new Source(`${file}#${name}`));
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
      if (this.#yaml.errors.length === 0) this.json = JSON.stringify(this.#yaml.toJS() ?? null, null, 1);
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
  return parseDocument(text, { lineCounter, merge: true, prettyErrors: false, customTags: intrinsicTags });
}

/** What a file holds; undefined where it cannot be parsed. */
function valueOf(file, text) {
  if (isYaml(file, text)) {
    const parsed = document(text);
    return parsed.errors.length > 0 ? undefined : parsed.toJS();
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
    this.#json = parseDocument(text);
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
