// Converts the text of a control to a value of the definition, and back.

/** The content of a control: a value, nothing, or a text that is not a value yet. */
export type Typed = { value: unknown } | { absent: true } | { problem: string };

const ABSENT: Typed = { absent: true };

/** Returns whether a text is an expression, `{% … %}`. */
export const isExpression = (text: string): boolean => /^\{%[^]*%\}$/.test(text.trim());

/** Returns whether a text is a placeholder, which a deployment replaces. */
export const isPlaceholder = (text: unknown): boolean => typeof text === "string" && /^\$\{[^{}"'\n]*\}$/.test(text.trim());

export function typedText(text: string): Typed {
  return text === "" ? ABSENT : { value: text };
}

export function typedNumber(text: string, expressions: boolean): Typed {
  const trimmed = text.trim();
  if (trimmed === "") return ABSENT;
  if (isPlaceholder(trimmed)) return { value: trimmed };
  if (expressions && trimmed.startsWith("{")) {
    return isExpression(trimmed) ? { value: trimmed } : { problem: "Write the expression between {% and %}." };
  }
  const number = Number(trimmed);
  if (!/^[-+]?(\d|\.\d)/.test(trimmed) || !Number.isFinite(number))
    return { problem: expressions ? "Enter a number or an {% expression %}." : "Enter a number." };
  return { value: number };
}

/** Reads JSON, an expression, or a placeholder. */
export function typedJson(text: string): Typed {
  const trimmed = text.trim();
  if (trimmed === "") return ABSENT;
  if (isExpression(trimmed) || isPlaceholder(trimmed)) return { value: trimmed };
  try {
    return { value: JSON.parse(trimmed) as unknown };
  } catch (error) {
    return {
      problem: `This is not JSON yet: ${(error as Error).message.replace(/ in JSON| \(line .*$/g, "").replace(/, ?"[^]*" is not valid JSON$/, "")}`,
    };
  }
}

/** Reads a path; `null` stands for no data. */
export function typedPath(text: string): Typed {
  const trimmed = text.trim();
  return trimmed === "" ? ABSENT : { value: trimmed === "null" ? null : trimmed };
}

export function shownText(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

export function shownJson(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string" && (isExpression(value) || isPlaceholder(value))) return value;
  return JSON.stringify(value, null, 2);
}

/** Returns whether two values are equal. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

const LONG = 60;

/** Returns a value in a single line. */
export function brief(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > LONG ? `${json.slice(0, LONG)}…` : json;
}
