// How the module gets in: the slim entry by hand. (Node's own entry is what all other tests use.)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
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

test("Node and bundles for it have the module that is made for speed", async () => {
  const fast = readFileSync(new URL(import.meta.resolve("stepglass/stepglass-fast.wasm")));
  const { moduleBytes } = await importSource("js/entries/beside.ts");
  const { moduleBytes: held } = await import("../../dist/held.cjs");
  assert.deepEqual([fast.equals(moduleBytes()), fast.equals(held())], [true, true]);
});
