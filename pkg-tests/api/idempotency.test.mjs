// Idempotency keys of tasks: a service does the work once, however often it is called.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine } from "stepglass";
import { DebugSession } from "stepglass/debug";
import { serve } from "stepglass/server";
import { LAMBDA, deferred, lambda, turn, watchRejections } from "./machines.mjs";

watchRejections();

const store = (snapshot) => JSON.parse(JSON.stringify(snapshot));
const never = () => new Promise(() => {});

test("a key stays the same over retries, a restore and a redrive", async () => {
  const machine = lambda({ Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 2 }] });
  const keys = [];
  const gate = deferred();
  const busy = Object.assign(new Error("no"), { name: "Busy" });
  const first = machine.start(
    {},
    {
      name: "one",
      clock: "virtual",
      tasks: (_, task) => {
        keys.push(task.idempotencyKey);
        if (task.attempt < 1) throw busy;
        gate.resolve();
        return never();
      },
    },
  );
  await gate.promise;
  const snapshot = store(first.snapshot());
  first.abort();
  const tasks = (_, task) => {
    keys.push(task.idempotencyKey);
    throw busy;
  };
  const second = machine.restore(snapshot, { clock: "virtual", tasks });
  assert.equal((await second.result).status, "FAILED");
  const third = machine.redrive(second, { clock: "virtual", tasks: (_, task) => keys.push(task.idempotencyKey) });
  assert.equal((await third.result).status, "SUCCEEDED");
  assert.equal(keys.length, 5);
  assert.deepEqual(new Set(keys), new Set([`${first.arn}/2`]));
});

test("each entry of a state, each iteration and each child execution has a key of its own", async () => {
  const state = (fields) => ({ Type: "Task", Resource: LAMBDA, ...fields });
  const processor = (name, mode) => ({
    ...(mode && { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" } }),
    StartAt: name,
    States: { [name]: state({ End: true }) },
  });
  const machine = new StateMachine({
    StartAt: "Loop",
    States: {
      Loop: state({ ResultPath: "$.n", Next: "Again" }),
      Again: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 3, Next: "Loop" }], Default: "Both" },
      Both: {
        Type: "Parallel",
        ResultPath: null,
        Branches: [processor("P"), processor("Q")],
        Next: "Inline",
      },
      Inline: { Type: "Map", ItemsPath: "$.items", ResultPath: null, ItemProcessor: processor("I"), Next: "Far" },
      Far: { Type: "Map", Label: "L", ItemsPath: "$.items", ResultPath: null, ItemProcessor: processor("D", true), Next: "Farther" },
      Farther: {
        Type: "Map",
        Label: "R",
        ItemReader: {
          Resource: "arn:aws:states:::s3:getObject",
          ReaderConfig: { InputType: "JSON" },
          Parameters: { Bucket: "b", Key: "k" },
        },
        ItemProcessor: processor("E", true),
        ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "b", Prefix: "p" } },
        End: true,
      },
    },
  });
  const run = async (name) => {
    const keys = [];
    let loops = 0;
    const execution = machine.start(
      { items: [1, 2, 3] },
      {
        name,
        seed: 1,
        tasks: (_, task) => {
          keys.push(task.idempotencyKey);
          if (task.purpose === "ItemReader") return [1, 2];
          return task.stateName === "Loop" ? (loops += 1) : {};
        },
      },
    );
    assert.equal((await execution.result).status, "SUCCEEDED");
    assert.ok(keys.every((key) => key.startsWith(`${execution.arn}/`)));
    return keys;
  };
  const keys = await run("one");
  assert.ok(keys.length > 3 + 2 + 3 + 3 + 1 + 2, String(keys.length));
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(await run("one"), keys);
  // With equal seeds children have equal names, but the execution's ARN distinguishes them.
  const other = await run("two");
  assert.equal(new Set([...keys, ...other]).size, 2 * keys.length);
});

test("a handler in the debugger gets the same key as outside of it", async () => {
  const machine = lambda();
  const keys = [];
  const tasks = (_, task) => (keys.push(task.idempotencyKey), 1);
  await machine.run({}, { name: "run-0", tasks });
  const session = new DebugSession(machine, { input: {}, name: "run-0", tasks });
  await session.continue();
  await turn();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test("a handler of the server gets a key with the server's ARN", async (t) => {
  const keys = [];
  const tasks = {
    Add: (_, task) => {
      keys.push([task.execution.arn, task.idempotencyKey]);
      if (task.attempt === 0) throw new Error("once");
      return 1;
    },
  };
  const server = await serve({ port: 0, tasks });
  t.after(() => server.close());
  const call = async (operation, request) => {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` };
    const response = await fetch(server.url, { method: "POST", headers, body: JSON.stringify(request) });
    assert.equal(response.status, 200, operation);
    return response.json();
  };
  const definition = {
    StartAt: "T",
    States: {
      T: { Type: "Task", Resource: LAMBDA, Retry: [{ ErrorEquals: ["Error"], IntervalSeconds: 1 }], End: true },
    },
  };
  const { stateMachineArn } = await call("CreateStateMachine", {
    name: "m",
    roleArn: "arn:aws:iam::123456789012:role/r",
    type: "EXPRESS",
    definition: JSON.stringify(definition),
  });
  const { status, executionArn } = await call("StartSyncExecution", { stateMachineArn, name: "e" });
  assert.equal(status, "SUCCEEDED");
  assert.equal(keys.length, 2);
  for (const [arn, key] of keys) assert.deepEqual([arn, key], [executionArn, `${executionArn}/2`]);
});
