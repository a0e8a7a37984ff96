// Applies codecs to the texts of a store: encryption, compression, payloads in a blob store.

import type { Codec, ExecutionRecord, ExecutionSummary, Texts } from "../../core/api/durable.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { hasLoneSurrogate } from "../../core/base/json.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { StoreError } from "./errors.ts";
import { storedJson } from "./stored-json.ts";

/** The only member of an encoded text. It has the names of the codecs, in the order in which they were applied, and the data. */
const MARK = "$encoded";
const PREFIX = `{"${MARK}":`;

/** The members of a record that are encoded. Lists filter by the others. */
const MEMBERS = ["input", "output", "cause", "state"] as const;

/** The names of the codecs, the data as base64, and whether the data is the text as a JSON string. */
type Parts = [names: string[], data: string, isEscaped?: boolean];

/** Applies codecs to texts. The id of an execution says what a text belongs to. */
export class Coding {
  readonly #codecs: readonly Codec[];

  constructor(codecs: readonly Codec[]) {
    this.#codecs = codecs;
  }

  /** Encodes a text. A text that no codec changes is returned as it is, unless it looks like an encoded one. */
  async encode(text: string, execution?: string): Promise<string> {
    // UTF-8 has no lone surrogates, but JSON has escapes for them.
    const isEscaped = hasLoneSurrogate(text);
    let bytes: Uint8Array = new TextEncoder().encode(isEscaped ? JSON.stringify(text) : text);
    const names: string[] = [];
    for (const codec of this.#codecs) {
      const encoded = await codec.encode(bytes, execution);
      if (encoded === undefined) continue;
      bytes = encoded;
      names.push(codec.name);
    }
    if (names.length === 0 && !text.startsWith(PREFIX)) return text;
    const parts: Parts = [names, toBase64(bytes)];
    if (isEscaped) parts.push(true);
    return `${PREFIX}${JSON.stringify(parts)}}`;
  }

  /**
   * Encodes the facts or the events of a batch together, as a list of the same length, because stores count and check lists and page
   * events. The first item carries the data, and the others only say how many items there are before them in that data.
   */
  async encodeList({ text, count }: Texts, execution: string): Promise<Texts> {
    if (count === 0) return { text, count };
    const encoded = await this.encode(text, execution);
    if (encoded === text) return { text, count };
    const others = Array.from({ length: count - 1 }, (_, i) => i + 1);
    return { text: `[${[encoded, ...others].join(",")}]`, count };
  }

  /** Decodes a text. A text that is not encoded is returned unchanged: it is from before the store had codecs. */
  async decode(text: string): Promise<string> {
    if (!text.startsWith(PREFIX)) return text;
    const [names, data, isEscaped] = partsOf(text);
    let bytes: Uint8Array = fromBase64(data);
    for (const name of names.toReversed()) bytes = await this.#decoded(name, bytes);
    // A byte order mark is part of the text.
    const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return isEscaped ? JSON.parse(decoded) : decoded;
  }

  /** Decodes a list of facts. */
  async decodeList(text: string, where: string): Promise<string> {
    if (!text.startsWith(`[${PREFIX}`)) return text;
    const [first, ...others] = JSON.parse(text);
    const decoded = await this.decode(JSON.stringify(first));
    const list: unknown = storedJson(decoded, `the facts of ${where}`);
    if (!Array.isArray(list) || list.length !== 1 + others.length)
      throw new StoreError("STORE_DAMAGED", `the facts of ${where} are damaged: their number is wrong`);
    return decoded;
  }

  async #decoded(name: string, bytes: Uint8Array): Promise<Uint8Array> {
    const codec = this.#codecs.find((one) => one.name === name);
    if (codec === undefined) throw new StoreError("STORE_CODEC", `a text of the store was encoded by the codec ${name}, which is missing`);
    try {
      return await codec.decode(bytes);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError("STORE_CODEC", `the codec ${name} cannot decode a text of the store: ${messageOf(error)}`, { cause: error });
    }
  }

  async encodeValue(value: unknown): Promise<unknown> {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? value : JSON.parse(await this.encode(text));
  }

  async decodeValue(value: unknown): Promise<any> {
    return isEncoded(value) ? JSON.parse(await this.decode(JSON.stringify(value))) : value;
  }

  async encodeMembers<Given extends Partial<ExecutionRecord>>(record: Given, execution: string): Promise<Given> {
    const changed: Record<string, unknown> = { ...record };
    for (const name of MEMBERS) if (typeof record[name] === "string") changed[name] = await this.encode(record[name], execution);
    return changed as Given;
  }

  async decodeMembers<Given extends Partial<ExecutionRecord> | ExecutionSummary>(record: Given): Promise<Given> {
    const changed: Record<string, unknown> = { ...record };
    for (const name of MEMBERS) {
      const text = (record as Record<string, unknown>)[name];
      if (typeof text === "string") changed[name] = await this.decode(text);
    }
    return changed as Given;
  }
}

function isEncoded(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).join() === MARK;
}

function partsOf(text: string): Parts {
  try {
    const [names, data, isEscaped] = (JSON.parse(text) as { [MARK]: Parts })[MARK];
    return [[...names], String(data), isEscaped === true];
  } catch (error) {
    throw new StoreError("STORE_DAMAGED", "an encoded text of the store is damaged", { cause: error });
  }
}

/** Returns what the codec `name`, which was applied last, has made of a text or of the first item of a list; undefined for others. */
export function dataOf(stored: unknown, name: string): Uint8Array | undefined {
  const text = typeof stored === "string" ? stored : isEncoded(stored) ? JSON.stringify(stored) : "";
  if (text.startsWith(`[${PREFIX}`)) return dataOf(JSON.parse(text)[0], name);
  if (!text.startsWith(PREFIX)) return undefined;
  const [names, data] = partsOf(text);
  return names.at(-1) === name ? fromBase64(data) : undefined;
}

/** Returns the texts of a record that may be encoded. */
export function encodedMembers(record: ExecutionRecord): unknown[] {
  return MEMBERS.map((name) => record[name]);
}
