// Semantic tokens: the names of states and variables, and the parts of expressions.

import type { ExpressionPart, StateExpression, TextRange } from "../../core/api/index.d.ts";
import { language } from "../../core/definition/language.ts";
import { offsetsInJson } from "../../language/files/string-offsets.ts";
import type { Opened } from "./names.ts";
import type { Part } from "./part.ts";
import { SemanticTokenModifiers, SemanticTokenTypes, SemanticTokensBuilder, type SemanticTokens } from "./protocol.ts";

const TYPES = [
  SemanticTokenTypes.function,
  SemanticTokenTypes.variable,
  SemanticTokenTypes.parameter,
  SemanticTokenTypes.property,
  SemanticTokenTypes.method,
  SemanticTokenTypes.number,
  SemanticTokenTypes.keyword,
];
type Type = (typeof TYPES)[number];

/** The types and modifiers of the tokens, by their numbers in an answer. */
export const LEGEND = { tokenTypes: [...TYPES], tokenModifiers: [SemanticTokenModifiers.declaration] };

interface Token extends TextRange {
  type: Type;
  declared: boolean;
}

/** Returns the tokens of a document, or of a range of it. */
export function tokensOf({ document, reading }: Opened, within: TextRange = { start: 0, end: reading.text.length }): SemanticTokens {
  const found = reading.parts.flatMap((part) => {
    const inside = part.jsonRange(within);
    return inside === undefined ? [] : tokensIn(part, inside);
  });
  found.sort((a, b) => a.start - b.start || a.end - b.end);
  const builder = new SemanticTokensBuilder();
  let last = 0;
  for (const { start, end, type, declared } of found) {
    const from = document.positionAt(start);
    // A client accepts only tokens that stay on a line and do not overlap.
    if (start < last || document.positionAt(end).line !== from.line) continue;
    last = end;
    builder.push(from.line, from.character, end - start, TYPES.indexOf(type), declared ? 1 : 0);
  }
  return builder.build();
}

function tokensIn(part: Part, within: TextRange): Token[] {
  const near = ({ start, end }: TextRange) => start <= within.end && end >= within.start;
  const symbols = language.symbols(part.json).filter((one) => near(one));
  const names = symbols.map(({ start, end, kind, definition }): Token => {
    const type = kind === "state" ? SemanticTokenTypes.function : SemanticTokenTypes.variable;
    return { start, end, type, declared: definition };
  });
  const parts = language
    .expressions(part.json)
    .filter((one) => near(one))
    .flatMap((one) => tokensOfExpression(part.json, one));
  return [...names, ...parts].flatMap((token) => {
    const range = part.documentRange(token);
    // A range of another length is the string around the token: its position in the document is not known.
    return range === undefined || range.end - range.start !== token.end - token.start ? [] : [{ ...token, ...range }];
  });
}

/** Returns the tokens of an expression in a string, with their ranges in the JSON text. */
function tokensOfExpression(json: string, { start, end, source, language: dialect }: StateExpression): Token[] {
  const syntax = language.syntax(source, dialect);
  if (!("kind" in syntax)) return [];
  const offsets = offsetsInJson(json, start);
  const before = textOf(json.slice(start, end))?.indexOf(source) ?? -1;
  if (before < 0) return [];
  const found: Token[] = [];
  const add = (type: Type, from: number, to: number) => {
    const [first, last] = [offsets[before + from], offsets[before + to]];
    if (first !== undefined && last !== undefined && first < last) found.push({ start: first, end: last, type, declared: false });
  };
  const visit = (one: ExpressionPart): void => {
    const text = source.slice(one.start, one.end);
    switch (one.kind) {
      case "root":
        add(SemanticTokenTypes.keyword, one.start, one.end);
        break;
      case "variable":
        // The position without `$` is that of the name, as for other uses of the variable.
        if (one.value === "states") add(SemanticTokenTypes.keyword, one.start, one.end);
        else add(SemanticTokenTypes.variable, one.start + 1, one.end);
        break;
      case "local":
        add(SemanticTokenTypes.parameter, one.start, one.end);
        break;
      case "name":
        add(SemanticTokenTypes.property, one.start + (text.startsWith(".") ? 1 : 0), one.end);
        break;
      case "call":
        add(SemanticTokenTypes.method, one.start, one.start + Math.max(0, text.indexOf("(")));
        break;
      case "literal":
        if (typeof one.value === "number") add(SemanticTokenTypes.number, one.start, one.end);
        else if (typeof one.value !== "string") add(SemanticTokenTypes.keyword, one.start, one.end);
        break;
      default:
    }
    for (const inner of one.parts ?? []) visit(inner);
  };
  visit(syntax);
  return found;
}

/** Returns the value of a JSON string. Undefined while it is incomplete. */
function textOf(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
