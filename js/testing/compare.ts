// @ts-nocheck: has no types yet.
// Whether two JSON values are equal or match, and how they differ.

import { TestKitError } from "./errors.ts";

/** What JSON makes of a value: members that are undefined are not there. Matchers stay. */
function plain(value, around = []) {
  if (typeof value !== "object" || value === null || isMatcher(value)) return value;
  if (around.includes(value)) throw new TestKitError("an expected value must not contain itself");
  const inside = [...around, value];
  if (typeof value.toJSON === "function") return plain(value.toJSON(), inside);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : plain(item, inside)));
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined).map(([key, item]) => [key, plain(item, inside)]));
}

/** RegExps, predicates, and the asymmetric matchers of Vitest and Jest. */
function isMatcher(value) {
  return typeof value === "function" || value instanceof RegExp || typeof value?.asymmetricMatch === "function";
}

/** Whether `actual` is `expected`, in which matchers may stand; with `partly` it may have more members. */
export function matches(actual, expected, { partly = false } = {}) {
  return fits(actual, plain(expected), partly);
}

function fits(actual, expected, partly) {
  if (typeof expected?.asymmetricMatch === "function") return expected.asymmetricMatch(actual) === true;
  if (expected instanceof RegExp) return typeof actual === "string" && new RegExp(expected.source, expected.flags.replace(/[gy]/g, "")).test(actual);
  if (typeof expected === "function") return expected(actual) === true;
  if (typeof expected !== "object" || expected === null) return Object.is(actual, expected) || actual === expected;
  if (typeof actual !== "object" || actual === null || Array.isArray(actual) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected)) return actual.length === expected.length && expected.every((item, i) => fits(actual[i], item, partly));
  const keys = Object.keys(expected);
  if (!partly && keys.length !== Object.keys(actual).length) return false;
  return keys.every((key) => Object.hasOwn(actual, key) && fits(actual[key], expected[key], partly));
}

/** A value on one line, cut to a length. */
export function brief(value, length = 100) {
  const text = typeof value === "string" ? JSON.stringify(value) : shown(value);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function shown(value, space) {
  const replace = (_, item) => (isMatcher(item) && typeof item !== "function" ? String(item) : typeof item === "function" ? `${item.name || "a predicate"}()` : typeof item === "bigint" ? `${item}n` : item);
  return JSON.stringify(sorted(plain(value)), replace, space) ?? String(value);
}

function sorted(value) {
  if (typeof value !== "object" || value === null || isMatcher(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

const LONGEST = 400;

/**
 * The lines in which two values differ, with those around: `- ` only expected, `+ ` only actual. For a partial match the
 * members that nobody asked for are left out.
 */
export function difference(actual, expected, { partly = false } = {}) {
  const wanted = shown(plain(expected), 2).split("\n");
  const got = shown(partly ? narrowed(actual, plain(expected)) : actual, 2).split("\n");
  if (wanted.length > LONGEST || got.length > LONGEST) return [`- ${brief(plain(expected), 2000)}`, `+ ${brief(actual, 2000)}`].join("\n");
  return folded(lines(wanted, got)).join("\n");
}

/** Of a value, what a partial match looks at. */
function narrowed(actual, expected) {
  if (isMatcher(expected) || typeof expected !== "object" || expected === null || typeof actual !== "object" || actual === null) return actual;
  if (Array.isArray(expected)) return Array.isArray(actual) ? actual.map((item, i) => (i in expected ? narrowed(item, expected[i]) : item)) : actual;
  if (Array.isArray(actual)) return actual;
  return Object.fromEntries(Object.keys(expected).filter((key) => Object.hasOwn(actual, key)).map((key) => [key, narrowed(actual[key], expected[key])]));
}

/** The longest common subsequence of lines, marked. */
function lines(wanted, got) {
  const common = Array.from({ length: wanted.length + 1 }, () => new Uint32Array(got.length + 1));
  for (let i = wanted.length - 1; i >= 0; i--) {
    for (let j = got.length - 1; j >= 0; j--) {
      common[i][j] = wanted[i] === got[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const out = [];
  let [i, j] = [0, 0];
  while (i < wanted.length || j < got.length) {
    if (i < wanted.length && j < got.length && wanted[i] === got[j]) {
      out.push(`  ${wanted[i]}`);
      i += 1;
      j += 1;
    } else if (j >= got.length || (i < wanted.length && common[i + 1][j] >= common[i][j + 1])) {
      out.push(`- ${wanted[i++]}`);
    } else {
      out.push(`+ ${got[j++]}`);
    }
  }
  return out;
}

/** Without the lines that are far from any difference. */
function folded(all) {
  const near = (at) => all.slice(Math.max(0, at - 3), at + 4).some((line) => !line.startsWith("  "));
  const out = [];
  for (let i = 0; i < all.length; i++) {
    // One line is not worth a sign for it.
    if (near(i) || ((i === 0 || near(i - 1)) && (i === all.length - 1 || near(i + 1)))) out.push(all[i]);
    else if (out.at(-1) !== "  …") out.push("  …");
  }
  return out;
}
