// The reference pages match the types and the help, and every link of the docs works.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { apiReference, commandReference, rules } from "../../scripts/docs.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../../..");

for (const [file, make] of [
  ["js/cli/rules.json", rules],
  ["docs/api.md", apiReference],
  ["docs/command.md", commandReference],
]) {
  test(`${file} is up to date: npm run docs`, async () => {
    assert.equal(readFileSync(join(root, file), "utf8"), await make());
  });
}

test("the API reference has every export of the package", async () => {
  const text = readFileSync(join(root, "docs/api.md"), "utf8");
  const names = Object.keys(await import("stepglass"));
  assert.ok(names.length > 15);
  for (const name of names) assert.ok(text.includes(`### ${name}\n`), name);
});

const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "js/ARCHITECTURE.md",
  "www/ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, "docs/contributing")).map((name) => `docs/contributing/${name}`),
  ...pagesIn("src"),
  ...pagesIn("js").filter((page) => page !== "js/ARCHITECTURE.md"),
  ...pagesIn("www").filter((page) => page !== "www/ARCHITECTURE.md"),
  ...pagesIn("tests"),
  ...pagesIn("editors"),
  ...pagesIn("examples"),
];

/** Returns the pages in a folder and in its folders, without those that were installed or built. */
function pagesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist|target|\..*)$/.test(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

for (const page of pages) {
  test(`${page}: its links work`, () => {
    const text = readFileSync(join(root, page), "utf8").replace(/```[^]*?```/g, "");
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const file = path === "" ? join(root, page) : join(root, dirname(page), path);
      assert.ok(existsSync(file), `${target} does not exist`);
      if (anchor !== undefined && file.endsWith(".md"))
        assert.ok(anchors(readFileSync(file, "utf8")).has(anchor), `${target}: there is no such heading`);
    }
  });
}

// Phrases that are hard to read, and their replacements.
const FOREIGN = [
  [/\bwhoever\b/i, "anyone who, or the role"],
  [/without a face/i, "headless"],
  [/has become of|\bbecame of/i, "the status or outcome of"],
  [/\b(?:a|an|the|its|with|no|and|of) time[ -]outs?\b/i, "timeout"],
  [/\bof yours\b/i, "your"],
  [/\bis looked at\b|\bone looks\b|\blooks on\b/i, "selected, current"],
  [/manieth/i, "number"],
  [/\b(?:goes|go|went) on with\b|\bbegins? anew\b/i, "continues with, starts again"],
  [/\bon virtual time\b/i, "in virtual time"],
  [/\bfor want of\b|\bas it lies\b/i, "without, unchanged"],
  [/\btakes? up (?:one|an execution)\b/i, "resumes, redrives"],
  [/\bstands? (?:twice|in for|in the place)\b/i, "appears, replaces"],
];

// docs/durable-capabilities.md quotes titles of tests.
const TITLES = /`[\w/-]+` ".+?"(?=<br>| \|)/g;

// The style guide quotes phrases that it advises against.
for (const page of [...pages, "CHANGELOG.md"].filter((page) => page !== "docs/contributing/style.md")) {
  test(`${page}: plain English`, () => {
    for (const [i, line] of readFileSync(join(root, page), "utf8").split("\n").entries()) {
      const prose = line.replace(TITLES, "");
      for (const [phrase, better] of FOREIGN)
        assert.ok(!phrase.test(prose), `${page}:${i + 1}: ${phrase.exec(prose)?.[0]} (write: ${better})\n${line}`);
    }
  });
}

/** Returns the anchors of a page's headings. */
function anchors(text) {
  return new Set(
    [...text.replace(/```[^]*?```/g, "").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-"),
    ),
  );
}
