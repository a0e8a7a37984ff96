// What an editor can set.

import { isObject } from "../../base/json.ts";
import type { Checks } from "./document.ts";

/** The settings of the section `stepglass`. */
export interface Settings extends Checks {
  /** Whether warnings are errors. */
  strict: boolean;
  /** The query language that every state should have. */
  queryLanguage?: "JSONPath" | "JSONata";
  /** The largest number of problems of a document that are told. */
  maxProblems: number;
}

export const DEFAULTS: Settings = { strict: false, maxProblems: 500 };

/** What takes a value of each setting; the text says what would be right. */
const KNOWN: Record<string, [fits: (value: unknown) => boolean, what: string]> = {
  strict: [(value) => typeof value === "boolean", "true or false"],
  type: [(value) => value === "STANDARD" || value === "EXPRESS", "STANDARD or EXPRESS"],
  jsonata: [(value) => value === "2.0.6" || value === "2.1", "2.0.6 or 2.1"],
  queryLanguage: [(value) => value === "JSONPath" || value === "JSONata", "JSONPath or JSONata"],
  substitutions: [isObject, "an object with values by the names of placeholders"],
  maxProblems: [(value) => Number.isInteger(value) && Number(value) > 0, "a whole number, 1 or more"],
};

/** The settings that an editor has sent; `tell` gets what is wrong with them. A setting that is null or empty is not set. */
export function settingsFrom(given: unknown, tell: (problem: string) => void): Settings {
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    const known = KNOWN[name];
    if (value === null || value === undefined || value === "") continue;
    // An editor may keep settings of its own in the section.
    if (known === undefined) continue;
    const [fits, what] = known;
    if (fits(value)) settings[name] = value;
    else tell(`the setting stepglass.${name} must be ${what}, not ${JSON.stringify(value)}`);
  }
  // Each has passed the check of its name.
  return settings as unknown as Settings;
}
