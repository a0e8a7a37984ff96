// Time limits that a start sets, and those of tasks that wait in a queue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, surroundings } from "./surroundings.mjs";

const { withTimeout } = await importSource("js/runtime/durable/timeouts.ts");

const wait = { StartAt: "Wait", States: { Wait: { Type: "Wait", Seconds: 1000, End: true } } };
const machines = { Plain: wait, Limited: { ...wait, TimeoutSeconds: 500 } };

for (const machine of ["Plain", "Limited"]) {
  test(`a start overrides the time limit of a machine (${machine}), also across a restart, and other executions keep theirs`, async () => {
    const { restart, clock, close } = surroundings({ machines });
    let runtime = await restart();
    const short = await runtime.start(machine, { name: "short", timeoutSeconds: 10 });
    const long = await runtime.start(machine, { name: "long", timeoutSeconds: 2000 });
    const own = await runtime.start(machine, { name: "own" });
    runtime = await restart();
    const result = async ({ arn }) => (await (await runtime.get(arn)).describe()).status;
    await clock.pass(9000);
    assert.equal(await result(short), "RUNNING");
    await clock.pass(2000);
    assert.equal(await result(short), "TIMED_OUT");
    await clock.pass(500_000);
    assert.equal(await result(own), machine === "Limited" ? "TIMED_OUT" : "RUNNING");
    assert.equal(await result(long), "RUNNING");
    await clock.pass(500_000);
    assert.equal(await result(long), "SUCCEEDED");
    assert.deepEqual((await runtime.verify()).differing, []);
    await close();
  });
}

test("an unusable time limit is refused", async () => {
  const { restart, close } = surroundings({ machines });
  const runtime = await restart();
  for (const timeoutSeconds of [0, 1.5, "10", 1e9, NaN])
    await assert.rejects(runtime.start("Plain", { timeoutSeconds }), { code: "INVALID_OPTION" });
  await close();
});

test("a time limit replaces the one in the text and changes nothing else", () => {
  const text = '{ "TimeoutSeconds" : 5, "n": 1.0, "States": {"TimeoutSeconds": {"TimeoutSeconds": 7}}}';
  assert.equal(withTimeout(text, 9), text.replace(": 5,", ": 9,"));
  assert.equal(
    withTimeout('{"Comment":"TimeoutSeconds","a":{"TimeoutSeconds":1}}', 9),
    '{"TimeoutSeconds":9,"Comment":"TimeoutSeconds","a":{"TimeoutSeconds":1}}',
  );
  assert.equal(
    withTimeout('{"Comment":"a \\"} TimeoutSeconds","TimeoutSeconds":5}', 9),
    '{"Comment":"a \\"} TimeoutSeconds","TimeoutSeconds":9}',
  );
  assert.equal(withTimeout('{"Timeout\\u0053econds":5}', 9), '{"Timeout\\u0053econds":9}');
});

test("TimeoutSeconds of a task in a queue includes the time that it waits there", async () => {
  const work = { Type: "Task", Resource: "work", TimeoutSeconds: 60, End: true };
  const { restart, clock, close } = surroundings({
    machines: { Work: { StartAt: "Work", States: { Work: work } } },
    tasks: { work: () => new Promise(() => {}) },
    taskOptions: { work: { queue: "q" } },
  });
  const runtime = await restart();
  const waits = await runtime.start("Work");
  await clock.pass(40_000);
  runtime.worker({ queue: "q" });
  await quiet();
  // The worker has had the task for 21 of 61 seconds.
  await clock.pass(21_000);
  assert.deepEqual(await waits.result, { status: "FAILED", error: "States.Timeout" });
  await close();
});
