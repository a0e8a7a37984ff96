// The reference pages say what the types and the help say, and every link of the docs leads somewhere.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { apiReference, commandReference } from "../../scripts/docs.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../../..");

for (const [file, make] of [["docs/api.md", apiReference], ["docs/command.md", commandReference]]) {
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

const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];

for (const page of pages) {
  test(`${page}: its links lead somewhere`, () => {
    const text = readFileSync(join(root, page), "utf8").replace(/```[^]*?```/g, "");
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const file = path === "" ? join(root, page) : join(root, dirname(page), path);
      assert.ok(existsSync(file), `${target} does not exist`);
      if (anchor !== undefined && file.endsWith(".md")) assert.ok(anchors(readFileSync(file, "utf8")).has(anchor), `${target}: there is no such heading`);
    }
  });
}

/** The anchors that a page's headings get. */
function anchors(text) {
  return new Set([...text.replace(/```[^]*?```/g, "").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")));
}
