import assert from "node:assert/strict";
import { test } from "node:test";
import { expectRun, property, returns, testMachine, throws } from "stepglass/testing";

const order = testMachine(new URL("./order.asl.json", import.meta.url));

test("tried again an hour later", async () => {
  const run = await order.run({ order: 7 }, { mocks: { Charge: [throws("Declined"), returns({ amount: 120 })] } });
  expectRun(run).succeeded().tookPath("Charge", "Enough", "Gift", "Done").waited("Charge", "1h");
  assert.match(run.text(), /retry in 1 h/);
});

test("always ends", () => property(order, { runs: 20, seed: 1, outputs: { Charge: { amount: 1 } } }));

test("fails on purpose", { skip: !process.env.FAIL }, async () => {
  expectRun(await order.run({ order: 7 }, { mocks: { Charge: returns({ amount: 1 }) } })).entered("Gift");
});
