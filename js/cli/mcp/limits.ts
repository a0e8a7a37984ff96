// How much an answer may hold, and what is said of the rest.

import { count } from "../../files/terminal.ts";

/** What a server allows one call. */
export interface Limits {
  /** The largest file that is read. */
  fileBytes: number;
  /** The longest text of an answer, in characters. */
  characters: number;
  /** Seconds of real time for a run, and for all tests of a call. */
  seconds: number;
  /** Events of a run's history. */
  events: number;
}

/** The largest of each list in an answer, if the call does not ask for another number. */
export const LISTED = 100;
/** Characters of a value in a list, as JSON. */
export const VALUE = 2_000;
/** Characters of an output, which stands alone. */
export const OUTPUT = 100_000;

const MOST_NOTES = 20;

/** An answer in the making: it notes what does not fit. */
export class Cutter {
  #notes: string[] = [];
  #more = 0;

  /** What was left out, a sentence each. */
  get notes(): string[] {
    return this.#more === 0 ? this.#notes : [...this.#notes, `${count(this.#more, "more value")} ${this.#more === 1 ? "is" : "are"} cut`];
  }

  /** Notes that something was left out. */
  note(sentence: string): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(sentence);
    else this.#more += 1;
  }

  /** The first `most` of a list. */
  list<Item>(items: readonly Item[], most: number, word: string): Item[] {
    if (items.length > most) this.note(`${most} of ${count(items.length, word)} are listed; limit sets how many`);
    return items.slice(0, most);
  }

  /** The beginning of a text. */
  text(text: string, most: number, what: string): string {
    if (text.length <= most) return text;
    this.note(`${what} has ${text.length.toLocaleString("en")} characters; the first ${most.toLocaleString("en")} are here`);
    return `${text.slice(0, whole(text, most))}…`;
  }

  /** A value as it is, or, where its JSON is longer, the beginning of that as a text. */
  value(value: unknown, most: number, what: string): unknown {
    if (value === undefined) return undefined;
    const json = JSON.stringify(value) ?? "null";
    return json.length <= most ? value : this.text(json, most, what);
  }
}

/** Where a text can end without half of a character. */
function whole(text: string, most: number): number {
  const code = text.charCodeAt(most - 1);
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most;
}
