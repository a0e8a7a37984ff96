// `stepglass executions` over the folder of a server that is not there, and of one that is.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nodeWithSqlite } from "../store/drivers.mjs";
import { call } from "./crash.mjs";
import { role } from "./endpoint.mjs";

const cli = join(import.meta.dirname, "../../dist/cli.js");
const skip = nodeWithSqlite === undefined && "there is no Node with an SQLite";

/** Runs the command; its exit code, and what it prints. */
function executions(...args) {
  return new Promise((resolve) => {
    execFile(nodeWithSqlite, ["--no-warnings", cli, "executions", ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

async function served(data) {
  const child = spawn(nodeWithSqlite, ["--no-warnings", cli, "serve", "--data", data, "--port", "0", "--json", "--log-level", "error"], {
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

test("executions are listed, shown, stopped and redriven while no server has them", { skip, timeout: 120_000 }, async () => {
  const data = mkdtempSync(join(tmpdir(), "stepglass-executions-"));
  try {
    const first = await served(data);
    const { activityArn } = await call(first.url, "CreateActivity", { name: "Work" });
    const definition = JSON.stringify({ StartAt: "A", States: { A: { Type: "Task", Resource: activityArn, End: true } } });
    const { stateMachineArn } = await call(first.url, "CreateStateMachine", { name: "M", definition, roleArn: role });
    for (const name of ["one", "two"]) await call(first.url, "StartExecution", { stateMachineArn, name });
    const { taskToken } = await call(first.url, "GetActivityTask", { activityArn });
    const busy = await executions("list", "--data", data);
    assert.equal(busy.code, 2);
    assert.match(busy.stderr, /a server has .* open: ask it/);
    await first.kill();

    const listed = await executions("list", "--data", data, "--status", "RUNNING", "--machine", "M");
    assert.match(listed.stdout, /^STATUS +MACHINE +NAME +STARTED +ENDED\nRUNNING +M +two .*\nRUNNING +M +one /);
    const lines = (await executions("list", "--data", data, "--json", "--limit", "1")).stdout.trim().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).name),
      ["two"],
    );
    const stopped = await executions("stop", "two", "--data", data, "--error", "E", "--cause", "no longer");
    assert.deepEqual([stopped.code, stopped.stderr], [0, ""]);
    const shown = JSON.parse((await executions("show", "two", "--data", data, "--json")).stdout);
    assert.deepEqual([shown.status, shown.error, shown.cause, shown.events.at(-1).type], ["ABORTED", "E", "no longer", "ExecutionAborted"]);
    assert.match((await executions("show", "one", "--data", data)).stdout, /ActivityStarted/);
    assert.match((await executions("stop", "two", "--data", data)).stderr, /is ABORTED already/);
    assert.match((await executions("show", "none", "--data", data)).stderr, /there is no execution none/);
    assert.equal((await executions("redrive", "two", "--data", data)).code, 0);

    const second = await served(data);
    // The worker of before still has its task; the redriven one is offered.
    const again = await call(second.url, "GetActivityTask", { activityArn });
    assert.notEqual(again.taskToken, taskToken);
    for (const token of [taskToken, again.taskToken]) await call(second.url, "SendTaskSuccess", { taskToken: token, output: "1" });
    for (const name of ["one", "two"]) {
      const executionArn = `${stateMachineArn.replace("stateMachine", "execution")}:${name}`;
      assert.equal((await call(second.url, "DescribeExecution", { executionArn })).status, "SUCCEEDED");
    }
    await second.kill();
    assert.match((await executions("list", "--data", join(data, "none"))).stderr, /there is no .*none/);
    assert.match((await executions("lost", "--data", data)).stderr, /it can list, show, stop, redrive/);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
