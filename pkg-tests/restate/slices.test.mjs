// Slices of executions on a fake of Restate: a worker that dies after any step, calls that are repeated or late, and missed times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { FakeRestate, handlersOf } from "./fake.mjs";

const { RestateClient, StateMachine, partsOf, serveOnRestate } = await importSource("pkg-tests/restate/inside.mjs");

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const ARN = (machine, name = "one") => `arn:aws:states:us-east-1:123456789012:execution:${machine}:${name}`;

const machines = {
  Steps: {
    StartAt: "Draw",
    States: {
      Draw: { Type: "Pass", Parameters: { "id.$": "States.UUID()" }, Next: "First" },
      First: task("echo", { Next: "Both" }),
      Both: {
        Type: "Parallel",
        Branches: ["a", "b"].map((name) => ({ StartAt: name, States: { [name]: task("echo", { End: true }) } })),
        Next: "Wait",
      },
      Wait: { Type: "Wait", Seconds: 60, Next: "Last" },
      Last: task("shaky", { Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 5, MaxAttempts: 1 }], TimeoutSeconds: 10, End: true }),
    },
  },
  Long: { StartAt: "Work", States: { Work: task("work", { End: true }) } },
  Timed: { StartAt: "Work", States: { Work: task("work", { TimeoutSeconds: 5, Next: "Again" }), Again: task("work", { End: true }) } },
  Asking: {
    StartAt: "Ask",
    States: {
      Ask: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {
        Parameters: { QueueUrl: "q", MessageBody: { "token.$": "$$.Task.Token" } },
        End: true,
      }),
    },
  },
  Parent: {
    StartAt: "Child",
    States: {
      Child: task("arn:aws:states:::states:startExecution.sync:2", {
        Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Asking", Name: "child", Input: {} },
        ResultSelector: { "output.$": "$.Output" },
        End: true,
      }),
    },
  },
  Rounds: {
    StartAt: "More",
    States: {
      More: {
        Type: "Choice",
        Choices: [{ Variable: "$.round", NumericLessThan: 3, Next: "Count" }],
        Default: "Done",
      },
      Count: { Type: "Pass", Parameters: { "round.$": "States.MathAdd($.round, 1)" }, Next: "Again" },
      Again: task("urn:stepglass:continueAsNew", { Parameters: { "Input.$": "$" }, End: true }),
      Done: { Type: "Pass", End: true },
    },
  },
  Manual: {
    StartAt: "Approve",
    States: {
      Approve: task("arn:aws:states:us-east-1:123456789012:activity:approve", {
        Retry: [{ ErrorEquals: ["States.Timeout"], IntervalSeconds: 1, MaxAttempts: 1 }],
        TimeoutSeconds: 30,
        End: true,
      }),
    },
  },
  Many: {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "E",
          States: { E: task("odd", { End: true }) },
        },
        ToleratedFailureCount: 2,
        MaxConcurrency: 8,
        End: true,
      },
    },
  },
};

function shaky(input, attempt) {
  if (attempt > 0) return input;
  throw Object.assign(new Error("busy"), { name: "Busy" });
}

/** A fake of Restate with one worker. */
function surroundings({ dieAfter = Infinity, tasks = {}, ...options } = {}) {
  const calls = [];
  const tokens = [];
  const all = {
    echo: (input, { idempotencyKey }) => (calls.push(idempotencyKey), input),
    shaky: (input, { idempotencyKey, attempt }) => {
      calls.push(idempotencyKey);
      return shaky(input, attempt);
    },
    odd: (input) => {
      if (input % 5 === 4) throw new Error("odd");
      return input * 10;
    },
    "sqs:sendMessage": ({ MessageBody: { token } }) => void tokens.push(token),
    ...tasks,
  };
  let restate;
  const parts = partsOf({ machines, tasks: all, shard: 4, ...options }, () => restate.now);
  const handlers = handlersOf(parts);
  restate = new FakeRestate(handlers);
  restate.dieAfter = dieAfter;
  const call = (handler, key, parameter) => restate.call({ service: "StepglassExecution", handler, key }, parameter ?? null);
  return {
    restate,
    calls,
    tokens,
    /** Replaces the worker by another version. */
    deploy: (more) =>
      Object.assign(handlers, handlersOf(partsOf({ machines, tasks: { ...all, ...more }, shard: 4, ...options }, () => restate.now))),
    start: (machine, input = {}, name = "one") =>
      call("start", ARN(machine, name), { machine, name, input: JSON.stringify(input), seed: "7" }),
    tell: (machine, event, name) => call("tell", ARN(machine, name), event),
    stop: (machine, about = {}) => call("stop", ARN(machine), about),
    record: (machine, name) => call("describe", ARN(machine, name)),
    history: (machine) => call("history", ARN(machine)),
    result: (machine) => call("result", ARN(machine)),
    poll: (worker = "w", milliseconds = 60_000) =>
      restate.call(
        { service: "StepglassActivity", handler: "poll", key: "arn:aws:states:us-east-1:123456789012:activity:approve" },
        { worker, milliseconds },
      ),
    schedule: (handler, name, parameter) => restate.call({ service: "StepglassSchedule", handler, key: name }, parameter ?? null),
    /** Advances the clock until a call settles, and returns the call. */
    done: async (call) => {
      let isDone = false;
      call.finally(() => (isDone = true)).catch(() => {});
      await restate.settle();
      while (!isDone && (await restate.skip()));
      return call;
    },
    /** Resolves when an execution exists, because a start waits a moment for its first task. */
    begun: async (machine) => {
      while (!restate.state(ARN(machine)).has("record")) await restate.settle();
      await restate.settle();
    },
    run: async () => {
      while (await restate.skip());
    },
  };
}

const types = (events) => events.map(({ type }) => type);

test("an execution has the same output if its worker dies after any step, and no answered task is called again", async () => {
  const whole = surroundings();
  whole.start("Steps");
  await whole.run();
  const expected = await whole.record("Steps");
  assert.equal(expected.status, "SUCCEEDED");
  const history = types(await whole.history("Steps"));
  for (let dieAfter = 1; ; dieAfter += 1) {
    const world = surroundings({ dieAfter });
    world.start("Steps");
    await world.run();
    const { status, output } = await world.record("Steps");
    assert.deepEqual([status, output], ["SUCCEEDED", expected.output], `died after step ${dieAfter}`);
    assert.deepEqual(types(await world.history("Steps")), history, `died after step ${dieAfter}`);
    assert.deepEqual(new Set(world.calls), new Set(whole.calls));
    // Only tasks that were running when the worker died are called again.
    assert.ok(world.calls.length <= whole.calls.length + 2, `died after step ${dieAfter}: ${world.calls.length} calls`);
    if (world.restate.dieAfter > 0) break;
  }
});

test("an execution has the same history as in memory", async () => {
  const world = surroundings();
  world.start("Steps");
  await world.run();
  const memory = new StateMachine(machines.Steps, {
    name: "Steps",
    arn: ARN("Steps").replace(":execution:", ":stateMachine:").replace(":one", ""),
  });
  const execution = memory.start(
    {},
    {
      name: "one",
      arn: ARN("Steps"),
      seed: 7,
      clock: "virtual",
      startTime: 1_700_000_000_000,
      tasks: {
        echo: (input) => input,
        shaky: (input, { attempt }) => shaky(input, attempt),
      },
    },
  );
  await execution.result;
  assert.deepEqual(await world.history("Steps"), execution.history());
});

test("an execution waits for a handler that its worker lacks, in a slice, in a shard and for a long task", async () => {
  const Each = {
    StartAt: "Each",
    States: {
      Each: { Type: "Map", ItemProcessor: { StartAt: "E", States: { E: task("forgotten", { End: true }) } }, End: true },
    },
  };
  for (const [name, definition, input, output, options] of [
    ["Slice", { StartAt: "A", States: { A: task("echo", { Next: "B" }), B: task("forgotten", { End: true }) } }, { n: 1 }, "there", {}],
    ["Shard", Each, [1, 2, 3, 4, 5], Array(5).fill("there"), {}],
    ["Outside", { StartAt: "B", States: { B: task("forgotten", { End: true }) } }, {}, "there", { longTasks: ["forgotten"] }],
  ]) {
    const own = { [name]: definition };
    const world = surroundings({ machines: own, ...options });
    world.start(name, input);
    for (let i = 0; i < 5; i += 1) await world.restate.skip();
    assert.equal((await world.record(name)).status, "RUNNING", name);
    world.deploy({ forgotten: () => "there" });
    await world.run();
    const { status, output: given } = await world.record(name);
    assert.deepEqual([status, JSON.parse(given)], ["SUCCEEDED", output], name);
    assert.ok(!types(await world.history(name)).some((type) => type.endsWith("Failed")), name);

    const failing = surroundings({ machines: own, missingHandler: "fail", ...options });
    failing.start(name, input);
    await failing.run();
    assert.equal((await failing.record(name)).error, "States.TaskFailed", name);
  }
  assert.throws(() => surroundings({ missingHandler: "skip" }), { code: "INVALID_OPTION" });
});

test("a late timer does not shorten the time-outs of later tasks, and a timer of an earlier wait has no effect", async () => {
  const world = surroundings();
  world.start("Steps");
  await world.restate.settle();
  assert.equal((await world.record("Steps")).status, "RUNNING");
  assert.deepEqual(await world.tell("Steps", { type: "timer", id: 99 }), { known: true, counts: false });
  // The worker was away for an hour.
  await world.restate.skip(3_600_000);
  await world.run();
  assert.equal((await world.record("Steps")).status, "SUCCEEDED");
});

test("the answer and the heartbeat of an outdated call are refused", async () => {
  const world = surroundings({ longTasks: ["Work"], tasks: { work: () => new Promise(() => {}) } });
  world.start("Long");
  await world.restate.settle();
  const answer = { at: world.restate.now, facts: [["succeed", 0, '"zombie"']] };
  const [task, fence] = world.restate.state(ARN("Long")).get("standing").notes.long[0];
  answer.facts[0][1] = task;
  assert.deepEqual(await world.tell("Long", { type: "answer", task, fence: fence - 1, answer }), { known: true, counts: false });
  assert.deepEqual(await world.tell("Long", { type: "beat", task, fence: fence - 1 }), { known: true, counts: false });
  assert.deepEqual(await world.tell("Long", { type: "answer", task, fence, answer }), { known: true, counts: true });
  assert.deepEqual(await world.tell("Long", { type: "answer", task, fence, answer }), { known: true, counts: false });
  const { status, output } = await world.record("Long");
  assert.deepEqual([status, output], ["SUCCEEDED", '"zombie"']);
});

test("a stop aborts the handlers of a running slice, and a long task that timed out is cancelled", async () => {
  const aborted = [];
  const work = (_input, { signal, stateName }) =>
    new Promise(() => signal.addEventListener("abort", () => aborted.push([stateName, signal.reason.reason])));
  const world = surroundings({ tasks: { work } });
  world.start("Timed");
  await world.begun("Timed");
  await world.stop("Timed", { error: "Enough" });
  const stopped = await world.record("Timed");
  assert.deepEqual([stopped.status, stopped.error, aborted], ["ABORTED", "Enough", [["Work", "Stopped"]]]);
  const other = surroundings({ longTasks: ["Work"], tasks: { work } });
  other.start("Timed");
  await other.run();
  assert.deepEqual([(await other.record("Timed")).error, aborted.length], ["States.Timeout", 2]);
});

test("a handler that sleeps for longer than a timer can last runs until its state times out", async () => {
  for (const milliseconds of [Infinity, 2 ** 31]) {
    const world = surroundings({ longTasks: ["Work"], tasks: { work: (_input, task) => task.sleep(milliseconds) } });
    world.start("Timed");
    await world.run();
    assert.equal((await world.record("Timed")).error, "States.Timeout");
  }
});

test("a token can be answered once, and a child answers its parent, if a worker dies after any step", async () => {
  for (let dieAfter = 1; ; dieAfter += 1) {
    const world = surroundings({ dieAfter });
    world.start("Parent");
    await world.restate.settle();
    const token = world.tokens.at(-1);
    const completion = ["succeed", '{"yes":1}'];
    const answers = await Promise.all([1, 2].map(() => world.tell("Asking", { type: "token", token, completion }, "child")));
    assert.deepEqual(answers.map(({ counts }) => counts).sort(), [false, true], `died after step ${dieAfter}`);
    await world.run();
    assert.equal((await world.record("Parent")).output, '{"output":{"yes":1}}', `died after step ${dieAfter}`);
    if (world.restate.dieAfter > 0) break;
  }
});

test("a redrive is acknowledged when it is stored, and refused while the execution runs", async () => {
  let isMended = false;
  const work = () => {
    if (!isMended) throw new Error("not yet");
    return new Promise(() => {});
  };
  const world = surroundings({ tasks: { work } });
  world.start("Long");
  await world.run();
  assert.equal((await world.record("Long")).status, "FAILED");
  isMended = true;
  assert.deepEqual(await world.tell("Long", { type: "redrive" }), { known: true, counts: true });
  await world.restate.settle();
  const again = await world.tell("Long", { type: "redrive" });
  assert.deepEqual(again.refused, ["NOT_REDRIVABLE", "Execution is RUNNING and cannot be redriven"]);
  const { status, redriveCount, error } = await world.record("Long");
  assert.deepEqual([status, redriveCount, error], ["RUNNING", 1, undefined]);
});

test("the items of a Distributed Map run in shards, and failures are tolerated up to ToleratedFailureCount", async () => {
  for (const [count, status] of [
    [10, "SUCCEEDED"],
    [20, "FAILED"],
  ]) {
    const world = surroundings();
    world.start(
      "Many",
      Array.from({ length: count }, (_, i) => i),
    );
    await world.run();
    const record = await world.record("Many");
    assert.equal(record.status, status);
    if (status === "SUCCEEDED") assert.equal(record.output, "[0,10,20,30,50,60,70,80]");
    else assert.equal(record.error, "States.ExceedToleratedFailureThreshold");
  }
});

test("a call that waits for the end of an execution receives it, and retention removes the execution", async () => {
  const world = surroundings({ retention: { days: 1 } });
  assert.equal(await world.result("Asking"), null);
  world.start("Asking");
  await world.restate.settle();
  const result = world.result("Asking");
  await world.restate.settle();
  await world.tell("Asking", { type: "token", token: world.tokens[0], completion: ["fail", "No", "cause"] });
  assert.deepEqual(await result, { status: "FAILED", error: "No", cause: "cause" });
  assert.deepEqual(await world.tell("Asking", { type: "signal", name: "a", payload: "1" }), {
    known: true,
    counts: false,
    refused: ["NOT_RUNNING", `the execution ${ARN("Asking")} has ended: it takes no signals`],
  });
  await world.run();
  assert.equal(await world.record("Asking"), null);
});

test("an execution continues as a new one, also if its worker dies after any step", async () => {
  for (let dieAfter = 1; ; dieAfter += 1) {
    const world = surroundings({ dieAfter });
    world.start("Rounds", { round: 1 });
    await world.run();
    const first = await world.record("Rounds");
    assert.equal(first.status, "SUCCEEDED");
    assert.equal(first.continuedTo, ARN("Rounds", "one.2"));
    assert.deepEqual(Object.keys(JSON.parse(first.output)), ["ExecutionArn", "StartDate"]);
    const second = await world.record("Rounds", "one.2");
    assert.deepEqual({ ...second.continued, task: 0 }, { run: 2, base: "one", from: ARN("Rounds"), task: 0 });
    assert.equal(second.continuedTo, ARN("Rounds", "one.3"));
    const third = await world.record("Rounds", "one.3");
    assert.deepEqual([third.output, third.continuedTo], ['{"round":3}', undefined]);
    assert.equal(await world.record("Rounds", "one.4"), null);
    if (world.restate.dieAfter > 0) break;
  }
});

test("continuing as new fails if the next name is taken", async () => {
  const world = surroundings();
  world.start("Rounds", { round: 3 }, "one.2");
  await world.run();
  world.start("Rounds", { round: 1 });
  await world.run();
  const { status, error, cause, continuedTo } = await world.record("Rounds");
  assert.deepEqual([status, error, continuedTo], ["FAILED", "Stepglass.ContinueFailed", undefined]);
  assert.match(cause, /the name "one.2" of the next execution is taken/);
});

test("a waiting execution is migrated only to a definition that has its state", async () => {
  const world = surroundings();
  world.start("Steps");
  await world.restate.settle();
  const other = structuredClone(machines.Steps);
  delete other.States.Wait;
  other.States.Both.Next = "Last";
  const refused = await world.tell("Steps", { type: "migrate", definition: JSON.stringify(other) });
  assert.deepEqual([refused.counts, refused.refused[0], refused.problems.length], [false, "NOT_MIGRATABLE", 1]);
  const better = structuredClone(machines.Steps);
  better.States.Last = { Type: "Pass", Result: "better", End: true };
  assert.deepEqual(await world.tell("Steps", { type: "migrate", definition: JSON.stringify(better) }), { known: true, counts: true });
  assert.deepEqual(await world.tell("Steps", { type: "migrate", definition: JSON.stringify(better) }), { known: true, counts: false });
  assert.ok((await world.record("Steps")).migratedDate > 0);
  await world.run();
  const { status, output } = await world.record("Steps");
  assert.deepEqual([status, output], ["SUCCEEDED", '"better"']);
  assert.equal((await world.tell("Steps", { type: "migrate" })).refused[0], "NOT_MIGRATABLE");
});

test("a task of an activity is given to one worker, if a worker dies after any step", async () => {
  for (let dieAfter = 1; ; dieAfter += 1) {
    const world = surroundings({ dieAfter });
    world.start("Manual", { amount: 1 });
    await world.restate.settle();
    const { taskToken, input } = await world.done(world.poll("first"));
    const other = world.poll("second", 1000);
    assert.deepEqual(JSON.parse(input), { amount: 1 });
    const answer = { type: "token", token: taskToken, completion: ["succeed", '"yes"'] };
    assert.equal((await world.done(world.tell("Manual", answer))).counts, true);
    await world.run();
    assert.equal(await other, null);
    const { status, output } = await world.record("Manual");
    assert.deepEqual([status, output], ["SUCCEEDED", '"yes"'], `after step ${dieAfter}`);
    const started = (await world.history("Manual")).filter(({ type }) => type === "ActivityStarted");
    assert.deepEqual(
      started.map(({ activityStartedEventDetails: { workerName } }) => workerName),
      ["first"],
    );
    if (world.restate.dieAfter > 0) break;
  }
});

test("a polling worker receives a new task, but no task that has timed out or was stopped", async () => {
  const world = surroundings();
  const waits = world.poll("early");
  await world.restate.settle();
  world.start("Manual", { amount: 2 });
  await world.restate.settle();
  const first = await world.done(waits);
  assert.deepEqual(JSON.parse(first.input), { amount: 2 });
  // The worker does not answer, so the state times out and the task is offered again with another token.
  await world.restate.skip();
  await world.restate.skip();
  await world.restate.skip();
  const second = await world.done(world.poll("late"));
  assert.notEqual(second.taskToken, first.taskToken);
  const late = { type: "token", token: first.taskToken, completion: ["succeed", "1"] };
  assert.equal((await world.tell("Manual", late)).counts, false);
  await world.done(world.stop("Manual"));
  world.start("Manual", {}, "two");
  await world.restate.settle();
  await world.done(world.restate.call({ service: "StepglassExecution", handler: "stop", key: ARN("Manual", "two") }, {}));
  assert.equal((await world.record("Manual", "two")).status, "ABORTED");
  const none = world.poll("nobody", 1000);
  await world.run();
  assert.equal(await none, null);
});

test("a schedule starts each of its executions once, also if its worker dies after any step", async () => {
  for (let dieAfter = 1; ; dieAfter += 1) {
    const world = surroundings({ dieAfter });
    const put = world.schedule("put", "hourly", {
      machine: "Rounds",
      cron: "@hourly",
      input: { round: 3, at: "<aws.scheduler.scheduled-time>" },
    });
    await world.restate.settle();
    const { next } = await put;
    const names = [];
    for (let i = 0; i < 2; i += 1) {
      await world.restate.skip();
      const time = new Date(next + i * 3_600_000).toISOString();
      const name = `hourly-${time.slice(0, 19).replace(/[-:]/g, "")}Z`;
      const record = await world.record("Rounds", name);
      assert.deepEqual([record?.status, record?.output], ["SUCCEEDED", JSON.stringify({ round: 3, at: time })], `after step ${dieAfter}`);
      names.push(name);
    }
    assert.equal(await world.schedule("remove", "hourly"), true);
    assert.equal(await world.schedule("remove", "hourly"), false);
    while (await world.restate.skip());
    assert.equal(world.restate.now, next + 2 * 3_600_000);
    if (world.restate.dieAfter > 0) break;
  }
});

test("a schedule skips, delays or makes a start, as overlap says, while the previous execution runs", async () => {
  for (const overlap of ["skip", "buffer", "allow"]) {
    const world = surroundings();
    const { next } = await world.schedule("put", "often", { machine: "Asking", every: "1 h", overlap });
    const name = (i) => `often-${new Date(next + i * 3_600_000).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
    const exists = async (i) => (await world.record("Asking", name(i))) !== null;
    await world.restate.skip();
    await world.restate.skip();
    assert.deepEqual([await exists(0), await exists(1)], [true, overlap === "allow"], overlap);
    await world.tell("Asking", { type: "token", token: world.tokens[0], completion: ["succeed", "1"] }, name(0));
    await world.restate.settle();
    assert.equal(await exists(1), overlap !== "skip", overlap);
  }
});

test("a schedule makes up for missed times as catchUp says", async () => {
  for (const [catchUp, count] of [
    ["one", 1],
    ["all", 4],
    ["none", 0],
  ]) {
    const world = surroundings();
    const { next } = await world.schedule("put", "often", {
      machine: "Rounds",
      every: "1 h",
      overlap: "allow",
      catchUp,
      input: { round: 3 },
    });
    await world.restate.skip(3.5 * 3_600_000);
    let started = 0;
    for (let i = 0; i < 4; i += 1) {
      const name = `often-${new Date(next + i * 3_600_000).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
      if ((await world.record("Rounds", name)) !== null) started += 1;
    }
    assert.equal(started, count, catchUp);
  }
  const world = surroundings();
  for (const options of [{ machine: "Rounds" }, { machine: "Rounds", cron: "0 0 30 2 *" }, { machine: "Rounds", cron: "61 * * * *" }])
    await assert.rejects(world.schedule("put", "wrong", options), { name: "Refused", code: "INVALID_OPTION" });
});

test("errors name a missing SDK, an unreachable server and an unknown option", async () => {
  // The SDK is installed in this folder, where the sources cannot resolve it.
  await assert.rejects(serveOnRestate({ machines: {}, port: 0 }), { code: "RESTATE_NO_SDK", message: /npm install @restatedev/ });
  await assert.rejects(serveOnRestate({ machine: {} }), { code: "INVALID_OPTION", message: /no option "machine"/ });
  await assert.rejects(serveOnRestate({ machines: {}, port: "9080" }), { code: "INVALID_OPTION" });
  const client = new RestateClient("http://127.0.0.1:1");
  await assert.rejects(client.start("Order"), { code: "RESTATE_UNREACHABLE", message: /127\.0\.0\.1:1 does not answer/ });
  await assert.rejects(client.list(), { code: "INVALID_OPTION", message: /admin/ });
  assert.throws(() => new RestateClient("restate"), { code: "INVALID_OPTION" });
});
