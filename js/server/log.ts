// What the server says of itself.

import type { ServeOptions } from "../api/server.d.ts";

/** How much is logged; a line has a level other than `silent`. */
export type LogLevel = NonNullable<ServeOptions["logLevel"]>;

/** Logs a line; `message` is a function, so that what is not written costs nothing. */
export type Log = (level: Exclude<LogLevel, "silent">, message: () => string) => void;

type Write = NonNullable<ServeOptions["log"]>;

const LEVELS: readonly LogLevel[] = ["silent", "error", "info", "debug"];

/** Whether there is such a level. */
export function isLevel(name: unknown): name is LogLevel {
  return LEVELS.some((level) => level === name);
}

/** A log that writes what is as grave as `level` or graver. `write` gets level and line; by default lines go to standard error. */
export function logger(level: LogLevel, write: Write = toStandardError): Log {
  const most = LEVELS.indexOf(level);
  return (kind, message) => {
    if (LEVELS.indexOf(kind) <= most) write(kind, printable(message()));
  };
}

function toStandardError(level: string, line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${line}\n`);
}

/** A line: what came from a request may not make lines of its own, nor colour the terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?").replaceAll("\n", "\n  ");
}
