// Distinguishes YAML from JSON without parsing either.

/** Returns whether a text is not JSON and begins like YAML. */
export function looksLikeYaml(text: string): boolean {
  return !/^\s*[[{"]/.test(text) && /^(\s*(---|%YAML|#)|\s*["']?[A-Za-z]\w*["']?\s*:(\s|$))/m.test(text.slice(0, 10_000));
}
