// How the module gets in: the slim entry by hand. (Node's own entry is what all other tests use.)
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { StateMachine, init, initSync, validate } from "stepglass/slim";
import { importSource } from "../../scripts/sources.mjs";

const definition = { StartAt: "A", States: { A: { Type: "Pass", Result: 1, End: true } } };

test("before the module is loaded everything says how to load it", async () => {
  for (const use of [() => validate(definition), () => new StateMachine(definition)]) {
    assert.throws(use, (error) => error.code === "NOT_LOADED" && /await init\(\)/.test(error.message));
  }
  await assert.rejects(init(), (error) => error.code === "NOT_LOADED" && /init\(source\)/.test(error.message));
});

test("a load that fails can be tried again", async () => {
  await assert.rejects(init(new Uint8Array([1, 2, 3])));
  assert.throws(() => initSync(new Uint8Array([1, 2, 3])));
  const bytes = readFileSync(new URL(import.meta.resolve("stepglass/stepglass.wasm")));
  await Promise.all([init(bytes), init(bytes)]);
  assert.equal(await new StateMachine(definition).run(), 1);
});

test("loading twice does nothing", async () => {
  initSync(new Uint8Array());
  await init();
  assert.deepEqual(validate(definition), []);
});

test("Node has the first part of the module that is made for speed, and bundles for it have all of it", async () => {
  const file = (name) => readFileSync(new URL(`../../dist/${name}`, import.meta.url));
  const { moduleBytes } = await importSource("js/entries/beside.ts");
  const { moduleBytes: held } = await import("../../dist/held.cjs");
  assert.deepEqual([file("stepglass-fast-first.wasm").equals(moduleBytes()), file("stepglass-fast.wasm").equals(held())], [true, true]);
});

test("Node reads the rest of the module when something needs it, and not before", async () => {
  const script = `
    const fs = require("node:fs");
    const { readFileSync } = fs;
    const read = [];
    fs.readFileSync = (file, ...more) => (read.push(String(file).split("/").at(-1)), readFileSync(file, ...more));
    const { StateMachine, validate, layout } = require(${JSON.stringify(fileURLToPath(new URL("../../dist/node.cjs", import.meta.url)))});
    const definition = ${JSON.stringify(definition)};
    validate(definition);
    new StateMachine(definition).run().then(() => {
      const parts = () => read.filter((name) => name.endsWith(".wasm"));
      const before = parts();
      const { nodes } = layout(definition);
      console.log(JSON.stringify([before, parts(), nodes.length > 0]));
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  const first = "stepglass-fast-first.wasm";
  assert.deepEqual(JSON.parse(stdout), [[first], [first, "stepglass-fast-rest.wasm"], true]);
});
