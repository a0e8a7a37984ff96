// Arguments that no function should be given, and the errors that are acceptable.
import { readFileSync } from "node:fs";

export const circular = {};
circular.self = circular;

/** Values of every type. `undefined` comes first, because it is often allowed. */
export const BAD = [
  undefined,
  null,
  true,
  NaN,
  -1,
  1.5,
  Infinity,
  5n,
  "",
  "full\ud800",
  Symbol("s"),
  () => {},
  [],
  [null],
  {},
  { a: 1 },
  circular,
  new Map([[1, 2]]),
  new Date(NaN),
];

/** The codes that docs/error-codes.md documents. */
export const documented = new Set(
  [...readFileSync(new URL("../../docs/error-codes.md", import.meta.url), "utf8").matchAll(/^\| `([A-Za-z_]+)` \|/gm)].map(
    ([, code]) => code,
  ),
);
