// The options that were chosen last in the menu of states to add. They are stored in the browser.

import * as prefs from "../prefs.ts";

const MOST = 8;
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

export const recent = (): string[] => prefs.recall<string[]>("added", [], isList);

export function remember(option: string): void {
  prefs.remember("added", [option, ...recent().filter((other) => other !== option)].slice(0, MOST));
}
