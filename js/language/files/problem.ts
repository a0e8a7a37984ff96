// Errors that stop a command, and their output: for people on standard error, for programs as JSON.

import type { Diagnostic, MachineType } from "../../core/api/index.d.ts";
import { codeOf } from "../../core/base/errors.ts";
import { colorful, colors, count, writeJson } from "./terminal.ts";

/** A file or argument that cannot be used. The exit code is 2. With `usage`, the message refers to the command's help. */
export class Unusable extends Error {
  readonly usage: boolean;

  constructor(message: string, { usage = false } = {}) {
    super(message);
    this.usage = usage;
  }
}

/** Options for the problems of a definition. */
export interface SourceOptions {
  type?: MachineType;
  jsonata?: "2.0.6" | "2.1";
}

/** The definition that has the errors. */
interface Diagnosed {
  name: string;
  diagnostics(options: SourceOptions): Diagnostic[];
  render(options: SourceOptions, color: boolean): string;
}

/** A definition with errors. The exit code is 1. */
export class Invalid extends Error {
  readonly file: string;
  readonly diagnostics: Diagnostic[];
  /** Returns the problems as a compiler prints them. */
  readonly rendered: (color: boolean) => string;

  constructor(source: Diagnosed, options: SourceOptions = {}) {
    const diagnostics = source.diagnostics(options);
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    super(`${source.name} has ${count(errors, "error")}`);
    this.file = source.name;
    this.diagnostics = diagnostics;
    this.rendered = (color) => source.render(options, color);
  }
}

/** Codes of this package's errors that mean that a given value cannot be used. Codes of AWS are written like `InvalidName`. */
const MISUSE =
  /^(INVALID_(ARGUMENT|OPTION|SCRIPT|CLOCK)|NOT_JSON|NOT_A_HISTORY|PAYLOAD_TOO_LARGE|OUT_OF_MEMORY|TEST_KIT|NO_MOCK|DEFINITION|Invalid\w+|Validation\w+)$/;

/** Prints what a command has thrown. Returns the exit code. With `json`, prints one JSON value on standard output. */
export function printError(error: unknown, { name, json }: { name: string | undefined; json: boolean }): number {
  if (error instanceof Invalid) {
    if (json) writeJson({ problem: { kind: "definition", message: error.message, file: error.file, diagnostics: error.diagnostics } });
    else process.stderr.write(error.rendered(colorful(process.stderr)));
    return 1;
  }
  if (error instanceof Unusable || (error instanceof Error && MISUSE.test(String(codeOf(error))))) {
    const usage = error instanceof Unusable && error.usage;
    if (json) writeJson({ problem: { kind: usage ? "usage" : "unusable", message: error.message } });
    else say(`${error.message}${usage ? `\nTry: stepglass help${name === undefined ? "" : ` ${name}`}` : ""}`);
    return 2;
  }
  const message = `internal error in Stepglass, please report it: ${firstLine(error)}`;
  if (json) writeJson({ problem: { kind: "internal", message } });
  else say(`${message}\nSet STEPGLASS_STACK=1 to print the stack trace.`);
  if (process.env.STEPGLASS_STACK) process.stderr.write(`${stackOf(error)}\n`);
  return 70;
}

/** Prints a message of the command on standard error. */
export function say(message: string): void {
  process.stderr.write(`${colors(process.stderr).red("stepglass:")} ${message}\n`);
}

/** Returns an error as `TypeError: x is not a function`, without the stack. */
export function firstLine(error: unknown): string {
  try {
    return String(error instanceof Error ? `${error.name}: ${error.message}` : error)
      .split("\n", 1)
      .join();
  } catch {
    return "a value that cannot be shown was thrown";
  }
}

/** Returns the message of an error from a module of the user, with the file and line if they are known. */
export function placed(error: unknown): string {
  const stack = error instanceof Error ? String(error.stack ?? "") : "";
  const places = stack
    .split("\n")
    .map((line) => /(?:\(|at (?:async )?)(?:file:\/\/)?((?:\/|[A-Za-z]:)[^()\n]+:\d+:\d+)\)?$/.exec(line)?.[1]);
  const place = places.find(
    (one) => one !== undefined && !/[\\/]node_modules[\\/]stepglass[\\/]|[\\/]dist[\\/](cli|command|core|shared)/.test(one),
  );
  return `${firstLine(error)}${place === undefined ? "" : `\n  at ${decodeURI(place)}`}`;
}

/** Returns the stack of an error, or any other thrown value as text. */
export function stackOf(error: unknown): string {
  return String((error instanceof Error ? error.stack : undefined) ?? error);
}
