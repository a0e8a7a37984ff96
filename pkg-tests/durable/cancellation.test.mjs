// Cooperative cancellation: waiting states fail with an error that Catch can handle, and the clean-up after it is not cancelled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEveryWrite, execution, quiet, surroundings } from "./surroundings.mjs";

const CAUGHT = [{ ErrorEquals: ["Stepglass.Cancelled"], ResultPath: "$.why", Next: "Clean" }];
const CLEAN = { Clean: { Type: "Task", Resource: "clean", ResultPath: "$.clean", End: true } };
const ALL = [{ ErrorEquals: ["States.ALL"] }];

/** A machine whose first state catches a cancellation and then runs the state `Clean`. */
const guarded = (state) => ({ StartAt: "Work", States: { Work: { ...state, Catch: CAUGHT, Next: "Clean" }, ...CLEAN } });
const inBranch = (...states) => ({
  Type: "Parallel",
  Branches: states.map((state, i) => ({ StartAt: `B${i}`, States: { [`B${i}`]: { ...state, End: true } } })),
});
const never = () => new Promise(() => {});
const types = async (one) => (await one.history()).map(({ type }) => type);

for (const [what, state] of Object.entries({
  "a task that a handler does": { Type: "Task", Resource: "work", Retry: ALL },
  "a task that waits for its token": {
    Type: "Task",
    Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
    Parameters: { "t.$": "$$.Task.Token" },
  },
  "a wait for a signal": { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" } },
  "a Wait state": inBranch({ Type: "Wait", Seconds: 3600 }),
  "a delay of Retry": { Type: "Task", Resource: "fail", Retry: [{ ErrorEquals: ["Broken"], IntervalSeconds: 3600 }] },
  "branches, all at once": inBranch({ Type: "Task", Resource: "work" }, { Type: "Wait", Seconds: 60 }, { Type: "Task", Resource: "work" }),
})) {
  test(`${what} is cancelled and its clean-up runs, whichever write the process dies at`, async () => {
    await atEveryWrite(
      () => ({
        options: {
          machines: { M: guarded(state) },
          tasks: {
            work: never,
            fail: () => {
              throw Object.assign(new Error("again"), { name: "Broken" });
            },
            "sqs:sendMessage.waitForTaskToken": () => {},
            clean: () => "done",
          },
        },
        check: async (runtime) => {
          const one = await runtime.get("M", "m");
          const { status, output } = await one.result;
          assert.equal(status, "SUCCEEDED");
          assert.deepEqual([output.why, output.clean], [{ Error: "Stepglass.Cancelled", Cause: "the customer left" }, "done"]);
          assert.equal((await one.describe()).cancelRequested, true);
        },
      }),
      async (runtime) => {
        const one = await execution(runtime, "M", { name: "m" });
        await quiet();
        await one.cancel("the customer left");
        await one.result;
      },
    );
  });
}

test("an uncaught cancellation fails the execution, and a retrier for States.ALL does not retry it", async () => {
  const machine = { StartAt: "W", States: { W: { Type: "Task", Resource: "work", Retry: ALL, End: true } } };
  const { restart, close } = surroundings({ machines: { M: machine }, tasks: { work: never } });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  now = await restart();
  const one = await now.get(arn);
  await one.cancel({ by: "ann" });
  assert.deepEqual(await one.result, { status: "FAILED", error: "Stepglass.Cancelled", cause: '{"by":"ann"}' });
  await one.cancel();
  await close();
});

test("the abort signal of a cancelled task is aborted, with its reason, before the clean-up begins", async () => {
  const seen = [];
  const tasks = {
    work: (_, task) =>
      new Promise((_, reject) =>
        task.signal.addEventListener("abort", () => (seen.push(task.signal.reason.reason), reject(task.signal.reason))),
      ),
    clean: () => void seen.push("clean"),
  };
  const { restart, close } = surroundings({ machines: { M: guarded({ Type: "Task", Resource: "work" }) }, tasks });
  const now = await restart();
  const one = await now.start("M");
  await quiet();
  await one.cancel();
  await one.result;
  assert.deepEqual(seen, ["Cancelled", "clean"]);
  await close();
});

test("a second cancellation does not interrupt the clean-up, even after a restart; a stop does", async () => {
  const { restart, close } = surroundings({
    machines: { M: guarded({ Type: "Task", Resource: "work" }) },
    tasks: { work: never, clean: never },
  });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  now = await restart();
  await (await now.get(arn)).cancel("first");
  now = await restart();
  const one = await now.get(arn);
  await one.cancel("second");
  await quiet();
  assert.deepEqual(
    (await one.frames()).map(({ state }) => state),
    ["Clean"],
  );
  await one.stop("Enough");
  assert.equal((await one.result).status, "ABORTED");
  await close();
});

test("onCancel wait: the clean-up begins only when the cancelled handlers have settled", async () => {
  for (const onCancel of ["wait", "abandon"]) {
    const seen = [];
    let settle;
    const tasks = {
      work: async () => (await new Promise((resolve) => (settle = resolve)), seen.push("settled")),
      fail: () => {
        throw new Error("broken");
      },
      clean: () => void seen.push("clean"),
    };
    const machines = {
      M: guarded({ Type: "Task", Resource: "work" }),
      // The same holds for the other branches when one has failed.
      P: {
        StartAt: "P",
        States: {
          P: {
            ...inBranch({ Type: "Task", Resource: "work" }, { Type: "Task", Resource: "fail" }),
            Catch: [{ ...ALL[0], Next: "Clean" }],
            End: true,
          },
          Clean: { Type: "Task", Resource: "clean", End: true },
        },
      },
    };
    const { restart, close } = surroundings({ machines, tasks, taskOptions: { work: { onCancel } } });
    const now = await restart();
    for (const machine of ["M", "P"]) {
      const one = await now.start(machine);
      await quiet();
      if (machine === "M") await one.cancel();
      await quiet();
      settle();
      assert.equal((await one.result).status, "SUCCEEDED");
      await quiet();
    }
    const order = onCancel === "wait" ? ["settled", "clean"] : ["clean", "settled"];
    assert.deepEqual(seen, [...order, ...order]);
    await close();
  }
});

test("onCancel request: the handler decides how its task ends, also when it is called again after a restart", async () => {
  for (const answer of ["done", "throw"]) {
    let calls = 0;
    const tasks = {
      work: (_, task) => {
        calls += 1;
        return new Promise((resolve, reject) => {
          const end = () => {
            if (calls === 1) return;
            if (answer === "done") resolve("half of it");
            else reject(Object.assign(new Error("undone"), { name: "Undone" }));
          };
          if (task.signal.aborted) end();
          else task.signal.addEventListener("abort", end);
        });
      },
      clean: () => "clean",
    };
    const { restart, close } = surroundings({
      machines: { M: { StartAt: "Work", States: { Work: { Type: "Task", Resource: "work", End: true } } } },
      tasks,
      taskOptions: { Work: { onCancel: "request" } },
    });
    let now = await restart();
    const { arn } = await now.start("M", { name: "m" });
    await quiet();
    await (await now.get(arn)).cancel();
    await quiet();
    assert.equal((await (await now.get(arn)).describe()).status, "RUNNING");
    now = await restart();
    const expected =
      answer === "done" ? { status: "SUCCEEDED", output: "half of it" } : { status: "FAILED", error: "Undone", cause: "undone" };
    assert.deepEqual(await (await now.get(arn)).result, expected);
    assert.equal(calls, 2);
    await close();
  }
});

test("a main branch that ends with a Fail state stops the background branch beside it", async () => {
  const machine = {
    StartAt: "Scope",
    States: {
      Scope: {
        Type: "Parallel",
        Branches: [
          {
            StartAt: "Main",
            States: {
              Main: { Type: "Task", Resource: "main", Next: "Done" },
              Done: { Type: "Fail", Error: "ScopeDone", CausePath: "States.JsonToString($)" },
            },
          },
          {
            StartAt: "Monitor",
            States: {
              Monitor: { Type: "Task", Resource: "monitor", Next: "Pause" },
              Pause: { Type: "Wait", Seconds: 10, Next: "Monitor" },
            },
          },
        ],
        Catch: [{ ErrorEquals: ["ScopeDone"], ResultPath: "$.scope", Next: "After" }],
        Next: "After",
      },
      After: { Type: "Pass", Parameters: { "result.$": "States.StringToJson($.scope.Cause)" }, End: true },
    },
  };
  let watched = 0;
  let finish;
  const tasks = { main: () => new Promise((resolve) => (finish = resolve)), monitor: () => void (watched += 1) };
  const { clock, restart, close } = surroundings({ machines: { M: machine }, tasks });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  await quiet();
  await clock.pass(10_000);
  now = await restart();
  await clock.pass(10_000);
  assert.equal(watched, 3);
  finish({ ok: true });
  const one = await now.get(arn);
  assert.deepEqual(await one.result, { status: "SUCCEEDED", output: { result: { ok: true } } });
  assert.ok((await types(one)).includes("WaitStateAborted"));
  await clock.pass(60_000);
  assert.equal(watched, 3);
  await close();
});

test("an execution cancels another one, and a failed cancellation can be caught", async () => {
  const cancel = (to, more) => ({
    Type: "Task",
    Resource: "urn:stepglass:cancelExecution",
    Parameters: { ExecutionArn: to, Details: "by another" },
    ...more,
  });
  const machines = {
    M: guarded({ Type: "Task", Resource: "work" }),
    Other: {
      StartAt: "A",
      States: {
        A: { ...cancel("arn:none", { Catch: [{ ErrorEquals: ["Stepglass.CancelFailed"], Next: "B" }], End: true }) },
        B: cancel("arn:aws:states:us-east-1:123456789012:execution:M:m", { End: true }),
      },
    },
  };
  const { restart, close } = surroundings({ machines, tasks: { work: never, clean: () => "done" } });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  now = await restart();
  assert.deepEqual(await now.run("Other"), {});
  assert.deepEqual((await (await now.get(arn)).result).output.why, { Error: "Stepglass.Cancelled", Cause: "by another" });
  await close();
});

test("retries stop when retryExpirationSeconds have passed", async () => {
  const machine = {
    StartAt: "T",
    States: {
      T: { Type: "Task", Resource: "fail", Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 5, MaxAttempts: 9 }], End: true },
    },
  };
  const at = [];
  const { clock, restart, close } = surroundings({
    machines: { M: machine },
    tasks: { fail: (_, task) => (at.push(task.attempt), Promise.reject(new Error(`attempt ${task.attempt}`))) },
    taskOptions: { fail: { retryExpirationSeconds: 20 } },
  });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  for (const seconds of [5, 10, 20]) {
    now = await restart();
    await clock.pass(seconds * 1000);
  }
  const { status, error, cause } = await (await now.get(arn)).result;
  assert.deepEqual([status, error, at], ["FAILED", "Stepglass.RetryExpired", [0, 1, 2]]);
  assert.equal(cause, "20 seconds for retries have passed: no attempt is made any more");
  await close();
});

test("a clean-up runs once, whether its scope succeeds, fails or is cancelled, and no state runs after a failed one", async () => {
  const machine = {
    StartAt: "Scope",
    States: {
      Scope: {
        Type: "Parallel",
        Branches: [
          {
            StartAt: "Work",
            States: { Work: { Type: "Task", Resource: "work", Next: "After" }, After: { Type: "Task", Resource: "after", End: true } },
          },
        ],
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "Clean" }],
        Next: "Clean",
      },
      Clean: { Type: "Task", Resource: "clean", End: true },
    },
  };
  const calls = [];
  const answers = { succeeds: async () => 1, fails: () => Promise.reject(new Error("broken")), "is cancelled": never };
  const tasks = { work: ({ how }) => answers[how](), after: () => void calls.push("after"), clean: () => void calls.push("clean") };
  const { restart, close } = surroundings({ machines: { M: machine }, tasks });
  const now = await restart();
  for (const [how, expected] of [
    ["succeeds", ["after", "clean"]],
    ["fails", ["clean"]],
    ["is cancelled", ["clean"]],
  ]) {
    calls.length = 0;
    const one = await now.start("M", { input: { how } });
    await quiet();
    if (how === "is cancelled") await one.cancel();
    assert.equal((await one.result).status, "SUCCEEDED", how);
    assert.deepEqual(calls, expected, how);
    assert.equal((await types(one)).filter((type) => type === "TaskScheduled").length, expected.length + 1, how);
  }
  await close();
});

test("task options with an unknown name or an invalid value are refused", async () => {
  const { restart } = surroundings({ machines: {} });
  for (const options of [{ onCancel: "maybe" }, { parentClosePolicy: "kill" }, { retryExpirationSeconds: 0 }, { onCancle: "wait" }])
    await assert.rejects(restart({ taskOptions: { T: options } }), { code: "INVALID_OPTION" });
});
