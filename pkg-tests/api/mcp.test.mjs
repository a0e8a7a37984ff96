// `stepglass mcp`, with the client of the Model Context Protocol's own SDK.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { command, folderWith } from "./command.mjs";

const charge = {
  Comment: "Charges an order",
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: "charge", "Payload.$": "$" },
      ResultSelector: { "amount.$": "$.Payload.amount" },
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 60, MaxAttempts: 2, BackoffRate: 2 }],
      Catch: [{ ErrorEquals: ["Declined"], Next: "Refuse" }],
      Next: "Done",
    },
    Done: { Type: "Succeed" },
    Refuse: { Type: "Fail", Error: "Refused" },
  },
};
const loop = {
  StartAt: "Again",
  States: {
    Again: { Type: "Choice", Choices: [{ Variable: "$.stop", IsPresent: true, Next: "Done" }], Default: "Pass" },
    Pass: { Type: "Pass", Next: "Again" },
    Done: { Type: "Succeed" },
  },
};
/** Each iteration of it takes long, so that it has few events when its time is over. */
const slow = {
  QueryLanguage: "JSONata",
  StartAt: "Compute",
  States: {
    Compute: {
      Type: "Choice",
      Choices: [{ Condition: "{% ($fib := function($n) { $n < 2 ? $n : $fib($n - 1) + $fib($n - 2) }; $fib(14)) < 0 %}", Next: "Done" }],
      Default: "Compute",
    },
    Done: { Type: "Succeed" },
  },
};
const wrong = { ...charge, StartAt: "Chrage" };
const template = (definition) =>
  `Resources:\n  Orders:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      RoleArn: arn:aws:iam::1:role/r\n${definition}`;
const tests = {
  definition: "charge.asl.json",
  tests: {
    works: { input: { id: 1 }, mocks: { Charge: { return: { amount: 5 } } }, expect: { output: { amount: 5 }, path: ["Charge", "Done"] } },
    fails: { mocks: { Charge: { throw: "Declined" } }, expect: { status: "SUCCEEDED" } },
  },
};

const files = {
  "charge.asl.json": charge,
  "loop.asl.json": loop,
  "slow.asl.json": slow,
  "wrong/wrong.asl.json": wrong,
  "wrong/broken.asl.json": '{ "StartAt": ',
  "template.yaml": template('      DefinitionString: \'{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}\'\n'),
  "outside.yaml": template("      DefinitionUri: ../outside.asl.json\n").replace("AWS::StepFunctions", "AWS::Serverless"),
  "charge.stepglass.yaml": tests,
  "code.stepglass.yaml": { ...tests, tasks: "tasks.mjs", tests: { only: { expect: { output: { amount: 9 } } } } },
  "tasks.mjs": 'console.log("loaded"); export const charge = () => (console.log("called"), { amount: 9 });',
  "big.asl.json": JSON.stringify({ ...charge, Comment: "x".repeat(2_000_000) }),
};

/** Starts a server for a folder with these files, and returns a client. */
async function connected(args = [], given = files) {
  const { folder } = folderWith(given);
  const transport = new StdioClientTransport({ command: process.execPath, args: [command, "mcp", ...args], cwd: folder, stderr: "pipe" });
  let stderr = "";
  transport.stderr.on("data", (data) => (stderr += data));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  after(() => client.close());
  const call = async (name, given) => client.callTool({ name, arguments: given });
  /** Returns the data of a successful result. */
  const data = async (name, given) => {
    const answer = await call(name, given);
    assert.ok(!answer.isError, answer.content[0].text);
    return { ...answer.structuredContent, text: answer.content[0].text, content: answer.content };
  };
  /** Returns the text of a result that is an error. */
  const refusal = async (name, given) => {
    const answer = await call(name, given);
    assert.equal(answer.isError, true, JSON.stringify(answer).slice(0, 2000));
    return answer.content[0].text;
  };
  return { client, folder, call, data, refusal, stderr: () => stderr };
}

const shared = connected();

describe("stepglass mcp", () => {
  test("lists its tools, with schemas and hints about their effects", async () => {
    const { client } = await shared;
    assert.equal(client.getServerVersion().name, "stepglass");
    assert.match(client.getInstructions(), /Nothing is sent anywhere/);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["validate", "run", "test", "explain_history", "graph", "convert"],
    );
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      assert.ok(description.length > 40, name);
      assert.equal(inputSchema.type, "object", name);
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.ok(outputSchema.required.includes("cut"), name);
      const { title, ...hints } = annotations;
      assert.ok(title, name);
      assert.deepEqual(hints, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }, name);
    }
  });

  test("validates files, folders, templates and definitions in the call", async () => {
    const { data, refusal } = await shared;
    const good = await data("validate", { file: "charge.asl.json" });
    assert.deepEqual([good.valid, good.errors, good.definitions.length, good.cut], [true, 0, 1, []]);
    const bad = await data("validate", { definition: wrong });
    assert.equal(bad.valid, false);
    assert.equal(bad.diagnostics[0].code, "unknown-target");
    assert.deepEqual([bad.diagnostics[0].pointer, bad.diagnostics[0].line], ["/StartAt", 3]);
    assert.match(bad.text, /"StartAt": "Chrage"/);
    const yaml = await data("validate", { definition: "StartAt: A\nStates:\n  A:\n    Type: Pas\n    End: true\n" });
    assert.deepEqual([yaml.diagnostics[0].line, yaml.diagnostics[0].column], [4, 11]);
    const folder = await data("validate", { file: "wrong" });
    assert.deepEqual([folder.definitions.length, folder.valid], [2, false]);
    assert.deepEqual((await data("validate", { file: "template.yaml" })).definitions[0].machine, "Orders");
    assert.equal((await data("validate", { file: "template.yaml", machine: "Orders" })).valid, true);
    assert.match(await refusal("validate", { file: "template.yaml", machine: "Order" }), /has no state machine Order; it has Orders/);
    assert.match(await refusal("validate", { file: "nowhere.json" }), /cannot read nowhere.json: no such file/);
    assert.match(await refusal("validate", {}), /give either file or definition/);
    assert.match(await refusal("validate", { fil: "x" }), /Unrecognized key: "fil"/);
    assert.match(await refusal("validate", { file: 7 }), /expected string/);
  });

  test("lists as many problems as requested, and their total number", async () => {
    const { data } = await shared;
    const States = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`S${i}`, { Type: "Pass", Next: `T${i}` }]));
    const many = await data("validate", { definition: { StartAt: "S0", States } });
    assert.equal(many.diagnostics.length, 100);
    assert.match(many.cut[0], /^100 of \d+ problems are listed/);
    assert.match(many.text, /Left out: .*100 of/);
    assert.equal((await data("validate", { definition: { StartAt: "S0", States }, limit: 3 })).diagnostics.length, 3);
  });

  test("runs with mocks on a virtual clock", async () => {
    const { data, refusal } = await shared;
    const run = await data("run", {
      file: "charge.asl.json",
      input: { id: 7 },
      mocks: { charge: [{ throw: "Busy" }, { return: { amount: 12 } }] },
    });
    assert.deepEqual([run.status, run.output, run.path], ["SUCCEEDED", { amount: 12 }, ["Charge", "Done"]]);
    assert.deepEqual([run.duration, run.retried[0]], [60_000, { state: "Charge", error: "Busy", delay: 60_000 }]);
    assert.deepEqual(
      run.calls.map(({ attempt, error, result }) => [attempt, error, result]),
      [
        [0, "Busy", undefined],
        [1, undefined, { amount: 12 }],
      ],
    );
    const refused = await data("run", { definition: charge, mocks: { Charge: { throw: "Declined", cause: "no" } } });
    assert.deepEqual([refused.status, refused.error, refused.caught[0].cause], ["FAILED", "Refused", "no"]);
    assert.match(
      await refusal("run", { file: "charge.asl.json" }),
      /Add one: mocks: \{"Charge": \{"return": …\}\}\.\nThe definition's tasks: Charge/,
    );
    assert.match(
      await refusal("run", { file: "charge.asl.json", mocks: { Charge: { retrun: 1 } } }),
      /no field "retrun"; did you mean return/,
    );
    assert.match(await refusal("run", { file: "charge.asl.json", mocks: { Ship: { return: 1 } } }), /"Ship" matches nothing/);
    assert.match(await refusal("run", { definition: wrong }), /has 1 error[\s\S]*unknown-target/);
    assert.match(
      await refusal("run", { definition: { StartAt: "A", States: { A: { Type: "Pass", End: true } } }, input: "x".repeat(300_000) }),
      /input/,
    );
  });

  test("ends a run that does not end by itself", async () => {
    const { data } = await shared;
    const few = await data("run", { file: "loop.asl.json", maxEvents: 100 });
    assert.deepEqual([few.status, few.events], ["FAILED", 100]);
    const most = await data("run", { file: "loop.asl.json" });
    assert.equal(most.events, 25_000);
    assert.ok(
      most.cut.some((one) => /at most 25,000 events/.test(one)),
      most.cut.join(),
    );
    assert.equal(most.path.length, 100);
    const endless = await connected(["--timeout", "1", "--max-events", "1000000000"]);
    const ended = await endless.data("run", { file: "slow.asl.json", type: "EXPRESS" });
    assert.equal(ended.status, "ABORTED");
    assert.ok(
      ended.cut.some((one) => /ended after 1 second/.test(one)),
      ended.cut.join(),
    );
  });

  test("runs tests, and code only if allowed", async () => {
    const { data, refusal } = await shared;
    const { ok, passed, failed, tests } = await data("test", { file: "charge.stepglass.yaml" });
    assert.deepEqual([ok, passed, failed], [false, 1, 1]);
    assert.deepEqual([tests[0].name, tests[0].failures[0].field], ["fails", "status"]);
    assert.match(tests[0].story, /Declined/);
    assert.equal((await data("test", { file: "charge.stepglass.yaml", filter: "works" })).ok, true);
    assert.match(await refusal("test", { content: "tests: 7" }), /needs a definition/);
    assert.match(await refusal("test", { file: "code.stepglass.yaml" }), /runs no code: start it with --modules/);
    assert.match(
      await refusal("test", { content: JSON.stringify({ ...files["charge.stepglass.yaml"], definition: "../x.json" }) }),
      /outside of/,
    );
    const property = { property: { runs: 100_000 } };
    assert.match(await refusal("test", { content: JSON.stringify({ definition: charge, tests: { property } }) }), /at most 1,000 times/);
    const allowed = await connected(["--modules"]);
    assert.equal((await allowed.data("test", { file: "code.stepglass.yaml" })).ok, true);
    assert.match(allowed.stderr(), /loaded[\s\S]*called/);
    const { annotations } = (await allowed.client.listTools()).tools.find(({ name }) => name === "test");
    assert.equal(annotations.readOnlyHint, false);
  });

  test("draws graphs", async () => {
    const { data, refusal } = await shared;
    const graph = await data("graph", { file: "charge.asl.json" });
    assert.match(graph.text, /^stateDiagram-v2/);
    assert.equal(graph.text.trim(), graph.drawing.trim());
    assert.deepEqual(
      graph.transitions.map(({ from, to, kind }) => [from, to, kind]).filter(([from]) => from === "Charge"),
      [
        ["Charge", "Done", "next"],
        ["Charge", "Refuse", "catch"],
      ],
    );
    const { content, states } = await data("graph", { definition: wrong, format: "svg", direction: "LR", theme: "dark" });
    assert.equal(content[1].resource.mimeType, "image/svg+xml");
    assert.match(content[1].resource.text, /^<svg/);
    assert.ok(states.some(({ name, reachable }) => name === "Charge" && !reachable));
    assert.match(await refusal("graph", { definition: "{" }), /invalid-json/);
  });

  test("converts definitions", async () => {
    const { data, refusal } = await shared;
    const yaml = await data("convert", { file: "charge.asl.json" });
    assert.equal(yaml.format, "yaml");
    assert.match(yaml.output, /^Comment: Charges an order\nStartAt: Charge\n/);
    const jsonata = await data("convert", { definition: charge, jsonata: true });
    assert.deepEqual([jsonata.format, jsonata.converted, jsonata.left], ["json", ["Charge", "Done", "Refuse"], []]);
    assert.equal(JSON.parse(jsonata.output).QueryLanguage, "JSONata");
    assert.match(await refusal("convert", { definition: "{" }), /is not/);
  });

  test("offers the language and examples as resources, and prompts", async () => {
    const { client, data } = await shared;
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    for (const uri of ["stepglass://language/machine", "stepglass://language/Task", "stepglass://examples/retry"])
      assert.ok(uris.includes(uri), uri);
    const read = async (uri) => (await client.readResource({ uri })).contents[0].text;
    for (const uri of uris) assert.ok((await read(uri)).length > 100, uri);
    assert.match(
      await read("stepglass://language/Task"),
      /- `Resource` \(string, required[^)]*\): .*\n[\s\S]*- `Arguments` .*Only with JSONata/,
    );
    assert.match(await read("stepglass://language/machine"), /States\.Format\(/);
    await assert.rejects(read("stepglass://language/Tusk"), /did you mean/i);
    await assert.rejects(read("stepglass://nothing/x"));
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "stepglass://language/{type}" },
      argument: { name: "type", value: "p" },
    });
    assert.deepEqual(completion.values, ["Parallel", "Pass"]);
    const example = await read("stepglass://examples/hello");
    const [, definition] = /```json\n([\s\S]*?)```/.exec(example);
    assert.equal((await data("validate", { definition })).valid, true);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ["fix_definition", "write_tests", "explain_failure"],
    );
    const { messages } = await client.getPrompt({ name: "explain_failure", arguments: { history: "h.json", file: "charge.asl.json" } });
    assert.match(messages[0].content.text, /explain_history with historyFile "h\.json"/);
  });
});

const at = (seconds) => new Date(1.7e12 + seconds * 1000).toISOString();
const failed = [
  { id: 1, previousEventId: 0, timestamp: at(0), type: "ExecutionStarted", executionStartedEventDetails: { input: '{"id":7}' } },
  {
    id: 2,
    previousEventId: 0,
    timestamp: at(0),
    type: "TaskStateEntered",
    stateEnteredEventDetails: { name: "Charge", input: '{"id":7}' },
  },
  {
    id: 3,
    previousEventId: 2,
    timestamp: at(0),
    type: "TaskScheduled",
    taskScheduledEventDetails: {
      resource: "invoke",
      resourceType: "lambda",
      region: "us-east-1",
      parameters: '{"FunctionName":"charge","Payload":{"id":7}}',
    },
  },
  {
    id: 4,
    previousEventId: 3,
    timestamp: at(0),
    type: "TaskStarted",
    taskStartedEventDetails: { resource: "invoke", resourceType: "lambda" },
  },
  {
    id: 5,
    previousEventId: 4,
    timestamp: at(2),
    type: "TaskFailed",
    taskFailedEventDetails: { resource: "invoke", resourceType: "lambda", error: "Broken", cause: "a pipe" },
  },
  {
    id: 6,
    previousEventId: 5,
    timestamp: at(2),
    type: "ExecutionFailed",
    executionFailedEventDetails: { error: "Broken", cause: "a pipe" },
  },
];

/** Returns the history of a loop with `count` events, each state with a payload. */
function long(events, payload) {
  const list = [{ id: 1, previousEventId: 0, timestamp: at(0), type: "ExecutionStarted", executionStartedEventDetails: { input: "{}" } }];
  while (list.length + 2 < events) {
    const id = list.length + 1;
    const before = id === 2 ? 0 : id - 1;
    list.push({
      id,
      previousEventId: before,
      timestamp: at(id),
      type: "PassStateEntered",
      stateEnteredEventDetails: { name: `S${id % 10}`, input: payload },
    });
    list.push({
      id: id + 1,
      previousEventId: id,
      timestamp: at(id + 1),
      type: "PassStateExited",
      stateExitedEventDetails: { name: `S${id % 10}`, output: payload },
    });
  }
  const id = list.length + 1;
  list.push({
    id,
    previousEventId: id - 1,
    timestamp: at(id),
    type: "ExecutionSucceeded",
    executionSucceededEventDetails: { output: payload },
  });
  return { events: list };
}

describe("stepglass mcp explains histories", () => {
  test("says where and why an execution failed, and replays it", async () => {
    const { data } = await shared;
    const told = await data("explain_history", { history: { events: failed }, file: "charge.asl.json" });
    assert.deepEqual([told.status, told.error, told.duration, told.events], ["FAILED", "Broken", 2000, 6]);
    assert.deepEqual(told.failure, { event: 5, type: "TaskFailed", state: "Charge", error: "Broken", cause: "a pipe" });
    assert.deepEqual([told.visits[0].input, told.visits[0].attempts, told.visits[0].errors.length], [{ id: 7 }, 1, 1]);
    assert.deepEqual(told.states[0], { state: "Charge", type: "Task", visits: 1, attempts: 1, failures: 1, duration: 0 });
    assert.equal(told.replay.matches, true);
    assert.match(told.text, /The last error was in Charge, event 5 TaskFailed: Broken: a pipe/);
    const other = {
      ...charge,
      States: { ...charge.States, Charge: { ...charge.States.Charge, Catch: [{ ErrorEquals: ["Broken"], Next: "Refuse" }] } },
    };
    const { replay } = await data("explain_history", { history: failed, definition: other });
    assert.equal(replay.matches, false);
    assert.equal(replay.divergence.event, 6);
  });

  test("reads the output of other programs", async () => {
    const { data } = await shared;
    const upper = (value) =>
      Object.fromEntries(
        Object.entries(value).map(([key, held]) => [key[0].toUpperCase() + key.slice(1), typeof held === "object" ? upper(held) : held]),
      );
    const cases = [
      JSON.stringify(failed),
      { Events: failed.map(upper) },
      failed.map((event) => ({ ...event, timestamp: Date.parse(event.timestamp) / 1000 })).reverse(),
      { status: "FAILED", history: failed },
    ];
    for (const history of cases) {
      const { status, failure } = await data("explain_history", { history });
      assert.deepEqual([status, failure.state], ["FAILED", "Charge"]);
    }
  });

  test("refuses what is not a history, and says why", async () => {
    const { refusal } = await shared;
    for (const [history, message] of [
      ["{", /is not JSON/],
      [{}, /it has no events/],
      [[], /it has no events/],
      [[{ id: 1 }], /no type or no id/],
      [[null], /no type or no id/],
      [[{ id: 1, type: "X", timestamp: "yesterday" }], /is not a time/],
      [failed.slice(1), /event 1 is missing/],
      [[failed[0], { ...failed[1], previousEventId: 9 }], /which is not before it/],
    ])
      assert.match(await refusal("explain_history", { history }), message);
  });

  test("reads a history of 25,000 events with payloads, and says what it omits", async () => {
    const payload = JSON.stringify({ text: "ä".repeat(1000) });
    const { data, folder } = await shared;
    writeFileSync(join(folder, "long.json"), JSON.stringify(long(25_000, payload)));
    const told = await data("explain_history", { historyFile: "long.json" });
    assert.deepEqual([told.status, told.events, told.visits.length, told.states.length], ["SUCCEEDED", 25_000, 100, 5]);
    assert.ok(
      told.cut.some((one) => /100 of 12,?499 visits|100 of 12499 visits/.test(one)),
      told.cut.join(),
    );
    assert.ok(JSON.stringify(told).length < 600_000);
    const one = await data("explain_history", { historyFile: "long.json", state: "S4", limit: 2, payloads: false });
    assert.deepEqual(
      one.visits.map(({ state, input }) => [state, input]),
      [
        ["S4", undefined],
        ["S4", undefined],
      ],
    );
    const inline = await data("explain_history", { history: JSON.stringify(long(25_000, "{}")) });
    assert.equal(inline.events, 25_000);
    const large = await data("explain_history", { history: long(6, JSON.stringify({ text: "x".repeat(200_000) })) });
    assert.ok(
      large.cut.some((one) => /the output has 200,0\d\d characters; the first 100,000 are here/.test(one)),
      large.cut.join(),
    );
    assert.equal(typeof large.output, "string");
  });
});

describe("stepglass mcp and its folder", () => {
  test("reads nothing outside of the folder, by paths, links or templates", async () => {
    const { refusal, data, folder } = await shared;
    for (const file of ["..", "/etc/passwd", "../x.asl.json", "wrong/../../x.asl.json"])
      for (const [tool, given] of [
        ["validate", { file }],
        ["run", { file }],
        ["graph", { file }],
        ["convert", { file }],
        ["test", { file }],
        ["explain_history", { historyFile: file }],
      ])
        assert.match(await refusal(tool, given), /outside of .*, the folder of this server; --root sets another one/, `${tool} ${file}`);
    assert.match(await refusal("run", { file: "charge.asl.json", machines: ["/etc/passwd"] }), /outside of/);
    const out = await data("validate", { file: "outside.yaml" }).catch((error) => error);
    assert.match(out.message ?? out.text, /outside of/);
    const { folder: other } = folderWith({ "secret.asl.json": charge });
    symlinkSync(join(other, "secret.asl.json"), join(folder, "link.asl.json"));
    symlinkSync(other, join(folder, "linked"));
    assert.match(await refusal("validate", { file: "link.asl.json" }), /outside of/);
    assert.match(await refusal("validate", { file: "linked/secret.asl.json" }), /outside of/);
    assert.match(await refusal("validate", { file: "-" }), /standard input belongs to the protocol/);
    const given = await connected(["--root", other]);
    assert.equal((await given.data("validate", { file: "secret.asl.json" })).valid, true);
  });

  test("refuses a file that is too large", async () => {
    const { refusal } = await connected(["--max-file-bytes", "1000000"]);
    assert.match(await refusal("validate", { file: "big.asl.json" }), /2,000,\d+ bytes, and this server reads at most 1,000,000/);
  });
});

describe("stepglass mcp as a process", () => {
  /** Writes lines to a server. `until` ends its input. */
  function raw(args, lines, { until = () => false } = {}) {
    const { folder } = folderWith(files);
    mkdirSync(join(folder, "empty"));
    const child = spawn(process.execPath, [command, "mcp", ...args], { cwd: folder });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (data) => {
        out[name] += data;
        if (until(out)) child.stdin.end();
      });
    child.stdin.on("error", () => {});
    for (const line of lines) child.stdin.write(`${line}\n`);
    if (lines.length === 0) child.stdin.end();
    return new Promise((done) => child.on("close", (code) => done({ code, ...out })));
  }
  const initialize = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  const message = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id, method, params });

  test("ignores lines that are not messages, and answers the next one", async () => {
    const lines = [
      "nonsense",
      "{}",
      "[]",
      '{"jsonrpc":"2.0"',
      initialize,
      message(2, "no/such/method", {}),
      message(3, "tools/call", { name: "nothing", arguments: {} }),
      message(4, "tools/call", { name: "validate", arguments: "x" }),
      message(5, "tools/call", { name: "validate", arguments: { definition: `${"[".repeat(100_000)}` } }),
      message(6, "tools/call", { name: "validate", arguments: { definition: "\u0000\ud800" } }),
      message(7, "tools/list", {}),
    ];
    const { code, stdout } = await raw([], lines, { until: ({ stdout }) => /"id":7\b/.test(stdout) && /"id":6\b/.test(stdout) });
    assert.equal(code, 0);
    const answers = new Map(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map((one) => [one.id, one]),
    );
    assert.equal(answers.get(2).error.code, -32601);
    assert.match(JSON.stringify(answers.get(3)), /nothing not found/);
    assert.equal(answers.get(4).error.code !== undefined || answers.get(4).result.isError, true);
    for (const id of [5, 6]) assert.ok(answers.get(id).result.isError || answers.get(id).result.structuredContent.valid === false);
    assert.equal(answers.get(7).result.tools.length, 6);
  });

  test("ends with its client", async () => {
    assert.deepEqual(await raw([], []), { code: 0, stdout: "", stderr: "" });
  });

  test("adds nothing to the start of other commands, which do not load the protocol", () => {
    const { folder } = folderWith(files);
    const program = `
      const Module = require("node:module");
      const load = Module._load;
      const loaded = [];
      Module._load = (...args) => (loaded.push(args[0]), load(...args));
      const { main } = require(${JSON.stringify(join(command, "../command.cjs"))});
      process.stdout.write = () => true;
      main(["validate", "charge.asl.json"])
        .then(() => main(["help", "mcp"]))
        .then(() => process.stderr.write(loaded.filter((name) => /protocol/.test(name)).join()));`;
    const { stderr, status } = spawnSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" });
    assert.deepEqual({ stderr, status }, { stderr: "", status: 0 });
  });

  test("reports wrong options", async () => {
    for (const [args, expected] of [
      [["x"], /mcp takes no file/],
      [["--root", "nowhere"], /there is no such folder/],
      [["--timeout", "soon"], /--timeout must be a whole number/],
    ]) {
      const { code, stderr } = await raw(args, []);
      assert.equal(code, 2);
      assert.match(stderr, expected);
    }
  });
});
