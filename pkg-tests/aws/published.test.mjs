// Status events and logs in an emulator: the server sends them to moto's server, and boto3 reads them there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { emulator } from "../../scripts/clients.mjs";
import { serve } from "../../dist/server.js";
import { machine, role } from "../server/endpoint.mjs";
import { skip, startMoto } from "./emulators.mjs";

const { bin } = emulator({ install: false });

async function boto3(...args) {
  const { stdout } = await promisify(execFile)(join(bin, "python"), [join(import.meta.dirname, "boto3_published.py"), ...args]);
  return stdout === "" ? undefined : JSON.parse(stdout);
}

test(
  "an emulated EventBridge and CloudWatch Logs receive the status events and logs of executions",
  { skip, timeout: 300_000 },
  async () => {
    const { url, close } = await startMoto();
    after(close);
    await boto3("prepare", url);
    const server = await serve({ port: 0, eventsEndpoint: url, logsEndpoint: url });
    const logGroupArn = "arn:aws:logs:us-east-1:123456789012:log-group:/states/orders:*";
    const loggingConfiguration = { level: "ALL", includeExecutionData: true, destinations: [{ cloudWatchLogsLogGroup: { logGroupArn } }] };
    const states = {
      Enough: { Type: "Choice", Choices: [{ Variable: "$.stock", NumericGreaterThan: 0, Next: "Done" }], Default: "None" },
      Done: { Type: "Succeed" },
      None: { Type: "Fail", Error: "OutOfStock", Cause: "sold" },
    };
    const { stateMachineArn } = await server.call("CreateStateMachine", {
      name: "Orders",
      definition: machine(states),
      roleArn: role,
      loggingConfiguration,
    });
    for (const stock of [0, 1])
      await server.call("StartExecution", { stateMachineArn, name: `with-${stock}`, input: JSON.stringify({ stock }) });
    // A closing server delivers all events and logs before it ends.
    await server.close();
    const { events, streams, logs, times } = await boto3("read", url);
    assert.deepEqual(
      events.map(({ source, region, detail }) => [source, region, detail.name, detail.status, detail.error, detail.input]),
      [["aws.states", "us-east-1", "with-0", "FAILED", "OutOfStock", '{"stock":0}']],
    );
    assert.equal(streams.length, 1);
    assert.match(streams[0], /^states\/Orders\/\d{4}-\d\d-\d\d-\d\d\/[\da-f]{8}$/);
    const of = (name) => logs.filter((entry) => entry.execution_arn.endsWith(`:${name}`)).map(({ type }) => type);
    assert.deepEqual(of("with-0"), ["ExecutionStarted", "ChoiceStateEntered", "ChoiceStateExited", "FailStateEntered", "ExecutionFailed"]);
    assert.deepEqual(of("with-1"), [
      "ExecutionStarted",
      "ChoiceStateEntered",
      "ChoiceStateExited",
      "SucceedStateEntered",
      "SucceedStateExited",
      "ExecutionSucceeded",
    ]);
    assert.deepEqual(
      logs.map(({ event_timestamp: at }) => Number(at)),
      times,
    );
  },
);
