// Parses numbers in arguments.

import { Unusable } from "../language/files/problem.ts";

/** Returns a whole number that was given for the option `name`. Throws Unusable for anything else. */
export function whole(text: string, name: string, least: number, most: number): number {
  if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
    throw new Unusable(`${name} must be a whole number from ${least} to ${most}`, { usage: true });
  return Number(text);
}
