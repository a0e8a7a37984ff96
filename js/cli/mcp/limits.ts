// Limits of an answer's size, and the notes about what was left out.

import { count } from "../../language/files/terminal.ts";

/** The limits of a call. */
export interface Limits {
  /** Maximum size of a file, in bytes. */
  fileBytes: number;
  /** Maximum length of an answer's text, in characters. */
  characters: number;
  /** Maximum duration of a run, and of all tests of a call, in seconds of real time. */
  seconds: number;
  /** Maximum number of events in a run's history. */
  events: number;
}

/** Maximum length of each list in an answer, unless the call asks for another number. */
export const LISTED = 100;
/** Maximum length of a value in a list, in characters of JSON. */
export const VALUE = 2_000;
/** Maximum length of an output, in characters. An answer has one. */
export const OUTPUT = 100_000;

const MOST_NOTES = 20;

/** Shortens the parts of an answer and notes what was left out. */
export class Cutter {
  #notes: string[] = [];
  #more = 0;

  /** The notes: one sentence for each kind of omission. */
  get notes(): string[] {
    return this.#more === 0 ? this.#notes : [...this.#notes, `${count(this.#more, "more value")} ${this.#more === 1 ? "is" : "are"} cut`];
  }

  /** Adds a note. */
  note(sentence: string): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(sentence);
    else this.#more += 1;
  }

  /** Returns the first `most` items of a list. */
  list<Item>(items: readonly Item[], most: number, word: string): Item[] {
    if (items.length > most) this.note(`${most} of ${count(items.length, word)} are listed; limit sets how many`);
    return items.slice(0, most);
  }

  /** Returns the beginning of a text. */
  text(text: string, most: number, what: string): string {
    if (text.length <= most) return text;
    this.note(`${what} has ${text.length.toLocaleString("en")} characters; the first ${most.toLocaleString("en")} are here`);
    return `${text.slice(0, whole(text, most))}…`;
  }

  /** Returns a value. If its JSON is too long, returns the beginning of that as a text. */
  value(value: unknown, most: number, what: string): unknown {
    if (value === undefined) return undefined;
    const json = JSON.stringify(value) ?? "null";
    return json.length <= most ? value : this.text(json, most, what);
  }
}

/** Returns the largest length at which a text can be cut without splitting a surrogate pair. */
function whole(text: string, most: number): number {
  const code = text.charCodeAt(most - 1);
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most;
}
