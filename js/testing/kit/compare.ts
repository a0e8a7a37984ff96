// Compares JSON values, and formats their differences.

import { brief, isAsymmetric, isMatcher, plain, shown } from "../mocks/display.ts";

/** How two values are compared. With `partly`, objects may have more members than expected. */
export interface MatchOptions {
  partly?: boolean;
}

/** The members of any object. */
type Members = Record<string, unknown>;

/** Returns whether `actual` equals `expected`, which may contain matchers. With `partly`, it may have more members. */
export function matches(actual: unknown, expected: unknown, { partly = false }: MatchOptions = {}): boolean {
  return fits(actual, plain(expected), partly);
}

function fits(actual: unknown, expected: unknown, partly: boolean): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual) === true;
  if (expected instanceof RegExp)
    return typeof actual === "string" && new RegExp(expected.source, expected.flags.replace(/[gy]/g, "")).test(actual);
  if (typeof expected === "function") return expected(actual) === true;
  if (typeof expected !== "object" || expected === null) return Object.is(actual, expected) || actual === expected;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(expected))
    return Array.isArray(actual) && actual.length === expected.length && expected.every((item, i) => fits(actual[i], item, partly));
  if (Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  if (!partly && keys.length !== Object.keys(actual).length) return false;
  return keys.every((key) => Object.hasOwn(actual, key) && fits((actual as Members)[key], (expected as Members)[key], partly));
}

const LONGEST = 400;

/**
 * Returns the lines in which two values differ, with their context: `- ` expected only, `+ ` actual only. For a partial match, the
 * members that the expected value lacks are left out.
 */
export function difference(actual: unknown, expected: unknown, { partly = false }: MatchOptions = {}): string {
  const wanted = shown(plain(expected), 2).split("\n");
  const got = shown(partly ? narrowed(actual, plain(expected)) : actual, 2).split("\n");
  if (wanted.length > LONGEST || got.length > LONGEST) return [`- ${brief(plain(expected), 2000)}`, `+ ${brief(actual, 2000)}`].join("\n");
  return folded(lines(wanted, got)).join("\n");
}

/** Returns the part of a value that a partial match compares. */
function narrowed(actual: unknown, expected: unknown): unknown {
  if (isMatcher(expected) || typeof expected !== "object" || expected === null || typeof actual !== "object" || actual === null)
    return actual;
  if (Array.isArray(expected))
    return Array.isArray(actual) ? actual.map((item, i) => (i in expected ? narrowed(item, expected[i]) : item)) : actual;
  if (Array.isArray(actual)) return actual;
  const common = Object.keys(expected).filter((key) => Object.hasOwn(actual, key));
  return Object.fromEntries(common.map((key) => [key, narrowed((actual as Members)[key], (expected as Members)[key])]));
}

/** Returns the lines of both texts, marked by their longest common subsequence. */
function lines(wanted: readonly string[], got: readonly string[]): string[] {
  const common = commonLengths(wanted, got);
  const out: string[] = [];
  let [i, j] = [0, 0];
  while (i < wanted.length || j < got.length) {
    if (i < wanted.length && j < got.length && wanted[i] === got[j]) {
      out.push(`  ${wanted[i]}`);
      i += 1;
      j += 1;
    } else if (j >= got.length || (i < wanted.length && common(i + 1, j) >= common(i, j + 1))) {
      out.push(`- ${wanted[i++]}`);
    } else {
      out.push(`+ ${got[j++]}`);
    }
  }
  return out;
}

/**
 * Returns a function for the number of common lines of the rest of one text from line `i` on and the rest of the other from line
 * `j` on.
 */
function commonLengths(wanted: readonly string[], got: readonly string[]): (i: number, j: number) => number {
  const width = got.length + 1;
  const table = new Uint32Array((wanted.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = wanted.length - 1; i >= 0; i--) {
    for (let j = got.length - 1; j >= 0; j--) {
      table[i * width + j] = wanted[i] === got[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** Leaves out the lines that are far from any difference. */
function folded(all: readonly string[]): string[] {
  const near = (at: number) => all.slice(Math.max(0, at - 3), at + 4).some((line) => !line.startsWith("  "));
  const out: string[] = [];
  for (const [i, line] of all.entries()) {
    // A single line is shown, because the sign for left-out lines would take as much room.
    if (near(i) || ((i === 0 || near(i - 1)) && (i === all.length - 1 || near(i + 1)))) out.push(line);
    else if (out.at(-1) !== "  …") out.push("  …");
  }
  return out;
}
