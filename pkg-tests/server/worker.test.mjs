// The npm package step-function-worker, which uses version 2 of the AWS SDK, performs the tasks of a state machine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { eventually, machine, region, role, start } from "./endpoint.mjs";

// This suppresses the warning that the SDK prints at import because of its age.
process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = "1";
const { default: StepFunctionWorker } = await import("step-function-worker");

test("an activity worker can poll the endpoint, answer and fail tasks, and send heartbeats", async () => {
  // Polls are short, because the worker closes only when its polls have ended.
  const server = await start({ limits: { poll: 500 } });
  const { activityArn } = await server.call("CreateActivity", { name: "Square" });
  const definition = machine({
    Each: {
      Type: "Map",
      ItemProcessor: {
        StartAt: "Square",
        States: {
          Square: {
            Type: "Task",
            Resource: activityArn,
            HeartbeatSeconds: 60,
            Retry: [{ ErrorEquals: ["States.TaskFailed"], IntervalSeconds: 1, MaxAttempts: 2 }],
            End: true,
          },
        },
      },
      End: true,
    },
  });
  const { stateMachineArn } = await server.call("CreateStateMachine", { name: "Squares", definition, roleArn: role });

  let moods = 0;
  const worker = new StepFunctionWorker({
    activityArn,
    workerName: "from npm",
    concurrency: 3,
    awsConfig: { endpoint: server.url, region, accessKeyId: "any", secretAccessKey: "any" },
    fn: (input, done, heartbeat) => {
      heartbeat();
      if (input === 3 && moods++ === 0) done(new Error("not now"));
      else done(null, { square: input * input });
    },
  });
  const errors = [];
  worker.on("error", (error) => errors.push(error));
  await once(worker, "ready");

  const { executionArn } = await server.call("StartExecution", { stateMachineArn, input: "[1,2,3,4,5]" });
  const about = await eventually(async () => {
    const now = await server.call("DescribeExecution", { executionArn });
    return now.status === "RUNNING" ? undefined : now;
  });
  assert.deepEqual([about.status, about.output], ["SUCCEEDED", JSON.stringify([1, 4, 9, 16, 25].map((square) => ({ square })))]);
  const { events } = await server.call("GetExecutionHistory", { executionArn, maxResults: 1000 });
  const started = events.filter(({ type }) => type === "ActivityStarted");
  assert.equal(started.length, 6);
  assert.ok(started.every(({ activityStartedEventDetails }) => activityStartedEventDetails.workerName.startsWith("from npm")));
  assert.deepEqual(errors, []);
  await new Promise((resolve) => worker.close(resolve));
});
