// Tasks that are called at most once: after a crash they fail with Stepglass.Unknown and are not called again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Runtime, atEveryWrite, execution, quiet, surroundings } from "./surroundings.mjs";

const charge = { Type: "Task", Resource: "charge", ResultPath: "$.charged", Next: "Ship" };
const ship = { Ship: { Type: "Task", Resource: "ship", ResultPath: "$.shipped", End: true } };
const caught = { ...charge, Catch: [{ ErrorEquals: ["Stepglass.Unknown"], ResultPath: "$.unknown", Next: "Ship" }] };
const never = () => new Promise(() => {});

for (const queue of [undefined, "money"]) {
  const where = queue === undefined ? "" : " in a queue";
  test(`no effect happens twice${where}, whichever write the process dies at, and the execution continues`, async () => {
    let unknown = 0;
    const outlived = await atEveryWrite(
      () => {
        const effects = [];
        return {
          options: {
            machines: { M: { StartAt: "Charge", States: { Charge: caught, ...ship } } },
            taskOptions: { charge: { atMostOnce: true, ...(queue && { queue }) } },
            tasks: { charge: async (_, { idempotencyKey }) => effects.push(idempotencyKey), ship: () => true },
          },
          check: async (runtime) => {
            const { status, output } = await (await runtime.get("M", "m")).result;
            assert.deepEqual([status, output.shipped], ["SUCCEEDED", true]);
            assert.ok(effects.length <= 1, `${effects.length} effects`);
            if (output.unknown !== undefined) unknown += 1;
            else assert.equal(effects.length, 1);
            assert.deepEqual((await runtime.verify()).differing, []);
          },
        };
      },
      async (runtime) => {
        if (queue !== undefined) runtime.worker({ queue });
        await (
          await execution(runtime, "M", { name: "m" })
        ).result;
      },
    );
    assert.ok(outlived >= 3, `${outlived} writes`);
    assert.ok(unknown >= 1, "no process has died between the call and its answer");
  });
}

test("a retrier for States.ALL does not call the task again, and one that names Stepglass.Unknown makes another attempt", async () => {
  const retried = (ErrorEquals) => ({
    StartAt: "Charge",
    States: { Charge: { ...charge, Retry: [{ ErrorEquals, IntervalSeconds: 1 }] }, ...ship },
  });
  const calls = { All: 0, Named: 0 };
  let answers = false;
  const tasks = {
    charge: (_, { execution: { arn } }) => {
      calls[arn.includes(":Named:") ? "Named" : "All"] += 1;
      return answers ? "paid" : never();
    },
    ship: () => true,
  };
  const machines = { All: retried(["States.ALL"]), Named: retried(["Stepglass.Unknown"]) };
  const { restart, clock, close } = surroundings({ machines, tasks, taskOptions: { charge: { atMostOnce: true } } });
  let runtime = await restart();
  const all = await runtime.start("All");
  const named = await runtime.start("Named");
  runtime = await restart();
  answers = true;
  const failed = await (await runtime.get(all.arn)).result;
  assert.deepEqual([failed.status, failed.error], ["FAILED", "Stepglass.Unknown"]);
  assert.match(failed.cause, /attempt 1 of state "Charge".*is not called again/);
  await clock.pass(2000);
  assert.equal((await (await runtime.get(named.arn)).result).status, "SUCCEEDED");
  assert.deepEqual(calls, { All: 1, Named: 2 });
  await close();
});

test("a task that waits in a queue was not called, so it is taken after a restart", async () => {
  let calls = 0;
  const { restart, close } = surroundings({
    machines: { M: { StartAt: "Charge", States: { Charge: charge, ...ship } } },
    tasks: { charge: () => (calls += 1), ship: () => true },
    taskOptions: { charge: { atMostOnce: true, queue: "money" } },
  });
  const { arn } = await (await restart()).start("M");
  await quiet();
  const runtime = await restart();
  runtime.worker({ queue: "money" });
  assert.equal((await (await runtime.get(arn)).result).status, "SUCCEEDED");
  assert.equal(calls, 1);
  await close();
});

test("a task without the option is called again, and an unusable value is refused", async () => {
  let calls = 0;
  const { restart, close } = surroundings({
    machines: { M: { StartAt: "Charge", States: { Charge: charge, ...ship } } },
    tasks: { charge: () => (++calls === 1 ? never() : calls), ship: () => true },
  });
  const { arn } = await (await restart()).start("M");
  const runtime = await restart();
  assert.equal((await (await runtime.get(arn)).result).output.charged, 2);
  await close();
  assert.throws(() => new Runtime({ machines: {}, taskOptions: { a: { atMostOnce: 1 } } }), { code: "INVALID_OPTION" });
});
