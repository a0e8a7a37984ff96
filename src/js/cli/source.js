// Definitions and inputs from files, in JSON or YAML, with places in either.

import { readFileSync } from "node:fs";
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { renderDiagnostics, validate } from "../node.js";
import { call } from "../instance.js";
import { compileSettings } from "../machine.js";

/** A file or argument that cannot be used: exit code 2. */
export class Unusable extends Error {
  constructor(message, { usage = false } = {}) {
    super(message);
    this.usage = usage;
  }
}

/** The text of a file; - is standard input. */
export function read(file) {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const why = { ENOENT: "no such file", EISDIR: "it is a directory", EACCES: "permission denied" }[error.code] ?? error.message;
    throw new Unusable(`cannot read ${file}: ${why}`);
  }
}

/** A definition of a file, in JSON or YAML. */
export class Source {
  #yaml;
  #lines;

  constructor(file) {
    this.file = file;
    this.name = file === "-" ? "<stdin>" : file;
    this.text = read(file);
    const named = /\.(ya?ml)$/i.test(file) ? true : /\.json$/i.test(file) ? false : undefined;
    if (named ?? !/^\s*\{/.test(this.text)) this.#readYaml();
    else this.json = this.text;
  }

  #readYaml() {
    this.#lines = new LineCounter();
    this.#yaml = parseDocument(this.text, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    if (this.#yaml.errors.length === 0) this.json = JSON.stringify(this.#yaml.toJS() ?? null, null, 1);
  }

  /** All problems, with places in the file. */
  diagnostics(options) {
    if (this.json === undefined) return this.#yaml.errors.map((error) => this.#yamlError(error));
    const found = validate(this.json, options);
    if (this.#yaml === undefined) return found;
    const map = new YamlPlaces(this.#yaml, this.text, this.json);
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
    if (this.#yaml === undefined) return renderDiagnostics(this.json, { ...options, fileName: this.name, color });
    const diagnostics = this.diagnostics(options);
    if (this.json === undefined) {
      return diagnostics.map(({ code, message, range: { start } }) => `error[${code}]: ${message}\n --> ${this.name}:${start.line}:${start.column}\n\n`).join("");
    }
    const places = diagnostics.flatMap(({ range, labels }) => [range, ...labels.map((label) => label.range)].flatMap((one) => this.#bytes(one)));
    return call((module) => module.renderDiagnosticsIn(this.text, new Uint32Array(places), this.json, this.name, compileSettings(options), color));
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

/** From a place in the JSON text of a YAML document to the place in the document. */
class YamlPlaces {
  #yaml;
  #source;
  #json;
  #text;

  constructor(yaml, source, text) {
    this.#yaml = yaml;
    this.#source = source;
    this.#text = text;
    // JSON is YAML: the same reader tells where things stand in the JSON text.
    this.#json = parseDocument(text);
  }

  /** Offsets of start and end. */
  find(pointer, { start, end }) {
    const json = lookUp(this.#json, pointer);
    const yaml = lookUp(this.#yaml, pointer);
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
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
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
