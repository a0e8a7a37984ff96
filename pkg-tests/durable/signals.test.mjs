// Signals, exposed state and queries: how a running execution receives messages, and what it reports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { atEveryWrite, execution, quiet, surroundings } from "./surroundings.mjs";

const wait = (name, more) => ({ Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: name }, ...more });
const ORDER = {
  StartAt: "Change",
  States: {
    Change: wait("change", { ResultPath: "$.first", Next: "Again" }),
    Again: wait("change", { ResultPath: "$.second", Next: "Pay" }),
    Pay: wait("paid", { ResultPath: "$.paid", End: true }),
  },
};

test("a wait takes the signals of its name in order, whether they come before or while it waits", async () => {
  const { restart, close } = surroundings({ machines: { Order: ORDER } });
  let now = await restart();
  const { arn } = await now.start("Order", { name: "o" });
  await now.signal(arn, "paid", { by: "ann" });
  now = await restart();
  await now.signal(arn, "change", 1);
  now = await restart();
  await now.signal(arn, "other");
  const order = await now.get(arn);
  assert.deepEqual((await order.query()).signals, { paid: 1, other: 1 });
  await order.signal("change", 2);
  assert.deepEqual(await order.result, { status: "SUCCEEDED", output: { first: 1, second: 2, paid: { by: "ann" } } });
  await assert.rejects(order.signal("change", 3), { code: "NOT_RUNNING" });
  await assert.rejects(now.signal("arn:nothing", "change"), { code: "UNKNOWN_EXECUTION" });
  await assert.rejects(order.signal(""), { code: "INVALID_ARGUMENT" });
  for (const wrong of [undefined, 7, {}]) {
    await assert.rejects(now.signal(wrong, "change"), { code: "INVALID_ARGUMENT", message: /its ARN/ });
    await assert.rejects(now.get(wrong), { code: "INVALID_ARGUMENT", message: /its ARN/ });
  }
  await close();
});

test("no signal is lost or taken twice, whichever write the process dies at", async () => {
  const outlived = await atEveryWrite(
    () => ({
      options: { machines: { Order: ORDER } },
      check: async (runtime) => {
        const { result } = await runtime.get("Order", "o");
        assert.deepEqual(await result, { status: "SUCCEEDED", output: { first: "a", second: "b", paid: null } });
      },
    }),
    async (runtime) => {
      const order = await execution(runtime, "Order", { name: "o" });
      // An execution that has ended has received all signals, so a repeated one is refused.
      const send = (name, payload, id) => order.signal(name, payload, { id }).catch((refused) => assert.equal(refused.code, "NOT_RUNNING"));
      await send("change", "a", "1");
      await send("paid", null, "2");
      await send("change", "b", "3");
      await order.result;
    },
  );
  assert.ok(outlived >= 5, `${outlived} writes`);
});

test("a signal that comes after a wait timed out goes to the next wait", async () => {
  const machine = {
    StartAt: "Short",
    States: {
      Short: wait("go", {
        TimeoutSeconds: 10,
        End: true,
        Catch: [{ ErrorEquals: ["States.Timeout"], ResultPath: "$.late", Next: "Long" }],
      }),
      Long: wait("go", { ResultPath: "$.got", End: true }),
    },
  };
  const { clock, restart, close } = surroundings({ machines: { M: machine } });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  await quiet();
  // The time-out is due, but its timer has not fired yet.
  clock.time += 10_000;
  await now.signal(arn, "go", "here");
  const { output } = await (await now.get(arn)).result;
  assert.equal(output.got, "here");
  assert.equal(output.late.Error, "States.Timeout");
  await close();
});

test("the time-out of a wait for a signal does not begin again after a restart", async () => {
  const machine = { StartAt: "S", States: { S: wait("go", { TimeoutSeconds: 3600, End: true }) } };
  const { clock, restart, close } = surroundings({ machines: { M: machine } });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  now = await restart();
  await clock.pass(3_000_000);
  now = await restart();
  await clock.pass(599_000);
  assert.equal((await (await now.get(arn)).describe()).status, "RUNNING");
  await clock.pass(1_000);
  // Senders that could not reach the closed runtime have another minute.
  await clock.pass(60_000);
  assert.deepEqual(await (await now.get(arn)).result, { status: "FAILED", error: "States.Timeout" });
  await close();
});

test("executions that wait for signals are unloaded from memory, and loaded again for a signal", async () => {
  const machine = { StartAt: "S", States: { S: wait("go", { End: true }) } };
  const { restart, close } = surroundings({ machines: { M: machine }, resident: 2 });
  const now = await restart();
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => now.start("M", { name: `m-${i}` })));
  await quiet();
  assert.equal(now.resident, 2);
  for (const [i, one] of all.entries()) await one.signal("go", i);
  assert.deepEqual(
    await Promise.all(all.map(async ({ result }) => (await result).output)),
    all.map((_, i) => i),
  );
  await close();
});

test("an execution signals another one exactly once, whichever write the process dies at", async () => {
  const sender = {
    StartAt: "Send",
    States: {
      Send: {
        Type: "Task",
        Resource: "urn:stepglass:signalExecution",
        Parameters: { "ExecutionArn.$": "$.to", Name: "change", "Payload.$": "$.what" },
        ResultPath: null,
        End: true,
      },
    },
  };
  const receiver = {
    StartAt: "A",
    States: { A: wait("change", { ResultPath: "$.a", Next: "B" }), B: wait("end", { ResultPath: "$.b", End: true }) },
  };
  await atEveryWrite(
    () => ({
      options: { machines: { Sender: sender, Receiver: receiver } },
      check: async (runtime) => {
        const { state, signals } = await (await runtime.get("Receiver", "r")).query();
        assert.deepEqual([state, signals], [undefined, {}]);
        const { output } = await (await runtime.get("Receiver", "r")).result;
        assert.deepEqual(output, { a: 12.5, b: "done" });
      },
    }),
    async (runtime) => {
      const { arn: to } = await execution(runtime, "Receiver", { name: "r" });
      const sent = await execution(runtime, "Sender", { name: "s", input: { to, what: 12.5 } });
      assert.equal((await sent.result).status, "SUCCEEDED");
      await runtime.signal(to, "end", "done", { id: "end" }).catch((refused) => assert.equal(refused.code, "NOT_RUNNING"));
      await (
        await runtime.get(to)
      ).result;
    },
  );
});

test("a signal to an unknown execution fails with an error that can be caught and is not retried", async () => {
  const machine = {
    StartAt: "Send",
    States: {
      Send: {
        Type: "Task",
        Resource: "urn:stepglass:signalExecution",
        Parameters: { ExecutionArn: "arn:aws:states:us-east-1:123456789012:execution:M:none", Name: "x" },
        Retry: [{ ErrorEquals: ["States.ALL"] }],
        Catch: [{ ErrorEquals: ["Stepglass.SignalFailed"], Next: "Caught" }],
        Next: "Caught",
      },
      Caught: { Type: "Pass", End: true },
    },
  };
  const { restart, close } = surroundings({ machines: { M: machine } });
  const { Error: error, Cause: cause } = await (await restart()).run("M");
  assert.equal(error, "Stepglass.SignalFailed");
  assert.match(cause, /there is no execution/);
  await close();
});

test("a query reads the exposed state of an execution without changing it", async () => {
  const show = (value, more) => ({
    Type: "Task",
    Resource: "urn:stepglass:setState",
    Parameters: { Value: value },
    ResultPath: null,
    ...more,
  });
  const machine = {
    StartAt: "Begin",
    States: {
      Begin: show({ phase: "waiting", percent: 10 }, { Next: "Wait" }),
      Wait: wait("go", { ResultPath: null, Next: "Finish" }),
      Finish: show("finished", { End: true }),
    },
  };
  const { restart, close } = surroundings({ machines: { M: machine }, resident: 0 });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  now = await restart();
  const asked = await (await now.get(arn)).query();
  assert.deepEqual(
    [asked.status, asked.state, asked.signals, asked.frames.map(({ state }) => state)],
    ["RUNNING", { phase: "waiting", percent: 10 }, {}, ["Wait"]],
  );
  assert.equal(now.resident, 0);
  await now.signal(arn, "go");
  await (
    await now.get(arn)
  ).result;
  now = await restart();
  const ended = await (await now.get(arn)).query();
  assert.deepEqual([ended.status, ended.state, ended.frames], ["SUCCEEDED", "finished", []]);
  assert.equal((await (await now.get(arn)).describe()).state, "finished");
  await close();
});

test("built-in tasks fail for a state that is too large and for invalid parameters", async () => {
  const task = (name, parameters) => ({
    StartAt: "T",
    States: { T: { Type: "Task", Resource: `urn:stepglass:${name}`, Parameters: parameters, End: true } },
  });
  const { restart, close } = surroundings({
    machines: {
      Large: task("setState", { "Value.$": "$.text" }),
      Nothing: task("setState", {}),
      Nameless: task("waitForSignal", { Name: 1 }),
      Unknown: task("teleport", {}),
    },
  });
  const now = await restart();
  const failed = async (machine, input) => {
    const { error, cause } = await (await now.start(machine, { input })).result;
    return [error, cause];
  };
  assert.equal((await failed("Large", { text: "x".repeat(33_000) }))[0], "Stepglass.StateTooLarge");
  assert.deepEqual(await failed("Nothing"), ["Stepglass.InvalidRequest", "Value has to be the value to show: it is missing"]);
  assert.deepEqual(await failed("Nameless"), ["Stepglass.InvalidRequest", "Name has to be the name of a signal: it is 1"]);
  // A newer version may have this task, so the execution is suspended.
  await assert.rejects(now.run("Unknown"), {
    code: "EXECUTION_SUSPENDED",
    message: /has no task "urn:stepglass:teleport"; it has: urn:stepglass:waitForSignal/,
  });
  await close();
});

test("without a runtime, built-in tasks fail with what they need, and mocks can do them", async () => {
  const { StateMachine, validate } = await importSource("js/entries/node.ts");
  const definition = { StartAt: "S", States: { S: wait("go", { End: true }) } };
  assert.deepEqual(validate(definition), []);
  const machine = new StateMachine(definition);
  const { error, cause } = await machine.start().result;
  assert.equal(error, "States.TaskFailed");
  assert.match(cause, /A Runtime of stepglass\/durable does this task; here it needs a handler or a mock.*"urn:stepglass:waitForSignal"/);
  assert.equal(await machine.run({}, { tasks: { "urn:stepglass:waitForSignal": ({ Name }) => `mocked ${Name}` } }), "mocked go");
  assert.equal(await machine.run({}, { tasks: { S: () => "by state" } }), "by state");
});
