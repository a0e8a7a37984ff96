// stepglass test --check-mocks: compares the mocks of test files with the responses of services.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith } from "./command.mjs";

const model = {
  operations: { SendMessage: { output: { shape: "Sent" } } },
  shapes: { Sent: { type: "structure", required: ["MessageId"], members: { MessageId: { type: "string" }, Size: { type: "integer" } } } },
};
const { folder, stepglass } = folderWith({
  "data/lambda/2015-03-31/service-2.json": { operations: {}, shapes: {} },
  "data/sqs/2012-11-05/service-2.json": model,
  "order.asl.json": {
    StartAt: "Send",
    States: {
      Send: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Parameters: { QueueUrl: "q", MessageBody: "b" }, Next: "Charge" },
      Charge: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:charge", End: true },
    },
  },
  "order.stepglass.yaml": `definition: order.asl.json
mocks: { Charge: { return: 7 } }
tests:
  - name: right
    mocks: { Send: { return: { MessageId: "1", Other: 1 } } }
    expect: { status: SUCCEEDED }
  - name: wrong
    mocks: { Send: { return: { MessageId: 1 } } }
    expect: { status: SUCCEEDED }
  - name: short
    mocks: { Send: { return: { Size: 1 } } }
    expect: { status: SUCCEEDED }
`,
});
const run = async (...args) => {
  const { code, stdout, stderr } = await stepglass("test", ...args, { env: { NO_COLOR: "1" } });
  const files = stdout.startsWith("{") || stdout.startsWith("[") ? JSON.parse(stdout) : undefined;
  const tests = (Array.isArray(files) ? files : files?.files)?.flatMap(({ tests }) => tests) ?? [];
  return {
    code,
    stderr,
    failed: tests.filter(({ status }) => status === "failed").map(({ name, failures }) => [name, failures[0].message, failures[0].line]),
  };
};
const models = ["--models", join(folder, "data"), "--json"];

test("does not check mocks unless asked to", async () => {
  assert.deepEqual(await run("--json"), { code: 0, stderr: "", failed: [] });
});

test("fails a test if a mock is not a possible response of the service", async () => {
  const wrong = ["wrong", "sqs:sendMessage cannot return the mock of Send: Field 'MessageId' must be a string", 7];
  const { code, failed } = await run("--check-mocks", ...models);
  assert.deepEqual([code, failed], [1, [wrong]]);
  const strict = await run("--check-mocks=STRICT", ...models);
  const short = ["short", "sqs:sendMessage cannot return the mock of Send: Required field 'MessageId' is missing", 10];
  assert.deepEqual(strict.failed, [wrong, short]);
});

test("refuses a wrong mode, models without the check, and folders without models", async () => {
  assert.match((await run("--check-mocks=NONE")).stderr, /--check-mocks must be PRESENT or STRICT/);
  assert.match((await run("--models", "data")).stderr, /--models needs --check-mocks/);
  const { code, stderr } = await run("--check-mocks", "--models", "data/sqs");
  assert.equal(code, 2);
  assert.match(stderr, /has no models of AWS/);
});
