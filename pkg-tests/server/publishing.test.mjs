// What a server publishes: status changes in EventBridge's format and logs in the format of CloudWatch Logs.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { MemoryStore, serve } from "../../dist/server.js";
import { eventually, lambda, machine, role, start } from "./endpoint.mjs";

const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
after(() => rmSync(folder, { recursive: true }));

const logging = (level, includeExecutionData = true) => ({
  level,
  includeExecutionData,
  destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: "arn:aws:logs:us-east-1:123456789012:log-group:/states/orders:*" } }],
});

/** Registers a machine, starts it and waits for its end. */
async function run(server, definition, { name = "M", input = "{}", type, loggingConfiguration } = {}) {
  const about = { name, definition, roleArn: role, ...(type && { type }), ...(loggingConfiguration && { loggingConfiguration }) };
  const { stateMachineArn } = await server.call("CreateStateMachine", about);
  if (type === "EXPRESS") return server.call("StartSyncExecution", { stateMachineArn, input });
  const { executionArn } = await server.call("StartExecution", { stateMachineArn, input, name: "e" });
  return eventually(async () => {
    const about = await server.call("DescribeExecution", { executionArn });
    return about.status === "RUNNING" ? undefined : about;
  });
}

const lines = (file) =>
  readFileSync(file, { encoding: "utf8", flag: "a+" })
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A service that records its requests. `answer(count)` returns the status of each response. */
async function receiver(answer = () => 200) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(await answer(requests.length)).end("{}");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

const charge = { Charge: { Type: "Task", Resource: lambda("charge"), End: true } };

test("status changes are published in EventBridge's format, to files and functions", async () => {
  const file = join(folder, "status.jsonl");
  const published = [];
  const server = await start({
    statusEvents: [file, (event) => void published.push(event)],
    tasks: { charge: ({ amount }) => ({ paid: amount }) },
  });
  const { executionArn, stateMachineArn, startDate, stopDate } = await run(server, machine(charge), {
    name: "Orders",
    input: '{"amount":3}',
  });
  const events = await eventually(() => lines(file).length === 2 && published.length === 2 && lines(file));
  assert.deepEqual(events, published);
  const [begun, ended] = events;
  assert.deepEqual(begun, {
    version: "0",
    id: begun.id,
    "detail-type": "Step Functions Execution Status Change",
    source: "aws.states",
    account: "123456789012",
    time: `${new Date(startDate * 1000).toISOString().slice(0, 19)}Z`,
    region: "us-east-1",
    resources: [executionArn],
    detail: {
      executionArn,
      stateMachineArn,
      name: "e",
      status: "RUNNING",
      startDate: Math.round(startDate * 1000),
      stopDate: null,
      input: '{"amount":3}',
      output: null,
      stateMachineVersionArn: null,
      stateMachineAliasArn: null,
      redriveCount: 0,
      redriveDate: null,
      redriveStatus: "NOT_REDRIVABLE",
      redriveStatusReason: "Execution is RUNNING and cannot be redriven",
      inputDetails: { included: true },
      outputDetails: null,
      error: null,
      cause: null,
    },
  });
  assert.match(begun.id, /^[\da-f]{8}-/);
  assert.notEqual(begun.id, ended.id);
  assert.deepEqual(ended.detail, {
    ...begun.detail,
    status: "SUCCEEDED",
    stopDate: Math.round(stopDate * 1000),
    output: '{"paid":3}',
    outputDetails: { included: true },
    redriveStatusReason: "Execution is SUCCEEDED and cannot be redriven",
  });
});

test("failures, redrives and stops are published, with the version that was started", async () => {
  const published = [];
  let works = false;
  const tasks = {
    charge: () => {
      if (works) return {};
      throw Object.assign(new Error("no card"), { name: "Declined" });
    },
  };
  const server = await start({ statusEvents: (event) => void published.push(event.detail), tasks });
  const { stateMachineArn, stateMachineVersionArn } = await server.call("CreateStateMachine", {
    name: "V",
    definition: machine(charge),
    roleArn: role,
    publish: true,
  });
  assert.equal(stateMachineVersionArn, `${stateMachineArn}:1`);
  const { executionArn } = await server.call("StartExecution", { stateMachineArn: stateMachineVersionArn, name: "one" });
  await eventually(() => published.length === 2);
  works = true;
  await server.call("RedriveExecution", { executionArn });
  await eventually(() => published.length === 4);
  const changes = published.map((detail) => [detail.status, detail.error, detail.redriveCount, detail.redriveStatus]);
  assert.deepEqual(changes, [
    ["RUNNING", null, 0, "NOT_REDRIVABLE"],
    ["FAILED", "Declined", 0, "REDRIVABLE"],
    ["RUNNING", null, 1, "NOT_REDRIVABLE"],
    ["SUCCEEDED", null, 1, "NOT_REDRIVABLE"],
  ]);
  assert.ok(published.every((detail) => detail.stateMachineVersionArn === stateMachineVersionArn));
  assert.equal(JSON.parse(published[1].cause).errorMessage, "no card");
  assert.equal(published[1].redriveDate, null);
  assert.equal(typeof published[3].redriveDate, "number");
  const waits = machine({ W: { Type: "Wait", Seconds: 3600, End: true } });
  const { stateMachineArn: other } = await server.call("CreateStateMachine", { name: "W", definition: waits, roleArn: role });
  const begun = await server.call("StartExecution", { stateMachineArn: other });
  await server.call("StopExecution", { executionArn: begun.executionArn, error: "Gone", cause: "not needed" });
  await eventually(() => published.length === 6);
  assert.deepEqual([published[5].status, published[5].error, published[5].cause], ["ABORTED", "Gone", "not needed"]);
});

test("an event leaves out payloads that are too long for it", async () => {
  const published = [];
  const server = await start({ statusEvents: (event) => void published.push(event.detail) });
  const half = JSON.stringify({ text: "x".repeat(150_000) });
  const pass = machine({ P: { Type: "Pass", End: true } });
  await run(server, pass, { name: "Half", input: half });
  await eventually(() => published.length === 2);
  assert.deepEqual([published[0].inputDetails, published[0].input], [{ included: true }, half]);
  // Input and output together are too long, so the input is left out first.
  assert.deepEqual([published[1].inputDetails, published[1].input], [{ included: false }, null]);
  assert.deepEqual([published[1].outputDetails, published[1].output], [{ included: true }, half]);
  await run(server, pass, { name: "Long", input: JSON.stringify({ text: '"'.repeat(130_000) }) });
  await eventually(() => published.length === 4);
  assert.deepEqual([published[3].input, published[3].output], [null, null]);
  assert.deepEqual([published[3].inputDetails, published[3].outputDetails], [{ included: false }, { included: false }]);
});

test("status changes and logs of the children of a Map Run are published", async () => {
  const published = [];
  const logged = [];
  const server = await start({
    statusEvents: (event) => void published.push(event.detail),
    executionLogs: (entry) => void logged.push(entry),
  });
  const states = {
    Each: {
      Type: "Map",
      Label: "Each",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "P",
        States: { P: { Type: "Pass", End: true } },
      },
      End: true,
    },
  };
  const { executionArn } = await run(server, machine(states), { name: "Maps", input: "[1,2]", loggingConfiguration: logging("ALL") });
  const own = await eventually(() => published.length === 6 && published.filter((detail) => detail.mapRunArn !== undefined));
  assert.deepEqual(own.map(({ status, input }) => `${status} ${input}`).sort(), ["RUNNING 1", "RUNNING 2", "SUCCEEDED 1", "SUCCEEDED 2"]);
  assert.ok(own.every(({ stateMachineArn }) => stateMachineArn.endsWith(":stateMachine:Maps/Each")));
  const of = (arn) => logged.filter((entry) => entry.execution_arn === arn).map(({ type }) => type);
  await eventually(() => of(executionArn).at(-1) === "ExecutionSucceeded");
  assert.deepEqual(of(own[0].executionArn), ["ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded"]);
});

test("logs are published in the format of CloudWatch Logs, at the level of the machine", async () => {
  const file = join(folder, "logs.jsonl");
  const events = [];
  const server = await start({
    executionLogs: file,
    // Express executions publish no status changes.
    statusEvents: (event) => void events.push(event),
    tasks: {
      charge: () => {
        throw Object.assign(new Error("no card"), { name: "Declined" });
      },
    },
  });
  const caught = machine({
    Charge: { Type: "Task", Resource: lambda("charge"), Catch: [{ ErrorEquals: ["Declined"], Next: "No" }], End: true },
    No: { Type: "Fail", Error: "Sorry", Cause: "declined" },
  });
  const more = (name, level, data) => ({ name, type: "EXPRESS", input: '{"visa":1}', loggingConfiguration: level && logging(level, data) });
  const logs = async (...options) => {
    const before = lines(file).length;
    const { executionArn } = await run(server, caught, more(...options));
    // The lines of the file are in order, so the logs are complete when those of a later execution have been written.
    const marker = machine({ P: { Type: "Pass", End: true } });
    const { executionArn: last } = await run(server, marker, { ...more(`${options[0]}Last`, "ALL") });
    await eventually(() => lines(file).some((entry) => entry.execution_arn === last && entry.type === "ExecutionSucceeded"));
    return lines(file)
      .slice(before)
      .filter((entry) => entry.execution_arn === executionArn);
  };
  const all = await logs("All", "ALL");
  assert.deepEqual(
    all.map(({ id, type, previous_event_id }) => `${id} ${type} ${previous_event_id}`),
    [
      "1 ExecutionStarted 0",
      "2 TaskStateEntered 0",
      "3 LambdaFunctionScheduled 2",
      "4 LambdaFunctionStarted 3",
      "5 LambdaFunctionFailed 4",
      "6 TaskStateExited 5",
      "7 FailStateEntered 6",
      "8 ExecutionFailed 7",
    ],
  );
  const [first] = all;
  assert.deepEqual(first, {
    id: "1",
    type: "ExecutionStarted",
    details: { input: '{"visa":1}', inputDetails: { truncated: false }, roleArn: role },
    redrive_count: "0",
    previous_event_id: "0",
    event_timestamp: first.event_timestamp,
    execution_arn: first.execution_arn,
  });
  assert.match(first.event_timestamp, /^\d{13}$/);
  assert.match(first.execution_arn, /:express:All:/);
  const errors = await logs("Errors", "ERROR");
  assert.deepEqual(
    errors.map(({ type }) => type),
    ["LambdaFunctionFailed", "FailStateEntered", "ExecutionFailed"],
  );
  assert.deepEqual(
    (await logs("Fatal", "FATAL")).map(({ type }) => type),
    ["ExecutionFailed"],
  );
  assert.deepEqual(await logs("Off", "OFF"), []);
  assert.deepEqual(await logs("None"), []);
  const dry = await logs("Dry", "ALL", false);
  assert.deepEqual(dry[0].details, { roleArn: role });
  assert.ok(dry.every((entry) => !JSON.stringify(entry).includes("visa")));
  assert.deepEqual(dry.at(-1).details, { error: "Sorry", cause: "declined" });
  assert.deepEqual(events, []);
});

test("a log truncates a payload that is too long", async () => {
  const logged = [];
  const server = await start({ executionLogs: (entry) => void logged.push(entry) });
  const input = JSON.stringify({ text: '"'.repeat(120_000) });
  await run(server, machine({ P: { Type: "Pass", End: true } }), { name: "Long", input, loggingConfiguration: logging("ALL") });
  const { details } = await eventually(() => logged.find(({ type }) => type === "ExecutionStarted"));
  assert.deepEqual(details.inputDetails, { truncated: true });
  assert.ok(input.startsWith(details.input));
  assert.ok(Buffer.byteLength(JSON.stringify(details.input)) <= 248 * 1024);
  assert.ok(Buffer.byteLength(JSON.stringify(details.input)) > 248 * 1024 - 8);
});

test("an HTTP service receives batches, which are repeated when it fails, and does not delay executions", async () => {
  const log = [];
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  // The first request hangs until the executions have ended and then fails, and the second one fails too.
  const { url, requests } = await receiver(async (count) => (count === 1 ? (await gate, 503) : count === 2 ? 429 : 200));
  const server = await start({ statusEvents: `${url.replace("//", "//me:secret@")}/events`, log: (level, line) => log.push(line) });
  const { stateMachineArn } = await server.call("CreateStateMachine", {
    name: "P",
    definition: machine({ P: { Type: "Pass", End: true } }),
    roleArn: role,
  });
  const started = await Promise.all(
    Array.from({ length: 60 }, (_, i) => server.call("StartExecution", { stateMachineArn, name: `e${i}` })),
  );
  await eventually(async () => {
    const { executions } = await server.call("ListExecutions", { stateMachineArn, statusFilter: "SUCCEEDED" });
    return executions.length === started.length;
  });
  await eventually(() => requests.length === 1);
  open();
  const delivered = () => requests.slice(2).flatMap(({ body }) => body);
  await eventually(() => delivered().length === 120);
  // The events of failed requests are sent again, and each is delivered once.
  const ids = delivered().map(({ id }) => id);
  assert.equal(new Set(ids).size, 120);
  assert.deepEqual(
    ids.slice(0, requests[0].body.length),
    requests[0].body.map(({ id }) => id),
  );
  assert.ok(requests.every(({ body }) => Array.isArray(body) && body.length <= 100));
  assert.ok(requests.length < 20);
  for (const { executionArn } of started) {
    const own = delivered().filter(({ detail }) => detail.executionArn === executionArn);
    assert.deepEqual(
      own.map(({ detail }) => detail.status),
      ["RUNNING", "SUCCEEDED"],
    );
  }
  const warnings = log.filter((line) => line.includes("status events"));
  assert.equal(warnings.length, 1, warnings.join("\n"));
  assert.match(warnings[0], /failed; trying again: status 503/);
  assert.equal(requests[0].headers.authorization, `Basic ${Buffer.from("me:secret").toString("base64")}`);
  assert.ok(!log.join("\n").includes("secret"));
});

test("logs that a service cannot take in time are dropped, which is reported once", async () => {
  const log = [];
  let works = false;
  const { url, requests } = await receiver(() => (works ? 200 : 503));
  const server = await start({
    executionLogs: url,
    tasks: {},
    log: (level, line) => log.push(line),
  });
  const loop = machine({
    Next: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "More" },
    More: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 3000, Next: "Next" }], Default: "Done" },
    Done: { Type: "Succeed" },
  });
  const { status } = await run(server, loop, { name: "Loop", input: '{"n":0}', loggingConfiguration: logging("ALL") });
  assert.equal(status, "SUCCEEDED");
  const dropped = () => log.filter((line) => line.includes("does not keep up"));
  await eventually(() => dropped().length === 1);
  works = true;
  await eventually(() => log.some((line) => /\d+ notices for .* were dropped/.test(line)));
  assert.equal(dropped().length, 1);
  const delivered = requests.filter((_, i) => i >= requests.length - 100).flatMap(({ body }) => body);
  assert.equal(new Set(delivered.map(({ id }) => id)).size, 10_000);
});

test("notices that a service refuses are dropped and reported, and later ones are still sent", async () => {
  const log = [];
  let refuses = true;
  const { url, requests } = await receiver(() => (refuses ? 400 : 200));
  const server = await start({ statusEvents: url, logLevel: "info", log: (level, line) => log.push(line) });
  const pass = machine({ P: { Type: "Pass", End: true } });
  await run(server, pass, { name: "One" });
  await eventually(() => requests.flatMap(({ body }) => body).length === 2);
  await run(server, pass, { name: "More" });
  await eventually(() => requests.flatMap(({ body }) => body).length === 4);
  refuses = false;
  await run(server, pass, { name: "Two" });
  await eventually(() => requests.length > 1 && requests.at(-1).body.at(-1).detail.stateMachineArn.endsWith(":Two"));
  const about = () => log.filter((line) => line.includes("status events"));
  await eventually(() => about().length === 2);
  assert.match(about()[0], /refused what it was sent, so it was dropped: status 400/);
  assert.match(about()[1], /works again; it refused 4 notices/);
});

test("a closing server delivers the queued events", async () => {
  const { url, requests } = await receiver();
  const server = await serve({ port: 0, statusEvents: url });
  const waits = machine({ W: { Type: "Wait", Seconds: 3600, End: true } });
  const { stateMachineArn } = await server.call("CreateStateMachine", { name: "W", definition: waits, roleArn: role });
  await server.call("StartExecution", { stateMachineArn });
  await server.close({ grace: 0 });
  assert.deepEqual(
    requests.flatMap(({ body }) => body.map(({ detail }) => detail.status)),
    ["RUNNING", "ABORTED"],
  );
});

test("an events endpoint that is not HTTP is refused", async () => {
  await assert.rejects(serve({ port: 0, eventsEndpoint: "ftp://localhost" }), {
    code: "INVALID_OPTION",
    message: /EventBridge needs an address/,
  });
});

test("a restarted server publishes only new events of the executions that it continues", async () => {
  class DurableMemoryStore extends MemoryStore {
    durable = true;
  }
  const store = new DurableMemoryStore();
  const published = [];
  const options = {
    store,
    statusEvents: ({ detail }) => void published.push(`${detail.name} ${detail.status}`),
    executionLogs: ({ type }) => void published.push(type),
  };
  const first = await serve({ port: 0, ...options });
  const wait = { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, End: true };
  const about = { name: "M", definition: machine({ Wait: wait }), roleArn: role, loggingConfiguration: logging("ALL") };
  const { stateMachineArn } = await first.call("CreateStateMachine", about);
  const { executionArn } = await first.call("StartExecution", { stateMachineArn, name: "e" });
  const events = async (server) => (await server.call("GetExecutionHistory", { executionArn })).events.map(({ type }) => type);
  await eventually(async () => (await events(first)).at(-1) === "TaskSubmitted");
  await first.close();
  const before = [...published];
  assert.deepEqual(
    [...before].sort(),
    ["e RUNNING", "ExecutionStarted", "TaskScheduled", "TaskStarted", "TaskStateEntered", "TaskSubmitted"].sort(),
  );
  const second = await serve({ port: 0, ...options });
  await second.signal(executionArn, "go");
  await eventually(async () => (await second.call("DescribeExecution", { executionArn })).status === "SUCCEEDED");
  await second.close();
  assert.deepEqual(published.slice(before.length).sort(), ["ExecutionSucceeded", "TaskStateExited", "TaskSucceeded", "e SUCCEEDED"]);
});
