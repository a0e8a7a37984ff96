// The command and the server around the API: handlers of tasks, access, start and end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, lambda, machine, role, start } from "./endpoint.mjs";

const command = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
after(() => rmSync(folder, { recursive: true }));

/** Registers a machine and runs it to its end. */
async function run(server, definition, { input = {}, name = `M${Math.random().toString(36).slice(2)}`, testCase = "" } = {}) {
  const { stateMachineArn } = await server.call("CreateStateMachine", { name, definition, roleArn: role });
  const { executionArn } = await server.call("StartExecution", {
    stateMachineArn: `${stateMachineArn}${testCase}`,
    input: JSON.stringify(input),
  });
  return eventually(async () => {
    const about = await server.call("DescribeExecution", { executionArn });
    return about.status === "RUNNING" ? undefined : about;
  });
}

const task = (resource, more = {}) => machine({ T: { Type: "Task", Resource: resource, End: true, ...more } });

/** An HTTP service for tasks. `answer(request, body)` returns `[status, text, headers]`. */
async function service(answer) {
  const calls = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    calls.push({ method: request.method, url: request.url, headers: request.headers, body });
    const [status, text, headers] = await answer(request, body);
    response.writeHead(status, headers).end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, calls };
}

/** Starts the command. Resolves when it listens, with its start line and its output, or when it has ended. */
async function spawned(args, env = {}) {
  const child = spawn(process.execPath, [command, "serve", "--port", "0", "--json", ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  after(() => child.kill("SIGKILL"));
  const out = { child, stderr: "" };
  child.stderr.on("data", (data) => (out.stderr += data));
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "close").then(() => [undefined])]);
  if (line === undefined) return { ...out, code: child.exitCode };
  out.start = JSON.parse(line);
  return out;
}

async function post(url, operation, input, headers = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "x-amz-target": `AWSStepFunctions.${operation}`, ...headers },
    body: JSON.stringify(input),
  });
  return { status: response.status, headers: response.headers, ...(await response.json()) };
}

test(
  "the command prints where it listens, and shuts down cleanly on a signal",
  { skip: process.platform === "win32" && "on Windows, signals end a process at once" },
  async () => {
    for (const signal of ["SIGTERM", "SIGINT"]) {
      const { child, start } = await spawned([]);
      assert.deepEqual(
        [start.url, start.host, start.debugger, start.pid],
        [`http://127.0.0.1:${start.port}`, "127.0.0.1", `${start.url}/debugger/`, child.pid],
      );
      const { stateMachineArn } = await post(start.url, "CreateStateMachine", {
        name: "Long",
        roleArn: role,
        definition: machine({ W: { Type: "Wait", Seconds: 3600, End: true } }),
      });
      await post(start.url, "StartExecution", { stateMachineArn });
      const { activityArn } = await post(start.url, "CreateActivity", { name: "A" });
      // A polling worker receives an empty answer.
      const poll = post(start.url, "GetActivityTask", { activityArn });
      // The poll has arrived when requests that are sent after it have been answered.
      for (let i = 0; i < 3; i++) await post(start.url, "ListActivities", {});
      child.kill(signal);
      assert.equal((await poll).status, 200);
      const [code] = await once(child, "close");
      assert.equal(code, 0);
    }
  },
);

test("the command writes events and logs to files, and applies quotas", async () => {
  const { child, start } = await spawned(["--status-events", "status.jsonl", "--execution-logs", "logs.jsonl", "--quota", "TestState=2/0"]);
  const logGroupArn = "arn:aws:logs:us-east-1:123456789012:log-group:/states/m:*";
  const { stateMachineArn } = await post(start.url, "CreateStateMachine", {
    name: "M",
    roleArn: role,
    definition: machine({ P: { Type: "Pass", End: true } }),
    loggingConfiguration: { level: "ALL", destinations: [{ cloudWatchLogsLogGroup: { logGroupArn } }] },
  });
  const trace = { "x-amzn-trace-id": "Root=1-67891233-abcdef012345678912345678" };
  const { executionArn } = await post(start.url, "StartExecution", { stateMachineArn }, trace);
  const lines = (file) =>
    readFileSync(join(folder, file), { encoding: "utf8", flag: "a+" })
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  await eventually(() => lines("status.jsonl").length === 2 && lines("logs.jsonl").length === 4);
  assert.deepEqual(
    lines("status.jsonl").map(({ detail }) => detail.status),
    ["RUNNING", "SUCCEEDED"],
  );
  assert.equal(lines("logs.jsonl").at(-1).type, "ExecutionSucceeded");
  assert.equal((await post(start.url, "DescribeExecution", { executionArn })).traceHeader, trace["x-amzn-trace-id"]);
  const test = () => post(start.url, "TestState", { definition: '{"Type":"Pass","End":true}', roleArn: role });
  const answers = [await test(), await test(), await test()];
  assert.deepEqual(
    answers.map(({ __type }) => __type),
    [undefined, undefined, "ThrottlingException"],
  );
  child.kill("SIGKILL");
});

test("the command refuses invalid options with the reason", async () => {
  const { port } = await start();
  const cases = [
    [["--port", String(port)], /127\.0\.0\.1:\d+; --port 0 chooses a free port/],
    [["--port", "70000"], /--port must be a whole number from 0 to 65535/],
    [["--tasks", "none.mjs"], /cannot load the tasks of none\.mjs/],
    [["--task", "charge"], /--task must be NAME=URL/],
    [["--lambda-endpoint", "localhost:3001"], /--lambda-endpoint needs a URL/],
    [["--events-endpoint", "localhost:4566"], /--events-endpoint needs a URL/],
    [["--quota", "StartExecution=10"], /--quota must be OPERATION=BUCKET\/REFILL/],
    [["--quota", "Start=10/5"], /"Start", which is not an operation of the API/],
    [["--log-level", "loud"], /--log-level must be silent, error, info or debug/],
    [["--mock-config", "none.json"], /none\.json/],
    [["machine.json"], /serve takes no files/],
  ];
  for (const [args, message] of cases) {
    const child = spawn(process.execPath, [command, "serve", ...args], { cwd: folder });
    let stderr = "";
    child.stderr.on("data", (data) => (stderr += data));
    const [code] = await once(child, "close");
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

test("a changed module of handlers is loaded again, and the last working version is used while it is broken", async () => {
  const file = join(folder, "tasks.mjs");
  writeFileSync(file, 'export const f = () => "one";');
  const {
    start: { url },
    child,
    ...out
  } = await spawned(["--tasks", file, "--log-level", "info"]);
  child.stderr.on("data", (data) => (out.stderr += data));
  const { stateMachineArn } = await post(url, "CreateStateMachine", {
    name: "F",
    roleArn: role,
    type: "EXPRESS",
    definition: task(lambda("f")),
  });
  const output = async () => (await post(url, "StartSyncExecution", { stateMachineArn })).output;
  assert.equal(await output(), '"one"');
  writeFileSync(file, 'export const f = () => "changed";');
  await eventually(async () => (await output()) === '"changed"');
  writeFileSync(file, "export const f = (");
  await eventually(() => /cannot load the tasks of/.test(out.stderr));
  assert.equal(await output(), '"changed"');
  writeFileSync(file, 'export const f = () => "mended again";');
  await eventually(async () => (await output()) === '"mended again"');
});

test("an HTTP service can perform a task: its response is the task's result or error", async () => {
  const { url, calls } = await service(({ url }) => {
    if (url === "/charge") return [200, '{"paid":true}'];
    if (url === "/lambda") return [500, '{"errorType":"Declined","errorMessage":"no funds"}'];
    if (url === "/named") return [409, '{"error":"OutOfStock","cause":"none left"}'];
    if (url === "/text") return [200, "not JSON"];
    return [503, "try later"];
  });
  const server = await start({
    urls: {
      charge: `${url}/charge`,
      declined: `${url}/lambda`,
      named: `${url}/named`,
      text: `${url}/text`,
      "sqs:*": `${url}/other`,
      gone: "http://127.0.0.1:9/",
    },
  });
  assert.equal((await run(server, task(lambda("charge")), { input: { amount: 3 } })).output, '{"paid":true}');
  const [{ method, body, headers }] = calls;
  assert.deepEqual(
    [method, body, headers["content-type"], headers["stepglass-state"], headers["stepglass-attempt"]],
    ["POST", '{"amount":3}', "application/json", "T", "0"],
  );
  const failed = async (resource) => {
    const { status, error, cause } = await run(server, task(resource));
    return [status, error, cause];
  };
  assert.deepEqual(await failed(lambda("declined")), ["FAILED", "Declined", "no funds"]);
  assert.deepEqual(await failed(lambda("named")), ["FAILED", "OutOfStock", "none left"]);
  assert.deepEqual(await failed("arn:aws:states:::sqs:sendMessage"), ["FAILED", "Http.StatusCode.503", "try later"]);
  assert.equal((await failed(lambda("text")))[1], "Http.InvalidResponse");
  assert.equal((await failed(lambda("gone")))[1], "Http.SdkClientException");
  const none = await failed(lambda("nobody"));
  assert.match(none[2], /No task handler for resource .*Start the server with --tasks, --task or --lambda-endpoint\.$/);
});

test("functions are called by Lambda's Invoke API", async () => {
  const { url, calls } = await service(({ url }) => {
    if (url.includes("broken"))
      return [200, '{"errorType":"Bug","errorMessage":"oops","trace":[]}', { "x-amz-function-error": "Unhandled" }];
    if (url.includes("slow"))
      return [200, '{"errorMessage":"2026-01-01 Task timed out after 3.00 seconds"}', { "x-amz-function-error": "Unhandled" }];
    if (url.includes("none"))
      return [404, '{"Type":"User","Message":"Function not found"}', { "x-amzn-errortype": "ResourceNotFoundException" }];
    return [200, '{"n":2}', { "x-amz-executed-version": "7" }];
  });
  const server = await start({ lambdaEndpoint: `${url}/` });
  assert.equal((await run(server, task(`${lambda("double")}:live`), { input: { n: 1 } })).output, '{"n":2}');
  assert.deepEqual([calls[0].url, calls[0].body], ["/2015-03-31/functions/double/invocations?Qualifier=live", '{"n":1}']);
  const invoked = await run(
    server,
    task("arn:aws:states:::lambda:invoke", { Parameters: { FunctionName: lambda("double"), "Payload.$": "$" }, OutputPath: "$.Payload" }),
    { input: { n: 1 } },
  );
  assert.deepEqual([invoked.output, calls[1].body], ['{"n":2}', '{"n":1}']);
  const error = async (name) => (await run(server, task(lambda(name)))).error;
  assert.deepEqual(
    [await error("broken"), await error("slow"), await error("none")],
    ["Bug", "Sandbox.Timedout", "Lambda.ResourceNotFoundException"],
  );
  assert.equal(JSON.parse((await run(server, task(lambda("broken")))).cause).errorMessage, "oops");
  // The optimized integration uses an older client, whose message has another form. Both are recorded.
  const cause = async (resource) => (await run(server, task(resource, { Parameters: { FunctionName: "none" } }))).cause;
  assert.deepEqual(
    [await cause("arn:aws:states:::lambda:invoke"), await cause("arn:aws:states:::aws-sdk:lambda:invoke")],
    [
      "Function not found (Service: AWSLambda; Status Code: 404; Error Code: ResourceNotFoundException; Request ID: null; Proxy: null)",
      "Function not found (Service: Lambda, Status Code: 404, Request ID: null)",
    ],
  );
});

test("ARNs have the partition of their region", async () => {
  const partitions = {
    "eu-west-1": "aws",
    "cn-north-1": "aws-cn",
    "us-gov-west-1": "aws-us-gov",
    "us-iso-east-1": "aws-iso",
    "us-isob-east-1": "aws-iso-b",
  };
  for (const [region, partition] of Object.entries(partitions)) {
    const server = await start({ region });
    const { stateMachineArn, executionArn } = await run(server, machine({ A: { Type: "Succeed" } }), { name: "Parts" });
    const prefix = `arn:${partition}:states:${region}:123456789012`;
    assert.deepEqual(
      [stateMachineArn, executionArn.split(":").slice(0, 7).join(":")],
      [`${prefix}:stateMachine:Parts`, `${prefix}:execution:Parts`],
    );
  }
});

test("the ARN selects a test case of a mock configuration", async () => {
  const mockConfig = {
    StateMachines: {
      Shop: { TestCases: { Happy: { Charge: "Paid", Ship: "Shipped" }, Retried: { Charge: "Busy" }, Refused: { Charge: "No" } } },
    },
    MockedResponses: {
      Paid: { 0: { Return: { StatusCode: 200, Payload: { paid: 1 } } } },
      Busy: { "0-1": { Throw: { Error: "Busy", Cause: "later" } }, 2: { Return: { Payload: "third" } } },
      No: { 0: { Throw: { Error: "Declined", Cause: "no funds" } } },
      Shipped: { 0: { Return: "on its way" } },
    },
  };
  const file = join(folder, "MockConfigFile.json");
  writeFileSync(file, JSON.stringify({ ...mockConfig, Assert: {} }));
  const lines = [];
  const definition = machine({
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: "charge" },
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 3 }],
      OutputPath: "$.Payload",
      Next: "Ship",
    },
    Ship: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
      Parameters: { QueueUrl: "q", MessageBody: { "t.$": "$$.Task.Token" } },
      End: true,
    },
  });
  const server = await start({
    mockConfig: file,
    log: (level, line) => lines.push([level, line]),
    tasks: { "sqs:sendMessage": ({ MessageBody: { t } }, { execution }) => void setTimeout(() => execution.succeed(t, "really"), 1) },
  });
  assert.deepEqual(lines, [
    ["error", 'warning: MockConfigFile.json: "Assert" is passed over; the members here are StateMachines and MockedResponses'],
  ]);
  const outcome = async (testCase) => {
    const { status, output, error } = await run(server, definition, { name: "Shop", testCase });
    return [status, output ?? error];
  };
  assert.deepEqual(await outcome("#Happy"), ["SUCCEEDED", '"on its way"']);
  // States that the test case does not mock use their handlers. Every execution begins at invocation 0.
  assert.deepEqual(await outcome("#Retried"), ["SUCCEEDED", '"really"']);
  assert.deepEqual(await outcome("#Refused"), ["FAILED", "Declined"]);
  assert.deepEqual(await outcome("#Happy"), ["SUCCEEDED", '"on its way"']);
  await assert.rejects(outcome("#Sad"), { type: "InvalidArn", message: /no test case "Sad"/ });
});

test("a handler that throws after it has answered does not end the server", async () => {
  const file = join(folder, "late.mjs");
  writeFileSync(
    file,
    'export const late = () => { setTimeout(() => { throw new Error("late") }, 1); Promise.reject(new Error("lost")); return "in time"; };',
  );
  const {
    start: { url },
    child,
    ...out
  } = await spawned(["--tasks", file, "--log-level", "error"]);
  child.stderr.on("data", (data) => (out.stderr += data));
  const { stateMachineArn } = await post(url, "CreateStateMachine", {
    name: "Late",
    roleArn: role,
    type: "EXPRESS",
    definition: task(lambda("late")),
  });
  assert.equal((await post(url, "StartSyncExecution", { stateMachineArn })).output, '"in time"');
  await eventually(() => /uncaughtException: Error: late/.test(out.stderr) && /unhandledRejection: Error: lost/.test(out.stderr));
  assert.equal((await post(url, "ListStateMachines", {})).status, 200);
});

test("the command prints at the start which setting SDKs need for StartSyncExecution", async (t) => {
  const { child, url, stderr } = await new Promise((done, fail) => {
    const started = {
      child: spawn(process.execPath, [command, "serve", "--port", "0"], { env: { ...process.env, NO_COLOR: "1" } }),
      stdout: "",
      stderr: "",
    };
    t.after(() => started.child.kill());
    const checkOutput = () => {
      const listening = /^Step Functions API +(\S+)$/m.exec(started.stdout)?.[1];
      if (listening !== undefined && started.stderr.includes("Ctrl+C")) done({ ...started, url: listening });
    };
    for (const name of ["stdout", "stderr"]) started.child[name].on("data", (data) => ((started[name] += data), checkOutput()));
    started.child.on("error", fail);
  });
  assert.match(stderr, /sync-127\.0\.0\.1 is a name that does not\nresolve/);
  assert.match(stderr, /export AWS_DISABLE_HOST_PREFIX_INJECTION=true/);
  assert.ok(stderr.includes(`new SFNClient({ endpoint: "${url}", disableHostPrefix: true })`));
  child.kill();
});

test("programs can use the API under any host name, also with the SDKs' prefix", async () => {
  const server = await start();
  for (const host of ["sync-localhost", `sync-127.0.0.1:${server.port}`, "stepfunctions.internal:8083"]) {
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: server.port, method: "POST", headers: { host, "x-amz-target": "AWSStepFunctions.ListStateMachines" } },
        (response) => resolve(response.resume().statusCode),
      );
      sent.on("error", reject).end("{}");
    });
    assert.equal(status, 200, host);
  }
  const health = await (await fetch(`${server.url}/health`)).json();
  assert.deepEqual([health.status, health.running], ["ok", 0]);
});

test("requests of pages from other origins are refused, unless the origin is allowed", async () => {
  const server = await start();
  const open = await start({ allowOrigins: ["https://app.example"], allowHosts: ["workbench"] });
  const status = async ({ url }, headers) => (await post(url, "ListStateMachines", {}, headers)).status;
  assert.equal(await status(server, {}), 200);
  assert.equal(await status(server, { origin: "http://evil.example" }), 403);
  assert.equal(await status(server, { origin: "null" }), 403);
  assert.equal(await status(server, { origin: server.url }), 200);
  assert.equal(await status(open, { origin: "http://evil.example" }), 403);
  const allowed = await post(open.url, "ListStateMachines", {}, { origin: "https://app.example" });
  assert.deepEqual([allowed.status, allowed.headers.get("access-control-allow-origin")], [200, "https://app.example"]);
  const preflight = (origin) =>
    fetch(open.url, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-amz-target" },
    });
  assert.match((await preflight("https://app.example")).headers.get("access-control-allow-headers"), /x-amz-target/);
  assert.equal((await preflight("https://evil.example")).status, 403);
});

test("ended executions are removed, and running executions, machines and activities are limited", async () => {
  const server = await start({ limits: { registered: 2, running: 3, retain: { executions: 5 } } });
  const { stateMachineArn: quick } = await server.call("CreateStateMachine", {
    name: "Quick",
    roleArn: role,
    definition: machine({ A: { Type: "Pass", End: true } }),
  });
  const { executionArn: first } = await server.call("StartExecution", { stateMachineArn: quick, name: "first" });
  for (let i = 0; i < 12; i++) {
    await server.call("StartExecution", { stateMachineArn: quick });
    await eventually(() => server.running === 0);
  }
  assert.equal((await server.call("ListExecutions", { stateMachineArn: quick })).executions.length, 5);
  await assert.rejects(server.call("DescribeExecution", { executionArn: first }), { type: "ExecutionDoesNotExist" });
  await server.call("StartExecution", { stateMachineArn: quick, name: "first" });
  await eventually(() => server.running === 0);
  const { stateMachineArn: slow } = await server.call("CreateStateMachine", {
    name: "Slow",
    roleArn: role,
    definition: machine({ W: { Type: "Wait", Seconds: 3600, End: true } }),
  });
  for (let i = 0; i < 3; i++) await server.call("StartExecution", { stateMachineArn: slow });
  await assert.rejects(server.call("StartExecution", { stateMachineArn: slow }), { type: "ExecutionLimitExceeded" });
  await assert.rejects(
    server.call("CreateStateMachine", { name: "Third", roleArn: role, definition: machine({ A: { Type: "Pass", End: true } }) }),
    { type: "StateMachineLimitExceeded" },
  );
  for (const name of ["A", "B"]) await server.call("CreateActivity", { name });
  await assert.rejects(server.call("CreateActivity", { name: "C" }), { type: "ActivityLimitExceeded" });
});

test("WAIT_TIME_SCALE shortens waits, and dates still show their full length", async () => {
  const {
    start: { url },
  } = await spawned(["--log-level", "error"], { WAIT_TIME_SCALE: "0.001" });
  const { stateMachineArn } = await post(url, "CreateStateMachine", {
    name: "Slow",
    roleArn: role,
    type: "EXPRESS",
    definition: machine({ W: { Type: "Wait", Seconds: 100, End: true } }),
  });
  const { status, startDate, stopDate } = await post(url, "StartSyncExecution", { stateMachineArn });
  assert.equal(status, "SUCCEEDED");
  assert.ok(stopDate - startDate >= 100);
});

test("executions are listed, shown and followed while they run", async () => {
  const server = await start();
  const { stateMachineArn } = await server.call("CreateStateMachine", { name: "Shown<b>", roleArn: role, definition: "{}" }).catch(() =>
    server.call("CreateStateMachine", {
      name: "Shown",
      roleArn: role,
      definition: machine({ "<img src=x onerror=alert(1)>": { Type: "Wait", Seconds: 3600, Next: "B" }, B: { Type: "Pass", End: true } }),
    }),
  );
  const { executionArn } = await server.call("StartExecution", { stateMachineArn, input: '{"html":"<script>alert(1)</script>"}' });
  const get = async (path, headers = {}) => {
    const response = await fetch(new URL(path, server.url), { headers });
    return { response, text: await response.text() };
  };
  const { executions } = JSON.parse((await get("/debugger/api/executions")).text);
  assert.deepEqual([executions.length, executions[0].executionArn, executions[0].status], [1, executionArn, "RUNNING"]);
  const { response, text } = await get("/debugger/");
  assert.match(response.headers.get("content-security-policy"), /default-src 'none'/);
  assert.match(text, /<script type="module" src="\/debugger\/component\/console\.js">/);

  const document = JSON.parse((await get(executions[0].import)).text);
  assert.deepEqual(
    [document.stepglass, document.status, document.events.length, document.list],
    ["execution/1", "RUNNING", 2, "/debugger/"],
  );
  assert.equal(JSON.parse(document.definition).StartAt, "<img src=x onerror=alert(1)>");
  const page = (await get(`/debugger/executions/${encodeURIComponent(executionArn)}`)).text;
  assert.ok(!page.includes("<script>alert") && !page.includes("<img src=x") && page.includes("&lt;img src=x"));
  assert.match((await get(`${executions[0].import}/graph.svg`)).text, /^<svg/);

  const stream = await fetch(new URL(`${document.live}?after=1`, server.url));
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
  await server.call("StopExecution", { executionArn, error: "Stop" });
  const sent = (await stream.text()).split("\n\n").filter((block) => block.includes("event:"));
  assert.deepEqual(
    sent.map((block) => /event: (\w+)/.exec(block)[1]),
    ["history", "history", "end"],
  );
  assert.deepEqual(
    sent.slice(0, 2).map((block) => JSON.parse(/data: (.*)/.exec(block)[1]).type),
    ["WaitStateEntered", "ExecutionAborted"],
  );
  assert.deepEqual(JSON.parse(/data: (.*)/.exec(sent[2])[1]).error, "Stop");
  const ended = JSON.parse((await get(executions[0].import)).text);
  assert.deepEqual([ended.live, ended.status, ended.error], [undefined, "ABORTED", "Stop"]);
  assert.equal((await get("/debugger/api/executions/nothing")).response.status, 404);
});

test("the graph of an execution shows that a Parallel state failed because of its branch", async () => {
  const server = await start();
  const states = { A: { Type: "Pass", Next: "F" }, F: { Type: "Fail", Error: "Broken" } };
  await run(server, machine({ P: { Type: "Parallel", Branches: [{ StartAt: "A", States: states }], End: true } }));
  const { executions } = JSON.parse(await (await fetch(`${server.url}/debugger/api/executions`)).text());
  const drawing = await (await fetch(new URL(`${executions[0].import}/graph.svg`, server.url))).text();
  assert.deepEqual(drawing.match(/(?<=<title>)\w \([^<]*/g).sort(), [
    "A (Pass), succeeded",
    "F (Fail, Broken), failed",
    "P (Parallel), failed",
  ]);
});
