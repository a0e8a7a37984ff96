// `stepglass executions` on the data folder of a server, while the server runs and after it has ended.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { nodeWithSqlite } from "../store/drivers.mjs";
import { call } from "./crash.mjs";
import { role } from "./endpoint.mjs";

const cli = join(import.meta.dirname, "../../dist/cli.js");
const skip = nodeWithSqlite === undefined && "there is no Node with SQLite";

/** Runs the command. Resolves to its exit code and output. */
function executions(...args) {
  return new Promise((resolve) => {
    execFile(nodeWithSqlite, [cli, "executions", ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

async function served(data) {
  const child = spawn(nodeWithSqlite, [cli, "serve", "--data", data, "--port", "0", "--json", "--log-level", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(line);
  const kill = async () => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return { url, kill };
}

test("executions shows an encoded store to those who have the key", { skip, timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-executions-"));
  try {
    const dist = pathToFileURL(join(import.meta.dirname, "../../dist/")).href;
    const codecs = join(folder, "codecs.mjs");
    const database = join(folder, "orders.db");
    writeFileSync(
      codecs,
      `import { aesGcm, gzip } from "${dist}durable-node.js";
      export default [gzip(), aesGcm({ keys: { k: new Uint8Array(32).fill(7) }, current: "k" })];`,
    );
    const write = join(folder, "write.mjs");
    writeFileSync(
      write,
      `import { Runtime, encoded } from "${dist}durable-node.js";
      import { sqlite } from "${dist}sqlite.js";
      import codecs from "./codecs.mjs";
      const machines = { Order: { StartAt: "A", States: { A: { Type: "Pass", End: true } } } };
      const runtime = await new Runtime({ store: encoded(sqlite(${JSON.stringify(database)}), codecs), machines }).open();
      await runtime.run("Order", { name: "one", input: { card: "4111" } });
      await runtime.close();`,
    );
    await promisify(execFile)(nodeWithSqlite, [write]);
    const show = (...more) => executions("show", "one", "--data", database, "--json", ...more);
    const { code, stdout, stderr } = await show("--codecs", codecs);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /4111/);
    assert.match(stdout, /ExecutionStarted/);
    assert.doesNotMatch((await show()).stdout, /4111/);
    const { stdout: listed } = await executions("list", "--data", database);
    assert.match(listed, /one/);
    const wrong = await show("--codecs", write.replace("write", "none"));
    assert.equal(wrong.code, 2);
    assert.match(wrong.stdout + wrong.stderr, /cannot load the codecs/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test(
  "executions can be listed, shown, stopped and redriven while no server has the data folder open",
  { skip, timeout: 120_000 },
  async () => {
    const data = mkdtempSync(join(tmpdir(), "stepglass-executions-"));
    try {
      const first = await served(data);
      const { activityArn } = await call(first.url, "CreateActivity", { name: "Work" });
      const definition = JSON.stringify({ StartAt: "A", States: { A: { Type: "Task", Resource: activityArn, End: true } } });
      const { stateMachineArn } = await call(first.url, "CreateStateMachine", { name: "M", definition, roleArn: role });
      for (const name of ["one", "two"]) await call(first.url, "StartExecution", { stateMachineArn, name });
      const { taskToken } = await call(first.url, "GetActivityTask", { activityArn });
      // Listing does not disturb the server that has the folder open.
      const whileServed = await executions("list", "--data", data);
      assert.equal(whileServed.code, 0);
      assert.match(whileServed.stdout, /\nRUNNING +M +two .*\nRUNNING +M +one /);
      const busy = await executions("stop", "one", "--data", data);
      assert.equal(busy.code, 2);
      assert.match(busy.stderr, /a server or a Runtime has .* open, so only list, show, verify, export and backup work here/);
      await first.kill();

      const listed = await executions("list", "--data", data, "--status", "RUNNING", "--machine", "M");
      assert.equal(listed.stderr, "");
      assert.match(listed.stdout, /^STATUS +MACHINE +NAME +STARTED +ENDED\nRUNNING +M +two .*\nRUNNING +M +one /);
      const lines = (await executions("list", "--data", data, "--json", "--limit", "1")).stdout.trim().split("\n");
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).name),
        ["two"],
      );
      const stopped = await executions("stop", "two", "--data", data, "--error", "E", "--cause", "no longer");
      assert.deepEqual([stopped.code, stopped.stderr], [0, ""]);
      const shown = JSON.parse((await executions("show", "two", "--data", data, "--json")).stdout);
      assert.deepEqual(
        [shown.status, shown.error, shown.cause, shown.events.at(-1).type],
        ["ABORTED", "E", "no longer", "ExecutionAborted"],
      );
      assert.match((await executions("show", "one", "--data", data)).stdout, /ActivityStarted/);
      assert.match((await executions("stop", "two", "--data", data)).stderr, /has already ended: ABORTED/);
      assert.match((await executions("show", "none", "--data", data)).stderr, /there is no execution none/);
      assert.equal((await executions("redrive", "two", "--data", data)).code, 0);

      const second = await served(data);
      // The first worker still has its task, and the task of the redriven execution is offered again.
      const again = await call(second.url, "GetActivityTask", { activityArn });
      assert.notEqual(again.taskToken, taskToken);
      for (const token of [taskToken, again.taskToken]) await call(second.url, "SendTaskSuccess", { taskToken: token, output: "1" });
      for (const name of ["one", "two"]) {
        const executionArn = `${stateMachineArn.replace("stateMachine", "execution")}:${name}`;
        assert.equal((await call(second.url, "DescribeExecution", { executionArn })).status, "SUCCEEDED");
      }
      await second.kill();
      assert.match((await executions("list", "--data", join(data, "none"))).stderr, /there is no .*none/);
      assert.match((await executions("lost", "--data", data)).stderr, /it can list, show, stop, redrive, signal, verify/);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  },
);

test(
  "a signal can be sent and executions can be verified while no server has the data folder open",
  { skip, timeout: 120_000 },
  async () => {
    const data = mkdtempSync(join(tmpdir(), "stepglass-executions-"));
    try {
      const first = await served(data);
      const wait = (name, next) => ({ Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: name }, ...next });
      const definition = JSON.stringify({
        StartAt: "A",
        States: {
          A: wait("approved", { ResultPath: "$.approved", Next: "B" }),
          B: wait("shipped", { ResultPath: "$.shipped", End: true }),
        },
      });
      const { stateMachineArn } = await call(first.url, "CreateStateMachine", { name: "M", definition, roleArn: role });
      for (const name of ["one", "two"]) await call(first.url, "StartExecution", { stateMachineArn, name, input: "{}" });
      const arn = (name) => `${stateMachineArn.replace("stateMachine", "execution")}:${name}`;
      await first.kill();

      // The signal "shipped" is sent before a state waits for it.
      for (const [name, payload] of [
        ["shipped", "2"],
        ["approved", '{"by":"Ada"}'],
      ]) {
        const { code, stdout, stderr } = await executions("signal", "one", name, "--payload", payload, "--data", data);
        assert.deepEqual([code, stderr], [0, ""]);
        assert.match(stdout, new RegExp(`sent ${name} to arn:.*:one: it resumes when the server starts`));
      }
      for (const _ of [1, 2]) assert.equal((await executions("signal", "two", "shipped", "--id", "once", "--data", data)).code, 0);
      const fails = async (pattern, ...args) => {
        const { code, stderr } = await executions(...args, "--data", data);
        assert.equal(code, 2);
        assert.match(stderr, pattern);
      };
      await fails(/signal takes one execution: its ARN or its name and the name of a signal/, "signal", "one");
      await fails(/The payload of a signal must be JSON/, "signal", "two", "shipped", "--payload", "{");
      await fails(/there is no execution three/, "signal", "three", "shipped");
      const verified = await executions("verify", "--data", data);
      assert.deepEqual([verified.code, verified.stdout, verified.stderr], [0, "2 executions replayed, nothing differs\n", ""]);

      const second = await served(data);
      for (;;) {
        const about = await call(second.url, "DescribeExecution", { executionArn: arn("one") });
        if (about.status === "RUNNING") continue;
        assert.deepEqual([about.status, JSON.parse(about.output)], ["SUCCEEDED", { approved: { by: "Ada" }, shipped: 2 }]);
        break;
      }
      const about = await (await fetch(`${second.url}/debugger/api/executions/${encodeURIComponent(arn("two"))}`)).json();
      assert.deepEqual(about.signals, { waiting: ["approved"], buffered: { shipped: 1 } });
      await second.kill();
      await fails(/has ended: it takes no signals/, "signal", "one", "approved");

      // The stored history is changed, so that verify finds a difference.
      const damage = `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync(process.argv[1]).exec("UPDATE history SET body = replace(body, 'ExecutionSucceeded', 'ExecutionFailed')")`;
      const gone = once(spawn(nodeWithSqlite, ["--no-warnings", "-e", damage, join(data, "stepglass.db")], { stdio: "inherit" }), "exit");
      assert.deepEqual(await gone, [0, null]);
      const found = await executions("verify", "--data", data, "--machine", "M", "--json");
      const { differing, executions: count } = JSON.parse(found.stdout);
      assert.deepEqual([found.code, count], [1, 2]);
      assert.deepEqual(
        differing.map((one) => [one.name, one.status, one.reason]),
        [["one", "SUCCEEDED", "it is SUCCEEDED, but its last event is ExecutionFailed"]],
      );
      const text = await executions("verify", "--data", data, "--status", "SUCCEEDED");
      assert.match(text.stdout, /^SUCCEEDED {2}arn:.*:one\n {2}it is SUCCEEDED, .*\n1 execution replayed, 1 of them differs\n$/);
      await fails(/there is no state machine N/, "verify", "--machine", "N");
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  },
);
