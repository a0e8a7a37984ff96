// The project that `stepglass init` writes works with the package as npm publishes it.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pack, runNpm } from "./tarball.mjs";

let packed;
let folder;
before(() => {
  packed = pack();
  folder = mkdtempSync(join(tmpdir(), "stepglass-init-"));
});
after(() => {
  packed?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Unpacks the tarball where npm would install it, without a network. */
function install(into) {
  const place = join(into, "node_modules", "stepglass");
  mkdirSync(join(into, "node_modules", ".bin"), { recursive: true });
  mkdirSync(place);
  execFileSync("tar", ["-xzf", packed.path, "--strip-components=1", "-C", place]);
  writeFileSync(
    join(into, "node_modules", ".bin", "stepglass"),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(join(place, "dist/cli.js"))} "$@"\n`,
    { mode: 0o755 },
  );
  return join(place, "dist/cli.js");
}

function stepglass(cli, cwd, ...args) {
  return spawnSync(process.execPath, [cli, ...args], { cwd, encoding: "utf8" });
}

test("creates a project in an empty folder, with npm test and npm start", () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const cli = install(empty);
  const { status, stdout, stderr } = stepglass(cli, empty, "init");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /npm install && npm test/);
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  const npmTest = spawnSync("npm", ["test"], { cwd: empty, encoding: "utf8", env });
  assert.equal(npmTest.status, 0, npmTest.stdout + npmTest.stderr);
  assert.match(npmTest.stdout, /1 definition: no problems[^]*3 passed[^]*pass 4/);
  const started = runNpm(["--silent", "start"], empty);
  assert.deepEqual(JSON.parse(started), { id: 7, amount: 120, receipt: { order: 7, amount: 120 }, gift: "voucher", shipped: true });
  // A second run writes nothing.
  const again = stepglass(cli, empty, "init");
  assert.equal(again.status, 2);
  assert.match(again.stderr, /order\.asl\.json.*exists already; nothing was written/);
});

test("keeps the files of an existing project", () => {
  const project = join(folder, "project");
  mkdirSync(project);
  const cli = install(project);
  writeFileSync(
    join(project, "package.json"),
    '{\n    "name": "mine",\n    "scripts": { "start": "node ." },\n    "dependencies": { "left": "1" }\n}\n',
  );
  const { status, stdout } = stepglass(cli, project, "init", "--json");
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(stdout).changed, ["package.json"]);
  const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.equal(manifest.scripts.start, "node .");
  assert.match(manifest.scripts["start:machine"], /stepglass run/);
  assert.match(manifest.scripts.test, /node --test/);
  assert.deepEqual([manifest.name, manifest.dependencies, Object.keys(manifest.devDependencies)], ["mine", { left: "1" }, ["stepglass"]]);
});

test("creates a new folder, and refuses a file", () => {
  const cli = install(mkdtempSync(join(folder, "x-")));
  assert.equal(stepglass(cli, folder, "init", "a/b").status, 0);
  assert.deepEqual(readdirSync(join(folder, "a/b")).sort(), [
    "order.asl.json",
    "order.json",
    "order.stepglass.yaml",
    "order.test.mjs",
    "package.json",
    "tasks.mjs",
  ]);
  mkdirSync(join(folder, "c"));
  writeFileSync(join(folder, "c/tasks.mjs"), "mine");
  assert.equal(stepglass(cli, folder, "init", "c").status, 2);
  assert.deepEqual(readdirSync(join(folder, "c")), ["tasks.mjs"]);
  assert.equal(stepglass(cli, folder, "init", "a", "b").status, 2);
});
