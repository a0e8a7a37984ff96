// If this Node has no node:sqlite, the tests of the store run again in a Node that has it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { hasSqlite, nodeWithSqlite } from "./drivers.mjs";

const files = ["sqlite.test.mjs", "kill.test.mjs"].map((file) => join(import.meta.dirname, file));
const missing = nodeWithSqlite === undefined && `there is no Node 22 of npm for ${process.platform} ${process.arch}`;

// This test is not skipped on CI, because otherwise nothing would test node:sqlite.
test("the tests of the store pass with node:sqlite in another Node", { skip: hasSqlite ? false : !process.env.CI && missing }, () => {
  if (hasSqlite) return;
  assert.ok(nodeWithSqlite, missing);
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(nodeWithSqlite, ["--test", "--test-reporter=tap", ...files], {
    encoding: "utf8",
    // libsql is tested in this Node.
    env: { ...env, STEPGLASS_DRIVER: "node:sqlite" },
  });
  const failed = stdout.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.equal(status, 0, `${failed.join("\n")}\n${stdout}\n${stderr}`);
  assert.match(stdout, /^ok .* SQLite by node:sqlite: stores all of a batch at once/m);
});
