// A recorded execution against a definition.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { recordings } from "../../scripts/recordings.mjs";
import { replayCase } from "../../scripts/conformance/replay.mjs";
import { StateMachine, replayHistory, simulate } from "../../dist/node.js";

const definition = {
  StartAt: "Work",
  States: {
    Work: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: "work", "Payload.$": "$" },
      Retry: [{ ErrorEquals: ["Busy"] }],
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.Payload",
      MaxConcurrency: 2,
      ItemProcessor: { StartAt: "Send", States: { Send: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", End: true } } },
      End: true,
    },
  },
};

async function recorded() {
  let calls = 0;
  const machine = new StateMachine(definition);
  const execution = machine.start(
    { order: 1 },
    {
      clock: "virtual",
      startTime: Date.UTC(2025, 4, 1),
      tasks: {
        work: () => {
          if (++calls === 1) throw Object.assign(new Error("later"), { name: "Busy" });
          return ["a", "b", "c"];
        },
        "sqs:sendMessage": (input) => ({ MessageId: `m-${input}` }),
      },
    },
  );
  await execution.result;
  return execution.history();
}

test("a history is replayed, and provides its tasks' results", async () => {
  const events = await recorded();
  for (const history of [
    events,
    { events },
    JSON.stringify({ events }),
    { events: events.map((event) => ({ ...event, timestamp: new Date(event.timestamp) })) },
  ]) {
    const replay = replayHistory(definition, history);
    assert.deepEqual([replay.matches, replay.complete, replay.status, replay.divergence], [true, true, "SUCCEEDED", undefined]);
    assert.equal(replay.startTime, Date.UTC(2025, 4, 1));
    assert.deepEqual(replay.input, { order: 1 });
    assert.deepEqual(
      replay.tasks.map(({ state, iterations, attempt, error, output }) => [state, iterations, attempt, error ?? output.Payload ?? output]),
      [
        ["Work", [], 0, "Busy"],
        ["Work", [], 1, ["a", "b", "c"]],
        ["Send", [0], 0, { MessageId: "m-a" }],
        ["Send", [1], 0, { MessageId: "m-b" }],
        ["Send", [2], 0, { MessageId: "m-c" }],
      ],
    );
  }
});

test("recorded results serve as a script", async () => {
  const { tasks, input } = replayHistory(definition, await recorded());
  const results = {};
  for (const { state, output, error, cause, after } of tasks)
    (results[state] ??= []).push(error ? { error, cause, after } : { response: output, after });
  const report = simulate(definition, input, results);
  assert.deepEqual(report.output, [{ MessageId: "m-a" }, { MessageId: "m-b" }, { MessageId: "m-c" }]);
});

test("the first difference is reported", async () => {
  const events = await recorded();
  const changed = structuredClone(definition);
  changed.States.Work.Retry[0].MaxAttempts = 0;
  const { matches, divergence } = replayHistory(changed, events);
  assert.equal(matches, false);
  assert.equal(divergence.eventType, "TaskScheduled");
  assert.equal(divergence.state, "Work");
  assert.match(divergence.reason, /Retry of state 'Work' has changed/);

  const other = structuredClone(definition);
  other.States.Each.ItemProcessor.States.Send.Parameters = { "Body.$": "$" };
  const found = replayHistory(other, events);
  assert.deepEqual(
    [found.divergence.aspect, found.divergence.iterations, found.divergence.expected, found.divergence.got],
    ["input", [0], "a", { Body: "a" }],
  );
  assert.equal(found.divergences.length, 3);
});

test("what is not a history or a definition is refused", () => {
  assert.throws(() => replayHistory(definition, "[]"), { code: "NOT_A_HISTORY" });
  assert.throws(() => replayHistory(definition, "{"), { code: "NOT_A_HISTORY" });
  assert.throws(() => replayHistory(definition, 1), { code: "INVALID_ARGUMENT" });
  assert.throws(() => replayHistory({ StartAt: "A" }, []), { name: "DefinitionError" });
  assert.throws(() => replayHistory(definition, [], { histroy: 1 }), { code: "INVALID_OPTION" });
});

test("stages are reported with the option trace", async () => {
  const { trace } = replayHistory(definition, await recorded(), { trace: true });
  assert.ok(trace.some(({ state, stage }) => state === "Work" && stage === "afterParameters"));
});

test("the history of every case of the corpus is replayed without a difference, with and without its times", () => {
  const folder = new URL("../../tests/corpus/executions/", import.meta.url);
  const parted = [];
  let histories = 0;
  for (const file of readdirSync(folder)) {
    for (const {
      name,
      definition,
      input = {},
      tasks = {},
      expect,
      options = {},
      seed = 0,
      start = "2024-01-01T00:00:00Z",
      stop,
    } of JSON.parse(readFileSync(new URL(file, folder), "utf8"))) {
      if (expect?.rejected || options.stepBudget !== undefined) continue;
      const { express, ...limits } = options;
      const type = express ? { type: "EXPRESS" } : {};
      const startTime = Date.parse(start);
      const script = Object.fromEntries(
        Object.entries(tasks).map(([key, answers]) => [key, scripted(Array.isArray(answers) ? answers : [answers])]),
      );
      const { history } = simulate(definition, input, script, {
        ...type,
        ...limits,
        seed,
        name: "execution",
        startTime,
        until: startTime + 4e11,
        ...(stop ? { abortAt: startTime + stop.at } : {}),
      });
      for (const events of [history, history.map(({ timestamp, ...event }) => event)]) {
        histories += 1;
        const { divergence } = replayHistory(definition, events, {
          ...type,
          ...limits,
          seed: 7,
          arn: "arn:aws:states:us-east-1:123456789012:execution:StateMachine:execution",
        });
        if (divergence) parted.push(`${file}: ${name}: event ${divergence.event}: ${divergence.message}`);
      }
    }
  }
  assert.deepEqual(parted, []);
  assert.ok(histories > 1000, `${histories}`);
});

function scripted(answers) {
  let calls = 0;
  return () => {
    const { output, error, cause, after, submitted, heartbeats } = answers[Math.min(calls++, answers.length - 1)] ?? {};
    const end = error !== undefined ? { error, cause } : output !== undefined ? { response: output } : { never: true };
    return Object.fromEntries(Object.entries({ ...end, after, submitted, heartbeats }).filter(([, value]) => value !== undefined));
  };
}

const { file, skip } = recordings("aws-recorded.jsonl");
test("executions recorded on AWS are replayed without a difference", { skip }, () => {
  const cases = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  // If the ids are blanked, nothing says which event follows which.
  const whole = cases.filter(
    ({ kind, definition, expected }) => kind === "execution" && definition && expected?.history?.every(({ id }) => typeof id === "number"),
  );
  const parted = whole.map((one) => [one.name, replayCase(one).divergence?.message]).filter(([, message]) => message);
  assert.deepEqual(parted, []);
  assert.ok(whole.length > 0);
});
