// Servers and their stores. The promises of every store are tested in pkg-tests/store.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { MemoryStore, serve } from "../../dist/server.js";
import { machine, role } from "./endpoint.mjs";

test("a restarted server has the machines, aliases, tags and activities of its store", async () => {
  const store = new MemoryStore();
  const definition = JSON.stringify({ StartAt: "A", States: { A: { Type: "Pass", Result: 1, End: true } } });
  const first = await serve({ port: 0, store });
  const { stateMachineArn } = await first.call("CreateStateMachine", {
    name: "Kept",
    definition,
    roleArn: "r",
    publish: true,
    tags: [{ key: "a", value: "b" }],
  });
  await first.call("CreateStateMachineAlias", {
    name: "live",
    routingConfiguration: [{ stateMachineVersionArn: `${stateMachineArn}:1`, weight: 100 }],
  });
  await first.call("CreateActivity", { name: "Work" });
  await first.close();
  const second = await serve({ port: 0, store });
  assert.equal((await second.call("DescribeStateMachine", { stateMachineArn: `${stateMachineArn}:1` })).definition, definition);
  assert.deepEqual((await second.call("ListTagsForResource", { resourceArn: stateMachineArn })).tags, [{ key: "a", value: "b" }]);
  assert.equal((await second.call("ListActivities")).activities.length, 1);
  const { executionArn } = await second.call("StartExecution", { stateMachineArn: `${stateMachineArn}:live` });
  assert.match(executionArn, /execution:Kept:/);
  await second.close();
});

test("an execution can be stopped while its redrive is being written", async () => {
  // The writes of this store wait for `writing`.
  let writing = Promise.resolve();
  class Slow extends MemoryStore {
    async write(batches) {
      await writing;
      return super.write(batches);
    }
  }
  const server = await serve({ port: 0, store: new Slow() });
  after(() => server.close({ grace: 200 }));
  const { stateMachineArn } = await server.call("CreateStateMachine", {
    name: "Waits",
    definition: machine({ W: { Type: "Wait", Seconds: 3600, End: true } }),
    roleArn: role,
  });
  const { executionArn } = await server.call("StartExecution", { stateMachineArn });
  await server.call("StopExecution", { executionArn });
  let written;
  writing = new Promise((resolve) => (written = resolve));
  const redriven = server.call("RedriveExecution", { executionArn });
  // The redrive has reached the store.
  await new Promise((resolve) => setImmediate(resolve));
  const stopped = server.call("StopExecution", { executionArn, error: "Second" });
  written();
  await Promise.all([redriven, stopped]);
  const { status, error, redriveCount } = await server.call("DescribeExecution", { executionArn });
  assert.deepEqual({ status, error, redriveCount }, { status: "ABORTED", error: "Second", redriveCount: 1 });
});
