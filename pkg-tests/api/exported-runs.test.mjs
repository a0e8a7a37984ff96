// Runs that the page exports, as a test and as a mock file, without a browser: both give the same run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import YAML from "yaml";
import { TaskError } from "stepglass";
import { DebugSession } from "stepglass/debug";
import { testMachine } from "stepglass/testing";
import { importSource } from "../../scripts/sources.mjs";
import { runTest } from "../browser/exported.mjs";
import { gallery, handlersOf } from "./examples.mjs";

const { hasChildExecutions, fileName, mockConfig, testText } = await importSource("www/src/exchange/asTest.ts");
const { callsAnswered } = await importSource("www/src/exchange/answers.ts");

const START = Date.UTC(2026, 0, 1);

/** Runs a definition to its end, and returns the run as the page exports it. `answers` are given by hand, by state. */
async function runOf({ title = "A run", definition, input = {}, tasks = {}, answers = {}, ...options }) {
  const answered = Object.entries(answers).map(([state, output]) => [
    state,
    async (given, task) => {
      const response = await tasks[state](given, task);
      // A person answers after the request has been made.
      setTimeout(() => session.answerToken(task.token, "succeed", output), 1);
      return response;
    },
  ]);
  const given = { name: "run-1", seed: 1, startTime: START, clock: "skip", type: "STANDARD", ...options };
  const session = new DebugSession(definition, { ...given, input, tasks: { ...tasks, ...Object.fromEntries(answered) } });
  const ended = new Promise((resolve) => session.on("terminated", resolve));
  session.continue();
  const result = await ended;
  const run = {
    title,
    definition,
    input: JSON.stringify(input),
    seed: given.seed,
    name: given.name,
    events: session.history(),
    config: {},
    calls: callsAnswered(session.calls()),
  };
  return { run, result };
}

test("every example exports a test that passes, and a mock file that gives the same run", async () => {
  const tests = [];
  for (const { title, fixed, format, definition: text, tasks, inputs } of gallery()) {
    if (fixed) continue;
    const definition = JSON.stringify(format === "yaml" ? YAML.parse(text, { merge: true }) : JSON.parse(text));
    // If nobody answers, the debugger waits for the answer in real time.
    const waits = /waitForTaskToken|:activity:/.test(definition);
    for (const { name, input, answers, result: promised } of inputs.filter((one) => one.answers || !waits)) {
      const { run, result } = await runOf({ title: `${title}, ${name}`, definition, input, tasks: await handlersOf(tasks), answers });
      assert.deepEqual({ ...result }, promised, `${title}, ${name}`);
      tests.push(testText(run, "node:test"));
      const again = await testMachine(JSON.parse(definition), { mockConfig: JSON.parse(mockConfig(run)), startTime: START }).test(
        "RecordedRun",
        input,
        { name: "run-1" },
      );
      assert.deepEqual([again.status, again.output, again.error], [result.status, result.output, result.error], `${title}, ${name}`);
    }
  }
  assert.match(runTest(tests), new RegExp(`pass ${tests.length}\\b`));
});

describe("an exported test", () => {
  const TASK = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Ask" };
  const definition = JSON.stringify({
    StartAt: "Ask",
    States: { Ask: { ...TASK, Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2, MaxAttempts: 3 }], End: true } },
  });
  const odd = { ["__proto__"]: 1, "two words": "a\u2028b", list: ["x".repeat(120), []], none: {} };

  test("has the answers in order with their delays, and values that survive a module's text", async () => {
    let calls = 0;
    const tasks = {
      Ask: () => {
        calls += 1;
        if (calls === 3) return JSON.parse(JSON.stringify(odd));
        throw new TaskError("Busy", "full");
      },
    };
    const { run } = await runOf({ title: "Überfällig!\nnow", definition, input: odd, tasks });
    const text = testText(run, "node:test");
    assert.match(text, /Ask: \[\n {4}throws\("Busy", "full"\),\n {4}throws\("Busy", "full"\),\n {4}returns\(/);
    assert.match(text, /\["__proto__"\]: 1/);
    assert.match(text, /"two words": "a\\u2028b"/);
    assert.match(text, /^\/\/ The run of “Überfällig! now” as a test: .*node --test überfällig-now\.test\.mjs$/m);
    assert.match(text, /^import \{ expectRun, returns, throws, testMachine \} from "stepglass\/testing";$/m);
    assert.match(runTest([text, testText({ ...run, calls: undefined }, "node:test")]), /pass 2\b/);
    assert.deepEqual(JSON.parse(mockConfig(run)).MockedResponses, {
      AskResponses: { "0-1": { Throw: { Error: "Busy", Cause: "full" } }, 2: { Return: JSON.parse(JSON.stringify(odd)) } },
    });
  });

  test("names its runner, and the options of the run", async () => {
    const { run } = await runOf({
      definition,
      tasks: { Ask: () => "x".repeat(300_000) },
      payloadLimit: 2 ** 30,
      seed: 7,
      name: "order-17",
    });
    const arn = "arn:aws:states:eu-west-1:1:execution:m:order-17";
    const text = testText({ ...run, arn, config: { type: "EXPRESS", payload: false, events: false } }, "vitest");
    assert.match(text, /npm install --save-dev stepglass vitest && npx vitest run a-run\.test\.mjs/);
    assert.match(text, /^import \{ test \} from "vitest";$/m);
    assert.ok(text.includes(`{ mocks, name: "order-17", arn: "${arn}" }`));
    const settings = { seed: 7, startTime: START, type: "EXPRESS", payloadLimit: 2 ** 31 - 1, historyLimit: 0 };
    assert.deepEqual(JSON.parse(/testMachine\(definition, (\{.*?\})\);/s.exec(text)[1].replaceAll(/(\w+):/g, '"$1":')), settings);
    assert.match(
      runTest([text.replace('"vitest"', '"node:test"'), testText({ ...run, config: { payload: false } }, "node:test")]),
      /pass 2\b/,
    );
  });

  test("expects a failure or a timeout, and calls that are never answered", async () => {
    const failing = await runOf({ definition, tasks: { Ask: () => Promise.reject(new TaskError("Refused", "no")) } });
    const slow = JSON.stringify({ TimeoutSeconds: 5, StartAt: "Nap", States: { Nap: { Type: "Wait", Seconds: 9, End: true } } });
    const late = await runOf({ definition: slow });
    assert.equal(late.result.status, "TIMED_OUT");
    const texts = [failing.run, late.run].map((run) => testText(run, "node:test"));
    assert.match(texts[0], /\.failedWith\("Refused"\)/);
    assert.match(texts[1], /\.timedOut\(\)/);
    assert.match(runTest(texts), /pass 2\b/);
    const silent = { ...failing.run, calls: callsAnswered([{ state: "Ask", resource: TASK.Resource, never: true }]) };
    assert.match(testText(silent, "node:test"), /Ask: \[never\(\)\]/);
    assert.equal(JSON.parse(mockConfig(silent)).MockedResponses.AskResponses[0].Throw.Error, "States.Timeout");
  });

  test("is refused for a run that has not ended, or was stopped by hand", async () => {
    const { run } = await runOf({ definition, tasks: { Ask: () => 1 } });
    const stopped = { id: 9, type: "ExecutionAborted", timestamp: run.events[0].timestamp, executionAbortedEventDetails: {} };
    assert.throws(() => testText({ ...run, events: run.events.slice(0, -1) }, "node:test"), /has not ended/);
    assert.throws(() => testText({ ...run, events: [...run.events.slice(0, -1), stopped] }, "node:test"), /stopped by hand/);
  });

  test("says by its results whether a service wraps them", () => {
    const answered = (resource) => callsAnswered([{ state: "A", resource, output: { Payload: 1 }, submitted: { id: 1 } }]).get("A");
    assert.deepEqual(answered("arn:aws:states:::lambda:invoke"), [
      { state: "A", after: 0, response: { Payload: 1 }, submitted: { id: 1 }, wrapped: true },
    ]);
    assert.deepEqual(answered("arn:aws:states:::sqs:sendMessage"), [
      { state: "A", after: 0, response: { Payload: 1 }, submitted: { id: 1 } },
    ]);
    assert.equal(hasChildExecutions([{ type: "MapRunStarted" }]), true);
    assert.equal(hasChildExecutions([{ type: "MapStateStarted" }]), false);
    assert.equal(fileName("—"), "run.test.mjs");
  });
});
