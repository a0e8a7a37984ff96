// The files that a start loads. Each file takes time, and so does unused code.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folderWith } from "./command.mjs";

const dist = (file) => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

/** Returns the files of dist that a CommonJS program has loaded by its end. */
function loadedBy(program, cwd) {
  const text = `${program}\nprocess.on("exit", () => process.stderr.write(JSON.stringify(Object.keys(require.cache))));`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", text], { cwd, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return JSON.parse(stderr).filter((file) => /[\\/]dist[\\/]/.test(file));
}

test("the package is one file of code with a few small ones around it", () => {
  const files = loadedBy(`require(${JSON.stringify(dist("node.cjs"))});`, ".");
  assert.ok(files.map((file) => basename(file)).includes("core.cjs"));
  const small = files.filter((file) => !file.endsWith("core.cjs"));
  assert.ok(small.length <= 4, small.join("\n"));
  for (const file of small) assert.ok(readFileSync(file).length < 10_000, file);
});

test("no module of the package is contained in two files", () => {
  const found = new Map();
  for (const file of loadedBy(
    `require(${JSON.stringify(dist("node.cjs"))}); require(${JSON.stringify(dist("testing.cjs"))}); require(${JSON.stringify(dist("server.cjs"))});`,
    ".",
  ))
    for (const [, name] of readFileSync(file, "utf8").matchAll(/^var (StateMachine|Engine|Execution|DefinitionError) = class/gm))
      found.set(name, [...(found.get(name) ?? []), basename(file)]);
  assert.equal(found.size > 0, true);
  for (const [name, files] of found) assert.deepEqual(files, ["core.cjs"], name);
});

test("validate loads the modules of a report on demand", () => {
  const { folder } = folderWith({ "a.asl.json": { StartAt: "A", States: { A: { Type: "Succeed" } } } });
  const run = (...args) =>
    loadedBy(`require(${JSON.stringify(dist("command.cjs"))}).main(${JSON.stringify(["validate", "a.asl.json", ...args])});`, folder);
  const having = (files, word) => files.filter((file) => readFileSync(file, "utf8").includes(word)).length;
  const plain = run();
  for (const word of ["toolExecutionNotifications", "is not a baseline", "Unable to parse"]) assert.equal(having(plain, word), 0, word);
  assert.equal(having(run("--format", "sarif"), "toolExecutionNotifications"), 1);
});

test("the YAML package is loaded for the first text in YAML", () => {
  const { folder } = folderWith({
    "a.asl.json": { StartAt: "A", States: { A: { Type: "Succeed" } } },
    "b.asl.yaml": "StartAt: A\nStates:\n  A:\n    Type: Succeed\n",
  });
  const readsYaml = (program) => loadedBy(program, folder).some((file) => basename(file) === "yaml-library.cjs");
  const command = (...args) => `require(${JSON.stringify(dist("command.cjs"))}).main(${JSON.stringify(args)});`;
  for (const name of ["validate", "run", "graph"]) {
    assert.equal(readsYaml(command(name, "a.asl.json")), false, name);
    assert.equal(readsYaml(command(name, "b.asl.yaml")), true, name);
  }
  for (const entry of ["folder", "testing", "server", "yaml"])
    assert.equal(readsYaml(`require(${JSON.stringify(dist(`${entry}.cjs`))});`), false, entry);
});

test("CommonJS dependencies are required on demand, because importing CommonJS loads more of Node", () => {
  for (const file of readdirSync(dist("")).filter((name) => name.endsWith(".cjs")))
    assert.doesNotMatch(readFileSync(dist(file), "utf8"), /\bimport\(["'`]\.\.?\//, file);
});
