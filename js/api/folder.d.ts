/**
 * Functions that need Node's own modules: the entry `stepglass/node`.
 *
 * @packageDocumentation
 */

import type { MachineType, ObjectStore, PlatformUrl, Substitutions } from "./index.js";

/**
 * Makes a store for `s3Handlers()` from a folder: an object is the file `bucket/key` in it. Keys that lead out of the folder are
 * refused.
 *
 * @example
 * ```js
 * import { s3Handlers } from "stepglass";
 * import { folder } from "stepglass/node";
 *
 * await machine.run({}, { tasks: { ...s3Handlers(folder("./data")) } });
 * ```
 */
export function folder(path: string | PlatformUrl): ObjectStore;

/** What {@link readDefinition} reads. */
export interface DefinitionFile {
  /** The definition as JSON text. */
  definition: string;
  /** The machine's logical id in a template, or the file's name up to its first dot. */
  name: string;
  /** The type, if the template names `"EXPRESS"`. */
  type?: MachineType;
}

/**
 * Reads a definition from a file as the command does: JSON or YAML, by itself or in a CloudFormation, SAM, CDK or Serverless
 * template. A template's machine is named by its logical id: `template.yaml#OrderMachine`. Throws an Error with the code
 * `UNUSABLE_FILE` for a file that cannot be read, and for placeholders without a value, with their names and places.
 *
 * @example
 * ```js
 * import { StateMachine } from "stepglass";
 * import { readDefinition } from "stepglass/node";
 *
 * const { definition, name } = readDefinition("order.asl.yaml", { substitutions: { Timeout: 30 } });
 * const machine = new StateMachine(definition, { name });
 * ```
 */
export function readDefinition(file: string | PlatformUrl, options?: { substitutions?: Substitutions }): DefinitionFile;

/**
 * Parses a definition in YAML and returns it as an object, which `new StateMachine()`, `validate()` and all other functions take.
 * CloudFormation's short forms (`!Sub`) become the long ones. Placeholders are replaced before the text is parsed, so a value may be
 * a number. Throws a SyntaxError with the code `NOT_YAML`, with line and column.
 *
 * @example
 * ```js
 * import { StateMachine } from "stepglass";
 * import { parseYaml } from "stepglass/node";
 *
 * const machine = new StateMachine(parseYaml("StartAt: Done\nStates:\n  Done: { Type: Succeed }"));
 * ```
 */
export function parseYaml(text: string, options?: { substitutions?: Substitutions }): object;
