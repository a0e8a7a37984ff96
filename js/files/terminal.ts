// @ts-nocheck: has no types yet.
// Colour where there is a terminal, and nowhere else.

/** Whether a stream takes colours: NO_COLOR and FORCE_COLOR decide before the stream does. */
export function colorful(stream, env = process.env) {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined) return !["0", "false"].includes(env.FORCE_COLOR);
  return Boolean(stream.isTTY) && env.TERM !== "dumb";
}

/** Painters for a stream; they leave the text as it is where colours are not wanted. */
export function colors(stream) {
  const paint = (on, off) => (colorful(stream) ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : (text) => String(text));
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39), cyan: paint(36, 39) };
}

/** Writes JSON, two spaces deep, on standard output. */
export function writeJson(value) {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** `3 states`, `1 state`. */
export function count(n, word) {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}
