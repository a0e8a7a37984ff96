// docs/durable-capabilities.md says which test shows each capability that works. This test reads the titles of the named files.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/steps.mjs";

const STATUSES = ["works", "untested", "in part", "not"];
const groups = capabilities(readFileSync(join(root, "docs/durable-capabilities.md"), "utf8"));
const rows = groups.flatMap((group) => group.rows);

/** Returns the groups of the page, each with its rows. */
function capabilities(page) {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, letter, title] = /^([A-Z])\. (.+)$/m.exec(section);
      const cells = section.split("\n").map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
      const rows = cells.filter(([, id]) => /^[A-Z]\d+$/.test(id ?? "")).map(capability);
      return { letter, title, rows };
    });
}

/** Parses a row: `` `file` "title" `` in its last cell names a test, anything else there is a remark. */
function capability([, id, what, how, status, last, ...others]) {
  const parts = last.replaceAll("\\|", "|").split("<br>");
  const named = parts.map((part) => /^`([\w/-]+)` "(.+)"$/.exec(part));
  return {
    id,
    complete: what !== "" && others.length === 1 && (how !== "" || status === "not"),
    status,
    tests: named.filter((match) => match !== null).map(([, file, title]) => ({ file, title })),
    remarks: parts.filter((part, i) => part !== "" && named[i] === null),
  };
}

const titles = new Map();
/** Returns the titles of the tests of a file, or undefined if there is no such file. */
function titlesOf(file) {
  if (!titles.has(file)) {
    const corpus = file.startsWith("corpus/") && join(root, "tests/corpus/executions", `${file.slice("corpus/".length)}.json`);
    const path = [corpus, join(root, "pkg-tests", `${file}.test.mjs`), join(root, "pkg-tests", `${file}.mjs`)].find(
      (path) => path && existsSync(path),
    );
    const text = path && readFileSync(path, "utf8");
    titles.set(file, path && new Set(path === corpus ? JSON.parse(text).map(({ name }) => name) : titlesIn(text)));
  }
  return titles.get(file);
}

/**
 * Returns the titles in calls of `test`, `it` and a file's own `check`. Skipped tests do not count; an expression becomes an
 * ellipsis.
 */
function titlesIn(text) {
  const found = [];
  for (const { index, 0: call } of text.matchAll(/(?<![.\w])(?:test|it|check)\(\s*(?=["'`])/g)) {
    const quote = text[index + call.length];
    let title = "";
    for (let at = index + call.length + 1; at < text.length && text[at] !== quote; at += 1) {
      if (quote === "`" && text.startsWith("${", at)) {
        at = endOfHole(text, at + 2);
        title += "…";
      } else {
        if (text[at] === "\\") at += 1;
        title += text[at];
      }
    }
    found.push(title.replace(/…+/g, "…"));
  }
  return found;
}

/** The position of the brace that ends `${`. */
function endOfHole(text, at) {
  for (let depth = 1; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && (depth -= 1) === 0) break;
  }
  return at;
}

test("titles are read from string and template literals", () => {
  const source =
    'test("a \\"b\\"", run);\n check(\n `c ${d ? `${e}` : {}}${f} g`, run); test.skip("h"); latest("i"); test(j); /k/.test("l");';
  assert.deepEqual(titlesIn(source), ['a "b"', "c … g"]);
});

test("each row of the capabilities is complete and has a number of its own, in order", () => {
  const numbers = groups.flatMap(({ letter, rows }) => rows.map((_, i) => `${letter}${i + 1}`));
  assert.deepEqual(
    rows.map(({ id }) => id),
    numbers,
  );
  for (const { id, complete, status, remarks } of rows) {
    assert.ok(complete, `${id}: five cells, of which the capability and how it is done are not empty`);
    assert.ok(STATUSES.includes(status), `${id}: ${status}`);
    assert.ok(status === "works" ? remarks.length === 0 : remarks.length > 0, `${id}: ${status}, ${remarks.join("; ")}`);
  }
});

test("each capability that works names a test that exists", () => {
  const missing = rows.flatMap(({ id, status, tests }) => [
    ...(status === "works" && tests.length === 0 ? [`${id} names no test`] : []),
    ...tests.filter(({ file, title }) => !titlesOf(file)?.has(title)).map(({ file, title }) => `${id}: ${file} has no test "${title}"`),
  ]);
  assert.deepEqual(
    missing,
    [],
    "docs/durable-capabilities.md has the titles of tests as their files have them; replace those that changed",
  );
});

test("the totals in docs/durable.md match the rows", () => {
  const sums = (rows) => STATUSES.map((status) => rows.filter((row) => row.status === status).length);
  const expected = groups.map(({ letter, rows }) => [letter, rows.length, ...sums(rows)].join(" "));
  expected.push(["all", rows.length, ...sums(rows)].join(" "));
  const [, section] = readFileSync(join(root, "docs/durable.md"), "utf8").split("## What works as in the Flow Framework\n");
  const lines = section.split("\n## ")[0].replaceAll("*", "").split("\n");
  const found = lines.flatMap((line) => {
    const match = /^\| (?:([A-Z])\. .+|(all)) \((\d+)\) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/.exec(line);
    return match === null ? [] : [[match[1] ?? match[2], ...match.slice(3)].join(" ")];
  });
  assert.deepEqual(found, expected);
  for (const [, count] of section.matchAll(/\b(\d+) capabilities\b/g)) assert.equal(Number(count), rows.length);
});
