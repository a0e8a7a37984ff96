// The command `stepglass asl-validator` checks definitions, as a drop-in replacement for the command of the package asl-validator.

import { readFileSync } from "node:fs";
import { aslValidator } from "../core/definition/asl-validator.ts";
import { version } from "../core/definition/definition.ts";
import { intrinsicTags } from "../core/definition/tags.ts";
import { valueOfDocument, yamlDocument } from "../core/definition/yaml.ts";
import { yamlErrors } from "../core/definition/yaml-document.ts";
import { firstLine } from "../language/files/problem.ts";
import { defineCommand, type Options } from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";

const help = `stepglass asl-validator [options]

Validates definitions with the options, the output and the exit codes of the package asl-validator 4, for scripts that
call it. The verdicts are those of stepglass validate; docs/asl-validator.md lists where they differ.

  stepglass asl-validator --json-path order.asl.json
  stepglass asl-validator --yaml-path order.yaml --yaml-path order.asl.yaml --silent

Options
      --json-definition TEXT   a definition in JSON; can be repeated, like the next three
      --json-path FILE         a file of JSON
      --yaml-definition TEXT   a definition in YAML
      --yaml-path FILE         a file of YAML
      --silent                 prints nothing
      --no-path-check          does not check paths
      --no-arn-check           does not check the Resource of tasks
  -V, --version                prints the version of stepglass

Exit code: 0 all are valid; 1 a definition is not, or an option is wrong; 2 a file or a text cannot be read.
`;

const options = {
  "json-definition": { type: "string", multiple: true },
  "json-path": { type: "string", multiple: true, file: true },
  "yaml-definition": { type: "string", multiple: true },
  "yaml-path": { type: "string", multiple: true, file: true },
  silent: { type: "boolean" },
  "no-path-check": { type: "boolean" },
  "no-arn-check": { type: "boolean" },
  version: { type: "boolean", short: "V" },
} as const satisfies Options;

export const command = defineCommand({
  name: "asl-validator",
  summary: "check definitions, as a drop-in for the package asl-validator",
  help,
  options,
  ownArguments: true,
  run: (args) => validateAll(args),
});

type Flag = { [Name in keyof typeof options]: (typeof options)[Name]["type"] extends "boolean" ? Name : never }[keyof typeof options];
type Given = { [Name in Exclude<keyof typeof options, Flag>]: string[] } & { flags: Set<string> };

/** The original package writes this text. */
const USAGE = `Usage: asl-validator [options]

Amazon States Language validator

Options:
  -V, --version                       output the version number
  --json-definition <jsonDefinition>  JSON definition (default: [])
  --json-path <jsonPath>              JSON path (default: [])
  --yaml-definition <yamlDefinition>  YAML definition (default: [])
  --yaml-path <yamlPath>              YAML path (default: [])
  --silent                            silent mode
  --no-path-check                     skips checking path expressions
  --no-arn-check                      skips the arn check for Resource values
  -h, --help                          display help for command
`;

/** The error that the original parser reports for an option. The exit code is 1. */
class Refused extends Error {}

function validateAll(args: string[]): number {
  let given: Given;
  try {
    given = parsed(args);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return 1;
  }
  const { flags } = given;
  if (flags.has("version")) return print(`${version()}\n`);
  if (flags.has("help")) return print(USAGE);
  const silent = flags.has("silent");
  const log = (text: string) => void (silent || process.stdout.write(`${text}\n`));
  const error = (text: string) => void (silent || process.stderr.write(`${text}\n`));
  const definitions = [...texts(given)];
  if (definitions.length === 0) {
    log("No state machine to validate.");
    return print(USAGE);
  }
  let code = 0;
  for (const { name, read, isText } of definitions) {
    let definition: unknown;
    try {
      definition = read();
    } catch (reason) {
      code = 2;
      error(isText ? `Unable to parse ${name}` : firstLine(reason));
      continue;
    }
    const checks = { checkPaths: !flags.has("no-path-check"), checkArn: !flags.has("no-arn-check") };
    try {
      const { isValid, errorsText } = aslValidator(definition as object, checks);
      if (isValid) log(`✓ State machine definition "${name}" is valid`);
      else error(`✕ State machine definition "${name}" is invalid:\n ${errorsText()}`);
      code = Math.max(code, isValid ? 0 : 1);
    } catch (reason) {
      error(`Validator exception: ${firstLine(reason)}`);
      code = 2;
    }
  }
  return code;
}

/** Yields the definitions in the order in which the original package reads them. */
function* texts(given: Given) {
  const of = (names: string[], what: string, read: (text: string) => unknown) =>
    names.map((text, i) => ({ name: `${what} definition #${i + 1}`, read: () => read(text), isText: true }));
  const at = (files: string[], read: (text: string) => unknown) =>
    files.map((file) => ({ name: file, read: () => read(readFileSync(file, "utf8")), isText: false }));
  yield* of(given["json-definition"], "JSON", JSON.parse);
  yield* at(given["json-path"], JSON.parse);
  yield* of(given["yaml-definition"], "YAML", yaml);
  yield* at(given["yaml-path"], yaml);
}

function yaml(text: string): unknown {
  const document = yamlDocument(text, { merge: true, customTags: intrinsicTags() });
  const [error] = yamlErrors(document);
  if (error !== undefined) throw error;
  return valueOfDocument(document);
}

/**
 * Parses arguments as the original package does: whatever follows an option with a value is its value, and other words are ignored.
 */
function parsed(args: readonly string[]): Given {
  const given: Given = { "json-definition": [], "json-path": [], "yaml-definition": [], "yaml-path": [], flags: new Set() };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined && arg !== "--"; arg = rest.shift()) {
    if (arg === "-V") return { ...given, flags: new Set(["version"]) };
    if (arg === "-h") given.flags.add("help");
    if (!arg.startsWith("-") || arg === "-" || arg === "-h") continue;
    const [, name = "", value] = /^--([^=]*)(?:=([^]*))?$/.exec(arg) ?? [];
    if (name === "version" && value === undefined) return { ...given, flags: new Set(["version"]) };
    if (isValued(name, given)) {
      const taken = value ?? rest.shift();
      if (taken === undefined) throw new Refused(`option '--${name} <${camel(name)}>' argument missing`);
      given[name].push(taken);
    } else if (value === undefined && (name === "help" || Object.hasOwn(options, name))) given.flags.add(name);
    else if (!given.flags.has("help")) {
      const near = /did you mean (.+)\?/.exec(
        didYouMean(
          arg,
          [...Object.keys(options), "help"].map((one) => `--${one}`),
        ),
      )?.[1];
      throw new Refused(`unknown option '${arg}'${near === undefined ? "" : `\n(Did you mean ${near}?)`}`);
    }
  }
  return given;
}

function isValued(name: string, given: Given): name is Exclude<keyof Given, "flags"> {
  return name !== "flags" && Object.hasOwn(given, name);
}

function camel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
