// The option `retention` of a Runtime: which ended executions it removes, and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { surroundings } from "./surroundings.mjs";

const DAY = 86_400_000;
const machines = {
  Done: { StartAt: "P", States: { P: { Type: "Pass", End: true } } },
  Wait: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 10 * 86_400, End: true } } },
};
const names = async (runtime) => (await runtime.list()).items.map(({ name }) => name).toReversed();

test("ended executions are removed after the days of retention, and running ones stay", async () => {
  const { clock, restart, close } = surroundings({ machines, retention: { days: 1 } });
  let now = await restart();
  await now.start("Wait", { name: "runs" });
  const { arn, result } = await now.start("Done", { name: "old" });
  await result;
  await clock.pass(DAY - 1000);
  await (
    await now.start("Done", { name: "new" })
  ).result;
  assert.deepEqual(await now.prune(), []);
  await clock.pass(2000);
  assert.deepEqual(await now.prune(), [arn]);
  now = await restart();
  assert.deepEqual(await names(now), ["runs", "new"]);
  assert.equal(await now.get(arn), undefined);
  await close();
});

test("of ended executions, as many as retention says are kept, the latest", async () => {
  const { clock, restart, close } = surroundings({ machines, retention: { executions: 2 } });
  const now = await restart();
  for (const name of ["a", "b", "c", "d"]) {
    await (
      await now.start("Done", { name })
    ).result;
    await clock.pass(1000);
  }
  await now.prune();
  assert.deepEqual(await names(now), ["c", "d"]);
  await close();
});
