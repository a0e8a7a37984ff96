// stepglass test --record: turns an execution into a test that runs without an AWS account.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { simulate } from "stepglass";
import { parse } from "yaml";
import { folderWith } from "./command.mjs";

const LAMBDA = "arn:aws:lambda:eu-west-1:123456789012:function:";
const ARN = "arn:aws:states:eu-west-1:123456789012:execution:Orders:order-7";
const order = {
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: `${LAMBDA}charge`,
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 10, MaxAttempts: 2 }],
      ResultPath: "$.charge",
      Next: "Enough",
    },
    Enough: { Type: "Choice", Choices: [{ Variable: "$.charge.amount", NumericGreaterThan: 100, Next: "Each" }], Default: "Refuse" },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: { StartAt: "Pack", States: { Pack: { Type: "Pass", End: true } } },
      End: true,
    },
    Refuse: { Type: "Fail", Error: "TooLittle", Cause: "not enough" },
  },
};
const fixed = structuredClone(order);
fixed.States.Enough.Choices[0].NumericGreaterThan = 10;
const input = { order: 7, customer: { name: "Ada", address: "12 St James's Square, London" }, items: [{ sku: "a" }, { sku: "b" }] };

/** Creates a folder with an execution, as `stepglass fetch` writes it, and its definition. */
function recorded(amount) {
  const charge = [{ error: "Busy", cause: "try later", after: 500 }, { output: { amount, receipt: "a long receipt that nothing reads" } }];
  const { history } = simulate(order, input, { Charge: charge });
  return folderWith({
    "order.asl.json": order,
    "fixed.asl.json": fixed,
    "order-7.sfnrun": {
      format: "stepglass-execution",
      version: 1,
      execution: {
        executionArn: ARN,
        status: history.at(-1).type.replace("Execution", "").toUpperCase(),
        error: history.at(-1).executionFailedEventDetails?.error,
        input: JSON.stringify(input),
      },
      stateMachine: { definition: JSON.stringify(order) },
      history,
    },
    "history.json": { events: history },
  });
}
const content = (folder, name) => parse(readFileSync(join(folder, name), "utf8"));

test("records a test that has the execution's input, results and path, and passes", async () => {
  const { folder, stepglass } = recorded(120);
  const { code, stdout, stderr } = await stepglass("test", "--record", "order-7.sfnrun", "order.asl.json");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^order-7\.stepglass\.yaml: 2 mocked calls, \d+ bytes of payloads\n$/);
  const { definition, tests } = content(folder, "order-7.stepglass.yaml");
  assert.equal(definition, "order.asl.json");
  const [{ expect, mocks, ...first }] = tests;
  assert.deepEqual(first, { name: "order-7: SUCCEEDED", input });
  assert.deepEqual(mocks.Charge[0], { throw: "Busy", cause: "try later", after: "500 ms" });
  assert.deepEqual([expect.path, expect.retries, expect.entered.Pack], [["Charge", "Enough", "Each"], { Charge: 1 }, 2]);
  assert.equal((await stepglass("test")).code, 0);
  // The test fails for another definition.
  writeFileSync(join(folder, "order.asl.json"), JSON.stringify(order).replace("100", "1000"));
  assert.equal((await stepglass("test")).code, 1);
  // An existing file is not overwritten, because somebody may have edited it.
  const again = await stepglass("test", "--record", "order-7.sfnrun", "order.asl.json");
  assert.equal(again.code, 2);
  assert.match(again.stderr, /order-7\.stepglass\.yaml exists/);
});

test("minimizes a test to what its path depends on", async () => {
  const { folder, stepglass } = recorded(120);
  const { code, stdout, stderr } = await stepglass("test", "--record", "order-7.sfnrun", "--minimize", "-o", "small.stepglass.yaml");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /small\.stepglass\.yaml: 2 mocked calls, \d+ bytes of payloads, \d+ before; \d+ runs took the same path\n/);
  const { definition, tests } = content(folder, "small.stepglass.yaml");
  assert.deepEqual(definition, order, "without a file's name the test has the definition that ran");
  assert.deepEqual(tests[0].input, { items: [{}, {}] });
  assert.deepEqual(tests[0].mocks, { Charge: [{ throw: "Busy" }, { return: { amount: 120 } }] });
  assert.equal(tests[0].expect.output, undefined);
  assert.equal((await stepglass("test", "small.stepglass.yaml")).code, 0);
});

test("expects the result of a fixed definition, and says where the recording differs", async () => {
  const { folder, stepglass } = recorded(50);
  const { code, stdout } = await stepglass("test", "--record", "order-7.sfnrun", "fixed.asl.json");
  assert.equal(code, 0);
  assert.match(
    stdout,
    /The recording ended with FAILED, and this definition with SUCCEEDED; the test expects what the definition does now/,
  );
  assert.equal(content(folder, "order-7.stepglass.yaml").tests[0].expect.status, "SUCCEEDED");
  const same = await stepglass("test", "--record", "history.json", "order.asl.json", "--json");
  const { differs, passed } = JSON.parse(same.stdout);
  assert.deepEqual([differs, passed], [undefined, true]);
  assert.deepEqual(content(folder, "history.stepglass.yaml").tests[0].expect, {
    status: "FAILED",
    error: "TooLittle",
    path: ["Charge", "Enough", "Refuse"],
    retries: { Charge: 1 },
  });
});

test("refuses what no test can be made of, with a reason", async () => {
  const { stepglass } = folderWith({
    "order.asl.json": order,
    "running.json": { events: [{ id: 1, previousEventId: 0, timestamp: "2026-01-01T00:00:00Z", type: "ExecutionStarted" }] },
  });
  for (const [args, message] of [
    [["--record", "running.json", "order.asl.json"], /has not ended/],
    [["--record", "absent.sfnrun", "order.asl.json"], /cannot read absent\.sfnrun: no such file/],
    [["--minimize"], /--minimize needs --record/],
  ]) {
    const { code, stderr } = await stepglass("test", ...args);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});
