// --define NAME=VALUE: values of placeholders, for every definition that a command reads.

import { Unusable } from "./problem.ts";

let values: Record<string, string> = {};

/** Reads the values of the option. */
export function takeDefined(given: readonly string[] = []): void {
  values = {};
  for (const one of given) {
    const at = one.indexOf("=");
    if (at < 1) throw new Unusable(`--define needs NAME=VALUE, not ${JSON.stringify(one)}`, { usage: true });
    values[one.slice(0, at).trim()] = one.slice(at + 1);
  }
}

/** Returns the values of placeholders, by name. */
export function defined(): Record<string, string> {
  return values;
}
