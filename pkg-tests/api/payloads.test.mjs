// Payloads that repeatedly cross between JavaScript and the engine: each handler has a copy of its own.
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

/** Changes everything in a value that can be changed. */
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
  test(`each handler has a copy of its own of ${name}`, async () => {
    const seen = [];
    const handlers = { Add: async (input) => (seen.push(JSON.stringify(input)), spoil(input), JSON.parse(text)) };
    const output = await chain(5).run(payload, { tasks: handlers, clock: "virtual" });
    assert.deepEqual([...seen, JSON.stringify(output)], Array(6).fill(text));
  });

  test(`every attempt gets the same ${name}`, async () => {
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

test("concurrent executions do not mix up their payloads", async () => {
  const machine = chain(6);
  const tasks = { Add: async (input) => (await Promise.resolve(), input) };
  const inputs = Array.from({ length: 12 }, (_, i) => ({ n: i % 3, of: [{ n: i % 3 }] }));
  const outputs = await Promise.all(inputs.map((input) => machine.run(input, { tasks, clock: "virtual" })));
  assert.deepEqual(outputs, inputs);
});

test("a repeated result is the same in the history", async () => {
  const answers = ["\ud800", "\ud800", "\ufffd", "\ud800", { a: "\ud800" }, { a: "\ud800" }];
  let calls = 0;
  const running = chain(answers.length).start({}, { tasks: { Add: () => answers[calls++] } });
  assert.deepEqual((await running.result).output, { a: "\ufffd" });
  const exited = running.history().filter(({ type }) => type === "TaskStateExited");
  const outputs = exited.map((event) => JSON.parse(event.stateExitedEventDetails.output));
  assert.deepEqual(outputs, ["\ufffd", "\ufffd", "\ufffd", "\ufffd", { a: "\ufffd" }, { a: "\ufffd" }]);
});

class Point {
  constructor() {
    this.x = 1;
  }
  get double() {
    return 2 * this.x;
  }
}
class List extends Array {}
const counting = () => {
  let reads = 0;
  return {
    get reads() {
      return ++reads;
    },
  };
};
/** Values that JSON.stringify() converts, and values with equal JSON, created anew for each use. */
const answers = {
  "a minus zero": () => ({ n: -0 }),
  "what is no number": () => ({ n: [NaN, Infinity, 1] }),
  "nothing at all": () => ({ a: undefined, b: [undefined, () => {}, Symbol("s")], c: 1 }),
  "an array with gaps": () => ({ list: Object.assign([1, 2, 3], { length: 5, more: true }) }),
  "a date": () => ({ at: new Date(0) }),
  "its own writing": () => ({ a: 1, toJSON: () => ({ b: 2 }) }),
  "a member that is named as the writing": () => ({ toJSON: 1 }),
  "wrapped values": () => ({ list: [new Number(1), new String("s"), new Boolean(false), {}] }),
  "an object of a class": () => new Point(),
  "an array of a class": () => ({ list: List.from([1, 2]) }),
  "no prototype": () => Object.assign(Object.create(null), { a: 1 }),
  "what is inherited": () => Object.create({ a: 1 }, { b: { value: 2, enumerable: true }, c: { value: 3 } }),
  "names of numbers": () => ({ b: 1, 2: 1, a: 1, 1: 1 }),
  "the same in another order": () => ({ b: [{ y: 1, x: 2 }], a: 1 }),
  "the same in an order": () => ({ a: 1, b: [{ x: 2, y: 1 }] }),
  "a part less": () => ({ a: 1, b: [{ x: 2 }] }),
  "a part more": () => ({ a: 1, b: [{ x: 2, y: 1 }, null] }),
  "a list in place of an object": () => ({ a: 1, b: [[2, 1]] }),
  "what is asked twice": counting,
  "a name of a prototype": () => JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":null}}'),
};

for (const [name, make] of Object.entries(answers)) {
  test(`a result is converted as by JSON.stringify(), also when it is repeated: ${name}`, async () => {
    const given = [{ first: true }, make, make, make, { a: 1, b: [{ x: 2, y: 1 }] }, make, { a: 1, b: [{ x: 2, y: 1 }] }, make, make];
    const texts = given.map((one) => JSON.stringify(typeof one === "function" ? one() : one));
    const seen = [];
    const Add = async (input) => {
      seen.push(JSON.stringify(input));
      spoil(input);
      const answer = given[seen.length - 1];
      return typeof answer === "function" ? answer() : structuredClone(answer);
    };
    for (let run = 0; run < 3; run++) {
      seen.length = 0;
      const output = await chain(given.length).run({}, { tasks: { Add }, clock: "virtual" });
      assert.deepEqual([...seen, JSON.stringify(output)], ["{}", ...texts]);
    }
  });
}

test("a change of a result after it was returned has no effect", async () => {
  const answer = { n: 0, list: [{ n: 0 }] };
  const seen = [];
  const Add = async (input) => {
    seen.push(JSON.stringify(input));
    answer.n += 1;
    answer.list[0].n += 1;
    return answer;
  };
  await chain(6).run({}, { tasks: { Add }, clock: "virtual" });
  const texts = [1, 2, 3, 4, 5].map((n) => JSON.stringify({ n, list: [{ n }] }));
  assert.deepEqual(seen, ["{}", ...texts]);
});

test("a result that a reader changes is the same for every attempt, and when it is repeated", async () => {
  const seen = [];
  const Retry = [{ ErrorEquals: ["Again"], MaxAttempts: 2 }];
  const Add = async (input, task) => {
    seen.push(JSON.stringify(input));
    spoil(input);
    if (task.attempt < 2) throw new TaskError("Again");
    return { n: task.stateName === "T2" ? 2 : 1, list: [{}] };
  };
  await chain(5, { Retry }).run({}, { tasks: { Add }, clock: "virtual" });
  const answers = ["{}", ...[1, 1, 2, 1].map((n) => JSON.stringify({ n, list: [{}] }))];
  assert.deepEqual(
    seen,
    answers.flatMap((text) => [text, text, text]),
  );
});

test("handlers that change between two executions are read again", async () => {
  const tasks = { Add: () => 1, Other: () => 2 };
  const run = () => lambda().run({}, { tasks });
  assert.equal(await run(), 1);
  tasks.Add = () => 3;
  assert.equal(await run(), 3);
  delete tasks.Other;
  assert.equal(await run(), 3);
  delete tasks.Add;
  tasks.Another = () => 2;
  await assert.rejects(run(), /No task handler/);
  tasks.Add = "none";
  await assert.rejects(async () => run(), { code: "INVALID_OPTION" });
});

test("a result that cannot be converted does not affect others", async () => {
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
  test(`a failure keeps its error and cause: ${String(error)}, ${String(cause).slice(0, 20)}`, async () => {
    const outcome = await lambda().start({}, { tasks: { Add: () => Promise.reject(new TaskError(error, cause)) } }).result;
    assert.deepEqual(
      [outcome.status, outcome.error, outcome.cause],
      ["FAILED", error, cause?.toWellFormed?.() ?? cause?.replace("\ud800", "\ufffd")],
    );
  });
}

test("repeated failures, and those between them, are distinguished", async () => {
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
