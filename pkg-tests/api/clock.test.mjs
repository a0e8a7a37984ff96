// Real, virtual and custom clocks, and waits of any length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine } from "stepglass";
import { HandClock, LAMBDA, lambda, task, turn, watchRejections } from "./machines.mjs";

watchRejections();

const wait = (fields) => new StateMachine({ StartAt: "W", States: { W: { Type: "Wait", Next: "S", ...fields }, S: { Type: "Succeed" } } });

test("a wait of a year sets one timer at a time, none longer than setTimeout allows", async () => {
  const clock = new HandClock();
  const start = clock.time;
  const running = wait({ Seconds: 365 * 86_400 }).start({}, { clock });
  await turn();
  let rings = 0;
  while (running.status === "RUNNING") {
    assert.ok(clock.timers.size <= 1);
    if (!clock.ring()) break;
    rings += 1;
    await turn();
  }
  assert.equal(running.status, "SUCCEEDED");
  assert.equal(clock.time - start, 365 * 86_400_000);
  assert.ok(rings > 10, "one setTimeout lasts at most 24.8 days");
  assert.equal(clock.timers.size, 0);
});

test("a timer that fires early is set again", async () => {
  const clock = new HandClock();
  const running = wait({ Seconds: 10 }).start({}, { clock });
  await turn();
  clock.ring(1);
  await turn();
  assert.equal(running.status, "RUNNING");
  clock.ring();
  await turn();
  assert.equal(running.status, "SUCCEEDED");
});

test("a clock that goes back causes no error", async () => {
  const clock = new HandClock();
  const running = wait({ Seconds: 10 }).start({}, { clock });
  await turn();
  clock.time -= 3_600_000;
  for (let i = 0; i < 5 && clock.ring(); i++) await turn();
  assert.equal(running.status, "SUCCEEDED");
});

test("a clock that throws fails the execution, and no other", async () => {
  const broken = () => {
    throw new Error("stopped clock");
  };
  for (const part of ["now", "setTimeout", "clearTimeout"]) {
    const clock = Object.assign(new HandClock(), { [part]: broken });
    const running = lambda({ TimeoutSeconds: 5 }).start({}, { clock, tasks: { Add: () => new Promise(() => {}) } });
    await turn();
    running.abort();
    const result = await running.result;
    assert.match(result.status, /FAILED|ABORTED/);
    if (part !== "clearTimeout") assert.match(result.cause, /stopped clock/);
    assert.ok(running.history().length > 0);
  }
});

test("an execution that has ended leaves no timer behind", async () => {
  const clock = new HandClock();
  const running = lambda({ TimeoutSeconds: 100 }).start({}, { clock, tasks: { Add: async () => 1 } });
  await running.result;
  await turn();
  assert.equal(clock.timers.size, 0);
});

test("a wait takes its time on the real clock", async () => {
  const started = Date.now();
  await wait({ Seconds: 1 }).run();
  assert.ok(Date.now() - started >= 995);
});

test("fake timers of a test framework advance the waits", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setImmediate", "Date"] });
  const running = wait({ Seconds: 3600 }).start();
  await Promise.resolve();
  t.mock.timers.tick(3_599_999);
  await Promise.resolve();
  assert.equal(running.status, "RUNNING");
  t.mock.timers.tick(1);
  assert.equal((await running.result).status, "SUCCEEDED");
});

test("a virtual clock jumps over waits, back-offs and timeouts", async () => {
  const running = wait({ Seconds: 86_400 }).start({}, { clock: "virtual", startTime: Date.UTC(2030, 0, 1) });
  await running.result;
  const [first, last] = [running.history()[0], running.history().at(-1)];
  assert.equal(Date.parse(first.timestamp), Date.UTC(2030, 0, 1));
  assert.equal(Date.parse(last.timestamp), Date.UTC(2030, 0, 2));
});

test("a virtual clock stands still while a handler's promise is pending", async () => {
  const machine = new StateMachine({
    StartAt: "P",
    States: {
      P: {
        Type: "Parallel",
        End: true,
        Branches: [
          { StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, TimeoutSeconds: 5, End: true } } },
          { StartAt: "W", States: { W: { Type: "Wait", Seconds: 3600, End: true } } },
        ],
      },
    },
  });
  const running = machine.start({}, { clock: "virtual", tasks: { Add: async () => (await turn(), await turn(), "kept") } });
  assert.deepEqual((await running.result).output, ["kept", {}]);
});

test("a callback on a virtual clock may be answered in the same turn of the event loop, else it times out", async () => {
  const machine = task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", { "Token.$": "$$.Task.Token" }, { TimeoutSeconds: 100 });
  const answered = machine.start(
    {},
    { clock: "virtual", tasks: { T: ({ Token }, task) => void queueMicrotask(() => task.execution.succeed(Token, "now")) } },
  );
  assert.equal((await answered.result).output, "now");
  const forgotten = machine.start({}, { clock: "virtual", tasks: { T: () => ({}) } });
  assert.equal((await forgotten.result).error, "States.Timeout");
});

test("10,000 waits on a virtual clock end at once", async () => {
  const machine = new StateMachine({
    StartAt: "W",
    States: {
      W: { Type: "Wait", Seconds: 60, Next: "N" },
      N: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "C" },
      C: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 10_000, Next: "W" }], Default: "S" },
      S: { Type: "Succeed" },
    },
  });
  assert.deepEqual(await machine.run({ n: 0 }, { clock: "virtual", historyLimit: 0 }), { n: 10_000 });
});

const slow = {
  StartAt: "T",
  States: { T: { Type: "Task", Resource: "slow", TimeoutSeconds: 60, Next: "W" }, W: { Type: "Wait", Seconds: 5, End: true } },
};

test("a handler that sleeps advances the virtual clock, and a handler that works does not", async () => {
  const parallel = {
    StartAt: "P",
    States: {
      P: {
        Type: "Parallel",
        End: true,
        Branches: ["A", "B"].map((name) => ({ StartAt: name, States: { [name]: { Type: "Task", Resource: name, End: true } } })),
      },
    },
  };
  const order = [];
  const tasks = {
    A: async (_, t) => {
      await t.sleep(86_400_000);
      order.push("A");
    },
    B: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push("B");
    },
  };
  const execution = new StateMachine(parallel).start({}, { tasks, clock: "virtual", startTime: 0 });
  assert.equal((await execution.result).status, "SUCCEEDED");
  assert.deepEqual(order, ["B", "A"]);
  assert.equal(Date.parse(execution.history().at(-1).timestamp), 86_400_000);
});

test("a sleep that is longer than the task's timeout is cut off", async () => {
  let reason;
  const tasks = { slow: (_, t) => t.sleep(60_000).catch((thrown) => (reason = thrown)) };
  const execution = new StateMachine(slow).start({}, { tasks, clock: "virtual" });
  assert.equal((await execution.result).error, "States.Timeout");
  assert.equal(reason.reason, "Timeout");
});

test("a sleep that nobody awaits does not hold up the clock, real or virtual", async () => {
  for (const clock of ["virtual", "real"]) {
    const tasks = { slow: (_, t) => Promise.race([t.sleep(1), t.sleep(50_000)]) };
    const machine = new StateMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: "slow", End: true } } });
    const execution = machine.start({}, { tasks, clock, startTime: 0 });
    assert.equal((await execution.result).status, "SUCCEEDED");
    if (clock === "virtual") assert.equal(Date.parse(execution.history().at(-1).timestamp), 1);
  }
});

test("an execution that waits forever is reported with a virtual clock", async () => {
  const idle = [];
  const onIdle = (_, execution) => {
    idle.push(execution.frames().map(({ state }) => state));
    execution.abort("Stuck");
  };
  const tasks = { slow: (_, t) => t.sleep(Infinity) };
  const machine = new StateMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: "slow", End: true } } });
  assert.equal((await machine.start({}, { tasks, onIdle, clock: "virtual" }).result).status, "ABORTED");
  assert.deepEqual(idle, [["T"]]);
});

test("onIdle is called for a parent whose child execution waits forever", async () => {
  const child = new StateMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: "slow", End: true } } }, { name: "Child" });
  const start = {
    Type: "Task",
    Resource: "arn:aws:states:::states:startExecution.sync:2",
    Parameters: { StateMachineArn: "Child" },
    End: true,
  };
  const parent = new StateMachine({ StartAt: "P", States: { P: start } });
  const tasks = { slow: (_, t) => t.sleep(Infinity) };
  const execution = parent.start({}, { tasks, machines: [child], clock: "virtual", onIdle: (_, it) => it.abort() });
  assert.equal((await execution.result).status, "ABORTED");
});
