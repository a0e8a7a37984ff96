// What keeps a command from its work, and how it is told: to people on standard error, to programs as JSON.

import type { Diagnostic, MachineType } from "../api/index.d.ts";
import { codeOf } from "../base/errors.ts";
import { colorful, colors, count, writeJson } from "./terminal.ts";

/** A file or argument that cannot be used: exit code 2. `usage` leads to the command's help. */
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

/** What a definition with errors comes from. */
interface Diagnosed {
  name: string;
  diagnostics(options: SourceOptions): Diagnostic[];
  render(options: SourceOptions, color: boolean): string;
}

/** A definition with errors: exit code 1. */
export class Invalid extends Error {
  readonly file: string;
  readonly diagnostics: Diagnostic[];
  /** The problems as a compiler prints them. */
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

/** Codes of the package's own errors that say: what was given to it cannot be used. AWS's own are written `InvalidName`. */
const MISUSE =
  /^(INVALID_(ARGUMENT|OPTION|SCRIPT|CLOCK)|NOT_JSON|NOT_A_HISTORY|PAYLOAD_TOO_LARGE|OUT_OF_MEMORY|TEST_KIT|NO_MOCK|DEFINITION|Invalid\w+|Validation\w+)$/;

/** Tells what a command has thrown; returns the exit code. With `json` it is one JSON value on standard output. */
export function tell(error: unknown, { name, json }: { name: string | undefined; json: boolean }): number {
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

/** Writes a line of the command's own on standard error. */
export function say(message: string): void {
  process.stderr.write(`${colors(process.stderr).red("stepglass:")} ${message}\n`);
}

/** `TypeError: x is not a function`, and nothing of the stack. */
export function firstLine(error: unknown): string {
  try {
    return String(error instanceof Error ? `${error.name}: ${error.message}` : error)
      .split("\n", 1)
      .join();
  } catch {
    return "a value that cannot be shown was thrown";
  }
}

/** What a module of the user's has thrown, with the file and line where, as far as they are known. */
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

/** The stack of an error, or what was thrown instead of one. */
export function stackOf(error: unknown): string {
  return String((error instanceof Error ? error.stack : undefined) ?? error);
}
