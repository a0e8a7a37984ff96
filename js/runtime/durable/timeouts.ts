// The time limit of an execution that differs from the one of its machine.

/**
 * Returns the text of a definition with another `TimeoutSeconds` of the machine. The rest of the text is unchanged, because writing it
 * again would change the digits of its numbers. The text must be a definition that compiles.
 */
export function withTimeout(text: string, seconds: number): string {
  const value = timeoutValue(text);
  if (value !== undefined) return text.slice(0, value.from) + String(seconds) + text.slice(value.to);
  const begin = text.indexOf("{") + 1;
  return `${text.slice(0, begin)}"TimeoutSeconds":${seconds},${text.slice(begin)}`;
}

/** Returns where the value of the machine's `TimeoutSeconds` is, which is a number. */
function timeoutValue(text: string): { from: number; to: number } | undefined {
  let depth = 0;
  // A token of JSON: a string, a bracket, or a text without any of them.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|[^"{}[\]]+/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token.startsWith('"') && JSON.parse(token) === "TimeoutSeconds") {
      const [found, before = "", number = ""] = /^(\s*:\s*)([-+.\deE]+)/.exec(text.slice(index + token.length)) ?? [];
      if (found === undefined) continue;
      const from = index + token.length + before.length;
      return { from, to: from + number.length };
    }
  }
  return undefined;
}
