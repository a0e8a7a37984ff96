// A recorded execution in the debugger, with the recorded results of its tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { replayHistory, simulate } from "stepglass";
import { DebugSession } from "stepglass/debug";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:Ask";
const definition = JSON.stringify({
  StartAt: "Ask",
  States: {
    Ask: {
      Type: "Task",
      Resource: LAMBDA,
      ResultPath: "$.job",
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 3, MaxAttempts: 2 }],
      Next: "Done?",
    },
    "Done?": { Type: "Choice", Choices: [{ Variable: "$.job.done", BooleanEquals: true, Next: "Each" }], Default: "Pause" },
    Pause: { Type: "Wait", Seconds: 60, Next: "Ask" },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: "Work",
        States: {
          Work: {
            Type: "Task",
            Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
            Parameters: { QueueUrl: "q", "MessageBody.$": "$" },
            TimeoutSeconds: 100,
            End: true,
          },
        },
      },
      Catch: [{ ErrorEquals: ["States.Timeout"], Next: "Late" }],
      End: true,
    },
    Late: { Type: "Pass", Result: "late", End: true },
  },
});
const { history } = simulate(
  definition,
  { items: [1, 2, 3] },
  {
    Ask: [
      { error: "Busy", after: 500 },
      { output: { done: false }, after: 200 },
      { output: { done: false } },
      { output: { done: true }, after: 5 },
    ],
    Work: [
      { submitted: { MessageId: "a" }, output: "one", after: 2000 },
      { submitted: { MessageId: "b" }, output: "two" },
      { submitted: { MessageId: "c" }, never: true },
    ],
  },
);
const { tasks, matches, startTime } = replayHistory(definition, { events: history });

const ended = (session) =>
  new Promise((resolve) => {
    session.on("terminated", resolve);
    session.continue();
  });
const shape = (events) => events.map(({ id, type, previousEventId, timestamp }) => [id, type, previousEventId, timestamp]);

test("has the same events at the same times, without mocks", async () => {
  assert.equal(matches, true);
  const session = new DebugSession(definition, { input: { items: [1, 2, 3] }, recorded: tasks, startTime });
  assert.deepEqual(await ended(session), { status: "SUCCEEDED", output: "late" });
  assert.deepEqual(shape(session.history()), shape(history));
  session.restart();
  await ended(session);
  assert.deepEqual(shape(session.history()), shape(history), "and again");
});

test("exports calls and results as a recording that another run can use", async () => {
  const session = new DebugSession(definition, { input: { items: [1, 2, 3] }, recorded: tasks, startTime });
  await ended(session);
  const told = session.calls();
  assert.deepEqual(
    told.map(({ resource, ...call }) => call),
    tasks.map(({ event, input, after, ...call }) => ({ ...call, ...(!call.never && { after }) })),
  );
  assert.equal(told[0].resource, LAMBDA);
  const again = new DebugSession(definition, { input: { items: [1, 2, 3] }, recorded: told, startTime });
  assert.deepEqual(await ended(again), { status: "SUCCEEDED", output: "late" });
  assert.deepEqual(shape(again.history()), shape(history));
});

test("includes the calls of a Distributed Map's reader and children", async () => {
  const rows = {
    StartAt: "Rows",
    States: {
      Rows: {
        Type: "Map",
        ItemReader: {
          Resource: "arn:aws:states:::s3:getObject",
          ReaderConfig: { InputType: "CSV", CSVHeaderLocation: "FIRST_ROW" },
          Parameters: { Bucket: "b", Key: "k" },
        },
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "Row",
          States: { Row: { Type: "Task", Resource: LAMBDA, End: true } },
        },
        End: true,
      },
    },
  };
  const session = new DebugSession(rows, { tasks: { "s3:getObject": () => ({ Body: "n\n1\n2\n" }), Ask: ({ n }) => Number(n) * 10 } });
  assert.deepEqual(await ended(session), { status: "SUCCEEDED", output: [10, 20] });
  assert.deepEqual(
    session.calls().map(({ state, output }) => [state, output]),
    [
      ["Rows", { Body: "n\n1\n2\n" }],
      ["Row", 10],
      ["Row", 20],
    ],
  );
});

test("stops at breakpoints, goes back, and continues a fork with the recorded results", async () => {
  const session = new DebugSession(definition, {
    input: { items: [1, 2, 3] },
    recorded: tasks,
    startTime,
    breakpoints: [{ kind: "entry", state: "Work" }],
  });
  const stopped = new Promise((resolve) => session.on("stopped", ({ reason }) => reason === "breakpoint" && resolve()));
  session.continue();
  await stopped;
  assert.equal(session.stackTrace()[0].state, "Work");
  session.setBreakpoints([]);
  session.setValue({ target: "input", value: 99 });
  assert.deepEqual(await ended(session), { status: "SUCCEEDED", output: "late" });
  const first = session.history().find(({ type }) => type === "TaskScheduled" && JSON.stringify(session.history()).includes("99"));
  assert.ok(first);
});

test("asks mocks for results that the recording lacks", async () => {
  const [first, ...rest] = tasks;
  const { error: _, ...open } = first;
  const session = new DebugSession(definition, {
    input: { items: [] },
    recorded: [{ ...open, unknown: true }, ...rest],
    startTime,
    mocks: { Ask: { mode: "result", result: { done: true } } },
  });
  assert.deepEqual(await ended(session), { status: "SUCCEEDED", output: [] });
});
