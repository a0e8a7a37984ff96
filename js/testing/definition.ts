// @ts-nocheck: has no types yet.
// A definition to test: from a file in JSON or YAML, a template, a URL, text, an object or a machine.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Unusable } from "../files/problem.ts";
import { Source, read } from "../files/source.ts";
import { looksLikeYaml } from "../definition/diagnose.ts";
import { DefinitionError, StateMachine } from "../entries/node.ts";
import { parseYaml } from "../definition/yaml.ts";
import { TestKitError } from "./errors.ts";

/** `{machine, definition, file?}`: the machine, its definition as an object, and the file (with `#LogicalId`) it came from. */
export function load(given, options = {}) {
  if (typeof given?.start === "function" && typeof given.digest === "string") return { machine: given, definition: JSON.parse(given.definition) };
  if (typeof given === "string" && given.includes("\n") && looksLikeYaml(given)) return load(parseYaml(given, { substitutions: options.substitutions ?? {} }), options);
  const isText = typeof given === "string" && /^\ufeff?\s*\{/.test(given);
  if (isText || (typeof given === "object" && given !== null && !(given instanceof URL))) {
    const machine = new StateMachine(given, options);
    return { machine, definition: JSON.parse(machine.definition) };
  }
  const file = pathOf(given, "a definition");
  const { substitutions, ...others } = options;
  return { ...compiled(usable(() => new Source(file, { substitutions })), others), file };
}

/** A definition's file, read. */
export function sourceOf(file) {
  return usable(() => new Source(file));
}

/** Compiles the definition of a file; the problems are told with its places. */
function compiled(source, options) {
  usable(() => source.checkFilled((names) => `give ${names.join(", ")} in the option substitutions, or with --define NAME=VALUE`));
  if (source.json === undefined) throw new TestKitError(source.render({}, false).trimEnd());
  const own = { name: source.machine, ...source.options(options), ...options };
  try {
    return { machine: new StateMachine(source.json, own), definition: JSON.parse(source.json) };
  } catch (error) {
    if (error instanceof DefinitionError) error.message = `${error.message.split("\n")[0]}\n${source.render(options, false).trimEnd()}`;
    throw error;
  }
}

/** The path that a string, file URL or URL object names; a template's `#LogicalId` stays. */
export function pathOf(given, what) {
  if (given instanceof URL || (typeof given === "string" && given.startsWith("file:"))) {
    const url = new URL(given);
    return fileURLToPath(new URL(url.pathname, url)) + decodeURIComponent(url.hash);
  }
  if (typeof given === "string" && given !== "") return resolve(given);
  throw new TestKitError(`${what} must be a file's path or URL, JSON text, or an object`);
}

/** A file's text. */
export function readText(file) {
  return usable(() => read(file));
}

function usable(get) {
  try {
    return get();
  } catch (error) {
    throw error instanceof Unusable ? new TestKitError(error.message) : error;
  }
}
