// The compact form of the tables of AWS's services, which scripts/integrations.mjs writes and this package reads.
//
// A table has a line for each service: `ACTIONS|NAMES|LISTS` (or without actions). ACTIONS and NAMES are sorted words of which each
// begins with a digit of base 62: how many characters it shares with the word before. The last character of a name is its type.
// LISTS has a word for each action: the indices of its parameters in NAMES, each encoded in one or two characters.

import type { IntegrationParameter } from "../api/integrations.d.ts";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// The characters that a template literal of JavaScript can contain unescaped, without the separators.
const PLACES = `${DIGITS}!"#%&'()*+,-./:;<=>?@[]^_{}~`;

/** The characters from this index on begin an index of two characters. */
const SINGLES = PLACES.length - 16;

type ParameterType = IntegrationParameter["type"];

const TYPES: Readonly<Record<string, ParameterType>> = {
  "": "string",
  "#": "number",
  "?": "boolean",
  "*": "array",
  "&": "object",
  "@": "timestamp",
  "%": "blob",
};

/** A parameter without the property that depends on whether it is required. */
export type NamedType = Pick<IntegrationParameter, "name" | "type">;

/** Packs sorted words: each has the number of characters that it shares with the previous word. */
export function packed(words: readonly string[]): string {
  let last = "";
  return words
    .map((word) => {
      let shared = 0;
      while (shared < DIGITS.length - 1 && shared < last.length && word[shared] === last[shared]) shared++;
      last = word;
      return DIGITS[shared] + word.slice(shared);
    })
    .join(" ");
}

/** Returns the words that `packed` has packed. */
export function unpacked(text: string): string[] {
  let last = "";
  return text === "" ? [] : text.split(" ").map((word) => (last = last.slice(0, DIGITS.indexOf(word.charAt(0))) + word.slice(1)));
}

/** Encodes an index in a list of names. */
export function placeText(place: number): string {
  if (place < SINGLES) return PLACES.charAt(place);
  const rest = place - SINGLES;
  return PLACES.charAt(SINGLES + Math.floor(rest / PLACES.length)) + PLACES.charAt(rest % PLACES.length);
}

/** Decodes indices in a list of names. */
export function placesOf(text: string): number[] {
  const places: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const place = PLACES.indexOf(text.charAt(i));
    places.push(place < SINGLES ? place : SINGLES + (place - SINGLES) * PLACES.length + PLACES.indexOf(text.charAt(++i)));
  }
  return places;
}

/** Returns a name with the character of its type. */
export function typedText({ name, type }: NamedType): string {
  return name + (Object.keys(TYPES).find((sign) => TYPES[sign] === type) ?? "");
}

/** Returns the name and the type of a text of `typedText`. */
function typedName(text: string): NamedType {
  const type = TYPES[text.slice(-1)];
  return type === undefined ? { name: text, type: "string" } : { name: text.slice(0, -1), type };
}

/** Returns the columns NAMES and LISTS for the parameters of each action. */
export function parameterColumns(actions: readonly (readonly NamedType[])[]): string {
  const names = [...new Set(actions.flatMap((parameters) => parameters.map(typedText)))].sort();
  const places = new Map(names.map((name, place) => [name, placeText(place)]));
  const lists = actions.map((parameters) => parameters.map((parameter) => places.get(typedText(parameter))).join(""));
  return `${packed(names)}|${lists.join(" ")}`;
}

/** Returns the parameters of each action from the columns NAMES and LISTS. */
export function parametersOf(names: string, lists: string): (place: number) => NamedType[] {
  const named = unpacked(names).map(typedName);
  const each = lists.split(" ");
  return (place) => placesOf(each[place] ?? "").flatMap((at) => named[at] ?? []);
}
