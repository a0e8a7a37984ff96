// The AWS flags of the command, and the environment variables of Step Functions Local.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { project, standIn, startLambda } from "./emulators.mjs";

const cli = join(project, "../../dist/cli.js");
const send = {
  StartAt: "Send",
  States: {
    Send: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Parameters: { QueueUrl: "q", MessageBody: "m" }, Next: "Charge" },
    Charge: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Charge", End: true },
  },
};
const suite = `definition: order.asl.json
tests:
  - name: both are real
    expect: { status: SUCCEEDED, output: { paid: true } }
  - name: the message is a mock
    mocks: { Send: { return: {} } }
    expect: { status: SUCCEEDED }
`;

let folder, sqs, lambda;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepglass-aws-"));
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "order.asl.json"), JSON.stringify(send));
  writeFileSync(join(folder, "order.stepglass.yaml"), suite);
  writeFileSync(join(folder, "tasks.mjs"), `export const Charge = () => ({ paid: "mine" });\n`);
  const sum = (text) => createHash("md5").update(text).digest("hex");
  sqs = await standIn(({ body }) => ({ body: { MessageId: "1", MD5OfMessageBody: sum(JSON.parse(body).MessageBody) } }));
  lambda = await startLambda({ Charge: () => JSON.stringify({ paid: true }) });
});
after(() => {
  sqs?.close();
  lambda?.close();
  rmSync(folder, { recursive: true, force: true });
});

const CLEAN = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^AWS_|_ENDPOINT$/.test(name)));

function stepglass(args, env = {}) {
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env: { ...CLEAN, ...env } });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

describe("stepglass run", () => {
  test("calls no service unless a flag or variable names it", async () => {
    const before = sqs.requests.length;
    const { code, stderr } = await stepglass(["run", "order.asl.json"], { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" });
    assert.equal(code, 1);
    assert.match(stderr, /No task handler/);
    assert.equal(sqs.requests.length, before);
  });

  test("calls an emulator for all services, or one for a single service", async () => {
    const all = ["run", "order.asl.json", "--aws-endpoint", sqs.url, "--aws-endpoint", `lambda=${lambda.url}`];
    const { code, stdout, stderr } = await stepglass(all);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { paid: true });
  });

  test("prefers handlers of the tasks module to calls", async () => {
    const { stdout } = await stepglass(["run", "order.asl.json", "--aws-endpoint", sqs.url, "--tasks", "tasks.mjs"]);
    assert.deepEqual(JSON.parse(stdout), { paid: "mine" });
  });

  test("accepts the variables of Step Functions Local", async () => {
    const { code, stdout, stderr } = await stepglass(["run", "order.asl.json"], { SQS_ENDPOINT: sqs.url, LAMBDA_ENDPOINT: lambda.url });
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { paid: true });
    const wrong = await stepglass(["run", "order.asl.json"], { SQS_ENDPOINT: "localhost:4566" });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /SQS_ENDPOINT needs a URL that begins with http/);
  });

  test("calls only what --aws-only names", async () => {
    const only = ["run", "order.asl.json", "--aws-endpoint", sqs.url, "--aws-only", "dynamodb:*"];
    const before = sqs.requests.length;
    assert.match((await stepglass(only)).stderr, /No task handler for resource "arn:aws:states:::sqs:sendMessage"/);
    assert.equal(sqs.requests.length, before);
  });

  test("lists the calls of a dry run without making them", async () => {
    const before = sqs.requests.length;
    const dry = ["run", "order.asl.json", "--aws-endpoint", sqs.url, "--tasks", "tasks.mjs", "--aws-dry-run"];
    const { code, stdout } = await stepglass(dry);
    assert.equal(code, 0);
    assert.equal(stdout, `Send  sqs:sendMessage  ${sqs.url} us-east-1  @aws-sdk/client-sqs\n`);
    const json = JSON.parse(
      (await stepglass(["run", "order.asl.json", "--aws", "--json", "--aws-dry-run"], { AWS_REGION: "eu-west-1" })).stdout,
    );
    assert.deepEqual(
      json.map(({ state, call, region, endpoint }) => [state, call, region, endpoint]),
      [
        ["Send", "sqs:sendMessage", "eu-west-1", undefined],
        ["Charge", "lambda:invoke", "eu-west-1", undefined],
      ],
    );
    const local = await stepglass(["run", "order.asl.json", "--aws-dry-run"], { LAMBDA_ENDPOINT: lambda.url });
    assert.equal(local.stdout, `Charge  lambda:invoke  ${lambda.url}\n`);
    assert.equal((await stepglass(["run", "order.asl.json", "--aws-dry-run"])).stdout, "nothing would be called\n");
    assert.equal(sqs.requests.length, before);
  });

  test("explains what is wrong with an endpoint or the name of a service", async () => {
    const endpoint = await stepglass(["run", "order.asl.json", "--aws-endpoint", "localhost"]);
    assert.equal(endpoint.code, 2);
    assert.match(endpoint.stderr, /--aws-endpoint needs a URL/);
    const service = await stepglass(["run", "order.asl.json", "--aws-endpoint", `sqz=${sqs.url}`]);
    assert.equal(service.code, 2);
    assert.match(service.stderr, /there is no service "sqz"/);
  });
});

describe("stepglass test", () => {
  test("calls services for tasks without a mock", async () => {
    const before = sqs.requests.length;
    const flags = ["--aws-endpoint", sqs.url, "--aws-endpoint", `lambda=${lambda.url}`];
    const { code, stdout } = await stepglass(["test", "order.stepglass.yaml", ...flags]);
    assert.equal(code, 0, stdout);
    assert.equal(sqs.requests.length, before + 1);
  });

  test("lists the calls of each test in a dry run", async () => {
    const { stdout } = await stepglass(["test", "order.stepglass.yaml", "--aws-dry-run", "--aws-endpoint", sqs.url]);
    assert.match(stdout, /both are real\n {2}Send .*\n {2}Charge .*\norder.stepglass.yaml > the message is a mock\n {2}Charge /);
  });
});

describe("stepglass serve", () => {
  const ask = async (url, operation, body) => {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };

  async function served(args, env, use) {
    const child = spawn(process.execPath, [cli, "serve", "--port", "0", "--json", ...args], { cwd: folder, env: { ...CLEAN, ...env } });
    try {
      const line = await new Promise((resolve, reject) => {
        let [stdout, log] = ["", ""];
        child.stdout.on("data", (chunk) => (stdout += chunk).includes("\n") && resolve(stdout));
        child.stderr.on("data", (chunk) => (log += chunk));
        child.on("close", () => reject(new Error(log)));
      });
      const { url } = JSON.parse(line);
      const roleArn = "arn:aws:iam::123456789012:role/r";
      const { stateMachineArn } = await ask(url, "CreateStateMachine", {
        name: "order",
        definition: JSON.stringify(send),
        roleArn,
        type: "EXPRESS",
      });
      return await use(await ask(url, "StartSyncExecution", { stateMachineArn }));
    } finally {
      child.kill();
    }
  }

  test("calls emulators for tasks, and LAMBDA_ENDPOINT for functions", async () => {
    await served([], { SQS_ENDPOINT: sqs.url, LAMBDA_ENDPOINT: lambda.url }, ({ status, output }) => {
      assert.deepEqual([status, output], ["SUCCEEDED", '{"paid":true}']);
    });
  });

  test("prefers handlers of the tasks module to calls of an emulator", async () => {
    await served(["--aws-endpoint", sqs.url, "--tasks", "tasks.mjs"], {}, ({ output }) => assert.equal(output, '{"paid":"mine"}'));
  });

  test("fails tasks in a dry run", async () => {
    const before = sqs.requests.length;
    await served(["--aws-endpoint", sqs.url, "--aws-dry-run"], {}, ({ status, error, cause }) => {
      assert.deepEqual([status, error], ["FAILED", "Stepglass.DryRun"]);
      assert.match(cause, /sqs:sendMessage was not called/);
    });
    assert.equal(sqs.requests.length, before);
  });
});
