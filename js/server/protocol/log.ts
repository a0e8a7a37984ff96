// The log of the server.

import type { ServeOptions } from "../../core/api/server.d.ts";

/** The levels of the log. No line has the level `silent`. */
type LogLevel = NonNullable<ServeOptions["logLevel"]>;

/** Logs a line. The message is computed only if the line is written. */
export type Log = (level: Exclude<LogLevel, "silent">, message: () => string) => void;

type Write = NonNullable<ServeOptions["log"]>;

const LEVELS: readonly LogLevel[] = ["silent", "error", "info", "debug"];

/** Returns whether a value is the name of a level. */
export function isLevel(name: unknown): name is LogLevel {
  return LEVELS.some((level) => level === name);
}

/** Creates a log with the lines of the given level and of more severe ones. By default, lines are written to standard error. */
export function logger(level: LogLevel, write: Write = toStandardError): Log {
  const most = LEVELS.indexOf(level);
  return (kind, message) => {
    if (LEVELS.indexOf(kind) <= most) write(kind, printable(message()));
  };
}

function toStandardError(level: string, line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${line}\n`);
}

/** Replaces control characters, so that data of a request can neither add lines to the log nor colour the terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?").replaceAll("\n", "\n  ");
}
