// Payloads that cross to the engine and back, again and again: each handler has its own copy of what was said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, TaskError } from "stepglass";
import { LAMBDA, lambda, watchRejections } from "./machines.mjs";

watchRejections();

const own = JSON.parse('{"__proto__":{"a":[1]},"constructor":{"b":{}},"list":[{"__proto__":null},[[]],"x"],"n":-0.5}');
const payloads = {
  "a nested object": { a: { b: [{ c: 1 }, [2, [3]]] }, d: null },
  "keys of a prototype": own,
  "an array": [[], {}, [{ a: 1 }]],
  "a text": 'é "quoted"\n😀',
  "a number": 1e21,
  "a truth value": false,
  nothing: null,
  "a long text": { text: "x".repeat(70_000), more: [{}] },
};

/** Changes everything that can be changed in a value. */
function spoil(value) {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    spoil(Object.getOwnPropertyDescriptor(value, key).value);
    Object.defineProperty(value, key, { value: "spoilt" });
  }
  if (Array.isArray(value)) value.push("more");
  else value.more = true;
}

const chain = (count, more = {}) => {
  const States = {};
  for (let i = 0; i < count; i++)
    States[`T${i}`] = { Type: "Task", Resource: LAMBDA, ...more, ...(i + 1 < count ? { Next: `T${i + 1}` } : { End: true }) };
  return new StateMachine({ StartAt: "T0", States });
};

for (const [name, payload] of Object.entries(payloads)) {
  const text = JSON.stringify(payload);
  test(`${name} that is handed on is each handler's own`, async () => {
    const seen = [];
    const handlers = { Add: async (input) => (seen.push(JSON.stringify(input)), spoil(input), JSON.parse(text)) };
    const output = await chain(5).run(payload, { tasks: handlers, clock: "virtual" });
    assert.deepEqual([...seen, JSON.stringify(output)], Array(6).fill(text));
  });

  test(`${name} is the same for every attempt`, async () => {
    const seen = [];
    const Retry = [{ ErrorEquals: ["Again"], MaxAttempts: 4 }];
    const Add = (input) => {
      seen.push(JSON.stringify(input));
      spoil(input);
      if (seen.length < 5) throw new TaskError("Again");
      return seen.length;
    };
    assert.equal(await chain(1, { Retry }).run(payload, { tasks: { Add }, clock: "virtual" }), 5);
    assert.deepEqual(seen, Array(5).fill(text));
  });
}

test("executions that take turns keep their payloads apart", async () => {
  const machine = chain(6);
  const tasks = { Add: async (input) => (await Promise.resolve(), input) };
  const inputs = Array.from({ length: 12 }, (_, i) => ({ n: i % 3, of: [{ n: i % 3 }] }));
  const outputs = await Promise.all(inputs.map((input) => machine.run(input, { tasks, clock: "virtual" })));
  assert.deepEqual(outputs, inputs);
});

test("an answer that comes again is the same in the history", async () => {
  const answers = ["\ud800", "\ud800", "\ufffd", "\ud800", { a: "\ud800" }, { a: "\ud800" }];
  let calls = 0;
  const running = chain(answers.length).start({}, { tasks: { Add: () => answers[calls++] } });
  assert.deepEqual((await running.result).output, { a: "\ufffd" });
  const exited = running.history().filter(({ type }) => type === "TaskStateExited");
  const outputs = exited.map((event) => JSON.parse(event.stateExitedEventDetails.output));
  assert.deepEqual(outputs, ["\ufffd", "\ufffd", "\ufffd", "\ufffd", { a: "\ufffd" }, { a: "\ufffd" }]);
});

test("an answer that cannot be read spoils no other one", async () => {
  const deep = "[".repeat(200) + "]".repeat(200);
  const answers = [{ a: 1 }, JSON.parse(deep), { a: 1 }, { a: 1 }];
  let calls = 0;
  const machine = chain(3, { Retry: [{ ErrorEquals: ["States.TaskFailed"], MaxAttempts: 1 }] });
  assert.deepEqual(await machine.run({}, { tasks: { Add: () => answers[calls++] }, clock: "virtual" }), { a: 1 });
  assert.equal(calls, 4);
});

const failures = [
  [undefined, undefined],
  ["E", undefined],
  [undefined, "why"],
  ["", ""],
  ["Ünten", "größer 😀 \ud800"],
  ["E", "x".repeat(20_000)],
];
for (const [error, cause] of failures) {
  test(`a failure keeps its words: ${String(error)}, ${String(cause).slice(0, 20)}`, async () => {
    const outcome = await lambda().start({}, { tasks: { Add: () => Promise.reject(new TaskError(error, cause)) } }).result;
    assert.deepEqual(
      [outcome.status, outcome.error, outcome.cause],
      ["FAILED", error, cause?.toWellFormed?.() ?? cause?.replace("\ud800", "\ufffd")],
    );
  });
}

test("failures that come again, and those between them, are told apart", async () => {
  const failures = [
    ["A", "x"],
    ["A", "x"],
    ["A", undefined],
    [undefined, undefined],
    [undefined, undefined],
    ["A", "x"],
    ["B", "x"],
    [undefined, "x"],
    ["", ""],
    ["A", "x"],
  ];
  const machine = chain(1, { Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: failures.length }] });
  const run = () => {
    let calls = 0;
    const Add = async () => {
      if (calls < failures.length) throw new TaskError(...failures[calls++]);
    };
    return machine.start({}, { tasks: { Add }, clock: "virtual" });
  };
  for (const running of [run(), run()]) {
    assert.equal((await running.result).status, "SUCCEEDED");
    const told = running
      .history()
      .flatMap(({ lambdaFunctionFailedEventDetails: failed }) => (failed === undefined ? [] : [[failed.error, failed.cause]]));
    assert.deepEqual(told, failures);
  }
});
