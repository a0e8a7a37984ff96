// The page's colours are legible: every pair of text and background, in every theme, by the formula of WCAG 2.2.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const styles = resolve(import.meta.dirname, "../../www/src/styles");
const rules = ["tokens.css"].flatMap((file) =>
  [...readFileSync(resolve(styles, file), "utf8").matchAll(/(:root[^{]*)\{([^}]*)\}/g)].map(([, selector, body]) => ({
    selector: selector.trim(),
    tokens: Object.fromEntries([...body.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})\s*;/gi)].map(([, name, value]) => [name, value])),
  })),
);

/** Returns the tokens of a theme: the common ones, replaced by its own. */
function theme(name) {
  const own = rules.filter(({ selector }) => selector === ":root" || selector === `:root[data-theme="${name}"]`);
  return Object.assign({}, ...own.map(({ tokens }) => tokens));
}

function luminance(hex) {
  const [r, g, b] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const GROUNDS = ["chrome", "surface", "raised", "sunken"];
const STATES = ["running", "waiting", "retrying", "succeeded", "caught", "failed", "cancelled", "paused"];

/** `[foreground, background, minimum, minimum with more contrast]` */
const pairs = [
  ...["text", "muted"].flatMap((text) => GROUNDS.map((ground) => [text, ground, 4.5, 7])),
  ...["surface", "chrome", "sunken"].map((ground) => ["faint", ground, 4.5, 7]),
  ...["accent", "bad", "warn", "good"].map((text) => [text, "surface", 4.5, 7]),
  ["accent-text", "accent-fill", 4.5, 7],
  ["text", "accent-soft", 7, 7],
  ["accent", "accent-soft", 4.5, 7],
  ["text", "selection", 7, 7],
  ["text", "current", 7, 7],
  ["text", "match", 7, 7],
  ["bad", "bad-soft", 4.5, 7],
  ["warn", "warn-soft", 4.5, 7],
  ["good", "good-soft", 4.5, 7],
  ["focus", "surface", 3, 4.5],
  ["focus", "g-ground", 3, 4.5],
  ...["key", "string", "number", "keyword", "comment", "function", "escape"].map((name) => [`syn-${name}`, "surface", 4.5, 7]),
  ["text", "g-node", 12, 12],
  ["muted", "g-node", 4.5, 7],
  ["text", "g-container", 12, 12],
  ["text", "g-label", 7, 7],
  ["g-catch", "g-label", 4.5, 7],
  ["g-back", "g-label", 4.5, 7],
  ["g-mark-text", "g-mark", 4.5, 7],
  ["g-line", "g-ground", 3, 4.5],
  ["g-catch", "g-ground", 3, 4.5],
  ["g-back", "g-ground", 3, 4.5],
  ...STATES.flatMap((state) => [
    [`st-${state}`, `st-${state}-fill`, 4.5, 4.5],
    [`st-${state}`, "g-ground", 4.5, 4.5],
    ["text", `st-${state}-fill`, 12, 12],
  ]),
];

for (const name of ["light", "dark", "contrast"]) {
  test(`the theme ${name} has enough contrast`, () => {
    const tokens = theme(name);
    const weak = pairs.flatMap(([text, ground, usual, high]) => {
      const [a, b] = [tokens[`--${text}`], tokens[`--${ground}`]];
      assert.ok(a && b, `${text} and ${ground} are colours`);
      const least = name === "contrast" ? high : usual;
      const found = contrast(a, b);
      return found >= least ? [] : [`${text} ${a} on ${ground} ${b}: ${found.toFixed(2)} of ${least}`];
    });
    assert.deepEqual(weak, []);
  });
}
