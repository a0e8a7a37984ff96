// Texts that are composed of parts of a document, with the source position of each part.

/** A source range: of the string at a JSON Pointer of the document, or, without a pointer, of the file itself. */
export interface Origin {
  pointer?: string | undefined;
  from: number;
  to: number;
}

/** A range of the text with its origin. If both have the same length, their characters are the same. */
interface Span {
  start: number;
  end: number;
  origin: Origin;
}

/** A range that stands for a value which the deployment sets. */
export interface Reference {
  name: string;
  start: number;
  end: number;
  /** Whether its value is unknown. The text then contains `${name}`. */
  isOpen: boolean;
  /** Whether it is a whole string whose quotes the source does not contain. Its value need not be a string. */
  isWhole?: boolean;
}

/** Maximum length in characters. It is more than any definition has, and stops values that multiply before they are built. */
const LARGEST = 32 * 1024 * 1024;

/** A text with origins and references. Offsets are in UTF-16 units. */
export class MappedText {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly references: readonly Reference[];
  /** The whole value, if that is not a string. */
  readonly whole: unknown;

  constructor(text: string, spans: readonly Span[] = [], references: readonly Reference[] = [], whole?: unknown) {
    if (text.length > LARGEST) throw new RangeError("its texts expand without end");
    this.text = text;
    this.spans = spans;
    this.references = references;
    this.whole = whole;
  }

  /** Creates a text of the source. */
  static of(text: string, origin?: Origin): MappedText {
    return new MappedText(text, origin === undefined ? [] : [{ start: 0, end: text.length, origin }]);
  }

  /** Creates the text of a reference: its value, or a placeholder with its name if the value is unknown. */
  static reference(name: string, value: unknown, origin?: Origin): MappedText {
    const text = value === undefined ? `\${${name}}` : typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const spans = origin === undefined ? [] : [{ start: 0, end: text.length, origin: { ...origin } }];
    const references = [{ name, start: 0, end: text.length, isOpen: value === undefined }];
    return new MappedText(text, spans, references, typeof value === "string" ? undefined : value);
  }

  /** Whether it is one reference and nothing else. */
  get isReference(): boolean {
    const [one, ...others] = this.references;
    return others.length === 0 && one !== undefined && one.start === 0 && one.end === this.text.length;
  }

  /** Whether any of its references is unknown. */
  get isOpen(): boolean {
    return this.references.some(({ isOpen }) => isOpen);
  }

  static join(parts: readonly (MappedText | string)[], between = ""): MappedText {
    const texts: string[] = [];
    const spans: Span[] = [];
    const references: Reference[] = [];
    let at = 0;
    for (const [i, part] of parts.entries()) {
      if (i > 0) {
        texts.push(between);
        at += between.length;
      }
      const { text, ...more } = typeof part === "string" ? new MappedText(part) : part;
      for (const span of more.spans) spans.push({ ...span, start: span.start + at, end: span.end + at });
      for (const one of more.references) references.push({ ...one, start: one.start + at, end: one.end + at });
      texts.push(text);
      at += text.length;
      if (at > LARGEST) throw new RangeError("its texts expand without end");
    }
    return new MappedText(texts.join(""), spans, references);
  }

  slice(from: number, to = this.text.length): MappedText {
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
    return new MappedText(this.text.slice(from, to), spans, references);
  }

  /** Replaces the matches of a pattern. A match for which `by` returns nothing stays. */
  replaced(pattern: RegExp, by: (match: RegExpMatchArray, origin: Origin | undefined) => MappedText | string | undefined): MappedText {
    const parts: MappedText[] = [];
    let at = 0;
    for (const match of this.text.matchAll(pattern)) {
      const [from, to] = [match.index ?? 0, (match.index ?? 0) + match[0].length];
      const origin = this.origin(from, to);
      const now = by(match, origin);
      if (now === undefined) continue;
      parts.push(this.slice(at, from), typeof now === "string" ? MappedText.of(now, origin) : now);
      at = to;
    }
    return parts.length === 0 ? this : MappedText.join([...parts, this.slice(at)]);
  }

  /** Returns the source range of a range, if its start and its end are in the same source string. */
  origin(from: number, to: number): Origin | undefined {
    const [first, last] = this.ends(from, to);
    if (first === undefined || last === undefined || first.pointer !== last.pointer) return first ?? last;
    return { pointer: first.pointer, from: first.from, to: Math.max(first.from, last.to) };
  }

  /** Returns the origins of the start and the end of a range. */
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

  /** Returns the span at an offset, or the last one before it, or the first one. */
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

  /** Returns the text with a placeholder for each reference, and the known values. */
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

/** A value of a document whose functions are evaluated as far as possible. */
export type Resolved = null | boolean | number | string | MappedText | Members | Resolved[] | { [name: string]: Resolved };

/** An object whose names and brackets have origins. */
export class Members {
  readonly entries: readonly (readonly [name: MappedText, value: Resolved])[];
  readonly origin: Origin | undefined;

  constructor(entries: readonly (readonly [name: MappedText, value: Resolved])[], origin?: Origin) {
    this.entries = entries;
    this.origin = origin;
  }

  get(name: string): Resolved | undefined {
    return this.entries.findLast(([{ text }]) => text === name)?.[1];
  }
}

/** Returns a value as JSON text. */
export function encoded(value: Resolved): MappedText {
  const parts: MappedText[] = [];
  write(value, parts);
  return MappedText.join(parts);
}

function write(value: Resolved | undefined, parts: MappedText[]): void {
  const put = (text: string, origin?: Origin) => void parts.push(MappedText.of(text, origin));
  if (value instanceof MappedText) parts.push(value.whole === undefined ? quoted(value) : value);
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

function quoted(text: MappedText): MappedText {
  const inner = text.replaced(/["\\\u0000-\u001f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, ([character]) =>
    JSON.stringify(character).slice(1, -1),
  );
  const origin = text.spans[0]?.origin;
  const last = text.spans.at(-1)?.origin;
  const quote = (at: Origin | undefined, isEnd: boolean) =>
    MappedText.of('"', at && { ...at, from: isEnd ? at.to : at.from, to: isEnd ? at.to : at.from });
  const { text: whole, spans, references } = MappedText.join([quote(origin, false), inner, quote(last, true)]);
  return new MappedText(whole, spans, text.isReference ? references.map((one) => ({ ...one, isWhole: true })) : references);
}

/** Converts a value to a string, as functions do that compose strings. */
export function textOf(value: Resolved | undefined): MappedText {
  if (value instanceof MappedText) return value;
  if (typeof value === "string") return new MappedText(value);
  return value === undefined ? new MappedText("") : encoded(value);
}

/** Returns a value as JSON, without origins. */
export function bare(value: Resolved | undefined): unknown {
  if (value instanceof MappedText) return value.whole ?? value.text;
  if (value instanceof Members) return Object.fromEntries(value.entries.map(([name, member]) => [name.text, bare(member)]));
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bare(member)]));
  return value;
}
