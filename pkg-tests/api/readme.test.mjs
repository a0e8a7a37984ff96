// The README's examples print what they say they print.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
// Inside the package, so that `import "stepglass"` finds it as a user's import would.
const folder = join(root, "pkg-tests", ".cache", "readme");
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true, force: true }));

const blocks = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/```js\n([^]*?)```/g)].map((match) => match[1]);

test("there are examples", () => assert.ok(blocks.length >= 4));

for (const [i, block] of blocks.entries()) {
  test(`example ${i + 1}`, () => {
    const file = join(folder, `example-${i + 1}.mjs`);
    writeFileSync(file, block);
    const expected = [...block.matchAll(/^\/\/ → (.*)$/gm)].map((match) => match[1]);
    const printed = execFileSync(process.execPath, [file], { encoding: "utf8" }).trimEnd().split("\n");
    assert.deepEqual(printed, expected);
  });
}
