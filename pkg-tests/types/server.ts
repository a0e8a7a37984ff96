// Compiled, but never run: the types of `stepglass/server`.
import { Activity } from "stepglass";
import { ApiError, MemoryStore, StoreConflict, serve } from "stepglass/server";
import type { Batch, ExecutionSummary, ServeOptions, Server, Store } from "stepglass/server";

const options: ServeOptions = {
  port: 0,
  tasks: { charge: async ({ amount }: { amount: number }) => ({ paid: amount }), review: new Activity() },
  urls: { "sqs:*": "http://localhost:3000/sqs" },
  mockConfig: new URL("file:///MockConfigFile.json"),
  limits: { retain: { executions: 5 }, resident: 100 },
  data: "/var/lib/stepglass",
  allowOrigins: ["*"],
  log: (level, line) => console.log(level satisfies "error" | "info" | "debug", line),
};
const server: Server = await serve(options);
const { executionArn } = await server.call("StartExecution", { stateMachineArn: `${server.url}` });
executionArn satisfies string;
try {
  await server.call("DescribeExecution", { executionArn });
} catch (error) {
  if (error instanceof ApiError) error.type satisfies string;
}
await server.close({ grace: 100 });

const store: Store = new MemoryStore();
const batch: Batch = {
  id: "arn",
  version: 1,
  facts: { text: "[]", count: 0 },
  change: { status: "SUCCEEDED", stopDate: 1 },
};
try {
  const [result] = await store.write([batch]);
  if (result?.ok) result.version satisfies number;
} catch (error) {
  if (error instanceof StoreConflict) error.message satisfies string;
}
const { items } = await store.list({ machineArn: "arn", status: "RUNNING" }, { limit: 10 });
items satisfies ExecutionSummary[];
for await (const [key] of store.all("machine")) key satisfies string;

// @ts-expect-error a port is a number
await serve({ port: "8083" });
// @ts-expect-error there is no such option
await serve({ ports: 1 });
