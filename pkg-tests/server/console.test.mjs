// The console of a Runtime, and that of a store beside what writes to it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { Runtime } from "../../dist/durable-node.js";
import { serveConsole } from "../../dist/server.js";
import { nodeWithSqlite } from "../store/drivers.mjs";
import { eventually, start } from "./endpoint.mjs";

const approval = (next) => ({
  StartAt: "Approve",
  States: { Approve: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "approved" }, ...next } },
});
const machines = {
  Order: approval({ End: true }),
  Payment: { StartAt: "Charge", States: { Charge: { Type: "Fail", Error: "Card.Declined" } } },
};

/** Starts a Runtime with a console. Both end with the test. */
async function started(t, options = {}) {
  const runtime = await new Runtime({ machines, tasks: {}, ...options }).open();
  const board = await serveConsole(runtime, { port: 0 });
  t.after(async () => {
    await board.close({ grace: 100 });
    await runtime.close();
  });
  const get = async (path) => {
    const answer = await fetch(`${board.url}/debugger/api/${path}`);
    return { status: answer.status, ...(await answer.json()) };
  };
  const post = async (path, body) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${board.url}/debugger/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, ...(await answer.json()) };
  };
  const names = async (search) => (await get(`executions?${search}`)).executions.map(({ name }) => name);
  return { runtime, board, get, post, names };
}

test("the console of a Runtime lists executions by status, machine, name, attribute and time", async (t) => {
  const { runtime, names, get } = await started(t);
  await runtime.start("Order", { name: "order-1", attributes: { customer: "c-7", amount: 120, express: true } });
  await runtime.start("Order", { name: "order-2", attributes: { customer: "c-8", amount: 80 } });
  const payment = await runtime.start("Payment", { name: "payment-1" });
  await payment.result;
  const { executions } = await get("executions");
  const order = executions.find(({ name }) => name === "order-1");
  assert.deepEqual(await names("status=FAILED&status=TIMED_OUT"), ["payment-1"]);
  assert.deepEqual(await names(`stateMachineArn=${order.stateMachineArn}`), ["order-2", "order-1"]);
  assert.deepEqual(await names("name=order-1"), ["order-1"]);
  assert.deepEqual(await names("attribute=customer=c-7"), ["order-1"]);
  assert.deepEqual(await names("attribute=express=true"), ["order-1"]);
  assert.deepEqual(await names("attribute=amount>=100"), ["order-1"]);
  assert.deepEqual(await names("attribute=amount>=50&attribute=amount<100"), ["order-2"]);
  assert.deepEqual(await names(`from=${Date.now() + 3_600_000}`), []);
  assert.deepEqual(order.attributes, { customer: "c-7", amount: 120, express: true });
  for (const wrong of ["from=yesterday", "attribute=customer", "attribute=a<true"])
    assert.equal((await get(`executions?${wrong}`)).__type, "ValidationException", wrong);
});

test("the counts are by status, by machine and over time, whatever status the list has", async (t) => {
  const { runtime, get } = await started(t);
  await runtime.start("Order", { name: "order-1" });
  await (
    await runtime.start("Payment", { name: "payment-1" })
  ).result;
  const { statuses, machines: all, from, width, intervals } = await get("counts?status=FAILED&hours=1");
  assert.deepEqual(statuses, { RUNNING: 1, FAILED: 1 });
  assert.deepEqual(
    all.map(({ name, statuses: own }) => [name, own]),
    [
      ["Order", { RUNNING: 1 }],
      ["Payment", { FAILED: 1 }],
    ],
  );
  const sum = (status) => intervals.reduce((total, own) => total + (own[status] ?? 0), 0);
  assert.deepEqual([sum("RUNNING"), sum("FAILED")], [1, 1]);
  assert.ok(Date.parse(from) + width * intervals.length > Date.now() - 60_000);
});

test("executions of a Runtime are signalled, cancelled, stopped, redriven and migrated in bulk, and refusals say why", async (t) => {
  const { runtime, post, get } = await started(t);
  const handles = [];
  for (const name of ["a", "b", "c", "d"]) handles.push(await runtime.start("Order", { name }));
  const [a, b, c, d] = handles.map(({ arn }) => arn);
  assert.deepEqual((await post("bulk", { action: "signal", executions: [a], name: "approved", payload: '{"by":"Ada"}' })).done, [a]);
  assert.deepEqual((await handles[0].result).output, { by: "Ada" });
  const { done, refused } = await post("bulk", { action: "stop", executions: [a, b, c, `${a}-none`], error: "Enough" });
  assert.deepEqual(done.sort(), [b, c]);
  assert.deepEqual(refused.map(({ executionArn, type }) => [executionArn, type]).sort(), [
    [a, "ExecutionNotRunning"],
    [`${a}-none`, "ExecutionDoesNotExist"],
  ]);
  assert.equal((await get(`executions/${encodeURIComponent(b)}`)).error, "Enough");
  assert.deepEqual((await post("bulk", { action: "redrive", executions: [b] })).done, [b]);
  assert.equal((await get(`executions/${encodeURIComponent(b)}`)).status, "RUNNING");
  assert.deepEqual((await post("bulk", { action: "migrate", executions: [b] })).done, [b]);
  assert.deepEqual((await post("bulk", { action: "cancel", executions: [d], cause: "no longer needed" })).done, [d]);
  assert.equal((await handles[3].result).error, "Stepglass.Cancelled");
  assert.equal((await post("bulk", { action: "explode", executions: [] })).status, 400);
  assert.equal((await post("bulk", { action: "stop", executions: Array.from({ length: 101 }, String) })).status, 400);
});

test("the page of an execution of a Runtime has its events, live, and the actions that are possible", async (t) => {
  const { runtime, board, get } = await started(t);
  const order = await runtime.start("Order", { name: "order-1" });
  const path = `executions/${encodeURIComponent(order.arn)}`;
  const document = await get(path);
  assert.deepEqual(document.actions, ["signal", "cancel", "stop", "migrate"]);
  assert.deepEqual(document.signals.waiting, ["approved"]);
  const stream = await fetch(`${board.url}${document.live}?after=${document.events.length}`);
  await order.signal("approved");
  assert.match(await stream.text(), /event: history\ndata: [^\n]*ExecutionSucceeded[^]*event: end\ndata: \{"status":"SUCCEEDED"/);
  assert.deepEqual((await get(path)).actions, []);
  assert.deepEqual((await get("console")).actions, ["signal", "cancel", "stop", "redrive", "resume", "migrate"]);
});

test("a server cannot migrate, and says so", async () => {
  const server = await start();
  const { kind, actions } = await (await fetch(`${server.url}/debugger/api/console`)).json();
  assert.equal(kind, "server");
  assert.ok(!actions.includes("migrate"));
});

test("serveConsole refuses what is no Runtime, and has no API of AWS", async (t) => {
  await assert.rejects(serveConsole({}, { port: 0 }), { code: "INVALID_ARGUMENT" });
  const { board } = await started(t);
  const answer = await fetch(board.url, { method: "POST", headers: { "x-amz-target": "AWSStepFunctions.ListExecutions" }, body: "{}" });
  assert.equal(answer.status, 404);
  assert.match(await (await fetch(`${board.url}/metrics`)).text(), /stepglass_executions\{status="RUNNING"\} 0/);
});

/** Starts a program and resolves to its first line of output, as JSON. */
async function program(t, ...args) {
  const child = spawn(nodeWithSqlite, args, { stdio: ["pipe", "pipe", "inherit"] });
  t.after(async () => {
    const gone = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await gone;
  });
  const [line] = await once(child.stdout, "data");
  return { child, first: JSON.parse(line) };
}

test(
  "stepglass console shows the store of a running Runtime, and changes nothing",
  { skip: nodeWithSqlite === undefined && "there is no Node with SQLite", timeout: 120_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "stepglass-console-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const dist = pathToFileURL(join(import.meta.dirname, "../../dist/")).href;
    const database = join(folder, "orders.db");
    const writer = join(folder, "writer.mjs");
    writeFileSync(
      writer,
      `import { Runtime } from "${dist}durable-node.js";
      import { sqlite } from "${dist}sqlite.js";
      const runtime = await new Runtime({ store: sqlite(${JSON.stringify(database)}), machines: ${JSON.stringify(machines)}, tasks: {} }).open();
      const order = await runtime.start("Order", { name: "order-1" });
      console.log(JSON.stringify({ arn: order.arn }));
      process.stdin.on("data", () => order.signal("approved", 7));`,
    );
    const { child, first } = await program(t, writer);
    const cli = join(import.meta.dirname, "../../dist/cli.js");
    const { first: board } = await program(t, cli, "console", "--store", `sqlite:${database}`, "--port", "0", "--json");
    const api = `${board.url}api/`;
    const json = async (path, init) => (await fetch(`${api}${path}`, init)).json();
    const path = `executions/${encodeURIComponent(first.arn)}`;
    assert.deepEqual(await json("console"), { kind: "store", actions: [], page: (await json("console")).page });
    assert.deepEqual((await json("counts")).statuses, { RUNNING: 1 });
    const document = await json(path);
    assert.equal(document.status, "RUNNING");
    assert.deepEqual(document.actions, []);
    const headers = { "content-type": "application/json" };
    const refused = await json(`${path}/stop`, { method: "POST", headers, body: "{}" });
    assert.equal(refused.__type, "AccessDeniedException");
    // The events of the other process arrive, and the end.
    const stream = await fetch(new URL(`${document.live}?after=${document.events.length}`, board.url));
    child.stdin.write("go\n");
    assert.match(await stream.text(), /ExecutionSucceeded[^]*event: end\ndata: \{"status":"SUCCEEDED"/);
    await eventually(async () => (await json(path)).output === "7");
  },
);
