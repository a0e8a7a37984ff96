// The report of each test file when several run in one process.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { RESULT } from "../../scripts/files-reporter.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

test("each file has its own result and counts, preceded by its output", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-files-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = {
    "good.mjs": 'describe("good", () => { test("one", () => {}); test("two", { skip: "not here" }, () => {}); });',
    "bad.mjs": 'describe("bad", () => { test("three", () => {}); test("four", () => { throw new Error("it broke"); }); });',
    "alone.mjs": 'test("five", () => {});',
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), `import { describe, test } from "node:test";\n${text}\n`);
  writeFileSync(
    join(folder, "all.mjs"),
    Object.keys(files)
      .map((name) => `await import("./${name}");\n`)
      .join(""),
  );
  // NODE_TEST_CONTEXT is removed, because the runner of this test would take the results.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const reporter = pathToFileURL(join(root, "scripts/files-reporter.mjs")).href;
  const { stdout, status } = spawnSync(process.execPath, [`--test-reporter=${reporter}`, join(folder, "all.mjs")], {
    encoding: "utf8",
    env,
  });
  assert.equal(status, 1);
  const blocks = stdout.split(RESULT).map((block) => block.split("\n"));
  const results = blocks.slice(1).map(([line]) => JSON.parse(line));
  assert.deepEqual(
    results.map(({ file, ok, counts }) => [basename(file), ok, counts]),
    [
      ["good.mjs", true, { passed: 1, failed: 0, skipped: 1 }],
      ["bad.mjs", false, { passed: 1, failed: 1, skipped: 0 }],
      ["alone.mjs", true, { passed: 1, failed: 0, skipped: 0 }],
    ],
  );
  assert.match(blocks[1].join("\n"), /✖ four[\s\S]*it broke/, "before the second result");
});
