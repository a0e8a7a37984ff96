// The examples of the README and the guides print what they say they print.
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

const blocks = ["README.md", "docs/host-guide.md", "docs/guide.md"].flatMap((file) => {
  const examples = [...readFileSync(join(root, file), "utf8").matchAll(/```js\n([^]*?)```/g)];
  return examples.map(([, block], i) => [`${file}, example ${i + 1}`, block]);
});

test("there are examples", () => assert.ok(blocks.length >= 4));

for (const [i, [name, block]] of blocks.entries()) {
  test(name, () => {
    const file = join(folder, `example-${i + 1}.mjs`);
    writeFileSync(file, block);
    const expected = [...block.matchAll(/^\/\/ → (.*)$/gm)].map((match) => match[1]);
    const printed = execFileSync(process.execPath, [file], { encoding: "utf8" }).trimEnd().split("\n");
    assert.deepEqual(printed, expected);
  });
}
