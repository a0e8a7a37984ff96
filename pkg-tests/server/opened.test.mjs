// stepglass open with the ARN of an execution, which it fetches with the SDK's own client from a server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { command, folderWith } from "../api/command.mjs";
import { lambda, machine, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const definition = machine({
  Charge: { Type: "Task", Resource: lambda("charge"), Next: "Done" },
  Done: { Type: "Succeed" },
});
const server = await start({
  tasks: {
    charge: ({ amount }) => {
      if (amount > 100) throw Object.assign(new Error("too much"), { name: "Declined" });
      return { amount };
    },
  },
});
const { create, run } = sdkOf(server);
const { folder, stepglass } = folderWith({});
symlinkSync(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"), "junction");
const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" };

/** Starts the command. Resolves to what it prints when it listens, and ends it after the test. */
async function opened(t, arn) {
  const child = spawn(process.execPath, [command, "open", arn, "--json"], { cwd: folder, env: { ...process.env, ...env } });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8");
  for await (const part of child.stdout) if ((text += part).includes("\n")) break;
  return JSON.parse(text);
}

test("an execution that failed is opened by its ARN, with its definition and history, and no file is written", async (t) => {
  const arn = await create("Opened", definition);
  const { executionArn } = await run(arn, { amount: 500 }, { name: "declined" });
  const { url } = await opened(t, executionArn);
  const { origin } = new URL(url);
  const shown = await (await fetch(`${origin}/debugger/api/executions/${encodeURIComponent(executionArn)}`)).json();
  assert.deepEqual(
    [shown.executionArn, shown.name, shown.status, shown.error, JSON.parse(shown.input)],
    [executionArn, "declined", "FAILED", "Declined", { amount: 500 }],
  );
  assert.deepEqual(JSON.parse(shown.definition), JSON.parse(definition));
  assert.deepEqual(
    shown.events.map(({ id, type }) => `${id} ${type}`),
    [
      "1 ExecutionStarted",
      "2 TaskStateEntered",
      "3 LambdaFunctionScheduled",
      "4 LambdaFunctionStarted",
      "5 LambdaFunctionFailed",
      "6 ExecutionFailed",
    ],
  );
  assert.equal((await fetch(url)).status, 200);
  assert.deepEqual(readdirSync(folder), ["node_modules"]);
});

test("an ARN that is not an execution's, or is of none, is refused with a reason", async () => {
  const arn = await create("OpenedNot", definition);
  const ofMachine = await stepglass("open", arn, { env });
  assert.equal(ofMachine.code, 2);
  assert.match(ofMachine.stderr, /is a state machine: open takes an execution/);
  const absent = await stepglass("open", `${arn.replace(":stateMachine:", ":execution:")}:absent`, { env });
  assert.equal(absent.code, 2);
  assert.match(absent.stderr, /Execution ?Does ?Not ?Exist/i);
});
