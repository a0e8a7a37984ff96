// Results of handlers, invalid definitions and misspelt options.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DefinitionError,
  Engine,
  Execution,
  ExecutionError,
  StateMachine,
  TaskError,
  JsonText,
  TaskResponse,
  simulate,
  validate,
  version,
} from "stepglass";
import { LAMBDA, lambda, task, watchRejections } from "./machines.mjs";

watchRejections();

test("the output of a run is the output of the machine", async () => {
  const machine = lambda({ ResultPath: "$.sum" });
  assert.deepEqual(await machine.run({ x: 1, y: 2 }, { tasks: { Add: ({ x, y }) => x + y } }), { x: 1, y: 2, sum: 3 });
  assert.deepEqual(await machine.run({ x: 1, y: 2 }, { tasks: { Add: async ({ x, y }) => x + y } }), { x: 1, y: 2, sum: 3 });
});

test("without input it is {}", async () => {
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Succeed" } } });
  assert.deepEqual(await machine.run(), {});
});

const answers = [
  ["undefined", () => undefined, null],
  ["a function", () => () => 1, null],
  ["NaN", () => NaN, null],
  ["a date", () => new Date(0), "1970-01-01T00:00:00.000Z"],
  ["toJSON", () => ({ toJSON: () => [1] }), [1]],
  // oxlint-disable-next-line no-sparse-arrays -- sparse arrays are what is tested
  ["sparse arrays", () => [, 1], [null, 1]],
  ["false", () => false, false],
  ["a thenable", () => ({ then: (resolve) => resolve(7) }), 7],
  ["a property called then", () => ({ then: "later" }), { then: "later" }],
  ["numbers", () => [0.1, 1e21, -0, 9007199254740991], [0.1, 1e21, 0, 9007199254740991]],
  ["a lone surrogate", () => "\ud800x", "\ufffdx"],
];
for (const [name, handler, expected] of answers) {
  test(`a handler may return ${name}`, async () => {
    const machine = lambda();
    assert.deepEqual(await machine.run({}, { tasks: { Add: handler } }), expected);
    assert.deepEqual(await machine.run({}, { tasks: { Add: async () => await handler() } }), expected);
  });
}

const cyclic = {};
cyclic.self = cyclic;
const deep = JSON.parse("[".repeat(200) + "]".repeat(200));
const unanswerable = [
  ["a cycle", () => cyclic, /circular/i],
  ["a BigInt", () => 1n, /BigInt/],
  [
    "a throwing toJSON",
    () => ({
      toJSON() {
        throw new Error("not me");
      },
    }),
    /not me/,
  ],
  [
    "a throwing getter",
    () => ({
      get x() {
        throw new Error("not you");
      },
    }),
    /not you/,
  ],
  ["200 nested arrays", () => deep, /cannot be read/],
];
for (const [name, handler, cause] of unanswerable) {
  test(`a handler that returns ${name} fails its task with a clear cause`, async () => {
    for (const add of [handler, async () => handler()]) {
      const result = await lambda().start({}, { tasks: { Add: add } }).result;
      assert.equal(result.status, "FAILED");
      assert.equal(result.error, "States.TaskFailed");
      assert.match(result.cause, cause);
    }
  });
}

class OrderError extends Error {
  name = "OrderError";
}
const thrown = [
  [
    "an Error",
    () => {
      throw new Error("broken");
    },
    "Error",
    "broken",
  ],
  [
    "a subclass",
    () => {
      throw new OrderError("no stock");
    },
    "OrderError",
    "no stock",
  ],
  ["a built-in", () => null.x, "TypeError", /null/],
  [
    "a TaskError",
    () => {
      throw new TaskError("Custom.Code", "exactly this");
    },
    "Custom.Code",
    "exactly this",
  ],
  [
    "a TaskError with data",
    () => {
      throw new TaskError("E", { a: 1 });
    },
    "E",
    '{"a":1}',
  ],
  [
    "a string",
    () => {
      throw "just text";
    },
    "Error",
    "just text",
  ],
  [
    "an object",
    () => {
      throw { code: 5 };
    },
    "Error",
    '{"code":5}',
  ],
  [
    "undefined",
    () => {
      throw undefined;
    },
    "Error",
    "undefined",
  ],
  [
    "an Error with a throwing message",
    () => {
      throw Object.defineProperty(new Error(), "message", {
        get() {
          throw 1;
        },
      });
    },
    "Error",
    "",
  ],
  [
    "a revoked proxy",
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      throw proxy;
    },
    "Error",
    "object",
  ],
  [
    "a cyclic object",
    () => {
      throw cyclic;
    },
    "Error",
    "object",
  ],
];
for (const [name, handler, error, cause] of thrown) {
  test(`a handler that throws ${name}`, async () => {
    for (const one of [handler, async () => handler()]) {
      const other = await task("arn:aws:states:::sqs:sendMessage").start({}, { tasks: { T: one } }).result;
      assert.equal(other.error, error);
      if (cause instanceof RegExp) assert.match(other.cause, cause);
      else assert.equal(other.cause, cause);
    }
  });
}

test("a Lambda function's error has the same cause as on Lambda", async () => {
  for (const machine of [lambda(), task("arn:aws:states:::lambda:invoke", { FunctionName: "Add" })]) {
    const result = await machine.start(
      {},
      {
        tasks: {
          Add: () => {
            throw new OrderError("no stock");
          },
        },
      },
    ).result;
    assert.equal(result.error, "OrderError");
    const cause = JSON.parse(result.cause);
    assert.equal(cause.errorType, "OrderError");
    assert.equal(cause.errorMessage, "no stock");
    assert.ok(Array.isArray(cause.trace));
  }
});

test("an error and a cause that are longer than AWS permits are shortened", async () => {
  // 256 and 32,768 characters, some of which take several bytes.
  const [error, cause] = ["É".repeat(300), "é".repeat(40_000)];
  const result = await task("arn:aws:states:::sqs:sendMessage").start(
    {},
    {
      tasks: {
        T: () => {
          throw new TaskError(error, cause);
        },
      },
    },
  ).result;
  assert.deepEqual(result, { status: "FAILED", error: "É".repeat(256), cause: "é".repeat(32_768) });
});

test("run() rejects with the error, the cause, the state and the execution", async () => {
  const machine = new StateMachine({
    StartAt: "First",
    States: { First: { Type: "Pass", Next: "Second" }, Second: { Type: "Fail", Error: "Oops", Cause: "it went wrong" } },
  });
  const error = await machine.run({}).then(assert.fail, (error) => error);
  assert.ok(error instanceof ExecutionError && error instanceof Error);
  assert.equal(error.name, "ExecutionError");
  assert.deepEqual([error.status, error.error, error.errorCause, error.state], ["FAILED", "Oops", "it went wrong", "Second"]);
  assert.match(error.message, /"Second".*Oops: it went wrong/);
  assert.ok(error.execution instanceof Execution);
  assert.equal(error.execution.history().at(-1).type, "ExecutionFailed");
});

test("a missing handler is reported with the resource and the known handlers", async () => {
  const error = await lambda()
    .run({}, { tasks: { Subtract: () => 1, Multiply: () => 2 } })
    .then(assert.fail, (error) => error);
  assert.equal(error.error, "States.TaskFailed");
  for (const part of [LAMBDA, '"Subtract"', '"Multiply"', '"Add"']) assert.ok(error.errorCause.includes(part), part);
  const none = await lambda()
    .run({})
    .then(assert.fail, (error) => error);
  assert.match(none.errorCause, /No handlers were given/);
});

test("an invalid definition is refused with all of its errors", () => {
  const text = '{\n  "StartAt": "A",\n  "States": {\n    "A": {"Type": "Pass", "Next": "C"},\n    "B": {"Type": "Suceed"}\n  }\n}';
  const error = thrownBy(() => new StateMachine(text));
  assert.ok(error instanceof DefinitionError);
  assert.ok(error.diagnostics.filter((diagnostic) => diagnostic.severity === "error").length >= 2);
  assert.match(error.message, /definition:4:/);
  for (const diagnostic of validate(text)) {
    assert.equal(typeof diagnostic.code, "string");
    assert.equal(typeof diagnostic.pointer, "string");
    assert.ok(diagnostic.range.start.line >= 1);
    assert.equal(
      text.slice(diagnostic.range.start.offset, diagnostic.range.end.offset).length,
      diagnostic.range.end.offset - diagnostic.range.start.offset,
    );
  }
  const asObject = thrownBy(() => new StateMachine(JSON.parse(text)));
  assert.deepEqual(
    asObject.diagnostics.map((d) => d.code),
    error.diagnostics.map((d) => d.code),
  );
  assert.ok(asObject.diagnostics.every((diagnostic) => !("range" in diagnostic)));
});

test("a valid definition has no problems", () => {
  assert.deepEqual(validate({ StartAt: "A", States: { A: { Type: "Succeed" } } }), []);
});

const misuses = [
  ["a misspelt option", () => lambda().start({}, { task: {} }), /no option "task"; it has tasks/],
  ["a handler that is no function", () => lambda().start({}, { tasks: { Add: 5 } }), /"Add" must be a function/],
  ["a wrong clock", () => lambda().start({}, { clock: "fast" }), /clock/],
  ["a wrong seed", () => lambda().start({}, { seed: "x" }), /seed/],
  ["a wrong type", () => new StateMachine("{}", { type: "FAST" }), /type/],
  ["a cyclic input", () => lambda().start(cyclic), /circular/i],
  ["a number as definition", () => new StateMachine(5), /definition/],
  ["an Execution by new", () => new Execution(), /machine\.start/],
];
for (const [name, misuse, message] of misuses) {
  test(`${name} throws at once`, () => assert.throws(misuse, message));
}

test("an input that is nested too deeply starts no execution", async () => {
  const refused = { code: "InvalidExecutionInput", message: /the input is nested deeper than 128 levels at character 128/ };
  assert.throws(() => lambda().start(deep), refused);
  await assert.rejects(lambda().run(deep), refused);
  assert.throws(() => simulate(lambda(), deep, {}), refused);
});

test("an input with a number that a double cannot hold starts no execution", async () => {
  const digits = "9".repeat(309);
  const texts = { "[1e999]": 1, '{"1e999":"1e999","b":-1.5E+400}': 22, [digits]: 0, [`["\\"1e400",${digits}.5]`]: 11 };
  for (const [text, at] of Object.entries(texts)) {
    const message = `Invalid State Machine Execution Input: 'the input has a number that is larger than any double at character ${at}'`;
    await assert.rejects(lambda().run(new JsonText(text)), { code: "InvalidExecutionInput", message });
  }
  const pass = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", End: true } } });
  for (const text of ["1e308", "1e-999", "[0.0000e999]", '"1e999"', '{"\\"1e999":"\\\\"}', "9".repeat(308)])
    assert.deepEqual(await pass.run(new JsonText(text)), JSON.parse(text), text);
});

test("the input is read when the execution starts", async () => {
  const input = { x: 1 };
  const running = lambda().start(input, { tasks: { Add: (given) => given } });
  input.x = 2;
  assert.deepEqual((await running.result).output, { x: 1 });
});

test("a TaskResponse is the whole response", async () => {
  const machine = task("arn:aws:states:::lambda:invoke", { FunctionName: "f" });
  assert.deepEqual(await machine.run({}, { tasks: { f: () => new TaskResponse({ StatusCode: 500 }) } }), { StatusCode: 500 });
});

test("a JsonText keeps the digits of numbers, in an input and in a result", async () => {
  const digits = '{"id":12345678901234567890,"price":1.0}';
  const machine = lambda();
  const running = machine.start(new JsonText(digits), { tasks: { Add: () => new JsonText(digits) } });
  assert.equal((await running.result).status, "SUCCEEDED");
  const [started] = running.history();
  assert.equal(started.executionStartedEventDetails.input, digits);
  assert.equal(running.history().at(-1).executionSucceededEventDetails.output, digits);
  const { history } = simulate(machine, new JsonText(digits), { Add: { output: 3 } });
  assert.equal(history[0].executionStartedEventDetails.input, digits);
});

test("a JsonText with invalid JSON is refused when it is created", () => {
  for (const text of ["[1,]", "", "undefined"]) assert.throws(() => new JsonText(text), { name: "SyntaxError", code: "NOT_JSON" });
  for (const text of [undefined, null, 1, { a: 1 }])
    assert.throws(() => new JsonText(text), { name: "TypeError", code: "INVALID_ARGUMENT", message: /takes a JSON text/ });
  assert.deepEqual(new JsonText("[1]").value, [1]);
  assert.equal(JSON.stringify({ a: new JsonText("[1.0]") }), '{"a":[1]}');
});

test("equal seeds give equal executions", async () => {
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", Parameters: { "id.$": "States.UUID()" }, End: true } } });
  const [a, b, c] = await Promise.all([7, 7, 8].map((seed) => machine.run({}, { seed })));
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
  assert.notDeepEqual(await machine.run(), await machine.run());
});

test("the Context Object has the given names", async () => {
  const machine = new StateMachine(
    { StartAt: "A", States: { A: { Type: "Pass", Parameters: { "c.$": "$$" }, End: true } } },
    { name: "Orders" },
  );
  const { c } = await machine.run({ x: 1 }, { name: "first" });
  assert.equal(c.Execution.Name, "first");
  assert.deepEqual(c.Execution.Input, { x: 1 });
  assert.equal(c.StateMachine.Name, "Orders");
  assert.match(c.Execution.Id, /:execution:Orders:first$/);
});

test("an execution that StartExecution refuses is not started", async () => {
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", End: true } } });
  const starts = (input, options) => [
    () => machine.start(input, options),
    () => simulate(machine, input, {}, options),
    () => new Engine(machine, { payloadLimit: options.payloadLimit }).start(0, input),
  ];
  const refuse = (calls, code, message) => {
    for (const call of calls) assert.throws(call, (error) => error.code === code && error.message.includes(message), String(call));
  };
  const input = (limit) => `Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${limit}`;
  // 262,144 bytes with their quotes, and one more; bytes count, not characters.
  assert.equal((await machine.start("a".repeat(262_142)).result).status, "SUCCEEDED");
  refuse(starts("a".repeat(262_143), {}), "ValidationException", input(262_144));
  refuse(starts("é".repeat(131_072), {}), "ValidationException", input(262_144));
  refuse(starts("abcdefgh", { payloadLimit: 9 }), "ValidationException", input(9));
  assert.equal((await machine.start("a".repeat(262_143), { payloadLimit: 300_000 }).result).status, "SUCCEEDED");
  for (const name of ["two words", "a/b", "a:b", "50%", "tab\t"])
    refuse(starts({}, { name }).slice(0, 2), "InvalidName", `Invalid Name: '${name}'`);
  refuse(
    starts({}, { name: "n".repeat(81) }).slice(0, 2),
    "ValidationException",
    "at 'name' failed to satisfy constraint: Member must have length less than or equal to 80",
  );
  refuse(starts({}, { name: "" }).slice(0, 2), "ValidationException", "greater than or equal to 1");
  assert.equal((await machine.start({}, { name: `ü-_.!@()'+=${"n".repeat(69)}` }).result).status, "SUCCEEDED");
});

test("limits are AWS's unless others are given", async () => {
  const big = { x: "a".repeat(300_000) };
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", End: true } } });
  const pass = (options) => machine.start({}, { ...options }).result;
  assert.equal((await pass({})).status, "SUCCEEDED");
  const echo = lambda();
  assert.equal((await echo.start({}, { tasks: { Add: () => big } }).result).error, "States.DataLimitExceeded");
  assert.equal((await echo.start({}, { tasks: { Add: () => big }, payloadLimit: 1_000_000 }).result).status, "SUCCEEDED");
});

test("history: none keeps no events", async () => {
  const running = lambda().start({}, { tasks: { Add: () => 1 }, history: "none" });
  assert.equal((await running.result).status, "SUCCEEDED");
  assert.deepEqual(running.history(), []);
});

test("version is the package's", () => assert.match(version(), /^\d+\.\d+\.\d+/));

test("simulate() accepts a machine, too", () => {
  assert.equal(simulate(lambda(), {}, { Add: { output: 3 } }).output, 3);
});

function thrownBy(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}
