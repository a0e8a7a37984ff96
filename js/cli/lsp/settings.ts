// The settings that an editor can send.

import { isObject } from "../../core/base/json.ts";
import type { Checks } from "./document.ts";

/** The settings of the section `stepglass`. */
export interface Settings extends Checks {
  /** Whether warnings are errors. */
  strict: boolean;
  /** The query language that every state should have. */
  queryLanguage?: "JSONPath" | "JSONata";
  /** Maximum number of problems that are reported per document. */
  maxProblems: number;
}

export const DEFAULTS: Settings = { strict: false, maxProblems: 500 };

/** Checks the value of each setting. The text describes valid values. */
const KNOWN: Record<string, [fits: (value: unknown) => boolean, what: string]> = {
  strict: [(value) => typeof value === "boolean", "true or false"],
  type: [(value) => value === "STANDARD" || value === "EXPRESS", "STANDARD or EXPRESS"],
  jsonata: [(value) => value === "2.0.6" || value === "2.1", "2.0.6 or 2.1"],
  queryLanguage: [(value) => value === "JSONPath" || value === "JSONata", "JSONPath or JSONata"],
  substitutions: [isObject, "an object with values by the names of placeholders"],
  maxProblems: [(value) => Number.isInteger(value) && Number(value) > 0, "a whole number, 1 or more"],
};

/** Reads the settings that an editor has sent. `report` is called with each problem. A setting that is null or empty is not set. */
export function settingsFrom(given: unknown, report: (problem: string) => void): Settings {
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    const known = KNOWN[name];
    if (value === null || value === undefined || value === "") continue;
    // An editor may store its own settings in the section.
    if (known === undefined) continue;
    const [fits, what] = known;
    if (fits(value)) settings[name] = value;
    else report(`the setting stepglass.${name} must be ${what}, not ${JSON.stringify(value)}`);
  }
  // Each value has passed the check of its name.
  return settings as unknown as Settings;
}
