// Loading the WebAssembly with the slim entry. All other tests use Node's entry.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { StateMachine, init, initSync, validate } from "stepglass/slim";
import { importSource } from "../../scripts/sources.mjs";

const definition = { StartAt: "A", States: { A: { Type: "Pass", Result: 1, End: true } } };

test("before the module is loaded, every call says how to load it", async () => {
  for (const use of [() => validate(definition), () => new StateMachine(definition)]) {
    assert.throws(use, (error) => error.code === "NOT_LOADED" && /await init\(\)/.test(error.message));
  }
  await assert.rejects(init(), (error) => error.code === "NOT_LOADED" && /init\(source\)/.test(error.message));
});

test("a failed load can be repeated", async () => {
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

test("Node loads the first part of the fast build, and bundles for Node contain all of it", async () => {
  const file = (name) => readFileSync(new URL(`../../dist/${name}`, import.meta.url));
  const { moduleBytes } = await importSource("js/entries/wasm-file.ts");
  const { moduleBytes: inlined } = await import("../../dist/wasm-inline.js");
  assert.deepEqual([file("stepglass-fast-first.wasm").equals(moduleBytes()), file("stepglass-fast.wasm").equals(inlined())], [true, true]);
});

test("Node reads the rest of the module on demand", async () => {
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

/** Returns what a script prints that runs a machine in a process of its own, after `before`. */
async function started(before, printed) {
  const script = `
    ${before}
    const { StateMachine } = require(${JSON.stringify(fileURLToPath(new URL("../../dist/node.cjs", import.meta.url)))});
    const machine = { StartAt: "A", States: { A: { Type: "Pass", Parameters: { "id.$": "States.UUID()" }, End: true } } };
    new StateMachine(machine).run().then(({ id }) => console.log(JSON.stringify(${printed})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  return JSON.parse(stdout);
}

test("starting on Node loads neither its cryptography nor its performance module", { skip: process.platform === "win32" }, async () => {
  const loaded = await started("", "process.moduleLoadList");
  assert.deepEqual(
    loaded.filter((name) => /crypto\/random|webcrypto|perf_hooks/.test(name)),
    [],
  );
});

test("random values differ from process to process, also if the system's device cannot be read", async () => {
  const closed = `const fs = require("node:fs");
    const { openSync } = fs;
    fs.openSync = (file, ...more) => {
      if (file === "/dev/urandom") throw new Error("not permitted");
      return openSync(file, ...more);
    };`;
  // A regular file in place of the device gives no random values.
  const file = 'require("node:fs").fstatSync = () => ({ isCharacterDevice: () => false });';
  const ids = await Promise.all(["", "", closed, closed, file, file].map((before) => started(before, "id")));
  assert.deepEqual([new Set(ids).size, ids.every((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))], [6, true]);
});
