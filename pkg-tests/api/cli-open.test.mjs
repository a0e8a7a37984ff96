// stepglass open: a server with one recorded execution.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { simulate } from "stepglass";
import { command, folderWith } from "./command.mjs";

const ARN = "arn:aws:states:eu-west-1:123456789012:execution:Orders:order-7";
const definition = JSON.stringify({ StartAt: "Wrap", States: { Wrap: { Type: "Pass", Next: "Done" }, Done: { Type: "Succeed" } } });
const { history } = simulate(definition, { order: 7 });
const run = {
  format: "stepglass-execution",
  version: 1,
  execution: { executionArn: ARN, status: "SUCCEEDED", startDate: history[0].timestamp, input: '{"order":7}' },
  stateMachine: { definition, type: "STANDARD" },
  history,
  mapRuns: [],
  missing: [],
  redacted: [],
};
const MAP_RUN = "arn:aws:states:eu-west-1:123456789012:mapRun:Orders/Each:1";
const mapping = {
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "Wrap",
        States: { Wrap: { Type: "Pass", Next: "Done" }, Done: { Type: "Succeed" } },
      },
      End: true,
    },
  },
};
const families = simulate(mapping, [1]).history.map((event) =>
  event.type === "MapRunStarted" ? { ...event, mapRunStartedEventDetails: { mapRunArn: MAP_RUN } } : event,
);
const named = (name) => ({ execution: { ...run.execution, executionArn: `${ARN}-${name}`, name }, history });
const family = {
  ...run,
  stateMachine: { definition: JSON.stringify(mapping) },
  history: families,
  mapRuns: [{ mapRun: { mapRunArn: MAP_RUN }, executions: [named("child")], partial: false }],
  nested: [{ parent: ARN, event: 4, ...named("nested"), stateMachine: { definition } }],
};
const { folder, stepglass } = folderWith({
  "family.sfnrun": family,
  "order.asl.json": definition,
  "history.json": { events: history },
  "plain.sfnrun": run,
  "running.sfnrun": { ...run, execution: { ...run.execution, status: "RUNNING" }, history: history.slice(0, 2) },
  "later.sfnrun": { ...run, version: 99 },
  "withheld.sfnrun": { ...run, history: [], missing: [{ operation: "GetExecutionHistory", arn: ARN, message: "the key is disabled" }] },
  "other.json": { answer: 42 },
});

/** Starts the command, which runs until it gets a signal. Returns what it prints when it listens, and ends it after the test. */
async function opened(t, ...args) {
  const child = spawn(process.execPath, [command, "open", ...args, "--json"], { cwd: folder });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8");
  for await (const part of child.stdout) if ((text += part).includes("\n")) break;
  const told = JSON.parse(text);
  return { ...told, child, origin: new URL(told.url).origin };
}

const data = (origin, arn = ARN) => `${origin}/debugger/api/executions/${encodeURIComponent(arn)}`;

test("serves a fetched execution with its definition until a signal ends it", async (t) => {
  const { origin, child, url } = await opened(t, "plain.sfnrun");
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/debugger\//);
  const shown = await (await fetch(data(origin))).json();
  assert.deepEqual([shown.stepglass, shown.name, shown.definition], ["execution/1", "order-7", definition]);
  const types = (events) => events.map(({ id, type }) => `${id} ${type}`);
  assert.deepEqual(types(shown.events), types(history));
  const page = await (await fetch(`${origin}/`)).text();
  assert.match(page, /<stepglass-debugger[^>]*readonly/);
  assert.equal((await fetch(`${origin}/debugger/component/debugger.js`)).status, 200);
  assert.equal((await fetch(`${origin}/debugger/component/../../package.json`)).status, 404);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const [code, signal] = await ended;
  if (process.platform !== "win32") assert.deepEqual([code, signal], [0, null]);
});

test("serves an execution that was fetched before it had ended, as far as it went", async (t) => {
  const { origin } = await opened(t, "running.sfnrun");
  const shown = await (await fetch(data(origin))).json();
  assert.deepEqual([shown.status, shown.events.length, shown.stopDate, shown.live], ["RUNNING", 2, undefined, undefined]);
  assert.match(await (await fetch(`${origin}/`)).text(), /RUNNING/);
});

test("serves a history with the definition that is named after it", async (t) => {
  const { origin } = await opened(t, "history.json", "order.asl.json");
  const shown = await (await fetch(data(origin, ""))).json();
  assert.deepEqual([shown.name, JSON.parse(shown.definition), shown.status], ["history", JSON.parse(definition), "SUCCEEDED"]);
});

test("serves another execution of a file with what it ran: a child of a Map Run, or one that a task started", async (t) => {
  for (const name of ["child", "nested"]) {
    const { origin } = await opened(t, "family.sfnrun", "--execution", name);
    const shown = await (await fetch(data(origin, `${ARN}-${name}`))).json();
    assert.deepEqual([shown.executionArn, JSON.parse(shown.definition)], [`${ARN}-${name}`, JSON.parse(definition)]);
  }
});

test("answers nothing to pages of other sites", async (t) => {
  const { origin } = await opened(t, "plain.sfnrun");
  const status = (headers) =>
    new Promise((resolve, reject) => {
      request(data(origin), { headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
  assert.equal(await status({}), 200);
  assert.equal(await status({ origin: "https://elsewhere.invalid" }), 403);
  assert.equal(await status({ host: "elsewhere.invalid" }), 403);
});

test("refuses what cannot be opened, with a reason", async () => {
  for (const [args, message] of [
    [[], /open needs one execution/],
    [["absent.sfnrun"], /cannot read absent\.sfnrun: no such file/],
    [["later.sfnrun"], /later\.sfnrun has version 99, and this release reads up to 1/],
    [["withheld.sfnrun"], /The file has no history: the key is disabled/],
    [["other.json"], /cannot read other\.json: This is not a history/],
    [["family.sfnrun", "--execution", "x"], /family\.sfnrun has no execution "x": it has child, nested/],
    [["plain.sfnrun", "--execution", "x"], /plain\.sfnrun has no execution "x": it has no other execution/],
    [["history.json", "--execution", "x"], /--execution takes an execution of a file of stepglass fetch/],
    [["plain.sfnrun", "--port", "x"], /--port must be a whole number from 0 to 65535/],
    [["arn:aws:states:eu-west-1:123456789012:stateMachine:Orders"], /is a state machine: open takes an execution/],
  ]) {
    const { code, stderr } = await stepglass("open", ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

test("opens a compressed file like a plain one", async (t) => {
  writeFileSync(`${folder}/packed.sfnrun`, gzipSync(JSON.stringify(run)));
  const { origin } = await opened(t, "packed.sfnrun");
  assert.equal((await (await fetch(data(origin))).json()).name, "order-7");
});
