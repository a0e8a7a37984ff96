// Calls of intrinsic functions: `States.Format('{} of {}', $.name, States.ArrayLength($.items))`.

/** What may stand as the argument of a call; a call may be one. */
export type Argument =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "path"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Argument[] };

/** More levels than any call has that runs. */
const MOST = 32;

/** The parts of a call, or why the text is none. */
export function parseCall(text: string): { argument: Argument } | { problem: string } {
  const parser = new Parser(text);
  const argument = parser.argument(0);
  if (parser.isTooDeep) return { problem: "calls are nested too deeply" };
  return argument !== undefined && parser.isAtEnd() ? { argument } : { problem: `${text} is not a call of an intrinsic function` };
}

class Parser {
  isTooDeep = false;
  #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#match(/\s*/uy);
    return this.#at === this.#text.length;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /** The next argument; undefined where there is none. */
  argument(depth: number): Argument | undefined {
    this.isTooDeep ||= depth > MOST;
    if (this.isTooDeep) return undefined;
    this.#match(/\s*/uy);
    const quoted = this.#match(/'((?:[^'\\]|\\[^])*)'/uy)?.[1];
    // Braces keep their backslash: States.Format reads it.
    if (quoted !== undefined)
      return { kind: "literal", value: quoted.replace(/\\([^])/g, (whole, c: string) => (c === "{" || c === "}" ? whole : c)) };
    const number = this.#match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/uy)?.[0];
    if (number !== undefined) return { kind: "literal", value: Number(number) };
    const word = this.#match(/(?:true|false|null)(?![\w.])/uy)?.[0];
    if (word !== undefined) return { kind: "literal", value: word === "null" ? null : word === "true" };
    const path = this.#match(/\$[^\s,()[]*(?:\[(?:'[^']*'|"[^"]*"|[^\]'"]*)\][^\s,()[]*)*/uy)?.[0];
    if (path !== undefined) return { kind: "path", text: path };
    const name = this.#match(/(States\.\w+)\s*\(/uy)?.[1];
    if (name === undefined) return undefined;
    const args = this.#arguments(depth);
    return args && { kind: "call", name, args };
  }

  /** What stands between the parentheses of a call. */
  #arguments(depth: number): Argument[] | undefined {
    const args: Argument[] = [];
    if (this.#match(/\s*\)/uy)) return args;
    do {
      const argument = this.argument(depth + 1);
      if (argument === undefined) return undefined;
      args.push(argument);
    } while (this.#match(/\s*,/uy));
    return this.#match(/\s*\)/uy) ? args : undefined;
  }
}
