// stepglass fetch with the SDK's client against a server, and stepglass replay of the files that it writes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import { simulate } from "../../dist/node.js";
import { folderWith } from "../api/command.mjs";
import { lambda, machine, region, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const states = {
  Charge: { Type: "Task", Resource: lambda("charge"), Next: "Enough" },
  Enough: { Type: "Choice", Choices: [{ Variable: "$.amount", NumericGreaterThan: 100, Next: "Gift" }], Default: "Refuse" },
  Gift: { Type: "Pass", Next: "Done" },
  Refuse: { Type: "Fail", Error: "TooLittle", Cause: "not enough" },
  Done: { Type: "Succeed" },
};
const definition = machine(states);
const changed = (change) => {
  const copy = structuredClone(states);
  change(copy);
  return machine(copy);
};
const each = machine({
  Each: {
    Type: "Map",
    ItemsPath: "$.items",
    Label: "Each",
    ToleratedFailurePercentage: 100,
    ItemProcessor: {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: "Charge",
      States: { Charge: { Type: "Task", Resource: lambda("charge"), End: true } },
    },
    End: true,
  },
});
const tasks = {
  charge: (input) => {
    if (input.amount === undefined) throw Object.assign(new Error("no amount"), { name: "NoAmount" });
    return { ...input, receipt: `for ${input.email}` };
  },
};
const server = await start({ tasks });
const { create, run, send } = sdkOf(server);
const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" };

/** A project that has the SDK's client installed. */
function project(files = {}) {
  const { folder, stepglass } = folderWith(files);
  symlinkSync(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"), "junction");
  return { folder, stepglass: (...args) => stepglass(...args, { env }), within: stepglass };
}

const contentOf = (folder, file) => JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString("utf8"));
const inputOf = (amount, email = "ada@example.com") => ({ amount, email });

test("an execution is fetched with its definition, its whole history and its Map Runs", async () => {
  const { folder, stepglass } = project();
  const arn = await create("FetchEach", each);
  const { executionArn } = await run(arn, { items: [inputOf(1), {}, inputOf(3)] }, { name: "all" });
  // The SDK may warn of old releases of Node on standard error.
  const { code, stdout, stderr } = await stepglass("fetch", executionArn, "--out", "runs");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /FetchEach\.all\.sfnrun: SUCCEEDED, \d+ events\n1 execution fetched\n$/);
  const content = contentOf(folder, "runs/FetchEach.all.sfnrun");
  assert.deepEqual([content.format, content.version, content.missing, content.redacted], ["stepglass-execution", 1, [], []]);
  assert.deepEqual([content.execution.executionArn, content.stateMachine.definition], [executionArn, each]);
  assert.equal(content.history[0].type, "ExecutionStarted");
  assert.equal(content.history.at(-1).type, "ExecutionSucceeded");
  const [{ mapRun, executions, partial }] = content.mapRuns;
  assert.deepEqual([mapRun.executionArn, partial], [executionArn, false]);
  assert.deepEqual(executions.map(({ execution }) => execution.status).sort(), ["FAILED", "SUCCEEDED", "SUCCEEDED"]);
  assert.ok(executions.every(({ history }) => history[0].type === "ExecutionStarted"));

  await stepglass("fetch", executionArn, "--out", "failed", "--failed");
  const [failed] = contentOf(folder, "failed/FetchEach.all.sfnrun").mapRuns;
  assert.deepEqual([failed.executions.map(({ execution }) => execution.status), failed.partial], [["FAILED"], true]);
  await stepglass("fetch", executionArn, "--out", "two", "--limit", "2");
  const [two] = contentOf(folder, "two/FetchEach.all.sfnrun").mapRuns;
  assert.deepEqual([two.executions.length, two.partial], [2, true]);
});

const starting = (resource, machineArn, next) => ({
  Type: "Task",
  Resource: `arn:aws:states:::states:startExecution${resource}`,
  Parameters: { StateMachineArn: machineArn, "Input.$": "$", "Name.$": "States.Format('{}-of-{}', $.step, $$.Execution.Name)" },
  ...next,
});

test("the executions that tasks have started are fetched, and those that these have started", async () => {
  const { folder, stepglass } = project();
  const inner = await create("FetchInner", machine({ Charge: { Type: "Task", Resource: lambda("charge"), End: true } }));
  const middle = await create("FetchMiddle", machine({ Inner: starting(".sync:2", inner, { End: true }) }));
  const outer = await create(
    "FetchOuter",
    machine({ Middle: starting(".sync:2", middle, { ResultPath: null, Next: "Later" }), Later: starting("", inner, { End: true }) }),
  );
  const { executionArn } = await run(outer, { step: "one", ...inputOf(5) }, { name: "o" });
  const { code, stderr } = await stepglass("fetch", executionArn, "--redact", "email");
  assert.equal(code, 0, stderr);
  const { nested, redacted } = contentOf(folder, "FetchOuter.o.sfnrun");
  const found = nested.map(({ parent, execution, stateMachine }) => [parent.split(":").pop(), execution.name, stateMachine.name]);
  assert.deepEqual(found.toSorted(), [
    ["o", "one-of-o", "FetchInner"],
    ["o", "one-of-o", "FetchMiddle"],
    ["one-of-o", "one-of-one-of-o", "FetchInner"],
  ]);
  assert.ok(nested.every(({ history }) => history[0].type === "ExecutionStarted"));
  assert.ok(redacted[0].values > 0);
  assert.doesNotMatch(JSON.stringify(nested), /ada@example/);
});

test("an execution that another one has started may lie outside of the permissions", async () => {
  const { folder, within } = project();
  const arn = `arn:aws:states:${region}:123456789012:execution:M:parent`;
  const submitted = { resourceType: "states", resource: "startExecution.sync", output: JSON.stringify({ ExecutionArn: `${arn}-2` }) };
  const events = [
    ...began(arn).GetExecutionHistory.events,
    { id: 2, type: "TaskSubmitted", timestamp: 2, taskSubmittedEventDetails: submitted },
  ];
  const answers = { ...began(arn), GetExecutionHistory: { events } };
  const url = await refusingServer("AccessDeniedException", "not allowed", (operation, _, body) =>
    body.executionArn === arn ? answers[operation] : undefined,
  );
  const { code, stdout, stderr } = await within("fetch", arn, { env: { ...env, AWS_ENDPOINT_URL: url } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /not fetched: DescribeExecution: access denied, the permission states:DescribeExecution is missing/);
  const { nested, missing } = contentOf(folder, "M.parent.sfnrun");
  assert.deepEqual([nested, missing.map((one) => one.arn)], [[], [`${arn}-2`]]);
});

test("a history of several pages is fetched whole", async () => {
  const { folder, stepglass } = project();
  const loop = machine({
    Each: {
      Type: "Map",
      ItemsPath: "$",
      ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", End: true } } },
      End: true,
    },
  });
  const { executionArn } = await run(
    await create("FetchPages", loop),
    Array.from({ length: 400 }, (_, i) => i),
    { name: "long" },
  );
  assert.equal((await stepglass("fetch", executionArn)).code, 0);
  const { history } = contentOf(folder, "FetchPages.long.sfnrun");
  assert.ok(history.length > 1000);
  assert.deepEqual(
    history.map(({ id }) => id),
    history.map((_, i) => i + 1),
  );
});

test("fetching a state machine writes only the executions that are not in the folder yet", async () => {
  const { folder, stepglass } = project();
  const arn = await create("FetchMany", definition);
  for (const [name, amount] of [
    ["a", 10],
    ["b", 120],
    ["c", 20],
  ])
    await run(arn, inputOf(amount), { name });
  const failed = await stepglass("fetch", arn, "--status", "FAILED", "--since", "7d", "--out", "runs");
  assert.equal(failed.code, 0, failed.stderr);
  assert.deepEqual(readdirSync(join(folder, "runs")).sort(), ["FetchMany.a.sfnrun", "FetchMany.c.sfnrun"]);
  const report = JSON.parse((await stepglass("fetch", arn, "--out", "runs", "--json")).stdout);
  assert.deepEqual([report.unchanged, report.fetched.map(({ file }) => file)], [2, [join("runs", "FetchMany.b.sfnrun")]]);
  const again = await stepglass("fetch", arn, "--out", "runs");
  assert.equal(again.stdout, "0 executions fetched, 3 already in runs\n");
  const limited = await stepglass("fetch", arn, "--limit", "1", "--out", "one");
  assert.equal(limited.code, 0);
  assert.equal(readdirSync(join(folder, "one")).length, 1);
});

test("redacted values do not occur in the file, and the execution still replays", async () => {
  const { folder, stepglass } = project({ "order.asl.json": definition });
  const arn = await create("FetchRedacted", definition);
  const { executionArn } = await run(arn, inputOf(120), { name: "hidden" });
  const { code, stdout } = await stepglass("fetch", executionArn, "--redact", "email");
  assert.equal(code, 0);
  assert.match(stdout, /[1-9]\d* values replaced/);
  const text = JSON.stringify(contentOf(folder, "FetchRedacted.hidden.sfnrun"));
  assert.doesNotMatch(text, /ada@example/);
  assert.match(text, /for redacted-1/);
  assert.match(text, /\\"amount\\":120/);
  const replay = await stepglass("replay", "FetchRedacted.hidden.sfnrun", "order.asl.json");
  assert.deepEqual([replay.code, replay.stderr], [0, ""]);
  const byPath = await stepglass("fetch", executionArn, "--out", "path", "--redact", "$.email");
  assert.equal(byPath.code, 0);
  assert.doesNotMatch(JSON.stringify(contentOf(folder, "path/FetchRedacted.hidden.sfnrun")), /ada@example/);
  assert.equal((await stepglass("fetch", executionArn, "--redact", "$.a b")).code, 2);
});

test("matches of --redact-values do not occur in the file, and equal matches have the same replacement", async () => {
  const { folder, stepglass } = project({ "order.asl.json": definition });
  const arn = await create("FetchPatterns", definition);
  const input = {
    ...inputOf(120),
    card: 4111_1111_1111,
    note: 'ada@example.com pays, or "eve@example.com"',
    nested: '{"to":"eve@example.com"}',
  };
  const { executionArn } = await run(arn, input, { name: "hidden" });
  const { code, stdout } = await stepglass(
    "fetch",
    executionArn,
    "--redact-values",
    "[\\w.]+@[\\w.]+",
    "--redact-values",
    "\\d{12}",
    "--json",
  );
  assert.equal(code, 0);
  const [{ file, redacted }] = JSON.parse(stdout).fetched;
  assert.deepEqual(
    redacted.map(({ rule, kind, values }) => [rule, kind, values > 0]),
    [
      ["[\\w.]+@[\\w.]+", "pattern", true],
      ["\\d{12}", "pattern", true],
    ],
  );
  const content = contentOf(folder, file);
  assert.doesNotMatch(JSON.stringify(content), /example\.com|41111111/);
  const { email, card, note, nested, amount } = JSON.parse(content.execution.input);
  const [ada, eve] = [email, JSON.parse(nested).to];
  assert.match(ada, /^redacted-\d+$/);
  assert.notEqual(ada, eve);
  assert.deepEqual([note, amount, typeof card], [`${ada} pays, or "${eve}"`, 120, "number"]);
  assert.equal((await stepglass("replay", file, "order.asl.json")).code, 0);
  // A file keeps its rules, and another rule fetches it again.
  const again = async (...args) => JSON.parse((await stepglass("fetch", executionArn, ...args, "--json")).stdout).fetched;
  assert.deepEqual(await again("--redact-values", "\\d{12}"), []);
  const [more] = await again("--redact-values", "redacted|\\d+");
  assert.equal(more.redacted.length, 3);
  assert.doesNotMatch(JSON.stringify(contentOf(folder, file)), /example\.com|redacted-\d*redacted|redacted-redacted/);
  const wrong = await stepglass("fetch", executionArn, "--redact-values", "(");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--redact-values: Invalid regular expression/);
});

test("replaying a folder against changed definitions reports how executions would differ", async () => {
  const { stepglass } = project({
    "same.json": definition,
    "lower.json": changed(({ Enough }) => (Enough.Choices[0].NumericGreaterThan = 15)),
    "higher.json": changed(({ Enough }) => (Enough.Choices[0].NumericGreaterThan = 500)),
    "data.json": changed(({ Gift }) => (Gift.Result = "gift")),
    "asks.json": changed((all) => {
      all.Gift = { Type: "Task", Resource: lambda("gift"), Next: "Done" };
    }),
    "longer.json": changed((all) => {
      all.Gift.Next = "Wrap";
      all.Wrap = { Type: "Pass", Next: "Done" };
    }),
  });
  const arn = await create("FetchReplay", definition);
  for (const [name, amount] of [
    ["a", 10],
    ["b", 120],
    ["c", 20],
    ["d", 130],
  ])
    await run(arn, inputOf(amount), { name });
  assert.equal((await stepglass("fetch", arn, "--out", "runs")).code, 0);
  const replayed = async (file, ...options) => {
    const { code, stdout, stderr } = await stepglass("replay", "runs", file, "--json", ...options);
    assert.equal(stderr, "");
    const { groups, counts } = JSON.parse(stdout);
    return [code, groups.map(({ verdict, count, state }) => [verdict, count, state]), counts.same];
  };
  assert.deepEqual(await replayed("same.json"), [0, [["same", 4, undefined]], 4]);
  assert.deepEqual(await replayed("lower.json"), [
    1,
    [
      ["same", 3, undefined],
      ["succeeds", 1, "Enough"],
    ],
    3,
  ]);
  assert.deepEqual(await replayed("lower.json", "--allow", "succeeds"), [
    0,
    [
      ["same", 3, undefined],
      ["succeeds", 1, "Enough"],
    ],
    3,
  ]);
  assert.deepEqual(await replayed("higher.json"), [
    1,
    [
      ["same", 2, undefined],
      ["fails", 2, "Enough"],
    ],
    2,
  ]);
  assert.deepEqual(await replayed("data.json"), [
    1,
    [
      ["same", 2, undefined],
      ["data", 2, "Gift"],
    ],
    2,
  ]);
  assert.deepEqual(await replayed("longer.json"), [
    1,
    [
      ["same", 2, undefined],
      ["path", 2, "Gift"],
    ],
    2,
  ]);
  assert.deepEqual(await replayed("asks.json"), [
    1,
    [
      ["same", 2, undefined],
      ["undecided", 2, "Enough"],
    ],
    2,
  ]);

  const table = await stepglass("replay", "runs", "higher.json");
  assert.equal(table.code, 1);
  assert.match(table.stdout, /^2 {2}same\n2 {2}now fails: from state Enough, TooLittle\n {3}such as \S+FetchReplay\.b\.sfnrun\n/);
  assert.match(table.stdout, /\n4 executions replayed\n$/);
  const junit = await stepglass("replay", "runs", "higher.json", "--junit");
  assert.match(junit.stdout, /<testsuites name="stepglass" tests="4" failures="2" errors="0"/);
  for (const args of [["--allow", "fail"], ["--junit", "--json"], ["--events"]])
    assert.equal((await stepglass("replay", "runs", "same.json", ...args)).code, 2, args.join(" "));
});

test("replaying an execution replays its Distributed Map with the recorded result, and the child executions", async () => {
  const mapped = (change = () => {}) => {
    const { Each } = JSON.parse(each).States;
    Object.assign(Each, { End: undefined, ResultPath: "$.results", Next: "After" });
    const all = { Each, After: { Type: "Pass", Parameters: { "count.$": "States.ArrayLength($.results)" }, End: true } };
    change(Each.ItemProcessor.States, all);
    return machine(all, "Each");
  };
  const { stepglass } = project({
    "same.json": mapped(),
    "fixed.json": mapped((inner) => {
      inner.Charge.Catch = [{ ErrorEquals: ["NoAmount"], Next: "Free" }];
      inner.Free = { Type: "Pass", End: true };
    }),
    "broken.json": mapped((inner) => (inner.Charge.Parameters = { "amount.$": "$.total" })),
    "after.json": mapped((_, all) => (all.After.Parameters = { "number.$": "States.ArrayLength($.results)" })),
  });
  const arn = await create("FetchChildren", mapped());
  const { executionArn } = await run(arn, { items: [inputOf(1), {}, inputOf(3)] }, { name: "all" });
  assert.equal((await stepglass("fetch", executionArn, "--out", "runs")).code, 0);
  const replayed = async (file) => {
    const { code, stdout } = await stepglass("replay", "runs", file, "--json");
    const { groups, runs } = JSON.parse(stdout);
    return [code, groups.map(({ verdict, state }) => [verdict, state]), Object.entries(runs[0].children).filter(([, n]) => n > 0)];
  };
  assert.deepEqual(await replayed("same.json"), [0, [["same", undefined]], [["same", 3]]]);
  assert.deepEqual(await replayed("fixed.json"), [
    1,
    [["succeeds", "Charge"]],
    [
      ["same", 2],
      ["succeeds", 1],
    ],
  ]);
  // The states after the Map are compared too, with its recorded result.
  assert.deepEqual((await replayed("after.json"))[1], [["data", "After"]]);
  const broken = await stepglass("replay", "runs", "broken.json");
  assert.equal(broken.code, 1);
  assert.match(
    broken.stdout,
    /now fails: from state Charge, States\.\w+\n.*\n +2 child executions of a Distributed Map: now fails, such as /,
  );
  const one = await stepglass("replay", "runs/FetchChildren.all.sfnrun", "fixed.json");
  assert.equal(one.code, 1);
  assert.match(
    one.stdout,
    /^the same: [^]*\nChild executions:\n2 {2}same\n1 {2}now succeeds: from state Charge\n[^]*3 executions replayed\n$/,
  );
});

test("files that are not fetched executions, or are of a later release, are refused by name", async () => {
  const { folder, stepglass } = project({ "order.asl.json": definition, "runs/a.sfnrun": "{}", "empty/a.txt": "" });
  const none = await stepglass("replay", "runs", "order.asl.json");
  assert.deepEqual([none.code, /a\.sfnrun is not a file of stepglass fetch/.test(none.stderr)], [2, true]);
  writeFileSync(join(folder, "runs/a.sfnrun"), JSON.stringify({ format: "stepglass-execution", version: 99 }));
  assert.match((await stepglass("replay", "runs/a.sfnrun", "order.asl.json")).stderr, /has version 99, and this release reads up to 1/);
  mkdirSync(join(folder, "bare"));
  for (const name of ["empty", "bare"]) assert.equal((await stepglass("replay", name, "order.asl.json")).code, 2);
});

test("an execution is fetched again if it has continued or if other values have to be redacted", async () => {
  const { folder, stepglass } = project();
  const arn = await create("FetchAgain", machine({ Rest: { Type: "Wait", Seconds: 3600, Next: "Done" }, Done: { Type: "Succeed" } }));
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn, name: "one", input: JSON.stringify(inputOf(1)) });
  const fetched = async (...options) => JSON.parse((await stepglass("fetch", executionArn, "--json", ...options)).stdout).fetched.length;
  const first = await stepglass("fetch", executionArn, "--out", "running");
  assert.match(first.stdout, /RUNNING, 2 events\n {2}it has not ended: fetch it again to add what follows\n/);
  const file = "FetchAgain.one.sfnrun";
  assert.equal(await fetched(), 1);
  assert.equal(contentOf(folder, file).execution.status, "RUNNING");
  await send("StopExecution", { executionArn });
  assert.equal(await fetched(), 1);
  assert.equal(contentOf(folder, file).execution.status, "ABORTED");
  assert.equal(await fetched(), 0);
  assert.equal(await fetched("--redact", "email"), 1);
  assert.doesNotMatch(JSON.stringify(contentOf(folder, file)), /ada@example/);
  assert.equal(await fetched("--redact", "email"), 0);
  assert.equal(await fetched("--redact", "amount"), 1);
  const { redacted } = contentOf(folder, file);
  assert.deepEqual(
    redacted.map(({ rule }) => rule),
    ["email", "amount"],
  );
});

/** A server that answers every request with an error of AWS, unless `answer` returns a response for the operation and request number. */
async function refusingServer(type, message, answer = () => undefined) {
  let calls = 0;
  const refuser = createServer(async (request, response) => {
    const body = await json(request);
    const found = answer(request.headers["x-amz-target"].split(".")[1], calls++, body);
    response
      .writeHead(found === undefined ? 400 : 200, { "content-type": "application/x-amz-json-1.0" })
      .end(JSON.stringify(found ?? { __type: type, message }));
  });
  await new Promise((listening) => refuser.listen(0, "127.0.0.1", listening));
  after(() => refuser.close());
  return `http://127.0.0.1:${refuser.address().port}`;
}

test("fetch reports missing permissions, credentials, packages and executions", async () => {
  const { within } = project();
  const arn = `arn:aws:states:${region}:123456789012:execution:M:e`;
  for (const [type, message] of [
    ["AccessDeniedException", /the permission states:DescribeExecution is missing.*stepglass policy --for fetch/],
    ["ExpiredTokenException", /the credentials have expired; sign in again/],
    ["UnrecognizedClientException", /no valid credentials/],
    ["ExecutionDoesNotExist", /ExecutionDoesNotExist: .*no such thing/],
  ]) {
    const url = await refusingServer(type, "no such thing");
    const { code, stdout, stderr } = await within("fetch", arn, { env: { ...env, AWS_ENDPOINT_URL: url } });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  }
  const { stepglass } = folderWith({});
  const { code, stderr } = await stepglass("fetch", arn, { env });
  assert.equal(code, 2);
  assert.match(stderr, /^stepglass: @aws-sdk\/client-sfn is not installed in this project: npm install @aws-sdk\/client-sfn/);
  for (const args of [[], ["arn:aws:s3:::bucket"], [arn, "--since", "soon"], [arn, "--limit", "0"]])
    assert.equal((await stepglass("fetch", ...args, { env })).code, 2, args.join(" "));
});

/** The responses for an execution that has just started. */
const began = (arn) => ({
  DescribeExecution: { executionArn: arn, status: "RUNNING" },
  DescribeStateMachineForExecution: { definition: "{}" },
  GetExecutionHistory: { events: [{ id: 1, type: "ExecutionStarted", timestamp: 1 }] },
});

test("throttled calls are repeated more often than the SDK repeats them", async () => {
  const { within } = project();
  const arn = `arn:aws:states:${region}:123456789012:execution:M:throttled`;
  const url = await refusingServer("ThrottlingException", "Rate exceeded", (operation, number) =>
    number < 4 ? undefined : began(arn)[operation],
  );
  const { code, stderr } = await within("fetch", arn, { env: { ...env, AWS_ENDPOINT_URL: url } });
  assert.equal(code, 0, stderr);
});

test("a response that cannot be decrypted is listed as missing in the file", async () => {
  const { folder, within } = project();
  const arn = `arn:aws:states:${region}:123456789012:execution:M:encrypted`;
  const url = await refusingServer("KmsAccessDeniedException", "no key", (operation) =>
    operation === "DescribeStateMachineForExecution" ? undefined : began(arn)[operation],
  );
  const { code, stdout, stderr } = await within("fetch", arn, { env: { ...env, AWS_ENDPOINT_URL: url } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /not fetched: DescribeStateMachineForExecution: KmsAccessDeniedException/);
  const { missing, stateMachine, history } = contentOf(folder, "M.encrypted.sfnrun");
  assert.deepEqual(
    [missing.map(({ operation }) => operation), stateMachine, history.length],
    [["DescribeStateMachineForExecution"], undefined, 1],
  );
});

/** Returns the page of a list that a request asks for, as AWS cuts it: its items and the token of the next page. */
function pageOf(items, { maxResults = 100, nextToken = "0" }) {
  const from = Number(nextToken);
  const to = from + Math.min(maxResults || 100, 1000);
  return { items: items.slice(from, to), more: to < items.length && { nextToken: String(to) } };
}

test("a history of 25,000 events is fetched in pages, also if AWS throttles some of them, and it replays", async () => {
  const { folder, within } = project();
  const loop = {
    StartAt: "Each",
    States: { Each: { Type: "Map", ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", End: true } } }, End: true } },
  };
  const { history } = simulate(
    loop,
    Array.from({ length: 6248 }, (_, i) => i),
  );
  const events = history.map((event) => ({ ...event, timestamp: Date.parse(event.timestamp) / 1000 }));
  assert.ok(events.length > 24_990 && events.length <= 25_000);
  const arn = `arn:aws:states:${region}:123456789012:execution:Long:e`;
  const calls = [];
  const url = await refusingServer("ThrottlingException", "Rate exceeded", (operation, number, body) => {
    // The SDK repeats a call twice by itself.
    if (number % 7 < 3 && number < 35) return undefined;
    if (operation !== "GetExecutionHistory")
      return operation === "DescribeExecution" ? { executionArn: arn, status: "SUCCEEDED" } : { definition: JSON.stringify(loop) };
    calls.push(body);
    const { items, more } = pageOf(events, body);
    return { events: items, ...more };
  });
  const { code, stdout, stderr } = await within("fetch", arn, { env: { ...env, AWS_ENDPOINT_URL: url } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /SUCCEEDED, 24\d{3} events/);
  assert.equal(calls.length, 25);
  const content = contentOf(folder, "Long.e.sfnrun");
  assert.deepEqual(content.missing, []);
  assert.ok(content.history.every(({ id }, i) => id === i + 1));
  writeFileSync(join(folder, "loop.json"), JSON.stringify(loop));
  const replayed = await within("replay", "Long.e.sfnrun", "loop.json");
  assert.deepEqual([replayed.code, replayed.stdout], [0, `the same: ${events.length} events, SUCCEEDED\n`]);
});

/** A server with an execution whose Map Run has these child executions, which lists them in pages. Returns its environment. */
async function mapRunAccount(children, refuse = () => false) {
  const base = `arn:aws:states:${region}:123456789012`;
  const [parent, mapRunArn] = [`${base}:execution:Big:e`, `${base}:mapRun:Big/Each:1`];
  const calls = {};
  const event = (id, type, details = {}) => ({ id, previousEventId: id - 1, type, timestamp: 1_700_000_000 + id, ...details });
  const url = await refusingServer("AccessDeniedException", "not allowed", (operation, _, body) => {
    calls[operation] = (calls[operation] ?? 0) + 1;
    if (refuse(operation, body)) return undefined;
    const isParent = body.executionArn === parent;
    switch (operation) {
      case "DescribeExecution":
        return {
          executionArn: body.executionArn,
          status: isParent ? "SUCCEEDED" : children.find((one) => one.executionArn === body.executionArn).status,
        };
      case "DescribeStateMachineForExecution":
        return { definition: each };
      case "GetExecutionHistory":
        return {
          events: [
            event(1, "ExecutionStarted"),
            isParent ? event(2, "MapRunStarted", { mapRunStartedEventDetails: { mapRunArn } }) : event(2, "ExecutionSucceeded"),
          ],
        };
      case "ListMapRuns":
        return { mapRuns: [{ mapRunArn, executionArn: parent }] };
      case "DescribeMapRun":
        return { mapRunArn, executionArn: parent, status: "SUCCEEDED" };
      default: {
        const { items, more } = pageOf(
          children.filter(({ status }) => [undefined, status].includes(body.statusFilter)),
          body,
        );
        return { executions: items, ...more };
      }
    }
  });
  return { parent, mapRunArn, calls, env: { ...env, AWS_ENDPOINT_URL: url } };
}

const childrenOf = (n, kind) =>
  Array.from({ length: n }, (_, i) => ({
    executionArn: `arn:aws:states:${region}:123456789012:${kind}:Big/Each:child-${i}`,
    status: i % 100 === 7 ? "FAILED" : "SUCCEEDED",
  }));

test("a Map Run of 10,000 child executions is fetched whole, or only those that failed, or up to a limit", async () => {
  const { folder, within } = project();
  const account = await mapRunAccount(childrenOf(10_000, "execution"));
  const fetched = async (...args) => {
    for (const name of Object.keys(account.calls)) delete account.calls[name];
    const { code, stderr } = await within("fetch", account.parent, ...args, { env: account.env });
    assert.equal(code, 0, stderr);
    return contentOf(folder, join(args.at(-1), "Big.e.sfnrun")).mapRuns[0];
  };
  const failed = await fetched("--failed", "--out", "failed");
  assert.deepEqual([failed.executions.length, failed.partial, account.calls.ListExecutions], [100, true, 3]);
  assert.ok(failed.executions.every(({ execution, history }) => execution.status === "FAILED" && history.length === 2));
  const some = await fetched("--limit", "250", "--out", "some");
  // The order is that of the list, although several are fetched at the same time.
  assert.deepEqual(
    some.executions.map(({ execution }) => execution.executionArn),
    childrenOf(250, "execution").map(({ executionArn }) => executionArn),
  );
  assert.equal(some.partial, true);
  // Express children have no history, so all of them need no more than their list.
  const express = await mapRunAccount(childrenOf(10_000, "express"));
  const { code, stdout } = await within("fetch", express.parent, "--out", "all", { env: express.env });
  assert.equal(code, 0);
  assert.match(stdout, /child executions of Express type have no history/);
  const [all] = contentOf(folder, "all/Big.e.sfnrun").mapRuns;
  assert.deepEqual([all.executions.length, all.partial, express.calls.ListExecutions], [10_000, false, 10]);
});

test("a Map Run that may not be read is listed as missing with its IAM action, and the execution is fetched", async () => {
  for (const [refused, permission] of [
    ["DescribeMapRun", "states:DescribeMapRun"],
    ["ListExecutions", "states:ListExecutions"],
    ["GetExecutionHistory", "states:GetExecutionHistory"],
  ]) {
    const { folder, within } = project();
    const account = await mapRunAccount(
      childrenOf(2, "execution"),
      (operation, { executionArn = "/" }) => operation === refused && executionArn.includes("/"),
    );
    const { code, stdout, stderr } = await within("fetch", account.parent, { env: account.env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`not fetched: ${refused}: access denied, the permission ${permission} is missing`));
    const { history, missing, mapRuns } = contentOf(folder, "Big.e.sfnrun");
    assert.deepEqual([history.length, missing.length, mapRuns[0].mapRun.mapRunArn, mapRuns[0].partial], [2, 1, account.mapRunArn, true]);
  }
});

test("credentials that expire while executions are fetched end the command, and the next one fetches the rest", async () => {
  const { folder, within } = project();
  const machineArn = `arn:aws:states:${region}:123456789012:stateMachine:M`;
  const arns = Array.from({ length: 20 }, (_, i) => machineArn.replace("stateMachine", "execution") + `:e${i}`);
  let calls = 0;
  let isExpired = true;
  const url = await refusingServer("ExpiredTokenException", "expired", (operation, _, body) => {
    calls += 1;
    if (isExpired && calls > 30) return undefined;
    if (operation === "ListExecutions") return { executions: arns.map((executionArn) => ({ executionArn, status: "SUCCEEDED" })) };
    return { ...began(body.executionArn)[operation], ...(operation === "DescribeExecution" && { status: "SUCCEEDED" }) };
  });
  const first = await within("fetch", machineArn, { env: { ...env, AWS_ENDPOINT_URL: url } });
  assert.equal(first.code, 2);
  assert.match(first.stderr, /: the credentials have expired; sign in again/);
  const complete = readdirSync(folder).filter((name) => name.endsWith(".sfnrun"));
  assert.ok(complete.length > 0 && complete.length < 20, `${complete.length} files`);
  for (const name of complete) assert.deepEqual(contentOf(folder, name).missing, []);
  isExpired = false;
  const second = await within("fetch", machineArn, "--json", { env: { ...env, AWS_ENDPOINT_URL: url } });
  const { fetched, unchanged } = JSON.parse(second.stdout);
  assert.deepEqual([fetched.length + unchanged, unchanged], [20, complete.length]);
});

test("each operation that is denied is named with its IAM action, which stepglass policy --for fetch grants", async () => {
  const { within } = project();
  const policy = JSON.parse((await within("policy", "--for", "fetch")).stdout);
  const granted = policy.Statement.flatMap(({ Action }) => Action);
  const account = await mapRunAccount(childrenOf(1, "execution"));
  const machineArn = `arn:aws:states:${region}:123456789012:stateMachine:Big`;
  const denied = new Set();
  for (const operation of [
    "DescribeExecution",
    "GetExecutionHistory",
    "DescribeStateMachineForExecution",
    "ListMapRuns",
    "ListExecutions",
  ]) {
    const one = await mapRunAccount(childrenOf(1, "execution"), (called) => called === operation);
    const { code, stdout, stderr } = await within("fetch", operation === "ListExecutions" ? machineArn : one.parent, "--out", operation, {
      env: one.env,
    });
    const [, permission] = /the permission (\S+) is missing \(see stepglass policy --for fetch\)/.exec(stdout + stderr) ?? [];
    assert.deepEqual([operation, permission], [operation, `states:${operation}`], stderr);
    assert.ok(granted.includes(permission), permission);
    denied.add(code);
  }
  assert.ok(account.parent);
  assert.deepEqual([...denied], [2]);
});

test("executions of moto's server are fetched and replayed, without the operation that it lacks", async () => {
  const { calls } = JSON.parse(readFileSync(new URL("moto.json", import.meta.url), "utf8"));
  const recorder = createServer(async (request, response) => {
    const operation = request.headers["x-amz-target"].split(".")[1];
    const body = await json(request);
    const call = calls.find((one) => one.operation === operation && isDeepStrictEqual(one.request, body));
    const { status, response: answer } = call ?? { status: 404, response: { __type: "NotRecorded", message: JSON.stringify(body) } };
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(text);
  });
  await new Promise((listening) => recorder.listen(0, "127.0.0.1", listening));
  after(() => recorder.close());
  const { folder, within } = project();
  const own = { env: { ...env, AWS_ENDPOINT_URL: `http://127.0.0.1:${recorder.address().port}` } };
  const arn = "arn:aws:states:us-east-1:123456789012:stateMachine:Orders";
  const { code, stdout, stderr } = await within("fetch", arn, "--out", "runs", own);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /Orders\.a\.sfnrun: SUCCEEDED, \d+ events\n {2}not fetched: ListExecutions: the endpoint answers it with something that is not JSON/,
  );
  const { stateMachine, mapRuns } = contentOf(folder, "runs/Orders.a.sfnrun");
  assert.deepEqual([mapRuns.length, mapRuns[0].partial], [1, true]);
  writeFileSync(join(folder, "orders.json"), stateMachine.definition);
  const replayed = await within("replay", "runs", "orders.json", own);
  assert.equal(replayed.stdout, "2  same\n2 executions replayed\n", replayed.stderr);
  const none = await within("fetch", arn.replace("Orders", "None"), own);
  assert.deepEqual([none.code, /^stepglass: ListExecutions: StateMachineDoesNotExist: /m.test(none.stderr)], [2, true]);
});

const expressArn = `arn:aws:states:${region}:123456789012:express:Quick:q:1e0d-4`;
const quick = machine({ Wrap: { Type: "Pass", Result: { done: true }, End: true } });

/** The events of an Express execution as its log has them. */
const logged = simulate(JSON.parse(quick), { email: "ada@example.com" }).history.map(
  ({ id, previousEventId, type, timestamp, ...details }) => ({
    id: String(id),
    type,
    details: Object.values(details)[0] ?? {},
    previous_event_id: String(previousEventId),
    event_timestamp: String(Date.parse(timestamp)),
    execution_arn: expressArn,
  }),
);

/** An account with one Express machine, whose log has these pages of events. Returns the environment of the command. */
async function expressAccount(pages, logging = {}) {
  const calls = [];
  const group = {
    cloudWatchLogsLogGroup: { logGroupArn: `arn:aws:logs:${region}:123456789012:log-group:/aws/vendedlogs/states/Quick-Logs:*` },
  };
  const url = await refusingServer("ResourceNotFoundException", "no such thing", (operation, _, body) => {
    if (operation === "DescribeStateMachine")
      return {
        name: "Quick",
        definition: quick,
        type: "EXPRESS",
        loggingConfiguration: { level: "ALL", includeExecutionData: true, destinations: [group], ...logging },
      };
    if (operation !== "FilterLogEvents") return undefined;
    calls.push(body);
    const page = Number(body.nextToken ?? 0);
    return {
      events: pages[page].map((event) => ({ message: typeof event === "string" ? event : JSON.stringify(event) })),
      ...(page + 1 < pages.length && { nextToken: String(page + 1) }),
    };
  });
  return { calls, env: { ...env, AWS_ENDPOINT_URL: url } };
}

test("fetches an Express execution from its log, whose events are split, repeated and out of order", async () => {
  const { folder, within } = project();
  const [first, ...others] = logged;
  const account = await expressAccount([
    [...others.toReversed(), "START RequestId"],
    [],
    [first, first, { ...first, execution_arn: "another" }],
  ]);
  const { code, stdout, stderr } = await within("fetch", expressArn, "--redact", "email", "--json", { env: account.env });
  assert.equal(code, 0, stderr);
  const [{ file, status, events, missing }] = JSON.parse(stdout).fetched;
  assert.deepEqual([status, events, missing], ["SUCCEEDED", logged.length, []]);
  assert.equal(account.calls[0].logGroupName, "/aws/vendedlogs/states/Quick-Logs");
  assert.match(account.calls[0].filterPattern, new RegExp(expressArn));
  const content = contentOf(folder, file);
  assert.deepEqual(
    content.history.map(({ id }) => id),
    logged.map(({ id }) => Number(id)),
  );
  assert.doesNotMatch(JSON.stringify(content), /ada@example/);
  writeFileSync(join(folder, "quick.asl.json"), quick);
  const replayed = await within("replay", ".", "quick.asl.json", { env: account.env });
  assert.match(replayed.stdout, /^ *1 {2}same$/m, replayed.stderr);
  const again = await within("fetch", expressArn, "--redact", "email", { env: account.env });
  assert.match(again.stdout, /^0 executions fetched, 1 already in/m);
});

test("says what the log of an Express execution leaves out", async () => {
  for (const [pages, logging, message] of [
    [[logged], { level: "OFF" }, /Quick does not log; set its log level to ALL/],
    [[[]], {}, /\/aws\/vendedlogs\/states\/Quick-Logs has no events of arn:.*they can arrive minutes late/],
  ]) {
    const { within } = project();
    const account = await expressAccount(pages, logging);
    const { code, stderr } = await within("fetch", expressArn, { env: account.env });
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
  for (const [pages, logging, messages] of [
    [[logged.slice(0, 2)], {}, [/some events are not in the log, or not yet/]],
    [[logged], { level: "ERROR", includeExecutionData: false }, [/log level of Quick is ERROR/, /Quick logs no execution data/]],
  ]) {
    const { within } = project();
    const account = await expressAccount(pages, logging);
    const { code, stdout } = await within("fetch", expressArn, { env: account.env });
    assert.equal(code, 0);
    for (const message of messages) assert.match(stdout, message);
  }
});

test("stepglass policy --for fetch grants only what fetch needs", async () => {
  const { stepglass } = folderWith({});
  const { code, stdout } = await stepglass("policy", "--for", "fetch", "--region", region, "--account", "123456789012", "--name", "Orders");
  assert.equal(code, 0);
  const statements = JSON.parse(stdout).Statement;
  const ofAction = (action) => statements.find(({ Action }) => Action.includes(`states:${action}`)).Resource;
  const arn = `arn:aws:states:${region}:123456789012`;
  assert.deepEqual(ofAction("GetExecutionHistory"), [`${arn}:execution:Orders:*`, `${arn}:execution:Orders/*`]);
  const logs = JSON.parse(stdout).Statement.find(({ Action }) => Action.includes("logs:FilterLogEvents"));
  assert.deepEqual(logs.Resource, [`arn:aws:logs:${region}:123456789012:log-group:/aws/vendedlogs/states/Orders-*`]);
  assert.deepEqual(ofAction("ListExecutions"), [`${arn}:stateMachine:Orders`, `${arn}:mapRun:Orders/*`]);
  assert.equal((await stepglass("policy", "--for", "fetch", "order.json")).code, 2);
});
