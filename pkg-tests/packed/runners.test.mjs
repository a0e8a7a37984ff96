// The test kit of the tarball in common test runners (../runners), and the coverage of their runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pack, root, runNpm } from "./tarball.mjs";

const tool = (path) => join(root, "node_modules", path);
const runners = {
  "node:test": ["--test", "node.test.mjs"],
  vitest: [tool("vitest/vitest.mjs"), "run", "--root", ".", "vitest.test.mjs"],
  jest: [tool("jest/bin/jest.js"), "--rootDir", ".", "--testMatch", "**/jest.test.cjs", "--no-cache"],
};

let tarball;
let folder;
before(() => {
  tarball = pack();
  folder = join(tarball.folder, "runners");
  cpSync(join(root, "pkg-tests/runners"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "runners", private: true, jest: { testEnvironment: "node" } }));
  runNpm(["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", tarball.path], folder);
  // The runner's real path: it resolves its dependencies from there.
  symlinkSync(tool("vitest"), join(folder, "node_modules/vitest"), "junction");
});
after(() => tarball?.remove());

const run = (args, env) =>
  spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: "1", FORCE_COLOR: undefined, ...env },
  });
const command = (...args) => run([join(folder, "node_modules/stepglass/dist/cli.js"), ...args]);

for (const [name, args] of Object.entries(runners)) {
  test(`${name}: passes, and a failure shows what happened`, () => {
    const good = run(args);
    assert.equal(good.status, 0, good.stdout + good.stderr);
    const bad = run(args, { FAIL: "1" });
    assert.notEqual(bad.status, 0);
    const printed = bad.stdout + bad.stderr;
    assert.match(printed, /What happened:/, name);
    assert.match(printed, name === "node:test" ? /Expected Gift to be entered, but it was not/ : /Expected the output to be \{"order":8/);
    assert.match(printed, /→ Charge \(Task\)/);
  });

  test(`${name}: coverage includes its executions`, () => {
    const output = join(folder, `coverage-${name.replace(":", "-")}`);
    const { status, stdout, stderr } = command(
      "coverage",
      "--format",
      "json,lcov,html,text",
      "--coverage-dir",
      output,
      "--",
      process.execPath,
      ...args,
    );
    assert.equal(status, 0, stdout + stderr);
    const { machines } = JSON.parse(readFileSync(join(output, "stepglass.json"), "utf8"));
    const [{ file, places }] = machines;
    assert.equal(file, "order.asl.json");
    const hits = (pointer) => places.find((place) => place.pointer === pointer).count;
    assert.ok(hits("/States/Gift") > 0 && hits("/States/Charge/Retry/0") > 0);
    // Only the property tests of node:test are counted here.
    assert.equal(hits("/States/Refused") > 0, name === "node:test");
    for (const file of ["stepglass.lcov", "stepglass.html"]) assert.ok(existsSync(join(output, file)), file);
  });
}

test("matchers of Vitest and Jest show the difference", () => {
  for (const name of ["vitest", "jest"]) {
    const { stdout, stderr } = run(runners[name], { FAIL: "matcher" });
    assert.match(stdout + stderr, /Expected the output to be \{"order":8\}\.[^]*- {3}"order": 8/, name);
  }
});

test("npx stepglass test runs tests without JavaScript from an installed package", () => {
  mkdirSync(join(folder, "yaml"));
  writeFileSync(
    join(folder, "yaml/order.stepglass.yaml"),
    "definition: ../order.asl.json\ntests:\n  gift:\n    mocks: { Charge: { return: { amount: 120 } } }\n    expect: { path: [Charge, Enough, Gift, Done] }\n",
  );
  const { status, stdout, stderr } = command("test", "yaml", "--coverage");
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /✓ gift[^]*1 passed[^]*order\.asl\.json +4\/5/);
});
