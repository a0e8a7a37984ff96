// The server works with boto3 and the aws command from PyPI.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { pythonClients } from "../../scripts/clients.mjs";
import { lambda, machine, role, start } from "./endpoint.mjs";

const { bin, reason } = pythonClients({ install: false });
const skip = reason ?? false;
const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
after(() => rmSync(folder, { recursive: true }));

const environment = {
  PATH: process.env.PATH,
  HOME: folder,
  AWS_ACCESS_KEY_ID: "any",
  AWS_SECRET_ACCESS_KEY: "any",
  AWS_DEFAULT_REGION: "us-east-1",
  AWS_CONFIG_FILE: join(folder, "none"),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, "none"),
  AWS_EC2_METADATA_DISABLED: "true",
  NO_PROXY: "*",
};

function run(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(join(bin, program), args, { cwd: folder, env: { ...environment, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (out[name] += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...out }));
  });
}

const tasks = { double: ({ n }) => ({ n: n * 2 }) };

test("boto3 can use machines, executions, histories, activities, versions and errors", { skip }, async () => {
  const server = await start({ tasks });
  const { code, stdout, stderr } = await run("python", [fileURLToPath(new URL("boto3_client.py", import.meta.url)), server.url]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(stdout.trim().split("\n").length, 14, stdout);
});

test("the aws command creates and lists machines, and runs, describes and lists executions", { skip }, async () => {
  const server = await start({ tasks });
  const aws = async (...args) => {
    const { code, stdout, stderr } = await run("aws", ["stepfunctions", ...args, "--endpoint-url", server.url, "--output", "json"]);
    assert.equal(code, 0, stderr);
    return stdout === "" ? {} : JSON.parse(stdout);
  };
  writeFileSync(join(folder, "double.asl.json"), machine({ Double: { Type: "Task", Resource: lambda("double"), End: true } }));
  const { stateMachineArn } = await aws(
    "create-state-machine",
    "--name",
    "Cli",
    "--definition",
    "file://double.asl.json",
    "--role-arn",
    role,
  );
  const { executionArn } = await aws("start-execution", "--state-machine-arn", stateMachineArn, "--name", "one", "--input", '{"n": 4}');
  const about = await aws("describe-execution", "--execution-arn", executionArn);
  assert.deepEqual([about.status, about.output], ["SUCCEEDED", '{"n":8}']);
  const { events } = await aws("get-execution-history", "--execution-arn", executionArn, "--page-size", "2");
  assert.deepEqual(
    events.map(({ id }) => id),
    [1, 2, 3, 4, 5, 6, 7],
  );
  assert.equal((await aws("list-executions", "--state-machine-arn", stateMachineArn)).executions.length, 1);
  assert.deepEqual(
    (await aws("list-state-machines")).stateMachines.map(({ name }) => name),
    ["Cli"],
  );
});

test("the aws command prints an error with AWS's name and message, and fails", { skip }, async () => {
  const server = await start();
  const { code, stderr } = await run("aws", [
    "stepfunctions",
    "describe-state-machine",
    "--state-machine-arn",
    "nonsense",
    "--endpoint-url",
    server.url,
  ]);
  assert.ok(code !== 0);
  assert.match(stderr, /\(InvalidArn\) when calling the DescribeStateMachine operation: Invalid Arn: 'Invalid ARN prefix: nonsense'/);
});

test("the aws command starts Express executions when its host prefix is disabled", { skip }, async () => {
  const server = await start();
  const { stateMachineArn } = await server.call("CreateStateMachine", {
    name: "Quick",
    type: "EXPRESS",
    roleArn: role,
    definition: machine({ A: { Type: "Pass", End: true } }),
  });
  const args = [
    "stepfunctions",
    "start-sync-execution",
    "--state-machine-arn",
    stateMachineArn,
    "--input",
    "7",
    "--endpoint-url",
    server.url,
  ];
  const { code, stdout, stderr } = await run("aws", args, { AWS_DISABLE_HOST_PREFIX_INJECTION: "true" });
  assert.equal(code, 0, stderr);
  assert.deepEqual([JSON.parse(stdout).status, JSON.parse(stdout).output], ["SUCCEEDED", "7"]);
});
