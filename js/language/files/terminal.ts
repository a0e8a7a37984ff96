// Uses colours on terminals only.

/** The output of a command: standard output, standard error, or a text that is written to a file. */
export interface Output {
  /** Whether it is a terminal. */
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Formats a text in a colour. */
type Paint = (text: string | number) => string;

export interface Colors {
  bold: Paint;
  dim: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
}

/** Returns whether a stream gets colours. NO_COLOR and FORCE_COLOR take precedence over the kind of the stream. */
export function colorful(stream: Output, env = process.env): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined) return !["0", "false"].includes(env.FORCE_COLOR);
  return Boolean(stream.isTTY) && env.TERM !== "dumb";
}

/** Returns the colours of a stream. They leave the text unchanged if colours are off. */
export function colors(stream: Output): Colors {
  const paint = (on: number, off: number): Paint => (colorful(stream) ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : String);
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39), cyan: paint(36, 39) };
}

/** Writes JSON with an indentation of two spaces on standard output. */
export function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Writes a JSON text in the same way. Its numbers keep their digits, which JavaScript would round. */
export function writeJsonText(text: string): void {
  process.stdout.write(`${indented(text)}\n`);
}

/** Indents a JSON text by two spaces, as JSON.stringify() does. */
function indented(text: string): string {
  let written = "";
  let depth = 0;
  let before = "";
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (const token of tokensOf(text)) {
    const opened = before === "{" || before === "[";
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    if (closes !== opened) written += line();
    written += token;
    if (token === "{" || token === "[") depth += 1;
    else if (token === ",") written += line();
    else if (token === ":") written += " ";
    before = token;
  }
  return written;
}

/** Yields the brackets, commas, colons and scalars of a JSON text. A string may be too long for a regular expression. */
function* tokensOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let end = from + 1;
    if (text[from] === '"') {
      while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      end += 1;
    } else if (!ALONE.includes(text[from]!)) while (end < text.length && !ALONE.includes(text[end]!)) end += 1;
    if (!SPACE.includes(text[from]!)) yield text.slice(from, end);
    from = end;
  }
}

const SPACE = " \t\n\r";
const ALONE = `{}[],:${SPACE}`;

/** Formats a number with a noun: `3 states`, `1 state`. */
export function count(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}
