// Tells YAML from JSON without a parser of either.

/** Whether a text is not JSON and begins like YAML. */
export function looksLikeYaml(text: string): boolean {
  return !/^\s*[[{"]/.test(text) && /^(\s*(---|%YAML|#)|\s*["']?[A-Za-z]\w*["']?\s*:(\s|$))/m.test(text.slice(0, 10_000));
}
