// @ts-nocheck: has no types yet.
// --define NAME=VALUE: values of placeholders, for every definition that a command reads.

import { Unusable } from "../files/problem.ts";

let values = {};

/** Takes the option's values. */
export function takeDefined(given = []) {
  values = {};
  for (const one of given) {
    const at = one.indexOf("=");
    if (at < 1) throw new Unusable(`--define needs NAME=VALUE, not ${JSON.stringify(one)}`, { usage: true });
    values[one.slice(0, at).trim()] = one.slice(at + 1);
  }
}

/** The values of placeholders, by name. */
export function defined() {
  return values;
}
