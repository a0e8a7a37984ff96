// Parses Terraform's own language (HCL): bodies of blocks and attributes, expressions, templates. It covers what definitions of
// state machines use. Anything else becomes an expression with an unknown value.

import type { Origin } from "./mapped-text.ts";

/** An expression. */
export type Expression = { origin: Origin } & (
  | { kind: "literal"; value: null | boolean | number }
  | { kind: "template"; parts: (Literal | Expression)[] }
  | { kind: "object"; members: { key: Expression; value: Expression }[] }
  | { kind: "tuple"; items: Expression[] }
  /** `aws_lambda_function.charge.arn`, `var.names["a"]`; a step that is not a name is an expression. */
  | { kind: "path"; name: string; steps: (string | Expression)[] }
  | { kind: "member"; of: Expression; steps: (string | Expression)[] }
  | { kind: "call"; name: string; args: Expression[] }
  /** `when ? then : otherwise`, or `%{ if when }then%{ else }otherwise%{ endif }` of a template */
  | { kind: "conditional"; when: Expression; then: Expression; otherwise: Expression; isDirective?: boolean }
  | { kind: "operation"; operator: string; args: Expression[] }
  /** `[for k, v in of : value if when]`, `{for v in of : key => value...}` */
  | { kind: "for"; names: string[]; of: Expression; key?: Expression; value: Expression; when?: Expression; isGrouped: boolean }
  /** `%{ for v in of }body%{ endfor }` of a template */
  | { kind: "loop"; names: string[]; of: Expression; body: Expression }
  /** An expression that cannot be parsed. */
  | { kind: "unread"; what: string }
);

/** Text of a template, with escapes resolved. */
export interface Literal {
  kind: "text";
  text: string;
  origin: Origin;
}

/** The content of braces, or of a file. */
export interface Body {
  attributes: Map<string, Expression>;
  blocks: Block[];
}

/** `resource "aws_sfn_state_machine" "orders" { … }` */
export interface Block {
  type: string;
  labels: string[];
  body: Body;
  origin: Origin;
}

/** A syntax error, with its offset. */
export class HclError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A syntax error in a file, with the block that contains it. */
export interface HclFault {
  message: string;
  offset: number;
  /** The first line of the block. */
  block: string;
}

/** Parses a file. Blocks with syntax errors are left out and reported. */
export function parseFile(text: string): Body & { faults: HclFault[] } {
  return new Reader(text, undefined).file();
}

/** Parses a string with interpolations, as in Terraform's JSON syntax. Throws HclError. */
export function parseTemplate(text: string, pointer: string | undefined): Expression {
  return new Reader(text, pointer).wholeTemplate();
}

const DEPTH = 150;
const IDENTIFIER = /[\p{L}_][\p{L}\p{N}_-]*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEREDOC = /<<(-?)([\p{L}_][\p{L}\p{N}_-]*)[^\S\n]*\r?\n/uy;
const OPERATORS = [["||"], ["&&"], ["==", "!="], ["<=", ">=", "<", ">"], ["+", "-"], ["*", "/", "%"]];
const ESCAPES = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ['"', '"'],
  ["\\", "\\"],
]);

class Reader {
  #text: string;
  #pointer: string | undefined;
  #at = 0;
  #depth = 0;

  constructor(text: string, pointer: string | undefined) {
    this.#text = text;
    this.#pointer = pointer;
    if (text.startsWith("\ufeff")) this.#at = 1;
  }

  file(): Body & { faults: HclFault[] } {
    const body: Body & { faults: HclFault[] } = { attributes: new Map(), blocks: [], faults: [] };
    for (;;) {
      this.#space();
      const from = this.#at;
      if (from >= this.#text.length) return body;
      try {
        if (!this.#item(body)) this.#fail("a block or an attribute is expected here");
      } catch (error) {
        if (!(error instanceof HclError)) throw error;
        body.faults.push({ message: error.message, offset: error.offset, block: this.#text.slice(from).split("\n", 1).join() });
        this.#depth = 0;
        // Parsing continues with the next block that begins at the start of a line.
        const next = /^(?:resource|data|module|locals|variable|output|provider|terraform)\b/gm;
        next.lastIndex = from + 1;
        this.#at = next.exec(this.#text)?.index ?? this.#text.length;
      }
    }
  }

  wholeTemplate(): Expression {
    const parts = this.#parts(() => this.#at >= this.#text.length, false);
    return this.#template(parts, 0);
  }

  #fail(message: string): never {
    throw new HclError(message, this.#at);
  }

  #origin(from: number, to = this.#at): Origin {
    return { pointer: this.#pointer, from, to };
  }

  #deeper<Result>(act: () => Result): Result {
    if (this.#depth >= DEPTH) this.#fail("it is nested too deeply");
    this.#depth += 1;
    try {
      return act();
    } finally {
      this.#depth -= 1;
    }
  }

  // ---------------------------------------------------------------------------------------------- white space

  /** Skips white space and comments. Line feeds are skipped only if they have no meaning. */
  #space(lines = true): void {
    const pattern = lines ? /(?:\s+|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y : /(?:[^\S\n]+|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
  }

  #next(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#next(text)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    this.#space();
    if (!this.#take(text)) this.#fail(`${JSON.stringify(text)} is expected here`);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  // --------------------------------------------------------------------------------------------------- bodies

  #body(): Body {
    const body: Body = { attributes: new Map(), blocks: [] };
    for (;;) {
      this.#space();
      if (!this.#item(body)) return body;
    }
  }

  /** Parses an attribute or a block, if there is one. */
  #item(body: Body): boolean {
    const from = this.#at;
    const name = this.#match(IDENTIFIER)?.[0];
    if (name === undefined) return false;
    this.#space(false);
    if (this.#next("=") && !this.#next("==")) {
      this.#at += 1;
      body.attributes.set(name, this.#expression(false));
      return true;
    }
    const labels: string[] = [];
    for (;;) {
      const label = this.#next('"') ? this.#match(/"(?:[^"\\\n]|\\.)*"/y)?.[0].slice(1, -1) : this.#match(IDENTIFIER)?.[0];
      if (label === undefined) break;
      labels.push(label);
      this.#space(false);
    }
    if (!this.#take("{")) this.#fail('"=" or "{" is expected here');
    const inner = this.#deeper(() => this.#body());
    this.#expect("}");
    body.blocks.push({ type: name, labels, body: inner, origin: this.#origin(from) });
    return true;
  }

  // ---------------------------------------------------------------------------------------------- expressions

  /** Parses an expression. Inside of brackets it may continue on the next line. */
  #expression(lines = true): Expression {
    return this.#deeper(() => {
      this.#space(lines);
      const from = this.#at;
      const when = this.#binary(0, lines);
      const end = this.#at;
      this.#space(lines);
      if (!this.#take("?")) {
        this.#at = end;
        return when;
      }
      const then = this.#expression();
      this.#expect(":");
      const otherwise = this.#expression(lines);
      return { kind: "conditional", when, then, otherwise, origin: this.#origin(from) };
    });
  }

  #binary(level: number, lines: boolean): Expression {
    const operators = OPERATORS[level];
    if (operators === undefined) return this.#unary(lines);
    this.#space(lines);
    const from = this.#at;
    let left = this.#binary(level + 1, lines);
    for (;;) {
      const end = this.#at;
      this.#space(lines);
      const operator = operators.find((one) => this.#next(one));
      if (operator === undefined) {
        this.#at = end;
        return left;
      }
      this.#at += operator.length;
      const right = this.#binary(level + 1, lines);
      left = { kind: "operation", operator, args: [left, right], origin: this.#origin(from) };
    }
  }

  #unary(lines: boolean): Expression {
    this.#space(lines);
    const from = this.#at;
    const operator = ["-", "!"].find((one) => this.#take(one));
    if (operator === undefined) return this.#postfix();
    const arg = this.#deeper(() => this.#unary(lines));
    if (operator === "-" && arg.kind === "literal" && typeof arg.value === "number")
      return { kind: "literal", value: -arg.value, origin: this.#origin(from) };
    return { kind: "operation", operator, args: [arg], origin: this.#origin(from) };
  }

  #postfix(): Expression {
    const from = this.#at;
    const of = this.#primary();
    const steps: (string | Expression)[] = [];
    for (;;) {
      if (this.#match(/\.(?:\*|(?=[\p{L}_\d]))/uy) !== undefined) {
        const name = this.#text[this.#at - 1] === "*" ? "*" : (this.#match(IDENTIFIER)?.[0] ?? this.#match(/\d+/y)?.[0] ?? "");
        steps.push(name);
      } else if (this.#next("[")) {
        this.#at += 1;
        this.#space();
        if (this.#take("*")) steps.push("*");
        else steps.push(this.#expression());
        this.#expect("]");
      } else break;
    }
    if (of.kind === "path") return { ...of, steps, origin: this.#origin(from) };
    return steps.length === 0 ? of : { kind: "member", of, steps, origin: this.#origin(from) };
  }

  #primary(): Expression {
    const from = this.#at;
    const c = this.#text[this.#at];
    if (c === '"') return this.#quoted();
    if (c === "[") return this.#list();
    if (c === "{") return this.#object();
    if (c === "(") {
      this.#at += 1;
      const inner = this.#expression();
      this.#expect(")");
      return inner;
    }
    if (c === "<") {
      const heredoc = this.#match(HEREDOC);
      if (heredoc !== undefined) return this.#heredoc(heredoc[2] ?? "", heredoc[1] === "-", from);
    }
    const number = this.#match(NUMBER)?.[0];
    if (number !== undefined) return { kind: "literal", value: Number(number), origin: this.#origin(from) };
    const name = this.#match(IDENTIFIER)?.[0];
    if (name === undefined) this.#fail("a value is expected here");
    if (name === "true" || name === "false") return { kind: "literal", value: name === "true", origin: this.#origin(from) };
    if (name === "null") return { kind: "literal", value: null, origin: this.#origin(from) };
    // The name may be qualified: provider::aws::arn_parse.
    const more = this.#match(/(?:::[\p{L}_][\p{L}\p{N}_-]*)+/uy)?.[0] ?? "";
    if (!this.#next("(")) return { kind: "path", name: name + more, steps: [], origin: this.#origin(from) };
    this.#at += 1;
    const args = this.#items(")");
    return { kind: "call", name: name + more, args, origin: this.#origin(from) };
  }

  /** Parses expressions up to a closing bracket. */
  #items(end: string): Expression[] {
    const items: Expression[] = [];
    for (;;) {
      this.#space();
      if (this.#take(end)) return items;
      items.push(this.#expression());
      this.#space();
      this.#take("...");
      this.#space();
      if (!this.#take(",") && !this.#next(end)) this.#fail(`"," or ${JSON.stringify(end)} is expected here`);
    }
  }

  #list(): Expression {
    const from = this.#at;
    this.#at += 1;
    if (this.#isFor()) return this.#for("]", from);
    return { kind: "tuple", items: this.#items("]"), origin: this.#origin(from) };
  }

  #object(): Expression {
    const from = this.#at;
    this.#at += 1;
    if (this.#isFor()) return this.#for("}", from);
    const members: { key: Expression; value: Expression }[] = [];
    for (;;) {
      this.#space();
      if (this.#take("}")) return { kind: "object", members, origin: this.#origin(from) };
      const key = this.#key();
      this.#space();
      if (!this.#take("=") && !this.#take(":")) this.#fail('"=" is expected here');
      const value = this.#expression(false);
      members.push({ key, value });
      this.#space(false);
      if (!this.#take(",") && !this.#next("\n") && !this.#next("}")) this.#fail('"," or "}" is expected here');
    }
  }

  /** Parses the name of a member. A bare word is a string. */
  #key(): Expression {
    const from = this.#at;
    const name = this.#match(IDENTIFIER)?.[0];
    if (name !== undefined && /^\s*[=:](?!=)/.test(this.#text.slice(this.#at, this.#at + 200)))
      return { kind: "template", parts: [{ kind: "text", text: name, origin: this.#origin(from) }], origin: this.#origin(from) };
    this.#at = from;
    return this.#expression();
  }

  #isFor(): boolean {
    this.#space();
    return /^for\s/.test(this.#text.slice(this.#at, this.#at + 4));
  }

  /** Parses a list or an object comprehension. The opening bracket has been parsed. */
  #for(end: "]" | "}", from: number): Expression {
    this.#match(/for/y);
    const names = this.#names();
    const of = this.#expression();
    this.#expect(":");
    const first = this.#expression();
    if (end === "}") this.#expect("=>");
    const value = end === "}" ? this.#expression() : first;
    this.#space();
    const isGrouped = this.#take("...");
    this.#space();
    const when = this.#match(/if(?![\p{L}\p{N}_-])/uy) && this.#expression();
    this.#expect(end);
    const origin = this.#origin(from);
    return { kind: "for", names, of, value, isGrouped, ...(end === "}" && { key: first }), ...(when && { when }), origin };
  }

  /** Parses `k, v in` of a for. */
  #names(): string[] {
    const names: string[] = [];
    do {
      this.#space();
      names.push(this.#match(IDENTIFIER)?.[0] ?? this.#fail("a name is expected here"));
      this.#space();
    } while (names.length < 2 && this.#take(","));
    if (this.#match(/in(?![\p{L}\p{N}_-])/uy) === undefined) this.#fail('"in" is expected here');
    return names;
  }

  // ------------------------------------------------------------------------------------------------ templates

  #quoted(): Expression {
    const from = this.#at;
    this.#at += 1;
    const parts = this.#parts(() => this.#next('"') || this.#next("\n") || this.#at >= this.#text.length, true);
    if (!this.#take('"')) this.#fail("the text has no end");
    return this.#template(parts, from);
  }

  #template(parts: (Literal | Expression)[], from: number): Expression {
    return { kind: "template", parts, origin: this.#origin(from) };
  }

  /** Parses text and interpolations up to the end of a template. */
  #parts(isEnd: () => boolean, escapes: boolean): (Literal | Expression)[] {
    const parts: (Literal | Expression)[] = [];
    const put = (text: string, from: number) => {
      const last = parts.at(-1);
      const origin = this.#origin(from);
      // Text without escapes becomes one literal.
      const isPlain = text.length === origin.to - origin.from;
      if (isPlain && last?.kind === "text" && last.origin.to === from && last.text.length === from - last.origin.from) {
        last.text += text;
        last.origin.to = origin.to;
      } else parts.push({ kind: "text", text, origin });
    };
    while (!isEnd()) {
      const from = this.#at;
      if (this.#next("$${") || this.#next("%%{")) {
        this.#at += 3;
        put(`${this.#text[from]}{`, from);
      } else if (this.#next("${")) {
        this.#at += 2;
        if (this.#take("~")) trimLast(parts);
        const inner = this.#expression();
        const origin = this.#end(from);
        parts.push({ ...inner, origin });
      } else if (this.#next("%{")) {
        if (this.#next("%{~")) trimLast(parts);
        parts.push(this.#directive(isEnd, escapes));
        if (this.#text.startsWith("~}", this.#at - 2)) this.#match(/\s+/y);
      } else if (escapes && this.#next("\\")) {
        put(this.#escape(), from);
      } else {
        const text = this.#match(escapes ? /[^\\"$%\n]+|[^]/uy : /[^$%\n]+|[^]/uy)?.[0] ?? "";
        put(text, from);
      }
    }
    return parts;
  }

  /** Parses the closing brace of an interpolation or directive. After `~`, white space is skipped. */
  #end(from: number): Origin {
    this.#space();
    const trims = this.#take("~");
    this.#expect("}");
    const origin = this.#origin(from);
    if (trims) this.#match(/\s+/y);
    return origin;
  }

  /** Parses `%{ if … }` or `%{ for … }` with everything up to its end. */
  #directive(isEnd: () => boolean, escapes: boolean): Expression {
    return this.#deeper(() => {
      const from = this.#at;
      const word = this.#mark();
      if (word !== "if" && word !== "for") this.#fail(`%{ ${word} } has no %{ if … } or %{ for … } before it`);
      const names = word === "for" ? this.#names() : [];
      const of = this.#expression();
      this.#end(from);
      const body = this.#upTo(isEnd, escapes);
      const end = this.#mark(word === "for" ? "%{ endfor }" : "%{ endif }");
      if (word === "for") {
        if (end !== "endfor") this.#fail("%{ endfor } is expected here");
        return { kind: "loop", names, of, body, origin: this.#endOfDirective(from) };
      }
      let otherwise: Expression = { kind: "template", parts: [], origin: this.#origin(this.#at) };
      if (end === "else") {
        this.#end(from);
        otherwise = this.#upTo(isEnd, escapes);
      }
      if (end !== "endif" && (end !== "else" || this.#mark("%{ endif }") !== "endif")) this.#fail("%{ endif } is expected here");
      return { kind: "conditional", when: of, then: body, otherwise, isDirective: true, origin: this.#endOfDirective(from) };
    });
  }

  #endOfDirective(from: number): Origin {
    this.#space();
    this.#take("~");
    this.#expect("}");
    return this.#origin(from);
  }

  /** Parses the part of a template up to the next directive that ends or divides the current one. */
  #upTo(isEnd: () => boolean, escapes: boolean): Expression {
    const from = this.#at;
    const isMark = () => /^%\{~?\s*(?:else|endif|endfor)\b/.test(this.#text.slice(this.#at, this.#at + 40));
    const parts = this.#parts(() => isEnd() || isMark(), escapes);
    if (this.#next("%{~")) trimLast(parts);
    return this.#template(parts, from);
  }

  /** Parses the keyword of a directive. */
  #mark(expected = "%{ if … } or %{ for … }"): string {
    const word = this.#match(/%\{~?\s*([a-z]+)(?![\p{L}\p{N}_-])/uy)?.[1];
    return word ?? this.#fail(`${expected} is expected here`);
  }

  #escape(): string {
    const [, unicode, character = ""] = this.#match(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y) ?? [];
    const code = unicode ?? character;
    if (code !== "") return Number.parseInt(code, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(code, 16)) : "\ufffd";
    const escaped = this.#text[this.#at + 1] ?? "";
    const unescaped = ESCAPES.get(escaped);
    if (unescaped === undefined) this.#fail(`there is no escape \\${escaped}`);
    this.#at += 2;
    return unescaped;
  }

  #heredoc(word: string, isIndented: boolean, from: number): Expression {
    const pattern = new RegExp(`^[^\\S\\n]*${word}[^\\S\\n]*$`, "gmu");
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) this.#fail(`the line with ${word} is missing`);
    const end = found.index;
    const parts = this.#parts(() => this.#at >= end, false);
    this.#at = end;
    this.#match(new RegExp(`[^\\S\\n]*${word}`, "uy"));
    return this.#template(isIndented ? unindented(parts) : parts, from);
  }
}

/** Removes the white space at the end of the last text: `%{~ if … }`. */
function trimLast(parts: (Literal | Expression)[]): void {
  const last = parts.at(-1);
  if (last?.kind !== "text") return;
  const text = last.text.trimEnd();
  parts[parts.length - 1] = { ...last, text, origin: { ...last.origin, to: last.origin.to - (last.text.length - text.length) } };
}

/** Implements `<<-`: removes the white space with which all lines begin. */
function unindented(parts: (Literal | Expression)[]): (Literal | Expression)[] {
  let indent = Infinity;
  parts.forEach((part, i) => {
    if (part.kind !== "text") return;
    const isFirst = i === 0;
    const lines = part.text.split("\n");
    lines.forEach((line, j) => {
      const isStart = j > 0 || (isFirst && j === 0);
      const isWhole = j < lines.length - 1 || i < parts.length - 1;
      if (isStart && (line.trim() !== "" || (isWhole && j === lines.length - 1)))
        indent = Math.min(indent, line.length - line.trimStart().length);
    });
  });
  if (indent === Infinity || indent === 0) return parts;
  return parts.flatMap((part, i) => {
    if (part.kind !== "text" || part.text.length !== part.origin.to - part.origin.from) return [part];
    let at = 0;
    return part.text.split(/(?<=\n)/).flatMap((line, j): Literal[] => {
      const cut = j > 0 || i === 0 ? Math.min(indent, line.length - line.trimStart().length) : 0;
      const from = part.origin.from + at + cut;
      at += line.length;
      return line.length === cut
        ? []
        : [{ kind: "text", text: line.slice(cut), origin: { ...part.origin, from, to: part.origin.from + at } }];
    });
  });
}
