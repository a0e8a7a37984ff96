// The option `strict` on Restate: values that JSON would silently change are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { FakeRestate, handlersOf } from "./fake.mjs";

const { RestateClient, partsOf } = await importSource("pkg-tests/restate/inside.mjs");

const ARN = "arn:aws:states:us-east-1:123456789012:execution:Work:one";
const machines = { Work: { StartAt: "Do", States: { Do: { Type: "Task", Resource: "do", End: true } } } };

async function run(options) {
  const parts = partsOf({ machines, tasks: { do: () => ({ items: new Map() }) }, ...options }, () => restate.now);
  const restate = new FakeRestate(handlersOf(parts));
  const target = (handler) => ({ service: "StepglassExecution", handler, key: ARN });
  await restate.call(target("start"), { machine: "Work", name: "one", input: "{}", seed: "7" });
  await restate.settle();
  return restate.call(target("describe"), null);
}

test("with strict, a handler's answer that JSON would change fails its task", async () => {
  const { status, error, cause } = await run({ strict: true });
  assert.deepEqual({ status, error }, { status: "FAILED", error: "States.TaskFailed" });
  assert.match(cause, /state "Do".*at \$\.items, a Map becomes \{\}/);
  const { warn } = console;
  console.warn = () => {};
  try {
    assert.equal((await run({})).output, '{"items":{}}');
  } finally {
    console.warn = warn;
  }
});

test("a strict client refuses what JSON would change, before it sends anything", async () => {
  const client = new RestateClient("http://127.0.0.1:1", { strict: true });
  const refused = { code: "INVALID_ARGUMENT" };
  await assert.rejects(client.start("Work", { input: { a: Symbol("a") } }), refused);
  await assert.rejects(client.signal(ARN, "go", new Set()), refused);
  await assert.rejects(async () => client.succeed("token", "\ud800"), refused);
});
