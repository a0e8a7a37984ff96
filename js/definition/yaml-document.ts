// YAML texts as documents, read as the tools read them that definitions are written for.

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

/** What the reading of brackets depends on in the lexer. The declarations of `yaml` keep these members private. */
interface FlowLexer extends Pick<Lexer, "lex"> {
  /** The least indentation that a line needs to belong to what is being read. */
  indentNext: number;
  /** How many brackets are open. */
  flowLevel: number;
  parseFlowCollection(): Generator<string, unknown>;
}

/** What the lexer gives where brackets are open that should have been closed. */
const FLOW_ERROR = "\x18";

/**
 * The tokens of a text. The YAML specification wants every line between brackets indented more than what is around the brackets, also
 * the one with the closing bracket. PyYAML and CloudFormation ignore indentation there, so people write it in any way. A bracket that
 * is never closed would then take in the rest of the text. In that case the indentation counts, because it tells where the bracket
 * should have been closed.
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

/** Makes a lexer pass over the indentation of lines between brackets. */
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
 * `parseDocument`, which takes lines between brackets with any indentation, and warns nobody of keys that are lists or objects: what is
 * wrong with them is a problem of the definition. Without `prettyErrors: false` messages end with the line and the column.
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

/** Errors that leave the text around them as it is. After every other one nobody knows what belongs to what. */
const ALONE: ReadonlySet<ErrorCode> = new Set([
  "BAD_ALIAS",
  "BAD_DIRECTIVE",
  "BAD_DQ_ESCAPE",
  "DUPLICATE_KEY",
  "KEY_OVER_1024_CHARS",
  "NON_STRING_KEY",
  "TAG_RESOLVE_FAILED",
]);

/** The errors of a document in their order, without those that may follow from an earlier one. */
export function yamlErrors({ errors }: Document): YAMLError[] {
  const all = [...errors].sort((a, b) => a.pos[0] - b.pos[0]);
  const first = all.findIndex(({ code }) => !ALONE.has(code));
  return first < 0 ? all : all.slice(0, first + 1);
}
