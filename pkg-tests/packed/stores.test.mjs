// The SQLite store in Bun, with bun:sqlite, and in Deno, with its node:sqlite.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { isInstalled, program } from "../../scripts/bundlers.mjs";

for (const [name, ...args] of [["bun"], ["deno", "run", "--allow-all"]]) {
  const missing = isInstalled()
    ? !program(name) && `the registry has no ${name} for ${process.platform} ${process.arch}`
    : "the bundlers are not installed: node scripts/bundlers.mjs";
  test(`the store in SQLite keeps its guarantees in ${name}`, { skip: missing }, () => {
    const file = join(import.meta.dirname, "../store/elsewhere.mjs");
    const { stdout, stderr, status } = spawnSync(program(name), [...args, file], { encoding: "utf8" });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    const [, passed, all] = /^(\d+) of (\d+) passed/m.exec(stdout);
    assert.ok(Number(all) > 30 && passed === all, stdout);
  });
}
