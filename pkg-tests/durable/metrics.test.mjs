// What a runtime counts, logs and traces.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, TestClock } from "./clock.mjs";

const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");

const TRY = {
  StartAt: "Try",
  States: {
    Try: { Type: "Task", Resource: "try", Retry: [{ ErrorEquals: ["Again"], IntervalSeconds: 1 }], TimeoutSeconds: 60, Next: "Ask" },
    Ask: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken", End: true },
  },
};

function surroundings() {
  const store = new MemoryStore();
  const clock = new TestClock();
  const log = [];
  const tasks = {
    try: ({ fails, waits }, { attempt }) => {
      if (waits) return new Promise(() => {});
      if (fails && attempt < fails) throw Object.assign(new Error("no"), { name: "Again" });
      return fails;
    },
    "sqs:sendMessage.waitForTaskToken": () => {},
  };
  const options = { store, clock, machines: { M: TRY, "odd-name": TRY }, tasks, onLog: (entry) => log.push(entry) };
  return { store, clock, log, runtime: (more) => new Runtime({ ...options, ...more }) };
}

test("metrics count executions, tasks, writes and queues, as an object and as OpenMetrics text", async () => {
  const { clock, runtime } = surroundings();
  const first = await runtime().open();
  await first.start("M", { name: "a", input: { fails: 1 } });
  await first.start("M", { name: "late", input: { waits: true } });
  await first.start("M", { name: "a", input: { fails: 1 } });
  await quiet();
  await clock.pass(1000);
  await clock.pass(60_000);
  await (await first.get("M", "a")).stop();
  const { executions, started, ended, tasks, resident, commits, queues } = await first.metrics();
  assert.deepEqual(executions, { RUNNING: 0, SUCCEEDED: 0, FAILED: 1, TIMED_OUT: 0, ABORTED: 1 });
  assert.deepEqual([started, resident, queues], [2, 0, []]);
  assert.deepEqual(ended, { SUCCEEDED: 0, FAILED: 1, TIMED_OUT: 0, ABORTED: 1 });
  assert.deepEqual(tasks, { called: 4, succeeded: 1, failed: 1, timedOut: 1 });
  const { seconds } = commits;
  assert.ok(commits.writes > 0 && commits.batches >= commits.writes && commits.facts > 0, JSON.stringify(commits));
  assert.deepEqual([seconds.count, seconds.buckets.at(-1)], [commits.writes, { le: Infinity, count: commits.writes }]);
  assert.ok(seconds.buckets.every(({ count }, i, all) => i === 0 || count >= all[i - 1].count));
  await (await first.get("M", "a")).redrive();
  assert.equal((await first.metrics()).redriven, 1);
  await first.close();

  const now = await runtime({ queues: { 'a"b': {} } }).open();
  const text = await now.metricsText();
  for (const line of [
    "# TYPE stepglass_executions gauge",
    'stepglass_executions{status="RUNNING"} 1',
    'stepglass_executions{status="FAILED"} 1',
    "stepglass_executions_started_total 0",
    'stepglass_queue_waiting{queue="a\\"b"} 0',
  ])
    assert.ok(text.split("\n").includes(line), line);
  assert.match(
    text,
    /stepglass_commit_seconds_bucket\{le="\+Inf"\} \d+\nstepglass_commit_seconds_count \d+\nstepglass_commit_seconds_sum \d/,
  );
  assert.match(text, /^stepglass_recovery_seconds \d/m);
  assert.ok(text.endsWith("\n# EOF\n"));
  for (const line of text.trimEnd().split("\n"))
    assert.match(line, /^(# (TYPE|HELP|EOF)|stepglass_[a-z_]+(\{[a-z]+="(\\.|[^"\\])*"\})? [\d.e+-]+$)/);
  await now.close();
});

test("the log has an entry for each start, end, suspension and failed write", async () => {
  const { store, clock, log, runtime } = surroundings();
  const now = await runtime({ resident: 0 }).open();
  const write = store.write.bind(store);
  store.write = async () => {
    store.write = write;
    throw new Error("the disk is full");
  };
  const execution = await now.start("M", { name: "a", input: {} });
  await quiet();
  const load = store.load.bind(store);
  store.load = () => Promise.reject(new Error("damaged"));
  await execution.frames();
  store.load = load;
  await execution.resume();
  await execution.stop("Enough");
  await now.close();
  assert.deepEqual(
    log.map(({ level, event }) => [level, event]),
    [
      ["info", "runtime.opened"],
      ["error", "store.failed"],
      ["info", "execution.started"],
      ["error", "execution.suspended"],
      ["warn", "execution.ended"],
      ["info", "runtime.closed"],
    ],
  );
  const [, failed, started, suspended, ended] = log;
  assert.deepEqual([failed.error, failed.failures], ["the disk is full", 1]);
  assert.deepEqual([started.arn, started.machine, started.name], [execution.arn, "M", "a"]);
  assert.equal(suspended.reason, "damaged");
  assert.deepEqual([ended.status, ended.error, ended.time], ["ABORTED", "Enough", new Date(clock.now()).toISOString()]);
});

/** A fake of OpenTelemetry's API that records all spans. */
function fakeTelemetry() {
  const spans = [];
  let active = { of: "caller", spanContext: { traceId: "t", spanId: "caller", traceFlags: 1 } };
  const api = {
    ROOT_CONTEXT: {},
    context: {
      active: () => active,
      with: (context, run) => {
        const before = active;
        active = context;
        try {
          return run();
        } finally {
          active = before;
        }
      },
    },
    trace: {
      setSpan: (context, span) => ({ ...context, spanContext: span.spanContext() }),
      setSpanContext: (context, spanContext) => ({ ...context, spanContext }),
      getTracer: () => ({
        startSpan(name, options = {}, context = active) {
          const span = {
            name,
            ...options,
            parent: context.spanContext?.spanId,
            traceId: context.spanContext?.traceId,
            id: `s${spans.length}`,
          };
          spans.push(span);
          return {
            spanContext: () => ({ traceId: span.traceId, spanId: span.id, traceFlags: 1 }),
            setStatus: (status) => (span.status = status),
            recordException: (exception) => (span.exception = exception.message),
            end: (time) => ((span.ended = true), (span.endTime = time)),
          };
        },
      }),
    },
  };
  return { api, spans, current: () => active.spanContext?.spanId };
}

test("executions and calls of handlers are spans of one trace, also across a restart", async () => {
  const { clock, runtime } = surroundings();
  const { api, spans, current } = fakeTelemetry();
  const inside = [];
  const tasks = {
    try: (_, { attempt }) => {
      inside.push(current());
      if (attempt === 0) throw Object.assign(new Error("no"), { name: "Again" });
      return 1;
    },
    "sqs:sendMessage.waitForTaskToken": () => void inside.push(current()),
  };
  const first = await runtime({ telemetry: api, tasks }).open();
  const { arn } = await first.start("M", { name: "a" });
  const { startDate } = await (await first.get(arn)).describe();
  await quiet();
  await first.close();
  const now = await runtime({ telemetry: api, tasks }).open();
  await clock.pass(1000);
  await (await now.get(arn)).stop("Enough");
  await now.close();
  assert.deepEqual(
    spans.map(({ name, parent, traceId, ended }) => [name, parent, traceId, ended]),
    [
      ["start M", "caller", "t", true],
      ["Try", "s0", "t", true],
      ["Try", "s0", "t", true],
      ["Ask", "s0", "t", true],
      ["M", "s0", "t", true],
    ],
  );
  assert.deepEqual(inside, ["s1", "s2", "s3"]);
  const [, failed, , , whole] = spans;
  assert.deepEqual([failed.status.code, failed.exception, failed.attributes["stepglass.task.attempt"]], [2, "no", 0]);
  assert.deepEqual(
    [Number(whole.startTime), Number(whole.endTime), whole.status],
    [startDate, clock.now(), { code: 2, message: "Enough" }],
  );
});
