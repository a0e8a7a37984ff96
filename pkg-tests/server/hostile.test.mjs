// 10,000 hostile requests: the server stays up, answers with errors in AWS's form, and its memory stays bounded.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let child;
let port;
let problems = "";

// The server runs in a separate process, so that its memory can be measured and a crash can be noticed.
before(async () => {
  child = spawn(process.execPath, [command, "serve", "--port", "0", "--json", "--log-level", "error"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.on("data", (data) => (problems += data));
  const [line] = await once(child.stdout, "data");
  ({ port } = JSON.parse(line));
});
after(() => {
  agent.destroy();
  child.kill();
});

const rss = () =>
  process.platform === "linux" ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024 : 0;

function send({ method = "POST", path = "/", headers = {}, body = "", target }) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path, agent, headers: { ...(target !== undefined && { "x-amz-target": target }), ...headers } },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const call = (operation, input) => send({ target: `AWSStepFunctions.${operation}`, body: JSON.stringify(input) });

/** Fails unless the response is an error in AWS's form. */
function isError({ status, headers, text }, what) {
  const { __type: type, message } = JSON.parse(text);
  assert.ok(status >= 400 && status < 500, `${status} for ${what}: ${text.slice(0, 300)}`);
  assert.ok(typeof type === "string" && /^\w+$/.test(type) && typeof message === "string", `${what}: ${text.slice(0, 300)}`);
  assert.match(headers["x-amzn-requestid"], /^[0-9a-f-]{36}$/);
  assert.ok(text.length < 20_000, what);
}

async function isAlive() {
  assert.equal(child.exitCode, null);
  const { status, text } = await call("ListStateMachines", {});
  assert.equal(status, 200, text);
}

/** Returns a generator of whole numbers below a limit, which are the same in every run. */
function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const OPERATIONS = [
  "CreateStateMachine",
  "StartExecution",
  "DescribeExecution",
  "GetExecutionHistory",
  "SendTaskSuccess",
  "ListExecutions",
  "TagResource",
  "TestState",
  "CreateStateMachineAlias",
  "UpdateMapRun",
  "ValidateStateMachineDefinition",
  "GetActivityTask",
  "RedriveExecution",
];
const MEMBERS = [
  "name",
  "definition",
  "roleArn",
  "stateMachineArn",
  "executionArn",
  "input",
  "taskToken",
  "output",
  "tags",
  "nextToken",
  "maxResults",
  "routingConfiguration",
  "mapRunArn",
  "activityArn",
  "resourceArn",
  "mock",
  "context",
  "__proto__",
  "constructor",
  "toString",
];

function hostileValue(random) {
  const values = [
    null,
    true,
    -1,
    1e308,
    "",
    "\u0000",
    "\ud800",
    "'; DROP TABLE--",
    "<script>alert(1)</script>",
    "../../../../etc/passwd",
    "arn:aws:states:us-east-1:123456789012:stateMachine:" + "x".repeat(random(400)),
    "arn:aws:states:::execution:a:b:c:d",
    "arn:" + ":".repeat(random(200)),
    "x".repeat(random(3000)),
    "{".repeat(random(2000)),
    [],
    [[[[]]]],
    [{ key: 7 }],
    [null],
    {},
    { __proto__: null, constructor: { prototype: {} } },
    { a: { b: { c: {} } } },
    '{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"A"}}}',
    '{"__proto__":1}',
  ];
  return values[random(values.length)];
}

test("7,000 bodies with wrong types, hostile names or broken JSON are answered", { timeout: 300_000 }, async () => {
  const random = randomOf(7);
  const statuses = new Map();
  const one = async (i) => {
    const input = {};
    for (let n = random(6); n > 0; n--)
      Object.defineProperty(input, MEMBERS[random(MEMBERS.length)], { value: hostileValue(random), enumerable: true, configurable: true });
    let body = JSON.stringify(input);
    const kind = random(4);
    if (kind === 0) body = body.slice(0, random(body.length + 1));
    else if (kind === 1) {
      const bytes = Buffer.from(body);
      for (let n = random(4) + 1; n > 0 && bytes.length > 0; n--) bytes[random(bytes.length)] = random(256);
      body = bytes;
    }
    const operation = OPERATIONS[random(OPERATIONS.length)];
    const answer = await send({ target: `AWSStepFunctions.${operation}`, body });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    // Some requests are valid by chance.
    if (answer.status === 200) JSON.parse(answer.text);
    else isError(answer, `${operation} ${String(body).slice(0, 500)} (${i})`);
  };
  for (let i = 0; i < 7000; i += 14) await Promise.all(Array.from({ length: 14 }, (_, k) => one(i + k)));
  assert.ok((statuses.get(400) ?? 0) > 5000, JSON.stringify([...statuses]));
  await isAlive();
});

test("1,500 wrong targets, methods, paths and headers are refused", { timeout: 300_000 }, async () => {
  const random = randomOf(8);
  const wrong = [
    () => ({
      target: `AWSStepFunctions.${["", "Nothing", "constructor", "__proto__", "toString", "x".repeat(5000)][random(6)]}`,
      body: "{}",
    }),
    () => ({ target: ["DynamoDB_20120810.ListTables", "AWSStepFunctions", ".", "ListStateMachines"][random(4)], body: "{}" }),
    () => ({ body: "{}" }),
    () => ({ method: ["PUT", "DELETE", "PATCH", "PROPFIND"][random(4)], path: "/x" }),
    () => ({
      method: "GET",
      path: [
        "/debugger/../../etc/passwd",
        "/debugger/page/..%2f..%2f..%2fetc%2fpasswd",
        "/debugger/page/%2e%2e/%2e%2e/package.json",
        "/debugger/api/executions/%ff",
        "/debugger/api/executions/none",
        "/debugger/executions/none",
        "/debugger/page/%00",
        "/debugger/component/../cli.js",
        "/debugger/component/cli.js",
        "/nothing",
      ][random(10)],
    }),
    () => ({
      target: "AWSStepFunctions.ListStateMachines",
      body: "{}",
      headers: {
        origin: ["http://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example:8083", "file://"][
          random(5)
        ],
      },
    }),
    () => ({ target: "AWSStepFunctions.ListStateMachines", body: "{}", headers: { "sec-fetch-site": "cross-site" } }),
    () => ({
      method: "GET",
      path: "/debugger/",
      headers: { host: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example"][random(3)] },
    }),
    () => ({ method: "OPTIONS", headers: { origin: "http://evil.example", "access-control-request-method": "POST" } }),
  ];
  for (let i = 0; i < 1500; i += 15) {
    const requests = Array.from({ length: 15 }, () => wrong[random(wrong.length)]());
    const answers = await Promise.all(requests.map(send));
    answers.forEach((answer, k) => isError(answer, JSON.stringify(requests[k]).slice(0, 500)));
  }
  await isAlive();
});

test("400 bodies that are too long, too deep or have too many members do not exhaust the memory", { timeout: 300_000 }, async () => {
  const start = rss();
  const target = "AWSStepFunctions.StartExecution";
  const bodies = [
    `{"input":"${"x".repeat(5 * 2 ** 20)}"}`,
    "[".repeat(3 * 2 ** 20),
    `{"a":`.repeat(2 ** 19),
    `{"a":[${"[],".repeat(2 ** 20)}[]]}`,
    `{"stateMachineArn":${JSON.stringify("[".repeat(2 ** 20))}}`,
    JSON.stringify({ definition: `{"StartAt":"A","States":{"A":{"Type":"Pass","Result":${"[".repeat(5e5)}` }),
    JSON.stringify({ definition: "x".repeat(2 ** 20 + 1) }),
  ];
  for (let i = 0; i < 400; i += 4) {
    const answers = await Promise.all(
      [0, 1, 2, 3].map((k) =>
        send({
          target: i % 8 === 0 ? "AWSStepFunctions.ValidateStateMachineDefinition" : target,
          body: bodies[(i + k) % bodies.length],
        }).catch((error) => ({ error })),
      ),
    );
    // The server may close the connection of a client that sends more than the limit.
    for (const answer of answers) {
      if (answer.error) assert.match(answer.error.code ?? "", /ECONNRESET|EPIPE/);
      else if (answer.status !== 200) isError(answer, "a large body");
    }
  }
  await isAlive();
  assert.ok(rss() < start + 700, `${rss()} MiB after, ${start} before`);
});

test("1,000 connections that are not HTTP, have huge headers or are closed early do no harm", { timeout: 300_000 }, async () => {
  const random = randomOf(9);
  const raw = [
    () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    () => "GET\r\n\r\n",
    () => `POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: ${"a".repeat(200_000)}\r\n\r\n`,
    () => `POST / HTTP/1.1\r\nhost: x\r\n${"a: b\r\n".repeat(20_000)}\r\n`,
    () => "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n{}",
    () => "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    () => "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    () => Buffer.from(Array.from({ length: 300 }, () => random(256))),
    () => undefined,
  ];
  const one = () =>
    new Promise((resolve) => {
      const make = raw[random(raw.length)];
      const socket = connect(port, "127.0.0.1");
      let answer = "";
      const timer = setTimeout(() => socket.destroy(), 2000);
      socket.on("data", (data) => (answer += data));
      socket.on("error", () => {});
      socket.on("close", () => {
        clearTimeout(timer);
        resolve(answer);
      });
      socket.on("connect", () => {
        const bytes = make();
        // This client announces a body and closes the connection.
        if (bytes === undefined)
          socket.write("POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: AWSStepFunctions.StartExecution\r\ncontent-length: 1000\r\n\r\n{", () =>
            socket.destroy(),
          );
        else socket.write(bytes);
      });
    });
  let answered = 0;
  for (let i = 0; i < 1000; i += 50) {
    for (const answer of await Promise.all(Array.from({ length: 50 }, one))) {
      if (answer === "") continue;
      answered += 1;
      assert.match(answer, /^HTTP\/1\.1 4\d\d /);
      const [, length] = /content-length: (\d+)/i.exec(answer);
      const body = answer.indexOf("\r\n\r\n") + 4;
      const { __type: type, message } = JSON.parse(answer.slice(body, body + Number(length)));
      assert.ok(typeof type === "string" && typeof message === "string");
    }
  }
  assert.ok(answered > 300, `${answered}`);
  await isAlive();
});

test("100 clients that send one byte now and then time out, and do not block others", { timeout: 300_000 }, async () => {
  const sockets = Array.from({ length: 100 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  const answers = sockets.map(
    (socket) =>
      new Promise((resolve) => {
        let text = "";
        socket.on("data", (data) => (text += data));
        socket.on("close", () => resolve(text));
      }),
  );
  for (const [i, socket] of sockets.entries()) socket.write(i % 2 === 0 ? "POST / HT" : "POST / HTTP/1.1\r\nhost: x\r\nx-am");
  const drip = setInterval(() => sockets.forEach((socket, i) => i % 2 === 1 && socket.writable && socket.write("x")), 500);
  await isAlive();
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 408 .*"__type":"RequestTimeout"/s);
  clearInterval(drip);
  await isAlive();
});

test("the server has logged no error of its own during these tests", () => {
  assert.equal(problems, "");
});
