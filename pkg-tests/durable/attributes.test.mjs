// Attributes: values of users by which lists filter, from the start, from a state, and from a schedule.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEveryWrite, surroundings } from "./surroundings.mjs";

const set = (Attributes, more) => ({ Type: "Task", Resource: "urn:stepglass:setAttributes", Parameters: { Attributes }, ...more });
const wait = { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, ResultPath: null };
const ORDER = {
  StartAt: "Label",
  States: {
    Label: set({ "customer.$": "$.customer", stage: "new", draft: null }, { ResultPath: "$.labels", Next: "Wait" }),
    Wait: { ...wait, Next: "Paid" },
    Paid: set({ stage: "paid", amount: 12.5, urgent: true }, { ResultPath: "$.labels", End: true }),
  },
};
const machines = { Order: ORDER };

const names = async (runtime, attributes, more) => (await runtime.list({ attributes, ...more })).items.map(({ name }) => name);

test("attributes of the start and of a state select executions in lists and counts, also after a restart", async () => {
  const { restart, close } = surroundings({ machines });
  let now = await restart();
  await now.start("Order", { name: "a", input: { customer: "c-1" }, attributes: { region: "eu", draft: true } });
  await now.start("Order", { name: "b", input: { customer: "c-2" } });
  now = await restart();
  assert.deepEqual(await names(now, { stage: "new" }), ["b", "a"]);
  assert.deepEqual(await names(now, { region: "eu", customer: "c-1" }), ["a"]);
  assert.deepEqual(await names(now, { draft: true }), []);
  const a = await now.get("Order", "a");
  assert.deepEqual((await a.describe()).attributes, { region: "eu", customer: "c-1", stage: "new" });
  await a.signal("go");
  const labels = { region: "eu", customer: "c-1", stage: "paid", amount: 12.5, urgent: true };
  assert.deepEqual((await a.result).output, { customer: "c-1", labels });
  now = await restart();
  assert.deepEqual(await names(now, { amount: { from: 10, before: 20 } }, { status: "SUCCEEDED" }), ["a"]);
  assert.deepEqual([await now.count({ attributes: { urgent: true } }), await now.count({ attributes: { stage: "new" } })], [1, 1]);
  assert.deepEqual((await now.list({ attributes: { stage: "paid" } })).items[0].attributes, labels);
  await close();
});

test("the attributes that a state sets are those of the whole run, whichever write the process dies at", async () => {
  const machine = {
    StartAt: "A",
    States: { A: set({ n: 1, stage: "a" }, { Next: "B" }), B: set({ n: 2 }, { Next: "C" }), C: set({ stage: null }, { End: true }) },
  };
  await atEveryWrite(
    () => ({
      options: { machines: { Steps: machine } },
      check: async (runtime) => {
        const execution = await runtime.get("Steps", "s");
        assert.deepEqual((await execution.result).output, { n: 2, own: "x" });
        assert.deepEqual(await names(runtime, { n: 2, own: "x" }), ["s"]);
        assert.deepEqual(await names(runtime, { stage: "a" }), []);
      },
    }),
    async (runtime) => (await runtime.start("Steps", { name: "s", attributes: { own: "x" }, onConflict: "use" })).result,
  );
});

test("attributes that are no plain values are refused, in a start, a state and a filter", async () => {
  const wrong = { StartAt: "A", States: { A: set({ deep: { a: 1 } }, { End: true }) } };
  const { restart, close } = surroundings({ machines: { ...machines, Wrong: wrong } });
  const now = await restart();
  for (const attributes of ["text", { a: [1] }, { a: null }, { a: NaN }, { a: "x".repeat(257) }, { "": 1 }])
    await assert.rejects(now.start("Order", { attributes }), { code: "INVALID_ARGUMENT", message: /attribute/ });
  for (const attributes of [1, { a: {} }, { a: { from: 1, before: "b" } }, { a: { to: 3 } }, { a: [1] }])
    await assert.rejects(
      async () => now.list({ attributes }),
      { code: "INVALID_ARGUMENT", message: /attribute/ },
      JSON.stringify(attributes),
    );
  assert.equal(await now.count(), 0);
  const { status, error, cause } = await (await now.start("Wrong")).result;
  assert.deepEqual([status, error], ["FAILED", "Stepglass.InvalidRequest"]);
  assert.match(cause, /the attribute deep must be a boolean, a finite number, or a text/);
  await close();
});

test("a continued execution keeps its attributes, and a schedule gives them to its executions", async () => {
  const rounds = {
    StartAt: "Mark",
    States: {
      Mark: set({ marked: true }, { ResultPath: null, Next: "More" }),
      More: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 2, Next: "Again" }], Default: "Done" },
      Again: { Type: "Task", Resource: "urn:stepglass:continueAsNew", Parameters: { Input: { n: 2 } }, End: true },
      Done: { Type: "Succeed" },
    },
  };
  const { restart, clock, close } = surroundings({ machines: { Rounds: rounds } });
  const now = await restart();
  const first = await now.start("Rounds", { name: "r", input: { n: 1 }, attributes: { tenant: "blue" } });
  await first.outcome({ follow: true });
  assert.deepEqual(await names(now, { tenant: "blue", marked: true }), ["r.2", "r"]);
  await now.schedule("nightly", { machine: "Rounds", every: "1 h", input: { n: 2 }, attributes: { by: "schedule" } });
  await clock.pass(3_600_000);
  assert.equal((await names(now, { by: "schedule" })).length, 1);
  await close();
});

test("counts are by machine, status and the time of the start", async () => {
  const { restart, clock, close } = surroundings({
    machines: { ...machines, Quick: { StartAt: "Q", States: { Q: { Type: "Succeed" } } } },
  });
  const now = await restart();
  const begun = clock.now();
  for (const hour of [0, 0, 2]) {
    await clock.pass(begun + hour * 3_600_000 - clock.now());
    await now.run("Quick");
    await now.start("Order", { input: { customer: `c-${hour}` }, attributes: { hour } });
  }
  const all = [
    { machine: "Order", status: "RUNNING", count: 3 },
    { machine: "Quick", status: "SUCCEEDED", count: 3 },
  ];
  assert.deepEqual(await now.counts(), all);
  assert.deepEqual(await now.counts({ machine: "Order", attributes: { hour: { before: 1 } } }), [{ ...all[0], count: 2 }]);
  const at = (time) => Math.floor(time / 3_600_000) * 3_600_000;
  assert.deepEqual(
    await now.counts({}, { interval: "1 h" }),
    [0, 2].flatMap((hour) => all.map((one) => ({ ...one, count: hour === 0 ? 2 : 1, from: at(begun + hour * 3_600_000) }))),
  );
  await assert.rejects(now.counts({}, { interval: 0 }), { code: "INVALID_ARGUMENT" });
  await close();
});
