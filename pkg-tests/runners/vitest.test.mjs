import { expectRun, matchers, returns, testMachine, throws } from "stepglass/testing";
import { expect, test } from "vitest";

expect.extend(matchers);
const order = testMachine(new URL("./order.asl.json", import.meta.url));

test("tried again an hour later", async () => {
  const run = await order.run({ order: 7 }, { mocks: { Charge: [throws("Declined"), returns({ amount: 120 })] } });
  expectRun(run)
    .succeeded()
    .outputMatches({ order: expect.any(Number) });
  expect(run).toTakePath("Charge", "Enough", "Gift", "Done");
  expect(run).not.toEnter("Refused");
  expect(run.text({ payloads: false })).toMatchInlineSnapshot(`
    "start
    → Charge (Task)
        call charge
        ✗ Declined
        ↻ retry in 1 h by Charge/Retry/0
        call charge
        ✓
    → Enough (Choice)
    → Gift (Pass)
    → Done (Succeed)
    SUCCEEDED
    "
  `);
});

test.skipIf(!process.env.FAIL)("fails on purpose", async () => {
  const run = await order.run({ order: 7 }, { mocks: { Charge: returns({ amount: 1 }) } });
  if (process.env.FAIL === "matcher") expect(run).toOutput({ order: 8 });
  expectRun(run).succeeded({ order: 8, receipt: { amount: 1 } });
});
