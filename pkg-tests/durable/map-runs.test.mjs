// The children of Distributed Maps: they are listed after they have ended, and a failed Map Run refers to the failed item and its error.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "node:test";
import { drivers, folder, nodeWithSqlite } from "../store/drivers.mjs";
import { MemoryStore, Runtime, TestClock, atEveryWrite, execution, quiet } from "./surroundings.mjs";

const [driver] = Object.values(drivers);
const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

const eachOf = (states, more) => ({
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      Label: "Each",
      ItemsPath: "$.items",
      MaxConcurrency: 1,
      ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "Do", States: states },
      End: true,
      ...more,
    },
  },
});
const Each = eachOf({ Do: { Type: "Task", Resource: "do", End: true } }, { ToleratedFailureCount: 1 });
const tasks = {
  do: (item) => {
    if (item === "bad") throw Object.assign(new Error("no such seat"), { name: "NoSeat" });
    return item;
  },
};
const input = { items: ["a", "bad", "b", "bad", "c"] };
const runToFailure = async (runtime) => {
  const order = await execution(runtime, "Each", { name: "e", input });
  assert.equal((await order.result).status, "FAILED");
  return order;
};

test("a failed Distributed Map says how many items failed, which first and why, and lists its children", async () => {
  const outlived = await atEveryWrite(
    () => ({
      options: { machines: { Each }, tasks },
      check: async (runtime) => {
        const order = await runToFailure(runtime);
        const [only, ...others] = await order.mapRuns();
        assert.deepEqual(others, []);
        const { mapRunArn, status, itemCounts, firstFailure } = only;
        assert.equal(status, "FAILED");
        assert.deepEqual([itemCounts.failed, itemCounts.succeeded, itemCounts.aborted, itemCounts.total], [2, 2, 1, 5]);
        assert.deepEqual([firstFailure.index, firstFailure.error, firstFailure.cause], [1, "NoSeat", "no such seat"]);
        const { items } = await runtime.list({ mapRunArn });
        assert.deepEqual(items.map((child) => child.status).reverse(), ["SUCCEEDED", "FAILED", "SUCCEEDED", "FAILED"]);
        assert.deepEqual(items.map((child) => child.index).reverse(), [0, 1, 2, 3]);
        const first = await runtime.get(firstFailure.arn);
        assert.equal((await first.describe()).input, "bad");
        assert.equal((await first.history()).at(-1).executionFailedEventDetails.error, "NoSeat");
        await assert.rejects(first.redrive(), { code: "NOT_REDRIVABLE" });
        // The children are listed only by their Map Run, not beside other executions.
        assert.equal((await runtime.list()).items.length, 1);
      },
    }),
    runToFailure,
  );
  assert.ok(outlived >= 5, `${outlived} writes`);
});

test("a redrive runs the failed children again, and the counts include each child once", async () => {
  const store = new MemoryStore();
  let bad = true;
  const runtime = await new Runtime({
    store,
    machines: { Each },
    tasks: { do: (item) => (item === "bad" && bad ? tasks.do(item) : item) },
  }).open();
  const order = await runToFailure(runtime);
  bad = false;
  await order.redrive();
  assert.equal((await order.result).status, "SUCCEEDED");
  const [{ mapRunArn, status, itemCounts, redriveCount, firstFailure }] = await order.mapRuns();
  assert.deepEqual([status, itemCounts.succeeded, itemCounts.failed, redriveCount, firstFailure], ["SUCCEEDED", 5, 0, 1, undefined]);
  const { items } = await runtime.list({ mapRunArn });
  assert.deepEqual(new Set(items.map((child) => child.status)), new Set(["SUCCEEDED"]));
  assert.equal(items.length, 5);
  await runtime.close();
});

test('with childRecords "failed", only the children that did not succeed are listed; the counts include all', async () => {
  const runtime = await new Runtime({ machines: { Each }, tasks, childRecords: "failed" }).open();
  const [{ mapRunArn, itemCounts }] = await (await runToFailure(runtime)).mapRuns();
  assert.deepEqual((await runtime.list({ mapRunArn })).items.map((child) => child.index).reverse(), [1, 3]);
  assert.deepEqual([itemCounts.succeeded, itemCounts.failed], [2, 2]);
  await runtime.close();
});

test("listing the children of an unknown Map Run is an error, not an empty list", async () => {
  const runtime = await new Runtime({ machines: { Each } }).open();
  await assert.rejects(runtime.list({ mapRunArn: "arn:aws:states:us-east-1:123456789012:mapRun:Each/Each:0" }), {
    code: "UNKNOWN_MAP_RUN",
  });
  await runtime.close();
});

test("a running Map Run reports its counts and lists its ended children", async () => {
  const clock = new TestClock();
  const Waits = eachOf({ Do: { Type: "Wait", Seconds: 60, End: true } });
  const runtime = await new Runtime({ machines: { Each: Waits }, clock }).open();
  const order = await runtime.start("Each", { name: "e", input: { items: [1, 2, 3] } });
  await quiet();
  await clock.pass(60_000);
  await quiet();
  const [{ mapRunArn, status, itemCounts }] = await order.mapRuns();
  assert.deepEqual([status, itemCounts.succeeded, itemCounts.running], ["RUNNING", 1, 1]);
  assert.equal((await runtime.list({ mapRunArn })).items.length, 1);
  await runtime.close();
});

test(
  "stepglass executions show names the child that failed first and the command that shows it",
  { skip: driver === undefined || nodeWithSqlite === undefined ? "there is no SQLite" : false },
  async () => {
    const { file, done } = folder();
    try {
      const runtime = await new Runtime({ store: driver.store(file), machines: { Each }, tasks }).open();
      await runToFailure(runtime);
      await runtime.close();
      const command = async (...args) =>
        (await run(nodeWithSqlite, ["--no-warnings", join(root, "dist/cli.js"), "executions", ...args, "--data", file])).stdout;
      const shown = JSON.parse(await command("show", "e", "--json"));
      const { firstFailure, itemCounts } = shown.mapRuns[0];
      assert.deepEqual([itemCounts.failed, firstFailure.index, firstFailure.error], [2, 1, "NoSeat"]);
      assert.ok((await command("show", "e")).includes(`show ${firstFailure.arn}`));
      assert.equal(JSON.parse(await command("show", firstFailure.arn, "--json")).input, '"bad"');
    } finally {
      await done();
    }
  },
);
