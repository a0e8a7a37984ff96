// Completions in YAML. The interpreter completes the same position in the equivalent JSON, and its proposals are converted to YAML.

import type { Completion, Completions as JsonCompletions } from "../api/index.d.ts";
import { YamlSource, scalar } from "./yaml-source.ts";

/** A completion in YAML. The caller may have kinds of its own. */
export interface Proposal extends Omit<Completion, "kind"> {
  kind: string;
  /** The position of the cursor in `insert`; by default its end. */
  caret?: number;
}

/** The completions at a position of YAML. */
export interface Completions extends Omit<JsonCompletions, "items"> {
  items: Proposal[];
}

/** Characters of no script, which hardly any text contains. */
const MARKS = ["\uE000", "\uE001", "\uE002"];
/** Maximum number of JSON positions for one position of YAML, which aliases can repeat. */
const MOST_PLACES = 4;

type Ask = (json: string, offset: number) => Completions;

export function yamlProposals(text: string, offset: number, ask: Ask, pointer = ""): Completions | null {
  const mark = MARKS.find((candidate) => !text.includes(candidate));
  if (mark === undefined || inComment(lineBefore(text, offset))) return null;
  const failed: { json: string; errors: number }[] = [];
  // Most texts are valid except for the word that is being typed.
  for (const attempt of attempts(text, offset, mark)) {
    const { json, problems } = new YamlSource(attempt, { loose: true, pointer });
    const errors = problems.filter(({ severity }) => severity === "error").length;
    const found = errors === 0 ? proposalsIn(text, offset, json, mark, ask) : null;
    if (found) return found;
    if (errors > 0) failed.push({ json, errors });
  }
  failed.sort((a, b) => a.errors - b.errors);
  for (const { json } of failed) {
    const found = proposalsIn(text, offset, json, mark, ask);
    if (found) return found;
  }
  return null;
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}

/** Returns guesses of the completed text, with a mark at the cursor. The most likely come first. */
function attempts(text: string, offset: number, mark: string): string[] {
  const head = text.slice(0, offset);
  const line = lineBefore(text, offset);
  const lineEnd = text.indexOf("\n", offset) < 0 ? text.length : text.indexOf("\n", offset);
  const rest = text.slice(offset, lineEnd);
  const below = text.slice(lineEnd);
  const quote = openQuote(line);
  const word = (quote === "" ? /^[^\s:,[\]{}#]*/ : new RegExp(`^[^${quote}]*`)).exec(rest)?.[0] ?? "";
  const closed = quote === "" || rest[word.length] === quote;
  const behind = rest.slice(word.length + (quote !== "" && closed ? 1 : 0));
  const closing = openBrackets(head);
  const value = [head + mark + rest + below];
  if (!closed) value.push(`${head}${mark}${rest.trimEnd()}${quote}${below}`);
  if (closing !== "") {
    value.push(`${head}${mark}${word}${quote}${closing}${below}`);
    value.push(`${head}${mark}${word}${quote}${closing}${closingRest(behind)}${below}`);
  }
  if (/^\s*:(\s|$)/.test(behind)) return value;
  const name = `${head}${mark}${word}${quote}: ${behind.trim() === "" ? "" : `#${behind}`}${below}`;
  const ownLine = closing === "" && /^\s*(-\s+)*["']?[^\s:"',[\]{}]*$/.test(line);
  return ownLine ? [name, ...value] : closing === "" ? value : [...value, name];
}

/** Returns the text after the cursor's line if it consists only of closing brackets. It is then a part of the guess. */
function closingRest(text: string): string {
  return /^[\s\]}]*$/.test(text) ? "" : `\n#${text}`;
}

/** Returns the quote that is open at the end of a line. */
function openQuote(line: string): "" | '"' | "'" {
  let open: "" | '"' | "'" = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (open === '"' && c === "\\") i += 1;
    else if (open !== "") open = c === open ? "" : open;
    else if ((c === '"' || c === "'") && /(^|[\s,[{:-])$/.test(line.slice(0, i))) open = c;
  }
  return open;
}

function inComment(line: string): boolean {
  for (let at = line.search(/(^|\s)#/); at >= 0;) {
    if (openQuote(line.slice(0, at + 1)) === "") return true;
    const next = line.slice(at + 1).search(/(^|\s)#/);
    at = next < 0 ? -1 : at + 1 + next;
  }
  return false;
}

/** Returns the brackets that close what is open at the end of a text, as far as the last lines show it. */
function openBrackets(head: string): string {
  const open: string[] = [];
  for (const line of head.split("\n").slice(-40)) {
    const code = line.replace(/(^|\s)#.*$/, "");
    for (let i = 0; i < code.length; i++) {
      const c = code[i]!;
      if (openQuote(code.slice(0, i + 1)) !== "") continue;
      if (c === "{" || c === "[") {
        // Elsewhere a bracket is an ordinary character.
        if (open.length > 0 || /(^|[\s:-])$/.test(code.slice(0, i))) open.push(c === "{" ? "}" : "]");
      } else if (c === open.at(-1)) open.pop();
    }
  }
  return open.reverse().join("");
}

function proposalsIn(text: string, offset: number, marked: string, mark: string, ask: Ask): Completions | null {
  let at = marked.indexOf(mark);
  for (let n = 0; at >= 0 && n < MOST_PLACES; n++) {
    const json = marked.replaceAll(mark, "");
    const place = at - n;
    const { start, end } = stringAt(json, place);
    const found =
      json[end] === ":" ? names(text, offset, json, place, start, end, ask) : values(text, offset, json, place, start, end, ask);
    if (found && (found.items.length > 0 || found.reads)) return found;
    at = marked.indexOf(mark, at + 1);
  }
  return null;
}

/** Returns the string around a position of JSON. */
function stringAt(json: string, place: number): { start: number; end: number } {
  let start = place;
  const quoteAt = (i: number): boolean => {
    if (json[i] !== '"') return false;
    let slashes = 0;
    while (json[i - 1 - slashes] === "\\") slashes++;
    return slashes % 2 === 0;
  };
  do start--;
  while (start > 0 && !quoteAt(start));
  let end = place;
  while (end < json.length && !quoteAt(end)) end++;
  return { start, end: end + 1 };
}

function names(text: string, offset: number, json: string, place: number, start: number, end: number, ask: Ask): Completions | null {
  const replace = spanOf(text, offset, json, place, start + 1, end - 1);
  if (!replace) return null;
  const before = lineBefore(text, replace.start);
  const quote = openQuote(before);
  const flow = openBrackets(text.slice(0, replace.start)) !== "";
  const lineEnd = text.indexOf("\n", replace.end);
  const behind = text.slice(replace.end, lineEnd < 0 ? text.length : lineEnd);
  // The name is replaced without its value, so that the interpreter proposes one with an initial value.
  const tail = json.slice(end);
  const fresh = /^:null/.test(tail) && !/^["']?\s*:/.test(behind);
  if (!fresh) return written(ask(json, place), replace, text, flow, false);
  const found = ask(json.slice(0, start) + tail.replace(/^:null,?/, ""), start);
  const column = " ".repeat(before.length - quote.length);
  const items = found.items.flatMap((item): Proposal[] => {
    const parts = /^("(?:[^"\\]|\\.)*"): ?(.*)$/s.exec(item.insert);
    if (!parts) return [];
    const name = plain(parts[1]!, flow);
    const blank = parts[2]!;
    const nested = !flow && (blank === "{}" || blank === "[]");
    const insert = nested ? `${name}:\n${column}  ${blank === "[]" ? "- " : ""}` : `${name}: ${blank === '""' ? "" : blank}`;
    return [{ ...item, insert, caret: insert.length - (!nested && /^(\{\}|\[\])$/.test(blank) ? 1 : 0) }];
  });
  const closed = quote !== "" && text[replace.end] === quote ? 1 : 0;
  return { items, replace: { start: replace.start - quote.length, end: replace.end + closed } };
}

function plain(jsonString: string, flow: boolean): string {
  const value = JSON.parse(jsonString) as string;
  return flow && /[,[\]{}]/.test(value) ? jsonString : scalar(value);
}

function values(text: string, offset: number, json: string, place: number, start: number, end: number, ask: Ask): Completions | null {
  const found = ask(json, place);
  const flow = openBrackets(text.slice(0, offset)) !== "";
  if (found.items.length > 0 || found.reads) {
    const replace = spanOf(text, offset, json, place, found.replace.start, found.replace.end);
    const whole = found.replace.start === start + 1 && found.replace.end === end - 1;
    return replace ? written(found, replace, text, flow, whole) : null;
  }
  // A value that is not a string has no quotes in YAML.
  const replace = spanOf(text, offset, json, place, start + 1, end - 1);
  const bare = ask(json.slice(0, start) + json.slice(end), start);
  if (!replace || openQuote(lineBefore(text, offset)) !== "") return null;
  return { replace, items: bare.items.filter(({ insert }) => !insert.startsWith('"')) };
}

/** Returns the range of the YAML for a range of the JSON around the cursor. Undefined if both are written differently. */
function spanOf(
  text: string,
  offset: number,
  json: string,
  place: number,
  from: number,
  to: number,
): { start: number; end: number } | undefined {
  const start = offset - (place - from);
  const end = offset + (to - place);
  return json.slice(from, place) === text.slice(start, offset) && json.slice(place, to) === text.slice(offset, end)
    ? { start, end }
    : undefined;
}

/** Converts proposals to the quotes of the position. */
function written(found: Completions, replace: { start: number; end: number }, text: string, flow: boolean, whole: boolean): Completions {
  const quote = openQuote(lineBefore(text, replace.start));
  const items = found.items.map((item): Proposal => {
    if (quote === '"') return { ...item, insert: JSON.stringify(item.insert).slice(1, -1) };
    if (quote === "'") return { ...item, insert: item.insert.replaceAll("'", "''") };
    return { ...item, insert: whole ? plain(JSON.stringify(item.insert), flow) : item.insert };
  });
  return { items, replace, ...(found.reads ? { reads: found.reads } : {}) };
}
