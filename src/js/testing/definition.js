// A definition to test: from a file in JSON or YAML, a URL, text, an object or a machine.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDocument } from "yaml";
import { DefinitionError, StateMachine } from "../node.js";
import { TestKitError } from "./errors.js";

/** `{machine, definition, file?}`: the machine, its definition as an object, and the file it came from. */
export function load(source, options) {
  if (typeof source?.start === "function" && typeof source.digest === "string") return { machine: source, definition: JSON.parse(source.definition) };
  if (typeof source === "object" && source !== null && !(source instanceof URL)) return compiled(source, options);
  if (typeof source === "string" && /^\s*\{/.test(source)) return compiled(source, options);
  const file = pathOf(source, "a definition");
  const text = readText(file, "the definition");
  const json = /\.ya?ml$/i.test(file) || !/^\s*\{/.test(text) ? fromYaml(text, file) : text;
  try {
    return { ...compiled(json, options), file };
  } catch (error) {
    // The places in YAML are others: the pointers are the same.
    if (error instanceof DefinitionError) error.message = `${file}: ${json === text ? error.message : `${error.diagnostics.map(({ pointer, message }) => `${message} (${pointer || "/"})`).join("\n")}`}`;
    throw error;
  }
}

function compiled(definition, options) {
  return { machine: new StateMachine(definition, options), definition: typeof definition === "string" ? JSON.parse(definition) : definition };
}

/** The path that a string, file URL or URL object names. */
export function pathOf(source, what) {
  if (source instanceof URL || /^file:/.test(source)) return fileURLToPath(source);
  if (typeof source === "string" && source !== "") return resolve(source);
  throw new TestKitError(`${what} is a file's path or URL, JSON text, or an object`);
}

/** A file's text. */
export function readText(file, what) {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const why = { ENOENT: "no such file", EISDIR: "it is a directory", EACCES: "permission denied" }[error.code] ?? error.message;
    throw new TestKitError(`cannot read ${what} ${file}: ${why}`);
  }
}

function fromYaml(text, file) {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0) throw new TestKitError(`${file}: ${document.errors[0].message}`);
  return JSON.stringify(document.toJS());
}
