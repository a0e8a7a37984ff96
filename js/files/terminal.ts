// Colour where there is a terminal, and nowhere else.

/** What a command writes to: standard output, standard error, or a text that becomes a file. */
export interface Output {
  /** Whether it is a terminal. */
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Puts a colour around a text. */
type Paint = (text: string | number) => string;

export interface Colors {
  bold: Paint;
  dim: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
}

/** Whether a stream takes colours: NO_COLOR and FORCE_COLOR decide before the stream does. */
export function colorful(stream: Output, env = process.env): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined) return !["0", "false"].includes(env.FORCE_COLOR);
  return Boolean(stream.isTTY) && env.TERM !== "dumb";
}

/** Painters for a stream; they leave the text as it is where colours are not wanted. */
export function colors(stream: Output): Colors {
  const paint = (on: number, off: number): Paint => (colorful(stream) ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : String);
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39), cyan: paint(36, 39) };
}

/** Writes JSON, two spaces deep, on standard output. */
export function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The same of a JSON text. Its numbers keep their digits, which JavaScript would round. */
export function writeJsonText(text: string): void {
  process.stdout.write(`${indented(text)}\n`);
}

/** A JSON text, two spaces deep, as JSON.stringify() writes it. */
function indented(text: string): string {
  let written = "";
  let depth = 0;
  const line = (by: number) => `\n${"  ".repeat((depth += by))}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  for (const [i, token] of tokens.entries()) {
    const opened = "{[".includes(tokens[i - 1] ?? " ");
    if (token === "}" || token === "]") {
      const end = line(-1);
      written += opened ? token : end + token;
      continue;
    }
    if (opened) written += line(0);
    if (token === "{" || token === "[") depth += 1;
    written += token === "," ? token + line(0) : token === ":" ? ": " : token;
  }
  return written;
}

/** `3 states`, `1 state`. */
export function count(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}
