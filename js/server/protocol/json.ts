// AWS's messages about texts that are not JSON.

/** Returns the message of AWS's parser about a text that is not JSON; undefined for JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return reason(text);
  }
}

// The messages of V8 differ between releases, so the position is determined here.
function reason(text: string): string {
  const at = firstBad(text);
  if (at >= text.length) return "Unexpected end-of-input";
  const [word] = /^[A-Za-z_$][\w$]*/.exec(text.slice(at, at + 200)) ?? [];
  if (word !== undefined)
    return `Unrecognized token '${word}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')`;
  const code = text.codePointAt(at) ?? 0;
  const field = /[{,]\s*$/.test(text.slice(0, at)) && /\{[^[\]{}]*$/.test(text.slice(Math.max(0, at - 5000), at));
  return `Unexpected character ('${String.fromCodePoint(code)}' (code ${code})): was expecting ${field ? "double-quote to start field name" : "a JSON value or a separator"}`;
}

/** The next token: a value, a key, the colon after a key, a comma or bracket after a value, or the end. */
type Expected = "value" | "key" | "colon" | "after" | "end";

/** Returns the index of the first character that is not allowed at its place. */
function firstBad(text: string): number {
  const token =
    /\s*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w$.])|([{}[\],:]))/y;
  const open: string[] = [];
  let next: Expected = "value";
  for (;;) {
    const from = token.lastIndex;
    const [, string, scalar, mark] = token.exec(text) ?? [];
    const found = string ?? scalar ?? mark;
    if (found === undefined) return text.length - text.slice(from).trimStart().length;
    const here = token.lastIndex - found.length;
    if (next === "value" && (string ?? scalar) !== undefined) next = open.length > 0 ? "after" : "end";
    else if (next === "key" && string !== undefined) next = "colon";
    else if (next === "colon" && mark === ":") next = "value";
    else if (next === "value" && (mark === "{" || mark === "[")) {
      open.push(mark);
      next = mark === "{" ? "key" : "value";
    } else if (next === "after" && mark === ",") next = open.at(-1) === "{" ? "key" : "value";
    else if (mark === "}" || mark === "]") {
      const empty = /[{[]\s*$/.test(text.slice(Math.max(0, here - 200), here));
      if (open.at(-1) !== (mark === "}" ? "{" : "[") || (next !== "after" && !empty)) return here;
      open.pop();
      next = open.length > 0 ? "after" : "end";
    } else return here;
  }
}
