// Names of states and variables: their definitions and uses, renaming, and the outline.

import { resolve, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { References } from "../../core/api/index.d.ts";
import { language } from "../../core/definition/language.ts";
import { messageOf } from "../../core/base/errors.ts";
import { statesOf, type Reading } from "./document.ts";
import type { Part } from "./part.ts";
import { rangeOf } from "./problems.ts";
import {
  DocumentHighlightKind,
  ErrorCodes,
  ResponseError,
  SymbolKind,
  type DocumentHighlight,
  type DocumentLink,
  type DocumentSymbol,
  type Location,
  type Range,
  type TextDocument,
  type TextEdit,
} from "./protocol.ts";

/** A document with what was parsed from it. */
export interface Opened {
  document: TextDocument;
  reading: Reading;
}

/** Returns the uses of the name at an offset. */
function usesAt(reading: Reading, offset: number): { part: Part; found: References } | undefined {
  const part = reading.partAt(offset);
  const at = part?.jsonOffset(offset);
  const found = part === undefined || at === undefined ? null : language.references(part.json, at);
  return part && found ? { part, found } : undefined;
}

/** Returns where the state or variable at an offset is defined, or the file that a template names there. */
export function definitionAt({ document, reading }: Opened, offset: number): Location[] {
  const link = reading.links.find(({ start, end }) => start <= offset && offset <= end);
  if (link !== undefined) return [{ uri: uriOf(reading, link.path), range: rangeOf(document, { start: 0, end: 0 }) }];
  const part = reading.partAt(offset);
  const at = part?.jsonOffset(offset);
  const found = part === undefined || at === undefined ? null : language.definition(part.json, at);
  if (part === undefined || found === null) return [];
  return found.targets.flatMap((target) => located(document, part.documentRange(target)));
}

/** Returns links to the files from which a template includes definitions. */
export function linksOf({ document, reading }: Opened): DocumentLink[] {
  return reading.links.map((link) => ({ range: rangeOf(document, link), target: uriOf(reading, link.path) }));
}

/** Returns all uses of the state or variable at an offset. */
export function referencesAt({ document, reading }: Opened, offset: number, withDefinition: boolean): Location[] {
  const uses = usesAt(reading, offset);
  if (uses === undefined) return [];
  const places = uses.found.places.filter(({ definition }) => withDefinition || !definition);
  return places.flatMap((range) => located(document, uses.part.documentRange(range)));
}

/** Returns the uses of the state or variable at an offset as highlights. */
export function highlightsAt({ document, reading }: Opened, offset: number): DocumentHighlight[] {
  const uses = usesAt(reading, offset);
  return (uses?.found.places ?? []).flatMap((one) => {
    const range = uses?.part.documentRange(one);
    const kind = one.definition ? DocumentHighlightKind.Write : DocumentHighlightKind.Read;
    return range === undefined ? [] : [{ range: rangeOf(document, range), kind }];
  });
}

/** Returns the name at an offset if it can be renamed, else null. */
export function renamable({ document, reading }: Opened, offset: number): { range: Range; placeholder: string } | null {
  const uses = usesAt(reading, offset);
  const range = uses?.part.documentRange(uses.found);
  return uses && range ? { range: rangeOf(document, range), placeholder: uses.found.name } : null;
}

/** Returns the edits that rename the name at an offset. */
export function renamed({ document, reading }: Opened, offset: number, newName: string): TextEdit[] {
  const part = reading.partAt(offset);
  const at = part?.jsonOffset(offset);
  if (part === undefined || at === undefined) throw refused("there is no state or variable name here");
  let edits: ReturnType<Part["edits"]>;
  try {
    edits = part.edits(language.rename(part.json, at, newName));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refused(messageOf(error));
  }
  if (edits === undefined) throw refused("the name is written through an alias");
  return edits.map((edit) => ({ range: rangeOf(document, edit), newText: edit.text }));
}

function refused(message: string): ResponseError<void> {
  return new ResponseError(ErrorCodes.InvalidParams, message);
}

const KINDS: Record<string, SymbolKind> = {
  Task: SymbolKind.Function,
  Choice: SymbolKind.Operator,
  Parallel: SymbolKind.Class,
  Map: SymbolKind.Array,
  Pass: SymbolKind.Field,
  Wait: SymbolKind.Event,
  Succeed: SymbolKind.Boolean,
  Fail: SymbolKind.Null,
};

/** Returns the states of all definitions in a document, nested as they are there. */
export function symbolsOf({ document, reading }: Opened): DocumentSymbol[] {
  return reading.parts.flatMap((part) => {
    const states = statesIn(document, part);
    if (part.id === undefined) return states;
    const { start, end } = part.range;
    // A block of YAML extends to the beginning of the next one, so the white space at its end is removed.
    const range = rangeOf(document, { start, end: start + reading.text.slice(start, end).trimEnd().length });
    return [
      {
        name: part.id,
        detail: "state machine",
        kind: SymbolKind.Module,
        range,
        selectionRange: { start: range.start, end: range.start },
        children: states,
      },
    ];
  });
}

function statesIn(document: TextDocument, part: Part): DocumentSymbol[] {
  const types = statesOf(part.json);
  const top: DocumentSymbol[] = [];
  /** The state that contains the next one, for each depth. */
  const around: DocumentSymbol[] = [];
  for (const { name, start, end, from, to, depth, pointer } of language.outline(part.json)) {
    const own = part.documentRange({ start, end });
    const first = part.documentRange({ start: from, end: Math.min(from + 1, to) });
    const last = part.documentRange({ start: Math.max(from, to - 1), end: to });
    if (own === undefined || first === undefined || last === undefined) continue;
    const type = types.get(pointer)?.type ?? "";
    const whole = { start: Math.min(first.start, own.start), end: Math.max(last.end, own.end) };
    const symbol: DocumentSymbol = {
      name: name === "" ? "(no name)" : name,
      detail: type,
      kind: KINDS[type] ?? SymbolKind.Object,
      range: rangeOf(document, whole),
      selectionRange: rangeOf(document, own),
      children: [],
    };
    (depth === 0 ? top : (around[depth - 1]?.children ?? top)).push(symbol);
    around[depth] = symbol;
  }
  return top;
}

function located(document: TextDocument, range: { start: number; end: number } | undefined): Location[] {
  return range === undefined ? [] : [{ uri: document.uri, range: rangeOf(document, range) }];
}

function uriOf(reading: Reading, path: string): string {
  return pathToFileURL(resolve(dirname(reading.file), path)).href;
}
