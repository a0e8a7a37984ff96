const { join } = require("node:path");
const { expectRun, matchers, returns, testMachine, throws } = require("stepglass/testing");

expect.extend(matchers);
const order = testMachine(join(__dirname, "order.asl.json"));

test("tried again an hour later", async () => {
  const run = await order.run({ order: 7 }, { mocks: { Charge: [throws("Declined"), returns({ amount: 120 })] } });
  expectRun(run)
    .succeeded()
    .outputMatches({ order: expect.any(Number) });
  expect(run).toTakePath("Charge", "Enough", "Gift", "Done");
  expect(run).not.toEnter("Refused");
});

test("fake timers are for the test, not for the run", async () => {
  jest.useFakeTimers();
  const run = await order.run({ order: 7 }, { mocks: { Charge: [throws("Declined"), returns({ amount: 1 })] } });
  jest.useRealTimers();
  expect(run).toLast("1h");
});

(process.env.FAIL ? test : test.skip)("fails on purpose", async () => {
  const run = await order.run({ order: 7 }, { mocks: { Charge: returns({ amount: 1 }) } });
  if (process.env.FAIL === "matcher") expect(run).toOutput({ order: 8 });
  expectRun(run).succeeded({ order: 8, receipt: { amount: 1 } });
});
