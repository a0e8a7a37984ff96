// How `npm test` reads the output of its commands, and selects what to run.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { TestOutput } from "../../scripts/test-output.mjs";

const root = resolve(import.meta.dirname, "../..");

test("the output of Node's test runner gives counts, and the position and name of each failed test", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-output-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "some.test.mjs");
  const lines = [
    'import { describe, test } from "node:test";',
    'test("works", () => {});',
    'describe("a group", () => {',
    '  test("breaks (twice)", () => { throw new Error("no"); });',
    '  test("is left out", { skip: true }, () => {});',
    "});",
  ];
  writeFileSync(file, lines.join("\n"));
  // NODE_TEST_CONTEXT is removed, because the runner of this test would take the results.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", file], { encoding: "utf8", env });
  const output = new TestOutput();
  // In chunks that end anywhere, as output arrives.
  for (let i = 0; i < stdout.length; i += 7) output.read(stdout.slice(i, i + 7));
  const { ok, counts, failures } = output.end(status);
  assert.equal(ok, false);
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1 });
  assert.equal(failures.length, 1);
  assert.match(failures[0], /some\.test\.mjs:4:\d+ breaks \(twice\)$/);
});

test("the output of cargo test gives the sums of its programs and the names of failed tests", () => {
  const output = new TestOutput();
  output.read("test engine::waits ... ok\ntest engine::fails ... FAILED\n");
  output.read("test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n");
  output.read("test result: ok. 5 passed; 0 failed; 2 ignored; 0 measured\n");
  assert.deepEqual(output.end(101), { ok: false, counts: { passed: 6, failed: 1, skipped: 2 }, failures: ["engine::fails"] });
});

test("a command without tests counts as one test, and its last lines explain a failure", () => {
  assert.deepEqual(new TestOutput().end(0), { ok: true, counts: { passed: 1, failed: 0, skipped: 0 }, failures: [] });
  const output = new TestOutput();
  output.read("error: expected `;`\n\n  --> src/lib.rs:1:2");
  const { ok, counts, failures } = output.end(2);
  assert.deepEqual([ok, counts], [false, { passed: 0, failed: 1, skipped: 0 }]);
  assert.deepEqual(failures, ["exit code 2: error: expected `;` / --> src/lib.rs:1:2"]);
});

test("a filter that matches no step and no file is an error, and nothing runs", () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["scripts/test.mjs", "lints", "no-such-file"], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /no step and no test file has "no-such-file"/);
});
