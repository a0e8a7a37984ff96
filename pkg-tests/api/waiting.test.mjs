// Executions that wait for a time on a real clock: their engines are freed and rebuilt, which nobody must notice.
import assert from "node:assert/strict";
import { test } from "node:test";

let memory;
const { Instance, Memory } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...given) {
    super(...given);
    memory ??= Object.values(this.exports).find((one) => one instanceof Memory);
  }
};
const { StateMachine, TaskError } = await import("stepglass");
const { HandClock, LAMBDA, turn, watchRejections } = await import("./machines.mjs");

watchRejections();

const START = Date.UTC(2026, 0, 1);

/** Waits in branches, a retry after two seconds, a wait of a moment and variables. */
const MACHINE = new StateMachine({
  StartAt: "Both",
  States: {
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Long", States: { Long: { Type: "Wait", Seconds: 3600, End: true } } },
        {
          StartAt: "Short",
          States: {
            Short: { Type: "Wait", SecondsPath: "$.seconds", Assign: { "kept.$": "$.seconds" }, Next: "Flaky" },
            Flaky: {
              Type: "Task",
              Resource: LAMBDA,
              Parameters: { "kept.$": "$kept" },
              Retry: [{ ErrorEquals: ["Again"], IntervalSeconds: 2, MaxAttempts: 3, JitterStrategy: "FULL" }],
              End: true,
            },
          },
        },
      ],
      Next: "Last",
    },
    Last: { Type: "Wait", Seconds: 5, End: true },
  },
});

const handlers = () => {
  let failures = 2;
  return {
    Flaky: async (input) => {
      if (failures-- > 0) throw new TaskError("Again", "not yet");
      return input;
    },
  };
};

/** Lets a clock ring until the execution has ended, and calls `look` before each ring. */
async function toTheEnd(execution, clock, look = () => {}) {
  await turn();
  for (let rings = 0; execution.status === "RUNNING" && rings < 100; rings++) {
    look(execution);
    clock.ring();
    await turn();
    await turn();
  }
}

const options = { seed: 7, name: "e" };
const input = { seconds: 2 };

test("an execution whose engine was freed in its waits has the history of one on a virtual clock", async () => {
  const expected = MACHINE.start(input, { ...options, tasks: handlers(), clock: "virtual", startTime: START });
  await expected.result;
  for (const look of [undefined, (execution) => execution.history(), (execution) => execution.frames()]) {
    const clock = new HandClock();
    clock.time = START;
    const events = [];
    const running = MACHINE.start(input, { ...options, tasks: handlers(), clock, onEvent: (event) => events.push(event), coverage: true });
    await toTheEnd(running, clock, look);
    assert.equal(running.status, "SUCCEEDED");
    assert.deepEqual(running.history(), expected.history());
    assert.deepEqual(events, expected.history());
    assert.equal(running.coverage().hits["/States/Last"], 1);
  }
});

test("a snapshot of a wait whose engine was freed continues elsewhere", async () => {
  const clock = new HandClock();
  clock.time = START;
  const running = MACHINE.start(input, { ...options, tasks: handlers(), clock });
  await turn();
  const snapshot = running.snapshot();
  assert.equal(running.frames().length, 3);
  const [restored, again] = [MACHINE.restore(snapshot, { tasks: handlers(), clock: "virtual" }), running];
  await restored.result;
  await toTheEnd(again, clock);
  const bare = (execution) => execution.history().map(({ id, type, previousEventId }) => ({ id, type, previousEventId }));
  assert.deepEqual(bare(restored), bare(again));
});

test("a wait whose engine was freed can be aborted", async () => {
  const clock = new HandClock();
  const running = MACHINE.start(input, { ...options, clock });
  await turn();
  running.abort("Enough", "of this");
  const { status, error, cause } = await running.result;
  assert.deepEqual({ status, error, cause }, { status: "ABORTED", error: "Enough", cause: "of this" });
  assert.equal(running.history().at(-1).type, "ExecutionAborted");
  assert.equal(clock.timers.size, 0);
});

test("executions that wait take no memory of the module", async () => {
  const clock = { now: () => START, setTimeout: () => 0, clearTimeout: () => {} };
  const machine = new StateMachine({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 60, End: true } } });
  const kept = [];
  const before = memory.buffer.byteLength;
  for (let n = 0; n < 10_000; n++) {
    kept.push(machine.start({ n }, { clock }));
    if (n % 100 === 0) await turn();
  }
  await turn();
  assert.equal(kept.filter(({ status }) => status === "RUNNING").length, 10_000);
  const grown = (memory.buffer.byteLength - before) / 2 ** 20;
  assert.ok(grown < 4, `the module's memory has grown by ${grown} MiB`);
});
