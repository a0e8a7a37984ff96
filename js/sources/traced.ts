// A text that is put together from parts of a document, and knows of each stretch where it was written.

/** A stretch of what somebody wrote: of the text at a JSON Pointer of the document, or without one of the file itself. */
export interface Origin {
  pointer?: string | undefined;
  from: number;
  to: number;
}

/** A stretch of the text with its origin. One of the same length is the same, character by character. */
interface Span {
  start: number;
  end: number;
  origin: Origin;
}

/** A stretch that stands for a value which the deployment gives. */
export interface Reference {
  name: string;
  start: number;
  end: number;
  /** Whether nothing is known of its value: the text has `${name}` for it. */
  isOpen: boolean;
  /** Whether it is all of a text in quotes that nobody has written: its value need not be a text. */
  isWhole?: boolean;
}

/** More than any definition has: what multiplies without end is refused before it is built. */
const LARGEST = 32 * 1024 * 1024;

/** A text with origins and references. Offsets are those of JavaScript's strings. */
export class Traced {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly references: readonly Reference[];
  /** What it stands for as a whole value, where that is no text. */
  readonly whole: unknown;

  constructor(text: string, spans: readonly Span[] = [], references: readonly Reference[] = [], whole?: unknown) {
    if (text.length > LARGEST) throw new RangeError("its texts expand without end");
    this.text = text;
    this.spans = spans;
    this.references = references;
    this.whole = whole;
  }

  /** A text as it was written. */
  static of(text: string, origin?: Origin): Traced {
    return new Traced(text, origin === undefined ? [] : [{ start: 0, end: text.length, origin }]);
  }

  /** What a reference stands for; where that is not known, a placeholder of its name. */
  static reference(name: string, value: unknown, origin?: Origin): Traced {
    const text = value === undefined ? `\${${name}}` : typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const spans = origin === undefined ? [] : [{ start: 0, end: text.length, origin: { ...origin } }];
    const references = [{ name, start: 0, end: text.length, isOpen: value === undefined }];
    return new Traced(text, spans, references, typeof value === "string" ? undefined : value);
  }

  /** Whether it is a reference, and nothing besides. */
  get isReference(): boolean {
    const [one, ...others] = this.references;
    return others.length === 0 && one !== undefined && one.start === 0 && one.end === this.text.length;
  }

  /** Whether any of it waits for a value. */
  get isOpen(): boolean {
    return this.references.some(({ isOpen }) => isOpen);
  }

  static join(parts: readonly (Traced | string)[], between = ""): Traced {
    const texts: string[] = [];
    const spans: Span[] = [];
    const references: Reference[] = [];
    let at = 0;
    for (const [i, part] of parts.entries()) {
      if (i > 0) {
        texts.push(between);
        at += between.length;
      }
      const { text, ...more } = typeof part === "string" ? new Traced(part) : part;
      for (const span of more.spans) spans.push({ ...span, start: span.start + at, end: span.end + at });
      for (const one of more.references) references.push({ ...one, start: one.start + at, end: one.end + at });
      texts.push(text);
      at += text.length;
      if (at > LARGEST) throw new RangeError("its texts expand without end");
    }
    return new Traced(texts.join(""), spans, references);
  }

  slice(from: number, to = this.text.length): Traced {
    const inside = ({ start, end }: { start: number; end: number }) => end > from && start < to;
    const spans = this.spans.filter(inside).map(({ start, end, origin }) => {
      const [first, last] = [Math.max(start, from), Math.min(end, to)];
      const isExact = end - start === origin.to - origin.from;
      const part = isExact ? { from: origin.from + first - start, to: origin.to - (end - last) } : {};
      return { start: first - from, end: last - from, origin: { ...origin, ...part } };
    });
    const references = this.references
      .filter(({ start, end }) => start >= from && end <= to)
      .map((one) => ({ ...one, start: one.start - from, end: one.end - from }));
    return new Traced(this.text.slice(from, to), spans, references);
  }

  /** With others in place of what a pattern finds; what `by` gives nothing for stays. */
  replaced(pattern: RegExp, by: (match: RegExpMatchArray, origin: Origin | undefined) => Traced | string | undefined): Traced {
    const parts: Traced[] = [];
    let at = 0;
    for (const match of this.text.matchAll(pattern)) {
      const [from, to] = [match.index ?? 0, (match.index ?? 0) + match[0].length];
      const origin = this.origin(from, to);
      const now = by(match, origin);
      if (now === undefined) continue;
      parts.push(this.slice(at, from), typeof now === "string" ? Traced.of(now, origin) : now);
      at = to;
    }
    return parts.length === 0 ? this : Traced.join([...parts, this.slice(at)]);
  }

  /** Where a stretch was written: from where it begins to where it ends, as far as both are in one text. */
  origin(from: number, to: number): Origin | undefined {
    const [first, last] = this.ends(from, to);
    if (first === undefined || last === undefined || first.pointer !== last.pointer) return first ?? last;
    return { pointer: first.pointer, from: first.from, to: Math.max(first.from, last.to) };
  }

  /** Where the beginning and the end of a stretch were written. */
  ends(from: number, to: number): [first: Origin | undefined, last: Origin | undefined] {
    const part = (offset: number): Origin | undefined => {
      const span = this.#spanAt(offset);
      if (span === undefined) return undefined;
      const { start, end, origin } = span;
      if (end - start !== origin.to - origin.from) return origin;
      const at = Math.min(origin.from + Math.max(0, offset - start), origin.to);
      return { ...origin, from: at, to: Math.min(at + 1, origin.to) };
    };
    const first = part(from);
    if (to > from) return [first, part(to - 1)];
    return [first, first && { ...first, to: first.from }];
  }

  /** The span at an offset, or the last one before it, or the first of all. */
  #spanAt(offset: number): Span | undefined {
    let low = 0;
    let high = this.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.spans[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return this.spans[low - 1] ?? this.spans[0];
  }

  /** The text with a placeholder for each reference, and what is known of their values. */
  withPlaceholders(): { text: string; values: Map<string, string> } {
    const values = new Map<string, string>();
    let text = "";
    let at = 0;
    for (const { name, start, end, isOpen } of this.references) {
      values.set(name, isOpen ? "" : this.text.slice(start, end));
      text += `${this.text.slice(at, start)}\${${name}}`;
      at = end;
    }
    return { text: text + this.text.slice(at), values };
  }
}

/** A value of a document, its functions called as far as that can be done. */
export type Resolved = null | boolean | number | string | Traced | Members | Resolved[] | { [name: string]: Resolved };

/** An object whose names and brackets have origins. */
export class Members {
  readonly entries: readonly (readonly [name: Traced, value: Resolved])[];
  readonly origin: Origin | undefined;

  constructor(entries: readonly (readonly [name: Traced, value: Resolved])[], origin?: Origin) {
    this.entries = entries;
    this.origin = origin;
  }

  get(name: string): Resolved | undefined {
    return this.entries.findLast(([{ text }]) => text === name)?.[1];
  }
}

/** A value as JSON text. */
export function encoded(value: Resolved): Traced {
  const parts: Traced[] = [];
  write(value, parts);
  return Traced.join(parts);
}

function write(value: Resolved | undefined, parts: Traced[]): void {
  const put = (text: string, origin?: Origin) => void parts.push(Traced.of(text, origin));
  if (value instanceof Traced) parts.push(value.whole === undefined ? quoted(value) : value);
  else if (value instanceof Members) {
    const entries = [...new Map(value.entries.map((entry) => [entry[0].text, entry])).values()];
    const { origin } = value;
    put("{", origin && { ...origin, to: origin.from + 1 });
    for (const [i, [name, member]] of entries.entries()) {
      if (i > 0) put(",");
      parts.push(quoted(name));
      put(":");
      write(member, parts);
    }
    put("}", origin && { ...origin, from: origin.to - 1 });
  } else if (Array.isArray(value)) {
    put("[");
    for (const [i, item] of value.entries()) {
      if (i > 0) put(",");
      write(item, parts);
    }
    put("]");
  } else if (typeof value === "object" && value !== null) {
    put("{");
    for (const [i, [name, member]] of Object.entries(value).entries()) {
      put(`${i > 0 ? "," : ""}${JSON.stringify(name)}:`);
      write(member, parts);
    }
    put("}");
  } else put(JSON.stringify(value ?? null));
}

function quoted(text: Traced): Traced {
  const inner = text.replaced(/["\\\u0000-\u001f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, ([character]) =>
    JSON.stringify(character).slice(1, -1),
  );
  const origin = text.spans[0]?.origin;
  const last = text.spans.at(-1)?.origin;
  const quote = (at: Origin | undefined, isEnd: boolean) =>
    Traced.of('"', at && { ...at, from: isEnd ? at.to : at.from, to: isEnd ? at.to : at.from });
  const { text: whole, spans, references } = Traced.join([quote(origin, false), inner, quote(last, true)]);
  return new Traced(whole, spans, text.isReference ? references.map((one) => ({ ...one, isWhole: true })) : references);
}

/** A value as text, as functions that put texts together take it. */
export function textOf(value: Resolved | undefined): Traced {
  if (value instanceof Traced) return value;
  if (typeof value === "string") return new Traced(value);
  return value === undefined ? new Traced("") : encoded(value);
}

/** A value without origins, as JSON has it. */
export function bare(value: Resolved | undefined): unknown {
  if (value instanceof Traced) return value.whole ?? value.text;
  if (value instanceof Members) return Object.fromEntries(value.entries.map(([name, member]) => [name.text, bare(member)]));
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bare(member)]));
  return value;
}
