// The store in memory keeps the promises of every Store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, serve } from "../../dist/server.js";
import { storeSuite } from "./store-suite.mjs";

storeSuite(test, "memory", () => ({ store: new MemoryStore() }));

test("a server finds the machines and activities of its store again", async () => {
  const store = new MemoryStore();
  const definition = JSON.stringify({ StartAt: "A", States: { A: { Type: "Pass", Result: 1, End: true } } });
  const first = await serve({ port: 0, store });
  const { stateMachineArn } = await first.call("CreateStateMachine", { name: "Kept", definition, roleArn: "r", publish: true, tags: [{ key: "a", value: "b" }] });
  await first.call("CreateStateMachineAlias", { name: "live", routingConfiguration: [{ stateMachineVersionArn: `${stateMachineArn}:1`, weight: 100 }] });
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

test("a store that would need a journal is refused, and not half used", async () => {
  const store = new MemoryStore();
  Object.defineProperty(store, "durable", { value: true });
  await assert.rejects(serve({ port: 0, store }), /keeps no journal/);
});
