// Parses YAML texts in the same way as the tools for which definitions are written.

import {
  Composer,
  Document,
  type CST,
  type DocumentOptions,
  type ErrorCode,
  Lexer,
  LineCounter,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  type YAMLError,
  YAMLParseError,
} from "yaml";

/** Options of `parseDocument`. */
export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** The state of the lexer that affects brackets. The declarations of `yaml` keep these members private. */
interface FlowLexer extends Pick<Lexer, "lex"> {
  /** The minimum indentation of a line that belongs to the current node. */
  indentNext: number;
  /** The number of open brackets. */
  flowLevel: number;
  parseFlowCollection(): Generator<string, unknown>;
}

/** The token of the lexer for brackets that should have been closed. */
const FLOW_ERROR = "\x18";

/**
 * Returns the tokens of a text. The YAML specification wants every line between brackets indented more than what surrounds the
 * brackets, even the line of the closing bracket. PyYAML and CloudFormation ignore indentation there, so people write it in any
 * way. A bracket that is never closed would then contain the rest of the text. In that case the indentation counts, because it
 * shows where the bracket should have been closed.
 */
export function yamlTokens(text: string, lines = new LineCounter()): CST.Token[] {
  const lexer = flowLexer();
  const lexemes = [...freely(lexer).lex(text)];
  const isClosed = lexer.flowLevel === 0 && !lexemes.includes(FLOW_ERROR);
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of isClosed ? lexemes : flowLexer().lex(text)) tokens.push(...parser.next(lexeme));
  tokens.push(...parser.end());
  return tokens;
}

function flowLexer(): FlowLexer {
  return new Lexer() as unknown as FlowLexer;
}

/** Makes a lexer ignore the indentation of lines between brackets. */
function freely(lexer: FlowLexer): FlowLexer {
  const parse = lexer.parseFlowCollection.bind(lexer);
  lexer.parseFlowCollection = function* () {
    const { indentNext } = lexer;
    lexer.indentNext = 0;
    const next = yield* parse();
    lexer.indentNext = indentNext;
    return next;
  };
  return lexer;
}

/**
 * Parses a document like `parseDocument`, but accepts any indentation between brackets, and does not warn of keys that are lists or
 * objects: their problems are those of the definition. Without `prettyErrors: false`, messages end with the line and the column.
 */
export function readYaml(text: string, { prettyErrors = true, lineCounter, ...options }: YamlOptions = {}): Document {
  const lines = lineCounter ?? new LineCounter();
  const composer = new Composer({ logLevel: "error", ...options });
  const [document = new Document(null), next] = composer.compose(yamlTokens(text, lines), true, text.length);
  if (next !== undefined && options.logLevel !== "silent") {
    const message = "Source contains multiple documents; please use YAML.parseAllDocuments()";
    document.errors.push(new YAMLParseError([next.range[0], next.range[1]], "MULTIPLE_DOCS", message));
  }
  if (prettyErrors)
    for (const problem of [...document.errors, ...document.warnings]) {
      const { line, col } = lines.linePos(problem.pos[0]);
      problem.message += ` at line ${line}, column ${col}`;
    }
  return document;
}

/** Errors that do not affect the text around them. After every other error, the structure of the text is uncertain. */
const ALONE: ReadonlySet<ErrorCode> = new Set([
  "BAD_ALIAS",
  "BAD_DIRECTIVE",
  "BAD_DQ_ESCAPE",
  "DUPLICATE_KEY",
  "KEY_OVER_1024_CHARS",
  "NON_STRING_KEY",
  "TAG_RESOLVE_FAILED",
]);

/** Returns the errors of a document in order, without those that may be caused by an earlier one. */
export function yamlErrors({ errors }: Document): YAMLError[] {
  const all = [...errors].sort((a, b) => a.pos[0] - b.pos[0]);
  const first = all.findIndex(({ code }) => !ALONE.has(code));
  return first < 0 ? all : all.slice(0, first + 1);
}
