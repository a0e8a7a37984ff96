// Values that JSON would silently change: a warning, or a refusal with `strict`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";

const { JsonText, StateMachine, TaskResponse } = await importSource("js/entries/node.ts");

const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Task", Resource: "a", End: true } } });
const asks = new StateMachine({
  StartAt: "A",
  States: { A: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken", Parameters: {}, End: true } },
});

/** Calls a function, and returns the warnings that it has printed. */
async function warnings(call) {
  const { warn } = console;
  const printed = [];
  console.warn = (text) => printed.push(text);
  try {
    await call();
  } finally {
    console.warn = warn;
  }
  return printed;
}

class Point {
  constructor(x) {
    this.x = x;
  }
}

const changed = [
  ["a lone surrogate", { name: "x\ud800" }, "$.name", "a lone surrogate becomes U+FFFD"],
  ["a lone surrogate in a name", { "x\udc00": 1 }, '$["x\\udc00"]', "a lone surrogate becomes U+FFFD"],
  ["a lone surrogate in a JSON text", new JsonText('["\\ud800"]'), "$[0]", "a lone surrogate becomes U+FFFD"],
  ["a Map", { "two words": [1, new Map()] }, '$["two words"][1]', "a Map becomes {}"],
  ["a Set with members of its own", Object.assign(new Set(), { a: 1 }), "$", "a Set becomes {}"],
  ["a symbol", [Symbol("s")], "$[0]", "a symbol becomes null or is left out"],
  ["a function", { f() {} }, "$.f", "a function becomes null or is left out"],
  ["a number that is not finite", { n: NaN }, "$.n", "NaN becomes null"],
  ["a promise", { later: Promise.resolve(1) }, "$.later", "a Promise becomes {}"],
  ["an error", [new TypeError("x")], "$[0]", "an Error loses its name and message"],
];

const unchanged = {
  nothing: undefined,
  "a member that is undefined": { a: undefined },
  pairs: "\u{1F600}",
  "a text with an escape": "\\ud800",
  "a date": new Date(0),
  "an object of a class": new Point(1),
  "an object without a prototype": Object.create(null),
  "a boxed number": Object(1),
  "a JSON text": new JsonText('"\\ud83d\\ude00"'),
};

for (const [what, value, path, change] of changed) {
  test(`strict refuses ${what} in an input and in a result, and says where it is`, async () => {
    assert.throws(
      () => machine.start(value, { tasks: { a: () => 1 }, strict: true }),
      (error) =>
        error.code === "INVALID_ARGUMENT" && error.message.includes(`the input`) && error.message.endsWith(`at ${path}, ${change}`),
    );
    for (const answer of [value, new TaskResponse(value)]) {
      const execution = machine.start({}, { tasks: { a: () => answer }, strict: true });
      const { status, error, cause } = await execution.result;
      assert.deepEqual({ status, error }, { status: "FAILED", error: "States.TaskFailed" });
      assert.ok(cause.includes('the answer of the handler for state "A"') && cause.endsWith(`at ${path}, ${change}`), cause);
    }
  });
}

test("strict accepts everything that JSON expresses, and what JSON.stringify() converts on purpose", async () => {
  for (const [what, value] of Object.entries(unchanged)) {
    const printed = await warnings(() => machine.run(value, { tasks: { a: () => value }, strict: true }));
    assert.deepEqual(printed, [], what);
  }
});

test("without strict, a value that JSON would change is written as by JSON.stringify(), with one warning", async () => {
  const value = { list: [new Map([[1, 2]])] };
  const printed = await warnings(async () => {
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await machine.run(value, { tasks: { a: (input) => input } }), { list: [{}] });
      assert.deepEqual(await machine.run({}, { tasks: { a: () => value } }), { list: [{}] });
    }
  });
  assert.equal(printed.length, 2, printed.join("\n"));
  assert.match(printed[0], /the input: at \$\.list\[0\], a Map becomes \{\}.*strict: true/);
  assert.match(printed[1], /the handler for state "A": at \$\.list\[0\], a Map becomes/);
});

test("strict refuses the output of a task token", async () => {
  let token;
  const execution = asks.start({}, { strict: true, tasks: { "sqs:sendMessage.waitForTaskToken": (_, task) => void (token = task.token) } });
  await new Promise((resolve) => setImmediate(resolve));
  assert.throws(() => execution.succeed(token, new Map()), { code: "INVALID_ARGUMENT" });
  assert.equal(execution.succeed(token, 1), true);
  assert.equal((await execution.result).output, 1);
});

test("executions that a task starts are strict like their parent", async () => {
  const child = new StateMachine(JSON.parse(machine.definition), { name: "Child" });
  const parent = new StateMachine({
    StartAt: "P",
    States: {
      P: {
        Type: "Task",
        Resource: "arn:aws:states:::states:startExecution.sync:2",
        Parameters: { StateMachineArn: "Child", Input: {} },
        End: true,
      },
    },
  });
  const { cause } = await parent.start({}, { strict: true, machines: { Child: child }, tasks: { a: () => new Map() } }).result;
  assert.match(JSON.parse(cause).Cause, /at \$, a Map becomes \{\}/);
});
