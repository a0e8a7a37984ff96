// Task tokens: they name their execution, and only that execution can check them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, StateMachine } from "stepglass";
import { importSource } from "../../scripts/sources.mjs";
import { LAMBDA, deferred, task, turn, watchRejections } from "./machines.mjs";

watchRejections();

const { executionOfToken } = await importSource("js/core/tasks/token.ts");

const CALLBACK = "arn:aws:states:::sqs:sendMessage.waitForTaskToken";
const ARN = "arn:aws:states:eu-west-1:123456789012:execution:Bestellung:käufer-7";

test("a token leads to the execution that was started, also from a child execution", () => {
  const callback = { StartAt: "T", States: { T: { Type: "Task", Resource: CALLBACK, Parameters: {}, End: true } } };
  const machine = new StateMachine({
    StartAt: "Both",
    States: {
      Both: {
        Type: "Parallel",
        End: true,
        Branches: [
          { StartAt: "A", States: { A: { ...callback.States.T } } },
          { StartAt: "B", States: { B: { ...callback.States.T, Resource: "arn:aws:states:us-east-1:123456789012:activity:a" } } },
          { StartAt: "C", States: { C: { ...callback.States.T, Resource: "arn:aws:states:::glue:startJobRun.sync" } } },
          {
            StartAt: "M",
            States: {
              M: {
                Type: "Map",
                ItemsPath: "$.items",
                ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, ...callback },
                End: true,
              },
            },
          },
        ],
      },
    },
  });
  const { commands } = new Engine(machine).start(0, { items: [1, 2] }, { arn: ARN, name: "käufer-7" }, 1);
  const tokens = commands.map(({ token }) => token);
  assert.deepEqual(tokens.map(executionOfToken), [ARN, ARN, ARN, ARN, ARN]);
  assert.equal(new Set(tokens).size, 5);
  for (const token of tokens) assert.match(token, /^[\w-]{1,2048}$/);
});

test("a text that is not a token leads nowhere", () => {
  const [{ token }] = new Engine(task(CALLBACK, {})).start(0, {}, { arn: ARN }, 1).commands;
  const bytes = Buffer.from(token, "base64url");
  const broken = Buffer.from(bytes);
  broken[40] = 0xff;
  const other = Buffer.from(bytes);
  other[0] = 2;
  const texts = ["", "token", "a".repeat(64), "0123456789abcdef".repeat(4), ` ${token}`, `${token}=`, token.slice(0, 40)];
  for (const text of [...texts, broken.toString("base64url"), other.toString("base64url"), bytes.subarray(0, 37).toString("base64url")])
    assert.equal(executionOfToken(text), undefined, text);
});

test("a changed token answers nothing", async () => {
  let given;
  const asked = deferred();
  const execution = task(CALLBACK, {}).start({}, { tasks: (_, { token }) => ((given = token), asked.resolve(), {}) });
  await asked.promise;
  const bytes = Buffer.from(given, "base64url");
  for (const at of [0, 4, 36, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    assert.throws(() => execution.succeed(changed.toString("base64url")), { code: "UNKNOWN_TOKEN" });
  }
  assert.equal(execution.succeed(given, 1), true);
  assert.equal((await execution.result).output, 1);
});

test("a snapshot of an earlier version keeps its tokens", async () => {
  const machine = task(CALLBACK, {});
  let given;
  const first = machine.start({}, { tasks: (_, { token }) => ((given = token), {}) });
  await turn();
  const earlier = "0123456789abcdef".repeat(4);
  const snapshot = JSON.parse(JSON.stringify(first.snapshot()).replace(given, earlier));
  first.abort();
  const second = machine.restore(snapshot, { tasks: { [LAMBDA]: () => 1 } });
  assert.throws(() => second.succeed(given), { code: "UNKNOWN_TOKEN" });
  assert.equal(second.succeed(earlier, "done"), true);
  assert.equal((await second.result).output, "done");
});
