// Reads and writes the query language in the text of a definition. The rest of the text is not changed.

type Language = "JSONPath" | "JSONata";

const YAML_LINE = /^QueryLanguage:[ \t]*["']?(JSONPath|JSONata)["']?[ \t]*(#.*)?$/m;

/** Returns undefined if the definition does not set it. */
export function languageOf(text: string, format: "json" | "yaml"): Language | undefined {
  if (format === "yaml") return YAML_LINE.exec(text)?.[1] as Language | undefined;
  const place = memberOf(text);
  return place && (text.slice(place.value, place.end).includes("JSONata") ? "JSONata" : "JSONPath");
}

/** Returns the text with another language, or with none; undefined if the text cannot be read. */
export function withLanguage(text: string, format: "json" | "yaml", language: Language | undefined): string | undefined {
  if (format === "yaml") {
    if (YAML_LINE.test(text))
      return language === undefined
        ? text.replace(new RegExp(`${YAML_LINE.source}\\n?`, "m"), "")
        : text.replace(YAML_LINE, `QueryLanguage: ${language}`);
    if (language === undefined) return text;
    // The member is written after the comments and the marker at the start of a document.
    const head = /^(?:(?:#.*|%.*|---.*|[ \t]*)\n)*/.exec(text)![0];
    return `${head}QueryLanguage: ${language}\n${text.slice(head.length)}`;
  }
  const brace = /^\s*\{/.exec(text)?.[0].length;
  if (brace === undefined) return undefined;
  const place = memberOf(text);
  if (place)
    return language === undefined
      ? text.slice(0, place.from) + text.slice(place.after)
      : `${text.slice(0, place.value)}"${language}"${text.slice(place.end)}`;
  if (language === undefined) return text;
  const indent = /^\s*\{(\s*)/.exec(text)![1]!;
  const empty = /^\s*\{\s*\}/.test(text);
  return `${text.slice(0, brace)}${empty ? "" : indent}"QueryLanguage": "${language}"${empty ? "" : ","}${text.slice(brace)}`;
}

/** Returns the range of the member of the outermost object, including the adjacent comma, and its value. */
function memberOf(text: string): { from: number; value: number; end: number; after: number } | undefined {
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    const [token] = match;
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token === '"QueryLanguage"') {
      const rest = /^\s*:\s*("(?:JSONPath|JSONata)")(\s*,\s*)?/.exec(text.slice(match.index + token.length));
      if (!rest) continue;
      const value = match.index + token.length + rest[0].indexOf(rest[1]!);
      const end = value + rest[1]!.length;
      if (rest[2] !== undefined) return { from: match.index, value, end, after: end + rest[2].length };
      // If the member is the last one, the comma before it is removed.
      const before = /(?:,\s*)?$/.exec(text.slice(0, match.index))![0].length;
      return { from: match.index - before, value, end, after: end };
    }
  }
  return undefined;
}
