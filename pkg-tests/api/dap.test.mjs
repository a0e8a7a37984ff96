// Tests each row of docs/debug-adapter.md with the client of @vscode/debugadapter-testsupport: on definitions in JSON and YAML, and
// in SAM templates as an object and as a string.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { stringify } from "yaml";
import { DebugAdapter, textProgram } from "stepglass/dap";
import { StateMachine } from "stepglass";
import { command, folderWith } from "./command.mjs";
import { Editor, adapter } from "./dap-client.mjs";

const order = {
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: "charge", "Payload.$": "$" },
      Assign: { "paid.$": "$.Payload.amount" },
      ResultSelector: { "amount.$": "$.Payload.amount" },
      ResultPath: "$.charge",
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2 }],
      Catch: [{ ErrorEquals: ["Declined"], Next: "Sorry" }],
      Next: "Enough",
    },
    Enough: { Type: "Choice", Choices: [{ Variable: "$.charge.amount", NumericGreaterThan: 100, Next: "Gift" }], Default: "Pack" },
    Gift: { Type: "Pass", Result: "a card", ResultPath: "$.gift", Next: "Pack" },
    Pack: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: { StartAt: "Wrap", States: { Wrap: { Type: "Wait", Seconds: 1, Next: "Label" }, Label: { Type: "Pass", End: true } } },
      ResultPath: "$.packed",
      Next: "Both",
    },
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Left", States: { Left: { Type: "Wait", Seconds: 1, End: true } } },
        { StartAt: "Right", States: { Right: { Type: "Pass", End: true } } },
      ],
      ResultPath: "$.both",
      Next: "Done",
    },
    Done: { Type: "Succeed" },
    Sorry: { Type: "Fail", Error: "NotPaid" },
  },
};
const input = { id: 7, items: [{ sku: "a" }, { sku: "b" }, { sku: "c" }] };
const mocks = { Charge: { return: { amount: 120 } } };

const indented = (text, by) => text.replaceAll(/^(?=.)/gm, " ".repeat(by));
const json = JSON.stringify(order, null, 2);
const template = (property) => `Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Role: arn:aws:iam::123456789012:role/orders
${property}  Topic:
    Type: AWS::SNS::Topic
`;
const texts = {
  "order.asl.json": json,
  "order.asl.yaml": stringify(order),
  "template.yaml": template(`      Definition:\n${indented(stringify(order), 8)}`),
  "string.yaml": template(`      DefinitionString: !Sub |\n${indented(json, 8)}\n`).replace(
    "AWS::Serverless::StateMachine",
    "AWS::StepFunctions::StateMachine",
  ),
};
const { folder } = folderWith({
  ...texts,
  "tasks.mjs": "export const charge = async ({ id }) => ({ amount: id * 10 });\n",
  "mocks.yaml": "Charge:\n  - throw: Busy\n  - return: { amount: 30 }\n",
  "order.stepglass.yaml": `definition: order.asl.yaml
input: { id: 1, items: [] }
tests:
  - name: a small order
    mocks: { Charge: { return: { amount: 10 } } }
  - name: a declined card
    mocks: { Charge: { throw: Declined } }
    expect: { status: FAILED }
`,
  "parent.asl.json": {
    StartAt: "Start",
    States: {
      Start: {
        Type: "Task",
        Resource: "arn:aws:states:::states:startExecution.sync:2",
        Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:child", Input: {} },
        End: true,
      },
    },
  },
  "child.asl.json": { StartAt: "Inner", States: { Inner: { Type: "Pass", Result: 1, End: true } } },
});
const file = (name) => join(folder, name);

/** A definition in one of its forms: its file, and the lines of its parts. */
const forms = Object.entries(texts).map(([name, text]) => {
  const path = file(name);
  const lines = text.split("\n");
  /** The line of a field of a state, or of the state itself. Lines start at 1. */
  const line = (state, ...fields) => {
    const find = (word, from) => lines.findIndex((one, i) => i >= from && new RegExp(`^\\s*(- )?"?${word}"?:`).test(one));
    return fields.reduce((at, field) => find(field, at), find(state, 0)) + 1;
  };
  return { name, path, definition: name.startsWith("order") ? path : `${path}#Orders`, line };
});

const port = adapter();
const open = [];
after(async () => {
  await Promise.all(open.map((editor) => editor.close().catch(() => {})));
  (await port).stop();
});

async function connected(capabilities) {
  const editor = await Editor.connect((await port).number, capabilities);
  open.push(editor);
  return editor;
}

/** Starts a run of the order in a form, with breakpoints on lines. */
async function debug({ definition, path }, { lines = [], capabilities, exceptions, before, ...launch } = {}) {
  const editor = await connected(capabilities);
  const breakpoints = { [path]: lines.map((one) => (typeof one === "number" ? { line: one } : one)) };
  const set = await editor.launch({ definition, input, mocks, ...launch }, { breakpoints, exceptions, before });
  return { editor, set: set[path] };
}

/** Declares a test for each form of the definition. */
const each = (title, run) => {
  for (const form of forms) test(`${title}: ${form.name}`, () => run(form));
};

describe("launch", () => {
  each("stops at the first state, with its place", async (form) => {
    const { editor } = await debug(form, { stopOnEntry: true });
    const { reason, description, state, frames } = await editor.stop();
    assert.deepEqual([reason, description, state], ["entry", "Paused at the start", "Charge"]);
    const [{ source, line, endLine, column }] = frames;
    assert.deepEqual([source.path, line], [form.path, form.line("Charge")]);
    assert.ok(endLine > line && column > 1);
  });

  each("runs to the end and tells how it ended", async (form) => {
    const { editor } = await debug(form);
    assert.deepEqual(await editor.event("exited"), { exitCode: 0 });
    await editor.event("terminated");
    const [{ category, output }] = editor.taken("output").slice(-1);
    assert.equal(category, "stdout");
    assert.deepEqual(JSON.parse(output).charge, { amount: 120 });
  });

  const outcome = async (given) => {
    const editor = await connected();
    await editor.launch({ definition: file("order.asl.json"), input, ...given });
    await editor.event("terminated");
    const { output } = editor.taken("output").at(-1);
    return output.startsWith("{") ? JSON.parse(output) : output.trim();
  };

  test("takes handlers, mocks of a file, a test, generated mocks and the input of a file", async () => {
    assert.equal((await outcome({ tasks: file("tasks.mjs") })).charge.amount, 70);
    assert.equal((await outcome({ mocks: file("mocks.yaml") })).charge.amount, 30);
    assert.equal(
      (await outcome({ definition: undefined, input: undefined, test: `${file("order.stepglass.yaml")}#a small` })).charge.amount,
      10,
    );
    assert.equal(
      await outcome({ definition: undefined, input: undefined, test: `${file("order.stepglass.yaml")}#a declined card` }),
      "FAILED: NotPaid",
    );
    assert.equal(typeof (await outcome({ input: undefined, mocks: "generated" })).charge.amount, "number");
    const partly = { Charge: { mode: "result", result: { amount: 80 } }, "*": "generated" };
    assert.equal((await outcome({ input: undefined, mocks: partly })).charge.amount, 80);
    writeFileSync(file("input.json"), JSON.stringify({ ...input, id: 9 }));
    assert.equal((await outcome({ input: `@${file("input.json")}`, tasks: file("tasks.mjs") })).charge.amount, 90);
  });

  test("debugs a recorded execution and forks it", async () => {
    const recorded = new StateMachine(order).start(input, { tasks: { charge: () => ({ amount: 55 }) }, clock: "virtual", startTime: 0 });
    await recorded.result;
    writeFileSync(file("history.json"), JSON.stringify({ events: recorded.history() }));
    const { editor } = await debug(forms[0], {
      mocks: undefined,
      input: undefined,
      history: file("history.json"),
      lines: [forms[0].line("Enough")],
    });
    assert.equal((await editor.stop()).state, "Enough");
    assert.equal(await editor.evaluate("$.charge.amount"), "55");
    await editor.ask("setExpression", { expression: "$states.input.charge.amount", value: "500", frameId: editor.frameId });
    assert.equal((await editor.stop("next")).state, "Gift");
  });

  test("takes the definition of a recorded execution from its file", async () => {
    const recorded = new StateMachine(order).start(input, { tasks: { charge: () => ({ amount: 55 }) }, clock: "virtual", startTime: 0 });
    await recorded.result;
    const stateMachine = { name: "Orders", definition: JSON.stringify(order) };
    writeFileSync(file("fetched.json"), JSON.stringify({ stateMachine, history: recorded.history() }));
    assert.equal((await outcome({ definition: undefined, input: undefined, history: file("fetched.json") })).charge.amount, 55);
  });

  test("reports what is wrong and where", async () => {
    const editor = await connected();
    const wrong = { ...order, StartAt: "Chrge" };
    writeFileSync(file("wrong.asl.json"), JSON.stringify(wrong, null, 2));
    await assert.rejects(editor.ask("launch", {}), /needs a definition/);
    await assert.rejects(editor.ask("launch", { definition: file("none.json") }), /no such file/);
    await assert.rejects(editor.ask("launch", { definition: file("wrong.asl.json") }), /1 error\n.*wrong\.asl\.json:2:\d+: .*Chrge/);
    await assert.rejects(editor.ask("launch", { definition: file("template.yaml") + "#Others" }), /no state machine Others/);
    await assert.rejects(editor.ask("launch", { definition: file("order.asl.json"), clock: "fast" }), /clock must be/);
    await assert.rejects(editor.ask("launch", { test: file("order.stepglass.yaml") }), /2 tests; choose one/);
    await assert.rejects(editor.ask("stackTrace", { threadId: 1 }), /nothing is debugged/);
    assert.deepEqual(editor.taken("initialized"), []);
    await assert.rejects(editor.ask("readMemory", {}), /does not support the request readMemory/);
  });
});

describe("attach", () => {
  test("shows an execution of a server in its current state", async () => {
    const { serve } = await import("stepglass/server");
    const server = await serve({ port: 0 });
    after(() => server.close());
    const ask = async (action, given) => {
      const response = await fetch(server.url, {
        method: "POST",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${action}` },
        body: JSON.stringify(given),
      });
      return response.json();
    };
    const waiting = {
      StartAt: "First",
      States: {
        First: { Type: "Pass", Next: "Ask" },
        Ask: { Type: "Task", Resource: "arn:aws:states:us-east-1:123456789012:activity:a", End: true },
      },
    };
    await ask("CreateActivity", { name: "a" });
    const { stateMachineArn } = await ask("CreateStateMachine", {
      name: "asking",
      definition: JSON.stringify(waiting),
      roleArn: "arn:aws:iam::123456789012:role/r",
    });
    const { executionArn } = await ask("StartExecution", { stateMachineArn, input: '{"n": 3}' });
    const editor = await connected();
    await editor.launch({ executionArn, server: server.url }, { request: "attach" });
    const { reason, frames } = await editor.stop();
    assert.deepEqual([reason, frames[0].name], ["entry", "Ask"]);
    assert.equal(await editor.evaluate("$$.Execution.Id"), JSON.stringify(executionArn));
    const { content } = await editor.ask("source", { sourceReference: frames[0].source.sourceReference });
    assert.deepEqual(JSON.parse(content), waiting);
    assert.equal((await editor.stop("stepBack")).state, "Ask");
    assert.equal((await editor.stop("stepBack")).state, "First");
    await assert.rejects(editor.ask("attach", { executionArn: "arn:none", server: server.url }), /has no execution arn:none/);
  });
});

describe("breakpoints", () => {
  each("on a state, a field, a rule, a retrier, a catcher and a nested state stop at their lines", async (form) => {
    const { line } = form;
    const lines = [
      line("Charge", "Parameters"),
      line("Charge", "Retry", "ErrorEquals"),
      line("Enough", "Choices", "Variable"),
      line("Wrap"),
      line("Charge", "ResultPath"),
      line("Gift", "Next"),
    ];
    const { editor, set } = await debug(form, { lines, mocks: { Charge: [{ throw: "Busy" }, { return: { amount: 120 } }] } });
    assert.ok(
      set.every(({ verified }) => verified),
      JSON.stringify(set),
    );
    const stops = [];
    for (let i = 0; i < 7; i++) {
      const stop = await editor.stop(i === 0 ? undefined : "continue");
      assert.equal(stop.reason, "breakpoint");
      const { line: at } = set.find(({ id }) => id === stop.hitBreakpointIds[0]);
      assert.equal(stop.line, at, stop.description);
      stops.push([set.findIndex(({ id }) => id === stop.hitBreakpointIds[0]), stop.state, stop.description]);
    }
    assert.deepEqual(stops, [
      [0, "Charge", "Paused after Parameters of Charge"],
      [1, "Charge", "Paused before Charge is retried, by retrier 1"],
      [0, "Charge (attempt 2)", "Paused after Parameters of Charge"],
      [4, "Charge (attempt 2)", "Paused after ResultPath of Charge"],
      [2, "Enough", "Paused where Enough takes rule 1"],
      [5, "Gift", "Paused after Gift"],
      [3, "Wrap", "Paused before Wrap"],
    ]);
  });

  each("on a catcher, and on lines with nothing", async (form) => {
    const { line } = form;
    const lines = [line("Charge", "Catch", "ErrorEquals"), 1, 10_000];
    const { editor, set } = await debug(form, { lines, mocks: { Charge: { throw: "Declined" } } });
    assert.equal(set[0].verified, true);
    assert.deepEqual([set[2].verified, set[2].message], [false, "no state is on this line"]);
    const stops = [await editor.stop()];
    if (stops[0].state === "Charge" && stops[0].hitBreakpointIds[0] === set[1].id) stops.push(await editor.stop("continue"));
    assert.match(stops.at(-1).description, /error of Charge is caught, by catcher 1/);
  });

  each("have conditions, hit counts and log messages", async (form) => {
    const wrap = form.line("Wrap");
    const label = form.line("Label");
    const { editor } = await debug(form, {
      lines: [
        { line: wrap, condition: '$.sku = "b"' },
        { line: label, hitCondition: "3" },
        { line: form.line("Gift"), logMessage: "order {$.id} of {$paid}" },
      ],
    });
    await editor.stop();
    assert.equal(await editor.evaluate("$.sku"), '"b"');
    await editor.stop("continue");
    assert.equal(await editor.evaluate("$.sku"), '"c"');
    const logs = editor.taken("output").filter(({ source }) => source !== undefined);
    assert.deepEqual(
      logs.map(({ output, line }) => [output, line]),
      [["order 7 of 120\n", form.line("Gift")]],
    );
  });

  test("say why they cannot be set", async () => {
    const [form] = forms;
    const { set } = await debug(form, {
      stopOnEntry: true,
      lines: [
        { line: form.line("Gift"), condition: "1 +" },
        { line: form.line("Pack"), hitCondition: "often" },
      ],
    });
    assert.deepEqual(
      set.map(({ verified }) => verified),
      [false, false],
    );
    assert.match(set[0].message, /the condition cannot be read/);
    assert.match(set[1].message, /a hit count is/);
  });

  each("on a state's name", async (form) => {
    let set;
    const before = async (editor) => {
      set = (await editor.ask("setFunctionBreakpoints", { breakpoints: [{ name: "Both" }, { name: "Nobody" }] })).breakpoints;
    };
    const { editor } = await debug(form, { before });
    assert.deepEqual([set[0].verified, set[0].line, set[1].verified], [true, form.line("Both"), false]);
    assert.match(set[1].message, /there is no state Nobody; the states are Charge/);
    const { reason, state } = await editor.stop();
    assert.deepEqual([reason, state], ["function breakpoint", "Both"]);
  });

  each("on data: a variable, and a path of the output", async (form) => {
    const { editor } = await debug(form, { stopOnEntry: true });
    await editor.stop();
    const info = async (name) => (await editor.ask("dataBreakpointInfo", { name })).dataId;
    const { Input } = await editor.scopes();
    const { dataId } = await editor.ask("dataBreakpointInfo", { variablesReference: Input.variablesReference, name: "gift" });
    assert.deepEqual([await info("$paid"), dataId, await info("1 + 1")], ["$paid", "$.gift", null]);
    await editor.ask("setDataBreakpoints", { breakpoints: [{ dataId: "$paid" }, { dataId }] });
    const stops = [await editor.stop("continue"), await editor.stop("continue")];
    assert.deepEqual(
      stops.map(({ reason, state }) => [reason, state]),
      [
        ["data breakpoint", "Charge"],
        ["data breakpoint", "Gift"],
      ],
    );
  });

  each("on errors: any, uncaught, by name", async (form) => {
    const busy = { Charge: [{ throw: "Busy" }, { throw: "Lost", cause: "nobody knows" }] };
    const any = await debug(form, { mocks: busy, exceptions: ["all"] });
    const first = await any.editor.stop();
    assert.deepEqual([first.reason, first.text], ["exception", "Busy in Charge, will be retried"]);
    assert.equal((await any.editor.ask("exceptionInfo", { threadId: 1 })).breakMode, "always");
    const uncaught = await debug(form, { mocks: busy, exceptions: ["uncaught"] });
    assert.match((await uncaught.editor.stop()).text, /^Lost in Charge, uncaught/);
    assert.deepEqual(await uncaught.editor.ask("exceptionInfo", { threadId: 1 }), {
      exceptionId: "Lost",
      breakMode: "unhandled",
      description: "nobody knows",
    });
    const before = (editor) =>
      editor.ask("setExceptionBreakpoints", { filters: [], filterOptions: [{ filterId: "named", condition: "Lost, Other" }] });
    const named = await debug(form, { mocks: busy, before });
    assert.match((await named.editor.stop()).text, /^Lost/);
  });

  each("on an error in a field, with the frame at that field", async (form) => {
    const { editor } = await debug(form, { input: { id: 7 }, exceptions: ["all"] });
    const { state, line, frames } = await editor.stop();
    assert.equal(state, "Pack");
    // ItemsPath is on the second line after the state's name.
    assert.equal(line, form.line("Pack") + 2);
    assert.equal(frames[0].endLine, line);
  });

  each("have locations", async (form) => {
    const { editor } = await debug(form, { stopOnEntry: true });
    const line = form.line("Gift");
    const { breakpoints } = await editor.ask("breakpointLocations", { source: { path: form.path }, line });
    assert.equal(breakpoints[0].line, line);
  });
});

describe("stepping", () => {
  const path = (stop) => [stop.reason, stop.state];

  each("goes over, in, out, back, and back to a breakpoint", async (form) => {
    const { editor } = await debug(form, { stopOnEntry: true, stopOnEnd: true, lines: [form.line("Gift")] });
    await editor.stop();
    assert.deepEqual(path(await editor.stop("next")), ["step", "Enough"]);
    assert.deepEqual(path(await editor.stop("next")), ["breakpoint", "Gift"]);
    assert.deepEqual(path(await editor.stop("next")), ["step", "Pack"]);
    const inside = await editor.stop("stepIn");
    assert.deepEqual(
      inside.frames.map(({ name }) => name),
      ["Wrap", "Pack"],
    );
    const outside = await editor.stop("stepOut");
    assert.match(outside.frames.at(-1).name, /Pack/);
    assert.deepEqual(path(await editor.stop("reverseContinue")), ["breakpoint", "Gift"]);
    assert.deepEqual(path(await editor.stop("stepBack")), ["step", "Enough"]);
    const end = await editor.stop("continue");
    assert.deepEqual(path(end), ["breakpoint", "Gift"]);
    const over = await editor.stop("continue");
    assert.deepEqual([over.reason, over.description], ["end", "The execution has ended: SUCCEEDED"]);
    assert.equal((await editor.stop("stepBack")).reason, "step");
    assert.equal((await editor.stop("continue")).reason, "end");
    await editor.ask("continue", { threadId: 1 });
    assert.deepEqual(await editor.event("exited"), { exitCode: 0 });
  });

  each("in goes by the stages of the data", async (form) => {
    const { editor } = await debug(form, { stopOnEntry: true });
    await editor.stop();
    const lines = new Set();
    for (let stop; stop?.state !== "Enough"; lines.add(stop.line)) stop = await editor.stop("stepIn");
    for (const field of ["Parameters", "ResultSelector", "ResultPath"]) assert.ok(lines.has(form.line("Charge", field)), field);
  });

  each("goes to another time, and runs a state again", async (form) => {
    let calls = 0;
    const { editor } = await debug(form, { lines: [form.line("Done")] });
    await editor.stop();
    const { targets } = await editor.ask("gotoTargets", { source: { path: form.path }, line: form.line("Wrap") });
    assert.deepEqual(
      targets.map(({ label }) => label.replace(/\d+\)/, "")),
      ["Wrap, visit 1 (event ", "Wrap, visit 2 (event ", "Wrap, visit 3 (event "],
    );
    const there = await editor.stop("goto", { targetId: targets[1].id });
    assert.deepEqual([there.reason, there.state], ["goto", "Wrap"]);
    assert.equal(await editor.evaluate("$.sku"), '"b"');
    assert.equal((await editor.stop("stepglass/goto", { state: "Charge" })).state, "Charge");
    await assert.rejects(editor.ask("stepglass/goto", { state: "Nowhere" }), /Nowhere was not visited/);
    editor.taken("stepglass/graph");
    await editor.ask("stepglass/goto", { event: 0 });
    await editor.event("stopped");
    assert.equal((await editor.event("stepglass/graph")).event, 0);
    const { targets: charge } = await editor.ask("gotoTargets", { source: { path: form.path }, line: form.line("Charge") });
    await editor.stop("goto", { targetId: charge[0].id });
    await editor.ask("restartFrame", { frameId: editor.frameId });
    const again = await editor.stop();
    assert.deepEqual([again.reason, again.state], ["restart", "Charge"]);
    assert.equal((await editor.stop("next")).state, "Enough");
    calls = (await editor.evaluate(".runs", "repl")).split("\n").length;
    assert.equal(calls, 2);
  });

  each("restarts with the definition as it is now, and terminates", async (form) => {
    const { editor } = await debug(form, { stopOnEntry: true, lines: [form.line("Pack")] });
    await editor.stop();
    await editor.stop("continue");
    await editor.ask("restart", {});
    assert.equal((await editor.stop()).reason, "entry");
    assert.deepEqual(path(await editor.stop("continue")), ["breakpoint", "Pack"]);
    await editor.ask("terminate", {});
    assert.deepEqual(await editor.event("exited"), { exitCode: 1 });
    await editor.event("terminated");
  });

  each("pauses a run, and steps in a thread of its own", async (form) => {
    const { editor } = await debug(form, { mocks: undefined, ask: true });
    const { output } = await editor.event("output");
    assert.match(output, /Charge waits for an answer/);
    assert.equal((await editor.stop("pause")).reason, "pause");
    await editor.ask("continue", { threadId: 1 });
    assert.equal(await editor.evaluate('.answer {"amount": 3}', "repl"), "Charge has its answer");
    await editor.event("terminated");
  });

  test("takes over a changed definition and continues", async () => {
    writeFileSync(file("edited.asl.json"), json);
    const form = { ...forms[0], path: file("edited.asl.json"), definition: file("edited.asl.json") };
    const { editor } = await debug(form, { lines: [form.line("Gift")] });
    await editor.stop();
    writeFileSync(form.path, json.replace('"a card"', '"a box"'));
    assert.deepEqual(await editor.ask("stepglass/applyDefinition", {}), { same: true });
    await editor.stop();
    await editor.stop("next");
    assert.equal(await editor.evaluate("$.gift"), '"a box"');
  });
});

describe("threads and frames", () => {
  each("have the names of branches and iterations, and places", async (form) => {
    const { editor } = await debug(form, { lines: [{ line: form.line("Wrap"), hitCondition: "3" }, form.line("Right")] });
    const first = await editor.stop();
    assert.deepEqual(
      first.frames.map(({ name, line }) => [name, line]),
      [
        ["Wrap", form.line("Wrap")],
        ["Pack", form.line("Pack")],
      ],
    );
    const { threads } = await editor.ask("threads");
    assert.deepEqual(
      threads.map(({ name }) => name),
      ["Execution", "Pack #0", "Pack #1", "Pack #2"],
    );
    const other = threads.find(({ name }) => name === "Pack #0");
    assert.notEqual(other.id, first.threadId);
    const [frame] = await editor.frames(other.id);
    assert.equal(frame.name, "Wrap");
    assert.equal((await editor.ask("evaluate", { expression: "$.sku", frameId: frame.id })).result, '"a"');
    await editor.ask("setBreakpoints", { source: { path: form.path }, breakpoints: [{ line: form.line("Right") }] });
    await editor.stop("continue");
    const names = (await editor.ask("threads")).threads.map(({ name }) => name);
    assert.deepEqual(names, ["Execution", "Both branch 1", "Both branch 2"]);
  });

  test("steps apply to the thread that they name", async () => {
    const [form] = forms;
    const { editor } = await debug(form, { lines: [{ line: form.line("Wrap"), hitCondition: "3" }] });
    const stopped = await editor.stop();
    const { threads } = await editor.ask("threads");
    const { id } = threads.find(({ name }) => name === "Pack #0");
    assert.notEqual(stopped.threadId, id);
    const { state, threadId } = await editor.stop("next", { threadId: id });
    assert.deepEqual([state, threadId], ["Label", id]);
  });

  test("of child executions are paged", async () => {
    const many = {
      StartAt: "Each",
      States: {
        Each: {
          Type: "Map",
          ItemProcessor: {
            ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
            StartAt: "Work",
            States: { Work: { Type: "Task", Resource: "arn:aws:states:::lambda:invoke", Parameters: { FunctionName: "f" }, End: true } },
          },
          MaxConcurrency: 500,
          End: true,
        },
      },
    };
    writeFileSync(file("many.asl.json"), JSON.stringify(many, null, 2));
    const editor = await connected();
    const items = Array.from({ length: 10_000 }, (_, i) => i);
    await editor.launch({ definition: file("many.asl.json"), input: items, ask: true });
    // Runs until all of the first children wait.
    const has500 = async () =>
      (await editor.ask("stepglass/threads", { start: 499, count: 1 })).threads.some(({ name }) => name === "Each #499");
    while (!(await has500()));
    await editor.stop("pause");
    const all = [];
    let next = 0;
    let pages = 0;
    while (next !== undefined) {
      const page = await editor.ask("stepglass/threads", { start: next, count: 100 });
      all.push(...page.threads.filter(({ name }) => name.startsWith("Each #")));
      next = page.next;
      pages += 1;
    }
    const names = new Set(all.map(({ name }) => name));
    assert.ok(names.size >= 500, `${names.size}`);
    assert.ok(pages >= 5, `${pages}`);
    assert.ok((await editor.ask("threads")).threads.length <= 102);
    const { id } = all.find(({ name }) => name === "Each #321");
    const frames = await editor.frames(id);
    assert.deepEqual(
      frames.map(({ name }) => name),
      ["Work", "Each"],
    );
    assert.equal((await editor.ask("evaluate", { expression: "{% $states.input %}", frameId: frames[0].id })).result, "321");
    await assert.rejects(editor.ask("restartFrame", { frameId: frames[0].id }), /child execution of a Distributed Map/);
  });

  test("of executions that tasks start can be stepped into", async () => {
    const editor = await connected();
    const path = file("child.asl.json");
    await editor.launch({ definition: file("parent.asl.json"), machines: [path], stopOnEntry: true }, { breakpoints: { [path]: [] } });
    await editor.stop();
    const { frames } = await editor.stop("stepIn");
    assert.deepEqual(
      frames.map(({ name, source }) => [name, source.path]),
      [
        ["Inner", path],
        ["Start", file("parent.asl.json")],
      ],
    );
    assert.ok((await editor.ask("threads")).threads.some(({ name }) => name.includes("(child)")));
    const { sources } = await editor.ask("loadedSources");
    assert.deepEqual(
      sources.map(({ path }) => path),
      [file("parent.asl.json"), path],
    );
  });
});

describe("scopes and variables", () => {
  each("show the data of a state as it flows", async (form) => {
    const { editor } = await debug(form, { lines: [form.line("Charge", "ResultPath")] });
    await editor.stop();
    const scopes = await editor.scopes();
    assert.deepEqual(Object.keys(scopes), ["Input", "Stages", "Variables", "Context", "Task"]);
    assert.deepEqual(await editor.shown("Input"), { id: "7", items: '[{sku: "a"}, {sku: "b"}, {sku: "c"}]' });
    assert.deepEqual(Object.keys(await editor.shown("Stages")).slice(0, 2), ["afterInputPath", "afterParameters"]);
    const task = await editor.shown("Task");
    assert.deepEqual([task.resource, task.attempt], ['"arn:aws:states:::lambda:invoke"', "1"]);
    assert.match((await editor.shown("Context")).State, /Charge/);
    await editor.ask("setBreakpoints", { source: { path: form.path }, breakpoints: [{ line: form.line("Enough") }] });
    await editor.stop("continue");
    assert.deepEqual(await editor.shown("Variables"), { paid: "120" });
    await assert.rejects(editor.variables(scopes.Input.variablesReference), /the run has moved on/);
  });

  each("change the input, a variable and a result", async (form) => {
    const { editor } = await debug(form, { lines: [form.line("Enough")], capabilities: { supportsInvalidatedEvent: true } });
    await editor.stop();
    const { Input } = await editor.scopes();
    const { charge } = await editor.variables(Input.variablesReference);
    const set = await editor.ask("setVariable", { variablesReference: charge.variablesReference, name: "amount", value: "5" });
    assert.equal(set.value, "5");
    assert.deepEqual(await editor.event("invalidated"), { areas: ["all"] });
    editor.frameId = (await editor.frames())[0].id;
    assert.equal(await editor.evaluate("$.charge.amount"), "5");
    const { Variables, Context } = await editor.scopes();
    await editor.ask("setVariable", { variablesReference: Variables.variablesReference, name: "paid", value: "$.charge.amount" });
    editor.frameId = (await editor.frames())[0].id;
    assert.equal(await editor.evaluate("$paid"), "5");
    await assert.rejects(
      editor.ask("setVariable", { variablesReference: Context.variablesReference, name: "State", value: "1" }),
      /cannot be changed|moved on/,
    );
    assert.equal((await editor.stop("next")).state, "Pack");
    await editor.ask("setExpression", { expression: "$paid", value: '{"euro": [1, 2]}', frameId: editor.frameId });
    editor.frameId = (await editor.frames())[0].id;
    await editor.ask("setExpression", { expression: "$paid.euro[1]", value: "9", frameId: editor.frameId });
    editor.frameId = (await editor.frames())[0].id;
    assert.equal(await editor.evaluate("{% $paid.euro %}"), "[1, 9]");
    await assert.rejects(editor.ask("setExpression", { expression: "1 + 1", value: "3", frameId: editor.frameId }), /cannot be set/);
  });

  test("are paged", async () => {
    const editor = await connected();
    const list = Array.from({ length: 3000 }, (_, i) => i);
    await editor.launch({ definition: file("order.asl.json"), input: { ...input, list }, mocks, stopOnEntry: true });
    await editor.stop();
    const { Input } = await editor.scopes();
    const { list: found } = await editor.variables(Input.variablesReference);
    assert.equal(found.indexedVariables, 3000);
    const page = await editor.variables(found.variablesReference, { filter: "indexed", start: 2500, count: 10 });
    assert.deepEqual(Object.keys(page), ["2500", "2501", "2502", "2503", "2504", "2505", "2506", "2507", "2508", "2509"]);
    assert.equal((await editor.variables(found.variablesReference))["…"].value, "2000 more");
  });
});

describe("evaluate", () => {
  each("reads JSONPath, intrinsic functions, JSONata and templates, for every context", async (form) => {
    const { editor } = await debug(form, { lines: [form.line("Enough")] });
    await editor.stop();
    assert.equal(await editor.evaluate("$.items[1].sku", "hover"), '"b"');
    assert.equal(await editor.evaluate("$$.State.Name", "watch"), '"Enough"');
    assert.equal(await editor.evaluate("States.Format('{} of {}', $.id, $paid)", "watch"), '"7 of 120"');
    assert.equal(await editor.evaluate("{% $sum([1, $paid]) %}", "watch"), "121");
    assert.equal(await editor.evaluate("$paid > 100 and $paid < 200", "repl"), "true");
    assert.equal(await editor.evaluate('{"total.$": "$paid"}', "watch"), "{total: 120}");
    assert.equal(await editor.evaluate("$.charge", "clipboard"), '{\n  "amount": 120\n}');
    await assert.rejects(editor.evaluate("$.nothing.there", "watch"));
    await assert.rejects(editor.evaluate("1 +", "repl"));
    assert.equal(await editor.evaluate("{% $.nothing %}", "watch"), "undefined");
    await assert.rejects(editor.evaluate("Enough", "hover"), /has no value here/);
    assert.match(await editor.evaluate(".help", "repl"), /\.answer/);
    const { variablesReference } = await editor.ask("evaluate", { expression: "$.items", frameId: editor.frameId, context: "watch" });
    assert.deepEqual(Object.keys(await editor.variables(variablesReference)), ["0", "1", "2"]);
  });

  each("completes members, variables and functions", async (form) => {
    const { editor } = await debug(form, { lines: [form.line("Enough")] });
    await editor.stop();
    const labels = async (text) => {
      const { targets } = await editor.ask("completions", { text, column: text.length + 1, frameId: editor.frameId });
      return targets.map(({ label }) => label);
    };
    assert.deepEqual(await labels("$."), ["id", "items", "charge"]);
    assert.deepEqual(await labels("$.charge."), ["amount"]);
    assert.ok((await labels("$pa")).includes("$paid"));
    assert.ok((await labels("States.")).some((label) => /Format/.test(label)));
    assert.ok((await labels(".")).includes(".answer"));
  });
});

describe("events", () => {
  each("have the marks of a graph", async (form) => {
    const { editor } = await debug(form, { lines: [form.line("Both")] });
    await editor.stop();
    const { states, current, event } = editor.taken("stepglass/graph").at(-1);
    assert.deepEqual(current, ["Both"]);
    assert.deepEqual(states.Charge, { status: "succeeded", visits: 1 });
    assert.deepEqual(states.Wrap, { status: "succeeded", visits: 3 });
    assert.deepEqual(states.Both, { status: "running", visits: 1 });
    assert.ok(event > 10 && states.Done === undefined);
    await editor.stop("stepBack");
    assert.equal(editor.taken("stepglass/graph").at(-1).states.Both, undefined);
  });

  test("report the progress of a long run", async () => {
    const loop = {
      StartAt: "Count",
      States: {
        Count: { Type: "Pass", QueryLanguage: "JSONata", Output: "{% {'n': $states.input.n + 1} %}", Next: "More" },
        More: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 2000, Next: "Count" }], Default: "End" },
        End: { Type: "Succeed" },
      },
    };
    writeFileSync(file("loop.asl.json"), JSON.stringify(loop, null, 2));
    const editor = await connected({ supportsProgressReporting: true });
    await editor.launch({ definition: file("loop.asl.json"), input: { n: 0 } });
    await editor.event("terminated");
    const [{ progressId, title }] = editor.taken("progressStart");
    assert.deepEqual(
      [title, editor.taken("progressUpdate").every((one) => one.progressId === progressId)],
      ["Running the state machine", true],
    );
    assert.deepEqual(editor.taken("progressEnd"), [{ progressId }]);
  });
});

describe("the command", () => {
  test("speaks the protocol on standard input and output, whatever handlers print", async () => {
    writeFileSync(
      file("loud.mjs"),
      "export const charge = () => { console.log('loud'); process.stdout.write('louder'); return { amount: 1 }; };\n",
    );
    const child = spawn(process.execPath, [command, "dap"], { stdio: ["pipe", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (text) => (errors += text));
    const ended = new Promise((resolve) => child.on("close", resolve));
    const editor = await Editor.connect({ readable: child.stdout, writable: child.stdin });
    await editor.launch({ definition: file("order.asl.json"), input, tasks: file("loud.mjs") });
    await editor.event("terminated");
    await editor.ask("disconnect", {});
    assert.equal(await ended, 0);
    assert.match(errors, /loud\n?louder/);
  });

  test("counts lines as the client does, and accepts URIs", async () => {
    const editor = await connected({ linesStartAt1: false, columnsStartAt1: false, pathFormat: "uri" });
    const path = new URL(`file://${file("order.asl.json")}`).href;
    const line = forms[0].line("Gift") - 1;
    const set = await editor.launch({ definition: file("order.asl.json"), input, mocks }, { breakpoints: { [path]: [{ line }] } });
    assert.deepEqual([set[path][0].verified, set[path][0].line], [true, line]);
    const { frames } = await editor.stop();
    assert.deepEqual([frames[0].line, frames[0].source.path], [line, path]);
  });

  test("announces only capabilities that it has", async () => {
    const { capabilities } = await connected();
    for (const [name, value] of Object.entries(capabilities)) assert.notEqual(value, false, name);
    for (const absent of [
      "supportsDisassembleRequest",
      "supportsReadMemoryRequest",
      "supportsModulesRequest",
      "supportsInstructionBreakpoints",
      "supportsSingleThreadExecutionRequests",
    ])
      assert.equal(capabilities[absent], undefined, absent);
  });
});

describe("stepglass/dap", () => {
  test("is an adapter for programs that have the files themselves", async () => {
    const read = (path) => texts[path.slice(1)];
    for (const [name, id] of [
      ["order.asl.json", ""],
      ["order.asl.yaml", ""],
      ["template.yaml", "#Orders"],
      ["string.yaml", "#Orders"],
    ]) {
      const adapter = new DebugAdapter({ readFile: read });
      const messages = [];
      const nextMessage = (is) => new Promise((resolve) => adapter.onDidSendMessage((message) => is(message) && resolve(message)));
      adapter.onDidSendMessage((message) => messages.push(message));
      let seq = 0;
      const ask = (request, given) => {
        seq += 1;
        const answered = nextMessage(({ request_seq }) => request_seq === seq);
        adapter.handleMessage({ seq, type: "request", command: request, arguments: given });
        return answered;
      };
      await ask("initialize", { adapterID: "stepglass" });
      const own = { Charge: { mode: "result", result: { amount: 1 } } };
      const launched = await ask("launch", { definition: `/${name}${id}`, input, mocks: own, stopOnEntry: true });
      assert.equal(launched.success, true, launched.message);
      const stopped = nextMessage(({ event }) => event === "stopped");
      await ask("configurationDone");
      assert.equal((await stopped).body.reason, "entry");
      const { body } = await ask("stackTrace", { threadId: 1 });
      assert.deepEqual([body.stackFrames[0].source.path, body.stackFrames[0].name], [`/${name}`, "Charge"]);
      assert.equal(body.stackFrames[0].line, forms.find((form) => form.name === name).line("Charge"));
      const refused = await ask("attach", { executionArn: "arn:x" });
      assert.match(refused.message, /cannot attach/);
      adapter.dispose();
      assert.deepEqual(
        messages.map(({ seq: number }) => number),
        messages.map((_, i) => i + 1),
      );
    }
  });

  test("uses no module of Node, and no part of the server", () => {
    const dist = new URL("../../dist/", import.meta.url);
    const seen = new Set();
    const visit = (name) => {
      if (seen.has(name)) return;
      seen.add(name);
      const text = readFileSync(new URL(name, dist), "utf8");
      for (const [, path] of text.matchAll(/(?:from|import)\s*\(?"\.\/([^"]+)"/g)) if (existsSync(new URL(path, dist))) visit(path);
      assert.ok(!/(?:from|import|require)\s*\(?"node:/.test(text), name);
    };
    visit("dap.js");
    assert.ok(seen.size > 1);
  });

  test("finds the positions of a definition in a text", () => {
    const program = textProgram("template.yaml", texts["template.yaml"], { id: "Orders" });
    assert.equal(program.range("/States/Gift").start.line, forms[2].line("Gift"));
    assert.throws(() => textProgram("a.yaml", texts["template.yaml"], { id: "None" }), {
      code: "UNUSABLE_FILE",
      message: /no state machine None/,
    });
    assert.throws(() => textProgram("a.json", "{"), { code: "UNUSABLE_FILE" });
  });
});
