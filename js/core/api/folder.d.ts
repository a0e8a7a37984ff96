/**
 * Functions that need Node's own modules: the entry `stepglass/node`.
 *
 * @packageDocumentation
 */

import type { MachineType, ObjectStore, PlatformUrl, ServiceShape, Substitutions } from "./index.js";

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
 * Reads a definition from a file as the command does: JSON or YAML, by itself or in a template of CloudFormation, SAM, the CDK,
 * Terraform or Serverless. A template's machine is named by its id: `template.yaml#OrderMachine`, `cdk.out#Orders`, `main.tf#orders`. Throws an Error with the code
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
 * CloudFormation's short forms (`!Sub`) become the long ones. Placeholders are replaced before the text is parsed, so their values
 * can be numbers. Throws a SyntaxError with the code `NOT_YAML`, with line and column.
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

/**
 * Finds AWS's models of its services on this machine, for `serviceModel` of `testState()` and of `serve()`. They come with
 * botocore, which is part of boto3 and the AWS CLI, or with the npm package `aws-sdk` 2, whose models have no enumerations and
 * limits. It searches the folder in `STEPGLASS_MODELS` first, then the Python environments in and above the current folder, the
 * active one, those beside `aws` and `python3` on the PATH, and `node_modules`. It starts no program. Returns undefined if there
 * are none.
 *
 * @param options `folder` is searched instead; an Error with the code `UNUSABLE_FILE` is thrown if it has no models.
 *
 * @example
 * ```js
 * import { testState } from "stepglass";
 * import { findServiceModels } from "stepglass/node";
 *
 * const serviceModel = findServiceModels();
 * console.log(serviceModel?.package); // botocore 1.44.5
 * testState({ definition, mock: { result: { ContentLength: "9000" } }, roleArn, ...(serviceModel && { serviceModel }) });
 * // ValidationException: Mock result schema validation error: Field 'ContentLength' must be a number
 * ```
 */
export function findServiceModels(options?: { folder?: string | PlatformUrl }): ServiceModelPackage | undefined;

/** A package of AWS's models: a function from service and action to the shape of the response. Models are read on demand. */
export interface ServiceModelPackage {
  (service: string, action: string): ServiceShape | undefined;
  /** Its name and version: `botocore 1.44.5`. */
  readonly package: string;
  /** The folder of the models. */
  readonly folder: string;
}
