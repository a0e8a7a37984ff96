// The inputs of the build: a change of any of them makes the next build run.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { rustSources } from "../../scripts/build.mjs";
import { filesOf } from "../../scripts/steps.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

test("the build of the WebAssembly depends on every file of the crate, also on included files", () => {
  const sources = rustSources();
  const crate = [...filesOf("src"), ...filesOf("xtask")];
  assert.deepEqual(
    crate.filter((path) => !sources.includes(path)),
    [],
  );
  for (const path of crate.filter((path) => path.endsWith(".rs"))) {
    const text = readFileSync(join(root, path), "utf8");
    // Each include names its file literally. A computed name would be missed.
    for (const [, rest] of text.matchAll(/\binclude(?:_str|_bytes)?!\s*[([{]\s*([^)\]}]*)/g)) {
      const [, name] = /^"([^"]+)"\s*$/.exec(rest) ?? assert.fail(`${path} includes ${rest}`);
      const included = posix.join(posix.dirname(path), name);
      assert.ok(existsSync(join(root, included)), included);
      assert.ok(sources.includes(included), `${path} includes ${included}, which the fingerprint lacks`);
    }
  }
  assert.ok(sources.includes("src/asl/language/descriptions.txt"));
  assert.ok(!sources.some((path) => path.startsWith("js/")), "which the WebAssembly is not made of");
});
