// @ts-nocheck: has no types yet.
// What the server says of itself.

const LEVELS = ["silent", "error", "info", "debug"];

/** Whether there is such a level. */
export function isLevel(name) {
  return LEVELS.includes(name);
}

/**
 * A function `(level, message)` that writes what is as grave as `level` or graver; `message` is a function, so that what is
 * not written costs nothing. `write` gets level and line; by default lines go to standard error.
 */
export function logger(level, write = (kind, line) => process.stderr.write(`${new Date().toISOString()} ${kind} ${line}\n`)) {
  const most = LEVELS.indexOf(level);
  return (kind, message) => {
    if (LEVELS.indexOf(kind) <= most) write(kind, printable(message()));
  };
}

/** A line: what came from a request may not make lines of its own, nor colour the terminal. */
function printable(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?").replaceAll("\n", "\n  ");
}
