// The computing time of the interpreter, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";

const { Stopwatch } = await importSource("www/src/worker/stopwatch.ts");

test("the time that a user takes does not count", () => {
  let now = 100;
  const watch = new Stopwatch(() => now);
  now = 103;
  assert.equal(watch.took, 3);
  watch.rest();
  watch.rest();
  now = 9_000;
  assert.equal(watch.took, 3);
  watch.work();
  now = 9_004;
  watch.work();
  now = 9_005;
  assert.equal(watch.took, 8);
});
