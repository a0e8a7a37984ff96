// Inserts the expression for a value into a field's text.

import { type FieldForm, isText } from "../../model/field.ts";
import { inner, isExpression } from "../../model/stages.ts";
import { read } from "../../model/jsonRanges.ts";

/** A change of a field's text, and the new position of the caret. */
interface Insertion {
  from: number;
  to: number;
  text: string;
  caret: number;
}

/** Returns the change that inserts `words` between two offsets of a text; `name` is the value's name at its origin. */
export function insertion(
  text: string,
  form: FieldForm,
  language: "JSONPath" | "JSONata",
  words: string,
  from: number,
  to: number,
  name: string,
): Insertion | { refused: string } {
  const put = (start: number, end: number, what: string, back = 0): Insertion => ({
    from: start,
    to: end,
    text: what,
    caret: start + what.length - back,
  });
  switch (form) {
    case "path":
    case "reference":
      return put(0, text.length, words);
    case "jsonata":
    case "condition":
      return put(from, to, words);
    case "text-or-jsonata":
    case "number-or-jsonata": {
      if (language === "JSONPath") return { refused: "This field takes no path: in JSONPath it is written as it is." };
      if (!isExpression(text.trim())) {
        const said = form === "text-or-jsonata" && text.trim() !== "" ? `${JSON.stringify(text)} & ${words}` : words;
        return put(0, text.length, `{% ${said} %}`, 3);
      }
      const [low, high] = [text.indexOf("{%") + 2, text.lastIndexOf("%}")];
      return put(clamp(from, low, high), clamp(to, low, high), words);
    }
    default:
      if (isText(form, text)) return insertion(text, "text-or-jsonata", language, words, from, to, name);
      return inTemplate(text, language, words, from, to, name);
  }
}

const clamp = (at: number, low: number, high: number): number => Math.max(low, Math.min(high, at));

function inTemplate(
  text: string,
  language: "JSONPath" | "JSONata",
  words: string,
  from: number,
  to: number,
  name: string,
): Insertion | { refused: string } {
  const value = JSON.stringify(language === "JSONata" ? `{% ${words} %}` : words);
  const key = JSON.stringify(language === "JSONata" ? name : `${name}.$`);
  const put = (start: number, end: number, what: string): Insertion => ({ from: start, to: end, text: what, caret: start + what.length });
  if (text.trim() === "" && language === "JSONata") return insertion(text, "text-or-jsonata", language, words, from, to, name);
  if (text.trim() === "") return put(0, text.length, `{\n  ${key}: ${value}\n}`);
  const root = read(text);
  // If the text cannot be parsed, the words are inserted at the caret.
  if (!root) return put(from, to, value);
  let node = root;
  let member: { key: string; start: number; value: typeof root } | undefined;
  for (;;) {
    const holds = (one: { start: number; end: number }): boolean => one.start < from && from < one.end;
    const named: typeof member = node.members?.find((one) => one.start < from && from <= one.value.end);
    // At the very end of a member whose value has members, the caret is behind the member and not in it.
    if (named && (holds(named.value) || !(named.value.members || named.value.items))) {
      [member, node] = [named, named.value];
      continue;
    }
    const item = node.items?.find(holds);
    if (!item) break;
    [member, node] = [undefined, item];
  }
  if (node.members) return newMember(text, node, key, value, from);
  if (node.items) {
    if (language === "JSONPath")
      return { refused: "In JSONPath only a field whose name ends in .$ holds a path: an item of a list cannot." };
    const last = node.items.findLast(({ end }) => end <= from);
    const more = node.items.some(({ start }) => start >= from);
    return last ? put(last.end, last.end, `, ${value}`) : put(node.start + 1, node.start + 1, more ? `${value}, ` : value);
  }
  const leaf = text.slice(node.start, node.end);
  if (language === "JSONata") {
    const said = leaf.startsWith('"') ? (JSON.parse(leaf) as string) : undefined;
    if (said === undefined || !isExpression(said)) return put(node.start, node.end, value);
    const [low, high] = [node.start + leaf.indexOf("{%") + 2, node.start + leaf.lastIndexOf("%}")];
    const escaped = JSON.stringify(words).slice(1, -1);
    return inner(said) === "" ? put(low, high, ` ${escaped} `) : put(clamp(from, low, high), clamp(to, low, high), escaped);
  }
  if (!member) return put(0, text.length, `{\n  ${key}: ${value}\n}`);
  const own = member.key.endsWith(".$") ? member.key : `${member.key}.$`;
  return put(member.start, node.end, `${JSON.stringify(own)}: ${value}`);
}

function newMember(text: string, node: NonNullable<ReturnType<typeof read>>, key: string, value: string, at: number): Insertion {
  const taken = new Set(node.members!.map((one) => one.key));
  let name = JSON.parse(key) as string;
  const [stem, tail] = name.endsWith(".$") ? [name.slice(0, -2), ".$"] : [name, ""];
  for (let n = 2; taken.has(name); n++) name = `${stem}${n}${tail}`;
  const said = `${JSON.stringify(name)}: ${value}`;
  const before = node.members!.findLast((one) => one.value.end <= at);
  const put = (start: number, what: string): Insertion => ({ from: start, to: start, text: what, caret: start + what.length });
  const indent = /\n([ \t]*)[^\n]*$/.exec(text.slice(0, (before ?? node.members![0])?.start ?? node.start))?.[1];
  if (before) return put(before.value.end, text.slice(node.start, node.end).includes("\n") ? `,\n${indent ?? "  "}${said}` : `, ${said}`);
  const first = node.members![0];
  if (first) return put(first.start, text.slice(node.start, first.start).includes("\n") ? `${said},\n${indent ?? "  "}` : `${said}, `);
  return { from: node.start, to: node.end, text: `{\n  ${said}\n}`, caret: node.start + said.length + 4 };
}
