// @ts-nocheck: has no types yet.
// What keeps a command from its work, and how it is told: to people on standard error, to programs as JSON.

import { colorful, colors, count, writeJson } from "./terminal.ts";

/** A file or argument that cannot be used: exit code 2. `usage` leads to the command's help. */
export class Unusable extends Error {
  constructor(message, { usage = false } = {}) {
    super(message);
    this.usage = usage;
  }
}

/** A definition with errors: exit code 1. */
export class Invalid extends Error {
  constructor(source, options = {}) {
    const diagnostics = source.diagnostics(options);
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    super(`${source.name} has ${count(errors, "error")}`);
    this.file = source.name;
    this.diagnostics = diagnostics;
    this.rendered = (color) => source.render(options, color);
  }
}

/** Codes of the package's own errors that say: what was given to it cannot be used. AWS's own are written `InvalidName`. */
const MISUSE = /^(INVALID_(ARGUMENT|OPTION|SCRIPT|CLOCK)|NOT_JSON|NOT_A_HISTORY|PAYLOAD_TOO_LARGE|OUT_OF_MEMORY|TEST_KIT|NO_MOCK|DEFINITION|Invalid\w+|Validation\w+)$/;

/** Tells what a command has thrown; returns the exit code. With `json` it is one JSON value on standard output. */
export function tell(error, { name, json }) {
  if (error instanceof Invalid) {
    if (json) writeJson({ problem: { kind: "definition", message: error.message, file: error.file, diagnostics: error.diagnostics } });
    else process.stderr.write(error.rendered(colorful(process.stderr)));
    return 1;
  }
  if (error instanceof Unusable || MISUSE.test(error?.code)) {
    if (json) writeJson({ problem: { kind: error.usage ? "usage" : "unusable", message: error.message } });
    else say(`${error.message}${error.usage ? `\nTry: stepglass help${name === undefined ? "" : ` ${name}`}` : ""}`);
    return 2;
  }
  const message = `internal error in Stepglass, please report it: ${firstLine(error)}`;
  if (json) writeJson({ problem: { kind: "internal", message } });
  else say(`${message}\nSet STEPGLASS_STACK=1 to print the stack trace.`);
  if (process.env.STEPGLASS_STACK) process.stderr.write(`${error?.stack ?? error}\n`);
  return 70;
}

/** Writes a line of the command's own on standard error. */
export function say(message) {
  process.stderr.write(`${colors(process.stderr).red("stepglass:")} ${message}\n`);
}

/** `TypeError: x is not a function`, and nothing of the stack. */
export function firstLine(error) {
  try {
    return String(error instanceof Error ? `${error.name}: ${error.message}` : error).split("\n")[0];
  } catch {
    return "something that cannot be shown was thrown";
  }
}

/** What a module of the user's has thrown, with the file and line where, as far as they are known. */
export function placed(error) {
  const stack = String(error?.stack ?? "");
  const place = stack.split("\n").map((line) => /(?:\(|at (?:async )?)(?:file:\/\/)?((?:\/|[A-Za-z]:)[^()\n]+:\d+:\d+)\)?$/.exec(line)?.[1]).find((place) => place !== undefined && !/[\\/]node_modules[\\/]stepglass[\\/]|[\\/]dist[\\/](cli|command|shared)/.test(place));
  return `${firstLine(error)}${place === undefined ? "" : `\n  at ${decodeURI(place)}`}`;
}
