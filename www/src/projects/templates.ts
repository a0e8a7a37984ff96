// The machines of a file: a definition that is the whole file, or those of a template of CloudFormation, SAM, the CDK, Serverless
// or Terraform.

import { type Document, type Node, isCollection, isMap, isPair, isScalar, visit } from "yaml";
import { lookUp } from "stepglass/files/yaml-ranges";
import { textInJson, textInYaml } from "stepglass/files/string-offsets";
import type { Machine } from "stepglass/sources/template-machine";
import { machinesOf } from "stepglass/sources/find-machines";
import { machinesOfConfiguration } from "stepglass/sources/terraform";
import type { MappedText } from "stepglass/sources/mapped-text";
import { intrinsicTags } from "stepglass/tags";
import { readYaml } from "stepglass/yaml-document";
import { changed } from "./lines.ts";
import { type Encode, type Piece, View, inLines, indented } from "./view.ts";

export interface Part {
  name: string;
  type?: "EXPRESS";
  format: "json" | "yaml";
  /** The text as editors show it. */
  text: string;
  view: View;
}

export interface Parts {
  machines: Part[];
  /** The machines that cannot be edited in the file. */
  elsewhere: { name: string; path?: string; problem?: string }[];
}

const isConfiguration = (name: string, text: string): boolean => /\.tf$/i.test(name) || /^resource\s+"aws_sfn_state_machine"/m.test(text);

/** Returns the machines of a template. */
export function partsOf(text: string, name: string): Parts {
  if (isConfiguration(name, text)) return sorted(machinesOfConfiguration(text, {}).machines, (machine) => inConfiguration(text, machine));
  const isJson = isJsonText(text);
  const value: unknown = isJson
    ? JSON.parse(text)
    : readYaml(text, { merge: true, prettyErrors: false, customTags: intrinsicTags() }).toJS({ maxAliasCount: 100 });
  // Tags are not resolved, so that their nodes have positions.
  const document = readYaml(text, { merge: true, prettyErrors: false, logLevel: "silent" });
  return sorted(machinesOf(value) ?? new Map(), (machine) => inDocument({ text, document, isJson }, machine));
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function sorted(machines: ReadonlyMap<string, Machine>, viewOf: (machine: Machine) => Pick<Part, "view" | "format"> | undefined): Parts {
  const found: Parts = { machines: [], elsewhere: [] };
  for (const [name, machine] of machines) {
    const { definition: place, type } = machine;
    if (place.in === "file") found.elsewhere.push({ name, path: place.path });
    else if (place.in === "nothing") found.elsewhere.push({ name, problem: place.problem });
    else {
      const there = viewOf(machine);
      if (!there)
        found.elsewhere.push({ name, problem: "functions of the template put its definition together, so it cannot be edited there" });
      else found.machines.push({ name, text: there.view.text, ...there, ...(type === "EXPRESS" && { type }) });
    }
  }
  return found;
}

interface Read {
  text: string;
  document: Document;
  isJson: boolean;
}

function inDocument(read: Read, { definition: place }: Machine): Pick<Part, "view" | "format"> | undefined {
  if (place.in === "template") {
    const view = ofValue(read, place.pointer);
    return view && { view, format: read.isJson ? "json" : "yaml" };
  }
  if (place.in !== "string") return undefined;
  const view = ofText(read.text, place.text, (pointer) => writtenAt(read, pointer));
  return view && { view, format: "json" };
}

// ---------------------------------------------------------------------------------------------------------------- a value

/** Returns the view of a definition that is a value of the template. */
function ofValue({ text, document, isJson }: Read, pointer: string): View | undefined {
  const { value } = lookUp(document, pointer);
  if (!isMap(value) || !value.range) return undefined;
  const isBlock = !value.flow;
  const [start, inner, outer] = value.range;
  const skips: Piece[] = [];
  visit(value as unknown as Node, {
    Node(_, node) {
      if (node === value) return undefined;
      const skip = functionAt(text, node);
      if (!skip) return undefined;
      skips.push(...skip);
      return visit.SKIP;
    },
  });
  // The contents of an alias are elsewhere in the document.
  if (!isJson && hasAlias(value)) return undefined;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const end = isBlock ? blockEnd(text, inner, outer) : inner;
  const indent = isBlock ? text.slice(lineStart, start) : (/^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", end - 2) + 1, end))?.[0] ?? "");
  // A map after the dash of a list item does not start on its own line.
  if (isBlock && indent.trim() !== "") return undefined;
  return indented(text, start, end, indent, skips);
}

/** Returns the end of a block's last line, without the empty lines and comments that precede the next element. */
function blockEnd(text: string, inner: number, outer: number): number {
  const end = text.slice(0, inner).trimEnd().length;
  const line = text.indexOf("\n", end);
  return line < 0 ? outer : Math.min(line + 1, Math.max(outer, inner));
}

function hasAlias(value: Node): boolean {
  let found = false;
  visit(value, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

const FUNCTION = /^(Ref|Condition|Fn::\w+)$/;

/** Returns a function of the template as a piece with its placeholder. The text of Fn::Sub is shown as it is. */
function functionAt(text: string, node: unknown): Piece[] | undefined {
  const tag = (node as { tag?: string }).tag;
  if (tag !== undefined && /^!\w/.test(tag)) return ofTag(text, node as Node, tag.slice(1));
  if (!isMap(node) || !node.range || node.items.length !== 1) return undefined;
  const [pair] = node.items;
  const name = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : "";
  if (!FUNCTION.test(name)) return undefined;
  const held = pair!.value as Node | null;
  const [start, end] = [node.range[0], trimmed(text, node.range[0], node.range[1])];
  if (name === "Fn::Sub" && isScalar(held) && held.range)
    return [
      { shown: "", start, end: held.range[0] },
      { shown: text.slice(held.range[0], held.range[1]), start: held.range[0], end: held.range[1] },
      { shown: "", start: held.range[1], end },
    ];
  return [{ shown: placeholder(name, held), start, end }];
}

function ofTag(text: string, node: Node, name: string): Piece[] | undefined {
  if (!node.range) return undefined;
  const [from, to] = [node.range[0], trimmed(text, node.range[0], node.range[1])];
  const start = text.startsWith(`!${name}`, from) ? from : text.lastIndexOf(`!${name}`, from);
  if (start < 0) return undefined;
  if (name === "Sub" && isScalar(node)) {
    const own = start === from ? from + text.slice(from).search(/\s(?=\S)/) + 1 : from;
    return [
      { shown: "", start, end: own },
      { shown: text.slice(own, to), start: own, end: to },
    ];
  }
  return [{ shown: placeholder(name, isScalar(node) || isCollection(node) ? node : null), start, end: to }];
}

/** Returns the end without trailing white space, which block collections include. */
const trimmed = (text: string, start: number, end: number): number => start + text.slice(start, end).trimEnd().length;

/** Returns `${Name}` or `${Name.Attribute}` as in Fn::Sub; for any other function, its name. */
function placeholder(name: string, held: Node | null): string {
  const value: unknown = held === null ? "" : (JSON.parse(JSON.stringify(held)) as unknown);
  const plain = Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(".") : value;
  const known = /^(Ref|Condition|(Fn::)?(GetAtt|ImportValue))$/.test(name) && typeof plain === "string" && /^[\w.:-]+$/.test(plain);
  const words = known
    ? plain
    : `${name.replace(/^(?!Ref$|Condition$|Fn::)/, "Fn::")} ${JSON.stringify(value)
        .replace(/[^\w.:-]+/g, " ")
        .trim()}`;
  return `"\${${words}}"`;
}

// ----------------------------------------------------------------------------------------------------------------- a text

interface Written {
  offsets: Uint32Array;
  encode: Encode;
}

/** Returns how the text at a pointer of the document is written. */
function writtenAt({ text, document, isJson }: Read, pointer: string): Written | undefined {
  if (isJson) {
    const found = textInJson(text, pointer);
    return found && { offsets: found.offsets, encode: inQuotes };
  }
  const { value } = lookUp(document, pointer);
  const found = textInYaml(text, document, pointer);
  if (!found || !isScalar(value) || !value.range) return undefined;
  const { offsets } = found;
  switch (value.type) {
    case "QUOTE_DOUBLE":
      return { offsets, encode: inQuotes };
    case "QUOTE_SINGLE":
      return { offsets, encode: (put) => (put.includes("\n") ? undefined : put.replaceAll("'", "''")) };
    case "BLOCK_LITERAL": {
      const first = text.slice(0, offsets[0]);
      return { offsets, encode: (put) => inLines(put, "\n", first.slice(first.lastIndexOf("\n") + 1)) };
    }
    default:
      return { offsets, encode: (put) => (/[\n#]|: /.test(put) ? undefined : put) };
  }
}

const inQuotes: Encode = (text) => JSON.stringify(text).slice(1, -1);

/**
 * Returns the view of a definition that is a text of the template, or assembled from several texts. Each character has its
 * position in the source.
 */
function ofText(source: string, traced: MappedText, writtenOf: (pointer: string) => Written | undefined): View | undefined {
  const known = new Map<string, Written | undefined>();
  let encode: Encode | undefined;
  const offset = (pointer: string | undefined, at: number): number | undefined => {
    if (pointer === undefined) return at;
    if (!known.has(pointer)) known.set(pointer, writtenOf(pointer));
    const written = known.get(pointer);
    encode ??= written?.encode;
    return written?.offsets[at];
  };
  const pieces: Piece[] = [];
  const references = [...traced.references];
  let at = 0;
  let span = 0;
  while (at < traced.text.length) {
    const [reference] = references;
    if (reference && at >= reference.start) {
      references.shift();
      // Its position is the gap between its neighbours.
      pieces.push({ shown: `\${${reference.name}}`, start: -1, end: -1 });
      at = Math.max(reference.end, at);
      continue;
    }
    while (span < traced.spans.length && traced.spans[span]!.end <= at) span++;
    const here = traced.spans[span];
    if (!here || here.start > at || here.end - here.start !== here.origin.to - here.origin.from) return undefined;
    const place = here.origin.from + at - here.start;
    const [start, end] = [offset(here.origin.pointer, place), offset(here.origin.pointer, place + 1)];
    if (start === undefined || end === undefined) return undefined;
    pieces.push({ shown: traced.text[at]!, start, end });
    at += 1;
  }
  const joined = placed(source, pieces);
  if (!joined) return undefined;
  return new View(source, joined, encode ?? inHeredoc(source, joined[0]?.start ?? 0));
}

/** Returns the encoder for Terraform. The lines of a heredoc are indented like its first one; a quoted text has escapes. */
function inHeredoc(source: string, start: number): Encode {
  const before = source.slice(source.lastIndexOf("\n", start - 1) + 1, start);
  return before.trim() === "" ? (text) => inLines(text, "\n", before) : inQuotes;
}

/** Positions references in the gaps between pieces, and merges characters that are written without escapes. */
function placed(source: string, pieces: readonly Piece[]): Piece[] | undefined {
  const found: Piece[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    const last = found.at(-1);
    if (piece.start < 0) {
      let shown = piece.shown;
      while (pieces[i + 1]?.start === -1) shown += pieces[++i]!.shown;
      const next = pieces[i + 1];
      if (!last || !next || next.start < last.end) return undefined;
      found.push({ shown, start: last.end, end: next.start });
      continue;
    }
    if (last && piece.start < last.end) return undefined;
    // The source between joined texts is not shown.
    if (last && piece.start > last.end) found.push({ shown: "", start: last.end, end: piece.start });
    const before = found.at(-1);
    const isPlain = (one: Piece): boolean => one.end - one.start === one.shown.length && source.startsWith(one.shown, one.start);
    if (before && before.end === piece.start && before.shown !== "" && isPlain(before) && isPlain(piece)) {
      before.shown += piece.shown;
      before.end = piece.end;
    } else found.push({ ...piece });
  }
  return found;
}

/** Returns the view of a definition in a text or a heredoc of Terraform. */
function inConfiguration(source: string, { definition: place }: Machine): Pick<Part, "view" | "format"> | undefined {
  if (place.in !== "string") return undefined;
  const view = ofText(source, place.text, () => undefined);
  return view && { view, format: "json" };
}

// --------------------------------------------------------------------------------------------------------------- writing

/** Returns a file's text with other definitions. Throws an Error that says which one cannot be written there, and why. */
export function written(
  file: { text: string; name: string; template: boolean },
  changes: readonly { part?: string | undefined; text: string }[],
): string {
  let { text } = file;
  for (const { part, text: next } of changes) {
    const view = file.template
      ? partsOf(text, file.name).machines.find(({ name }) => name === part)?.view
      : indented(text, 0, text.length, "");
    if (!view) throw new Error(`${file.name} has no machine ${part ?? ""} any more.`);
    const read = (now: string): string | undefined => (file.template ? readAgain(now, file.name, part) : now.replace(/\r\n?/g, "\n"));
    // The result is read again, so that nothing with another meaning is saved.
    const put = [false, true]
      .map((wide) => view.changes(next, wide))
      .map((found) => found && changed(text, found))
      .find((now) => now !== undefined && read(now) === next);
    if (put === undefined)
      throw new Error(
        `The change of ${part ?? "the definition"} cannot be written there, because functions or quotes of the template stand around it. Save the definition as a file of its own, or change the template by hand.`,
      );
    text = put;
  }
  return text;
}

function readAgain(text: string, name: string, part: string | undefined): string | undefined {
  try {
    return partsOf(text, name).machines.find((one) => one.name === part)?.text;
  } catch {
    return undefined;
  }
}
