// Spans of executions with OpenTelemetry's own API and the SDK that programs register.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/steps.mjs";
import { MemoryStore, Runtime, TestClock, quiet } from "./surroundings.mjs";

const packages = join(root, "pkg-tests/store");
const within = createRequire(join(packages, "package.json"));
const load = (name) => import(pathToFileURL(within.resolve(name)).href);
const skip = existsSync(join(packages, "node_modules/@opentelemetry/sdk-trace-node"))
  ? false
  : "OpenTelemetry is not installed: node scripts/stores.mjs";

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const machines = {
  Order: {
    StartAt: "Pay",
    States: { Pay: task("pay", { Next: "Wait" }), Wait: { Type: "Wait", Seconds: 3600, Next: "Ship" }, Ship: task("ship", { End: true }) },
  },
};

test("OpenTelemetry's SDK exports one trace for an execution, also across a restart", { skip }, async (t) => {
  const api = (await load("@opentelemetry/api")).default;
  const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } = await load("@opentelemetry/sdk-trace-node");
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  t.after(() => api.trace.disable());
  const tracer = api.trace.getTracer("test");
  const tasks = {
    // Spans that a handler or an instrumented client starts are children of the task's span, also after the handler has awaited.
    pay: async () => {
      await quiet();
      tracer.startSpan("charge").end();
    },
    ship: () => {
      throw new Error("no ship");
    },
  };
  const store = new MemoryStore();
  const clock = new TestClock();
  const first = await new Runtime({ store, clock, machines, tasks, telemetry: api }).open();
  const request = tracer.startSpan("request");
  const { arn } = await api.context.with(api.trace.setSpan(api.context.active(), request), () => first.start("Order", { name: "7" }));
  request.end();
  await quiet();
  await first.close();
  const startDate = clock.now();
  await clock.pass(3_600_000);
  const second = await new Runtime({ store, clock, machines, tasks, telemetry: api }).open();
  const { status } = await (await second.get(arn)).result;
  assert.equal(status, "FAILED");
  await second.close();

  const spans = new Map(exporter.getFinishedSpans().map((span) => [span.name, span]));
  assert.deepEqual([...spans.keys()].sort(), ["Order", "Pay", "Ship", "charge", "request", "start Order"]);
  const parentOf = (name) =>
    [...spans.values()].find((span) => span.spanContext().spanId === spans.get(name).parentSpanContext?.spanId)?.name;
  assert.deepEqual(
    ["start Order", "Pay", "charge", "Ship", "Order"].map((name) => [name, parentOf(name)]),
    [
      ["start Order", "request"],
      ["Pay", "start Order"],
      ["charge", "Pay"],
      ["Ship", "start Order"],
      ["Order", "start Order"],
    ],
  );
  assert.equal(new Set([...spans.values()].map((span) => span.spanContext().traceId)).size, 1);
  const { startTime, duration, status: spanStatus, attributes } = spans.get("Order");
  const milliseconds = ([seconds, nanos]) => seconds * 1000 + nanos / 1e6;
  assert.deepEqual([milliseconds(startTime), milliseconds(duration)], [startDate, 3_600_000]);
  assert.deepEqual([spanStatus.code, spanStatus.message], [api.SpanStatusCode.ERROR, "Error: no ship"]);
  assert.equal(attributes["stepglass.execution.arn"], arn);
  assert.equal(attributes["error.type"], "Error");

  // The attributes are those of OpenTelemetry's conventions for messaging and FaaS.
  const conventions = await load("@opentelemetry/semantic-conventions/incubating");
  const known = new Set(Object.entries(conventions).flatMap(([name, value]) => (name.startsWith("ATTR_") ? [value] : [])));
  for (const span of spans.values())
    for (const name of Object.keys(span.attributes)) assert.ok(known.has(name) || name.startsWith("stepglass."), name);
  const { kind, attributes: start } = spans.get("start Order");
  assert.deepEqual(
    [kind, start["messaging.operation.type"], start["messaging.destination.name"], start["messaging.message.id"]],
    [api.SpanKind.PRODUCER, "send", "Order", arn],
  );
  const { kind: called, attributes: call } = spans.get("Ship");
  assert.deepEqual(
    [called, call["messaging.operation.type"], call["messaging.destination.name"]],
    [api.SpanKind.CONSUMER, "process", "ship"],
  );
  assert.deepEqual([call["faas.trigger"], call["faas.invocation.id"]], ["pubsub", `${call["messaging.message.id"]}#0`]);
  assert.equal(call["error.type"], "Error");
  const [event] = spans.get("Ship").events;
  assert.deepEqual([event.name, event.attributes["exception.message"]], ["exception", "no ship"]);
});
