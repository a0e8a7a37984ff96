// Reads a state or the machine for its form. The text may be broken elsewhere, because only this part is read.

import { language } from "stepglass";
import { pointerTo } from "stepglass/pointer";
import type { Formed, QueryLanguage, Unformed } from "../model/form.ts";
import { type Source, readSource } from "./definition.ts";

/** The maximum depth of nesting. */
const DEPTH = 128;

/** The pointers, relative to a machine or a state, of the scopes that have states. */
const SCOPE = /^(?:|\/Branches\/\d+|\/ItemProcessor|\/Iterator)$/;

class Unreadable extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

interface OutlineState {
  name: string;
  pointer: string;
  from: number;
  to: number;
}

/** Reads values with their ranges. Nested states are skipped, because a form is for a single state. */
class Reader {
  readonly places: Record<string, [number, number]> = {};
  readonly bare: string[] = [];
  readonly scopes: Record<string, string[]> = {};
  #text: string;
  #at: number;
  #outline: readonly OutlineState[];
  #of: string;

  /** Reads the part with the pointer `of`, from the offset `at`. */
  constructor(text: string, of: string, at: number, outline: readonly OutlineState[]) {
    this.#text = text;
    this.#of = of;
    this.#at = at;
    this.#outline = outline;
  }

  /** Reads a member `"name": value` and returns its value. */
  member(): unknown {
    const pointer = this.#of;
    const from = this.#at;
    this.#space();
    this.#string();
    this.#expect(":");
    const value = this.value(pointer);
    this.places[pointer] = [from, this.#at];
    return value;
  }

  value(pointer: string, depth = 0): unknown {
    if (depth > DEPTH) throw new Unreadable(this.#at, "It is nested too deeply.");
    this.#space();
    const from = this.#at;
    const c = this.#text[from];
    const value =
      c === "{" ? this.#object(pointer, depth) : c === "[" ? this.#list(pointer, depth) : c === '"' ? this.#string() : this.#word(pointer);
    this.places[pointer] ??= [from, this.#at];
    return value;
  }

  #object(pointer: string, depth: number): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    this.#expect("{");
    for (;;) {
      this.#space();
      if (this.#take("}")) return found;
      if (this.#take(",")) continue;
      const from = this.#at;
      const name = this.#string();
      this.#expect(":");
      const at = pointerTo(pointer, name);
      if (name === "States" && SCOPE.test(pointer.slice(this.#of.length))) {
        this.scopes[pointer] = this.#states(at);
      } else {
        const value = this.value(at, depth + 1);
        // The name `__proto__` must become an ordinary member.
        if (name === "__proto__") Object.defineProperty(found, name, { value, enumerable: true, configurable: true, writable: true });
        else found[name] = value;
      }
      this.places[at] = [from, this.#at];
    }
  }

  #list(pointer: string, depth: number): unknown[] {
    const found: unknown[] = [];
    this.#expect("[");
    for (;;) {
      this.#space();
      if (this.#take("]")) return found;
      if (this.#take(",")) continue;
      found.push(this.value(pointerTo(pointer, found.length), depth + 1));
    }
  }

  /** Skips the states of a scope, even if they have errors, and returns their names. */
  #states(pointer: string): string[] {
    const own = this.#outline.filter((state) => state.pointer === pointerTo(pointer, state.name));
    this.#expect("{");
    const last = own.at(-1);
    if (last) this.#at = Math.max(this.#at, last.to);
    for (this.#space(); this.#take(","); this.#space());
    if (!this.#take("}")) throw new Unreadable(this.#at, "The states in it are not written to their end.");
    return own.map(({ name }) => name);
  }

  #word(pointer: string): unknown {
    const hole = /\$\{[^{}"'\n]*\}/y;
    hole.lastIndex = this.#at;
    const [placeholder] = hole.exec(this.#text) ?? [];
    if (placeholder !== undefined) {
      this.#at += placeholder.length;
      this.bare.push(pointer);
      return placeholder;
    }
    const token = /[^\s,\]}]+/y;
    token.lastIndex = this.#at;
    const [word = ""] = token.exec(this.#text) ?? [];
    try {
      const value: unknown = JSON.parse(word);
      this.#at += word.length;
      return value;
    } catch {
      throw new Unreadable(this.#at, word === "" ? "A value is missing." : `“${word.slice(0, 40)}” is no value.`);
    }
  }

  #string(): string {
    const quoted = /"(?:[^"\\\n]|\\.)*"/y;
    quoted.lastIndex = this.#at;
    const [text] = quoted.exec(this.#text) ?? [];
    if (text === undefined) throw new Unreadable(this.#at, "A text in quotes is missing or does not end.");
    this.#at += text.length;
    try {
      return String(JSON.parse(text));
    } catch {
      throw new Unreadable(this.#at - text.length, "A text has a wrong escape.");
    }
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #take(c: string): boolean {
    if (this.#text[this.#at] !== c) return false;
    this.#at += 1;
    return true;
  }

  #expect(c: string): void {
    this.#space();
    if (!this.#take(c)) throw new Unreadable(this.#at, `A “${c}” is missing.`);
  }
}

interface Asked {
  text: string;
  format: "json" | "yaml";
  pointer: string;
}

interface Whole {
  json: string;
  /** Returns the range in the original text of a range in the JSON text. */
  place(from: number, to: number): [number, number] | undefined;
}

async function wholeOf({ text, format }: Omit<Asked, "pointer">): Promise<Whole | Unformed> {
  if (format === "json") return { json: text, place: (from, to) => [from, to] };
  let source: Source | undefined;
  try {
    source = await readSource(text, format);
  } catch {
    // The part that can be read may be enough.
  }
  const { yaml } = source ?? {};
  if (source && yaml && !source.problems.some(({ severity }) => severity === "error")) {
    return {
      json: source.json,
      place(from, to) {
        const found = yaml.locate(from, to);
        return found && [found.range.start.offset, found.range.end.offset];
      },
    };
  }
  const read = (await import("stepglass/yaml")).yaml.read(text);
  if ("refused" in read) return { unreadable: read.refused.message };
  return { json: read.json, place: () => undefined };
}

const languageOf = (value: unknown): QueryLanguage | undefined => (value === "JSONata" || value === "JSONPath" ? value : undefined);

export async function form({ text, format, pointer }: Asked): Promise<Formed | Unformed> {
  const whole = await wholeOf({ text: text.trim() === "" ? "{}" : text, format: text.trim() === "" ? "json" : format });
  if ("unreadable" in whole) return whole;
  const { json } = whole;
  const outline = language.outline(json);
  const scope = pointer.slice(0, pointer.lastIndexOf("/States/"));
  const beside = outline.filter((state) => state.pointer === pointerTo(`${scope}/States`, state.name));
  let machine: Record<string, unknown> | undefined;
  const reader = new Reader(json, "", 0, outline);
  let fault: unknown;
  try {
    machine = reader.value("") as Record<string, unknown>;
  } catch (error) {
    fault = error;
  }
  // If the rest cannot be read, the query language is taken from before the states, where most definitions have it.
  const machineLanguage = languageOf(machine?.["QueryLanguage"] ?? /"QueryLanguage"\s*:\s*"(\w+)"/.exec(beforeStates(json))?.[1]);
  const shared = { pointer, machineLanguage: machineLanguage ?? "JSONPath", targets: beside.map(({ name }) => name) };
  if (pointer === "") {
    if (machine === undefined || typeof machine !== "object" || Array.isArray(machine))
      return fault === undefined ? { unreadable: "The definition is no object." } : unreadable(fault, whole);
    return formed(reader, whole, { ...shared, name: "", fields: machine, language: machineLanguage ?? "JSONPath" });
  }
  const state = outline.find((one) => one.pointer === pointer);
  if (!state) return { unreadable: "The state cannot be found in the text." };
  const own = new Reader(json, pointer, state.from, outline);
  try {
    const fields = own.member();
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return { unreadable: "The state is no object." };
    const given = fields as Record<string, unknown>;
    const spoken = languageOf(given["QueryLanguage"]) ?? shared.machineLanguage;
    return formed(own, whole, { ...shared, name: state.name, fields: given, language: spoken });
  } catch (error) {
    return unreadable(error, whole);
  }
}

const beforeStates = (json: string): string => json.slice(0, Math.max(0, json.indexOf('"States"')));

function formed(reader: Reader, { place }: Whole, found: Omit<Formed, "places" | "scopes" | "bare">): Formed {
  const places: Formed["places"] = {};
  for (const [pointer, [from, to]] of Object.entries(reader.places)) {
    const at = place(from, to);
    if (at) places[pointer] = at;
  }
  return { ...found, places, scopes: reader.scopes, bare: reader.bare };
}

function unreadable(error: unknown, { place }: Whole): Unformed {
  if (!(error instanceof Unreadable)) throw error;
  const at = place(error.at, error.at + 1);
  return { unreadable: error.message, ...(at && { at }) };
}
