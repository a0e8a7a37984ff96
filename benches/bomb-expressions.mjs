// The expressions of tests/corpus/bombs.json, each in a machine of one Pass.
import { readFileSync } from "node:fs";

/** What they are about. */
export const INPUT = { a: [1, 2, 3], s: "a".repeat(32), o: { x: { y: 1 } } };

/** A machine that evaluates an expression. */
export const pass = (text) => ({
  QueryLanguage: "JSONata",
  StartAt: "P",
  States: { P: { Type: "Pass", Output: `{% ${text} %}`, End: true } },
});

/** An expression is a text, or an array of texts and of `[text, times]`. */
const textOf = (entry) =>
  typeof entry === "string" ? entry : entry.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");

/** `{title, definition}` of each. */
export const expressions = JSON.parse(readFileSync(new URL("../tests/corpus/bombs.json", import.meta.url), "utf8"))
  .map(textOf)
  .map((text) => ({ title: text, definition: pass(text) }));
