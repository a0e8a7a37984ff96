// Editing support: completions, hovers, code actions, formatting, folding and selection ranges.

import { isMap, isPair, isScalar, isSeq, visit, type Document } from "yaml";
import type { TextEdit as TextChange, TextRange } from "../../core/api/index.d.ts";
import { toJsonataEdits } from "../../language/convert/edits.ts";
import { language } from "../../core/definition/language.ts";
import { isJson } from "../../core/history/recorded.ts";
import { Unusable } from "../../language/files/problem.ts";
import { yamlDocument } from "../../language/files/document.ts";
import type { Reading } from "./document.ts";
import { blocksOf } from "./json.ts";
import type { Opened } from "./names.ts";
import { StringPart, YamlPart, type Proposals } from "./part.ts";
import { rangeOf } from "./problems.ts";
import { refactoringsIn } from "./refactorings.ts";
import {
  CodeActionKind,
  CompletionItemKind,
  InsertTextFormat,
  MarkupKind,
  type CodeAction,
  type CompletionItem,
  type CompletionList,
  type Diagnostic,
  type FoldingRange,
  type Hover,
  type Range,
  type SelectionRange,
  type TextDocument,
  type TextEdit,
} from "./protocol.ts";
import type { Settings } from "./settings.ts";

const KINDS: Record<string, CompletionItemKind> = {
  field: CompletionItemKind.Property,
  state: CompletionItemKind.Reference,
  type: CompletionItemKind.Class,
  value: CompletionItemKind.Value,
  error: CompletionItemKind.Constant,
  variable: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
  path: CompletionItemKind.Field,
};

/** Returns completions at an offset. */
export function completionsAt({ document, reading }: Opened, offset: number, snippets: boolean): CompletionList {
  // The list is complete, although a longer word can have other completions, such as a path after its dot.
  const list: CompletionList = { isIncomplete: false, items: [] };
  const found = reading.partAt(offset)?.proposals(offset);
  if (found === undefined) return list;
  const { start, end } = found.replace;
  const range = rangeOf(document, { start: Math.min(start, offset), end: Math.max(end, offset) });
  // Editors match against the text from the start of the range, including a quote.
  const quote = /^["']?/.exec(reading.text.slice(start, start + 1))?.[0] ?? "";
  list.items = found.items.map((item, i) => completionOf(item, { range, quote, order: i, snippets }));
  return list;
}

interface Around {
  range: Range;
  quote: string;
  order: number;
  snippets: boolean;
}

function completionOf(item: Proposals["items"][number], { range, quote, order, snippets }: Around): CompletionItem {
  const { label, kind, detail, insert, caret = insert.length } = item;
  const inside = snippets && caret < insert.length;
  const newText = inside ? `${snippet(insert.slice(0, caret))}$0${snippet(insert.slice(caret))}` : insert;
  return {
    label,
    kind: KINDS[kind] ?? CompletionItemKind.Text,
    detail,
    filterText: insert.startsWith(quote) && quote !== "" ? `${quote}${label}` : label,
    sortText: String(order).padStart(5, "0"),
    insertTextFormat: inside ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: { range, newText },
  };
}

function snippet(text: string): string {
  return text.replaceAll(/[\\$}]/g, "\\$&");
}

/** Returns the hover text at an offset. */
export function hoverAt({ document, reading }: Opened, offset: number): Hover | null {
  const part = reading.partAt(offset);
  const at = part?.jsonOffset(offset);
  const found = part === undefined || at === undefined ? null : language.hover(part.json, at);
  const range = found && part?.documentRange(found);
  if (!found) return null;
  return {
    contents: { kind: MarkupKind.Markdown, value: `**${found.title.replaceAll(/[\\*_`[\]<]/g, "\\$&")}**\n\n${found.text}` },
    ...(range && { range: rangeOf(document, range) }),
  };
}

/** Returns code actions for a range: fixes of its problems, and others. */
export function actionsIn(opened: Opened, range: Range, shown: readonly Diagnostic[], settings: Settings): CodeAction[] {
  const { document } = opened;
  const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
  return [...fixesIn(opened, span, shown, settings), ...toJsonata(opened, span), ...refactoringsIn(opened, span)];
}

/** Returns an action that converts the innermost state around a position to JSONata, if its meaning stays the same. */
function toJsonata({ document, reading }: Opened, { start }: TextRange): CodeAction[] {
  const part = reading.partAt(start);
  const at = part?.jsonOffset(start);
  if (part === undefined || at === undefined || !isJson(part.json)) return [];
  const states = language.outline(part.json);
  const name = states.findLast(({ from, to }) => from <= at && at <= to)?.name;
  if (name === undefined) return [];
  const { converted, edits } = toJsonataEdits(part.json, states, name);
  const written = converted.length === 0 ? undefined : part.edits(edits);
  if (written === undefined) return [];
  return [{ title: `Convert \`${name}\` to JSONata`, kind: CodeActionKind.RefactorRewrite, edit: changeOf(document, written) }];
}

function changeOf(document: TextDocument, edits: readonly TextChange[]): NonNullable<CodeAction["edit"]> {
  return { changes: { [document.uri]: edits.map((edit) => ({ range: rangeOf(document, edit), newText: edit.text })) } };
}

function fixesIn({ document, reading }: Opened, span: TextRange, shown: readonly Diagnostic[], settings: Settings): CodeAction[] {
  return reading.parts.flatMap((part) => {
    const inside = part.jsonRange(span);
    if (inside === undefined || span.start > part.range.end || span.end < part.range.start) return [];
    const { type = part.type, jsonata } = settings;
    const options = { ...(type && { type }), ...(jsonata && { jsonata }) };
    /** Problems that have a fix already. The first fix is the most likely one. */
    const served = new Set<Diagnostic>();
    // For a whole document, the first actions are enough for a menu.
    const actions = language.codeActions(part.json, inside.start, inside.end, options).slice(0, part.mostEdits);
    return actions.flatMap(({ title, problem, edits }): CodeAction[] => {
      const written = part.edits(edits);
      if (written === undefined || written.length === 0) return [];
      const range = problem && part.documentRange(problem);
      const fixed = shown.filter((one) => one.code === problem?.code && range && overlaps(one.range, rangeOf(document, range)));
      // The substitutions of the template already solve a problem that the editor does not show.
      if (problem !== undefined && reading.template && fixed.length === 0) return [];
      const isPreferred = fixed.some((one) => !served.has(one));
      for (const one of fixed) served.add(one);
      return [
        {
          title: title.charAt(0).toUpperCase() + title.slice(1),
          kind: problem === undefined ? CodeActionKind.RefactorRewrite : CodeActionKind.QuickFix,
          ...(fixed.length > 0 && { diagnostics: fixed, isPreferred }),
          edit: changeOf(document, written),
        },
      ];
    });
  });
}

function overlaps(a: Range, b: Range): boolean {
  const before = (one: Range["start"], other: Range["start"]) =>
    one.line < other.line || (one.line === other.line && one.character <= other.character);
  return before(a.start, b.end) && before(b.start, a.end);
}

/** Returns the edits that format a document. In a template, only definitions in strings are formatted. */
export function formatted({ document, reading }: Opened, indent: number): TextEdit[] {
  const edits = reading.parts.flatMap((part) => {
    if (part instanceof StringPart) return formattedString(part, indent);
    if (reading.template) return [];
    return part instanceof YamlPart ? part.source.format() : language.format(part.json, { indent });
  });
  return edits.map((edit) => ({ range: rangeOf(document, edit), newText: edit.text }));
}

/** Formats a string of several lines. */
function formattedString(part: StringPart, indent: number): { start: number; end: number; text: string }[] {
  const { json } = part;
  if (!json.includes("\n")) return [];
  // The template decides whether a line break follows the last line.
  const edits = language.format(json, { indent }).filter(({ start, text }) => !(start === json.length && text === "\n"));
  return part.edits(edits) ?? [];
}

/** Returns the ranges that can be folded: objects and lists of several lines. */
export function foldsOf({ document, reading }: Opened): FoldingRange[] {
  const fold = ({ start, end }: { start: number; end: number }, closing: number) => ({
    startLine: document.positionAt(start).line,
    endLine: document.positionAt(end).line - closing,
  });
  // The line with the closing bracket stays visible.
  const outer = reading.yaml ? yamlBlocks(reading).map((one) => fold(one, 0)) : blocksOf(reading.text).map((one) => fold(one, 1));
  const strings = reading.parts.filter((part) => part instanceof StringPart);
  const inner = strings.flatMap((part) => blocksOf(part.json).map((one) => fold(part.documentRange(one), 1)));
  const seen = new Set<number>();
  return [...outer, ...inner]
    .sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine)
    .filter(({ startLine, endLine }) => endLine > startLine && !seen.has(startLine) && seen.add(startLine));
}

/** Returns the values of a YAML text that take several lines, from the lines of their names on. */
function yamlBlocks({ document, text }: Reading): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  if (document === undefined) return found;
  const add = (start: number | undefined, range: readonly [number, number, number] | null | undefined) => {
    if (start === undefined || !range) return;
    // A block extends to the beginning of the next one, so the white space at its end is removed.
    const end = range[0] + text.slice(range[0], range[1]).trimEnd().length;
    if (text.slice(start, end).includes("\n")) found.push({ start, end });
  };
  visit(document, {
    Pair: (_, { key, value }) => {
      const from = isScalar(key) ? key.range?.[0] : undefined;
      if (isMap(value) || isSeq(value) || isScalar(value)) add(from, value.range);
    },
    Map: (_, node) => add(node.range?.[0], node.range),
  });
  return found;
}

/** Returns the selection ranges of each position, from the word to the whole document. */
export function selectionsAt({ document, reading }: Opened, offsets: readonly number[]): SelectionRange[] {
  return offsets.map((offset) => {
    let selection: SelectionRange = { range: rangeOf(document, { start: 0, end: reading.text.length }) };
    const part = reading.partAt(offset);
    const at = part instanceof StringPart ? part.jsonOffset(offset) : undefined;
    const inside =
      part instanceof StringPart && at !== undefined
        ? ranges(yamlNodes(part.json), part.json, at).map((one) => part.documentRange(one))
        : [];
    const around = [...ranges(reading.document, reading.text, offset), ...inside];
    for (const range of around) {
      const next = rangeOf(document, range);
      const { start, end } = selection.range;
      const same =
        start.line === next.start.line &&
        start.character === next.start.character &&
        end.line === next.end.line &&
        end.character === next.end.character;
      if (!same && contains(selection.range, next)) selection = { range: next, parent: selection };
    }
    return part === undefined && around.length === 0 ? { range: selection.range } : selection;
  });
}

/** Parses a JSON text to nodes of YAML, of which JSON is a part. */
function yamlNodes(text: string): Document | undefined {
  try {
    return yamlDocument(text, { prettyErrors: false, logLevel: "silent" });
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}

/** Returns the ranges around an offset, from the outside in. */
function ranges(document: Document | undefined, text: string, offset: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  if (document === undefined) return found;
  const add = (start: number, end: number) => {
    if (start <= offset && offset <= end) found.push({ start, end });
  };
  visit(document, (_, node) => {
    if (isPair(node)) {
      const [first, last] = [
        isScalar(node.key) ? node.key.range : undefined,
        isMap(node.value) || isSeq(node.value) || isScalar(node.value) ? node.value.range : undefined,
      ];
      if (first && last) add(first[0], end(text, last));
      return;
    }
    if (!(isMap(node) || isSeq(node) || isScalar(node)) || !node.range) return;
    add(node.range[0], end(text, node.range));
    const quoted = isScalar(node) && /^QUOTE/.test(node.type ?? "");
    if (quoted) add(node.range[0] + 1, node.range[1] - 1);
  });
  return found.sort((a, b) => b.end - b.start - (a.end - a.start));
}

function end(text: string, [from, to]: readonly [number, number, number]): number {
  return from + text.slice(from, to).trimEnd().length;
}

function contains(outer: Range, inner: Range): boolean {
  const from =
    outer.start.line < inner.start.line || (outer.start.line === inner.start.line && outer.start.character <= inner.start.character);
  const to = outer.end.line > inner.end.line || (outer.end.line === inner.end.line && outer.end.character >= inner.end.character);
  return from && to;
}
