// One side of `npm run bench:durable`, in a process of its own: prints one line of JSON.
//
//   node side.mjs SIDE throughput|latency WHERE COUNT         executions of three tasks, 50 at once, or one after the other
//   node side.mjs stepglass fill|open|list FILE COUNT         executions that wait
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../steps.mjs";

const AT_ONCE = 50;
const WARM = 3000;
const DAY = 86_400_000;
const [side, mode, where, count] = process.argv.slice(2);
const peers = createRequire(join(root, "pkg-tests/.cache/bench-durable/x.js"));
const peer = (name) => import(pathToFileURL(peers.resolve(name)).href);

const task = (Resource, Next) => ({ Type: "Task", Resource, ...(Next === undefined ? { End: true } : { Next }) });
const THREE = { StartAt: "A", States: { A: task("a", "B"), B: task("b", "C"), C: task("c") } };
const step = async (input) => input;

/** What runs one execution to its end, and what closes it. */
const sides = {
  async stepglass() {
    const { Runtime } = await import("stepglass/durable");
    const { sqlite } = await import("stepglass/sqlite");
    const runtime = await new Runtime({ store: sqlite(where), machines: { Three: THREE }, tasks: { a: step, b: step, c: step } }).open();
    return { run: (n) => runtime.run("Three", { name: `n${n}`, input: { n } }), close: () => runtime.close() };
  },
  async openworkflow() {
    const { OpenWorkflow } = await peer("openworkflow");
    const { BackendSqlite } = await peer("openworkflow/sqlite");
    const backend = BackendSqlite.connect(where);
    const client = new OpenWorkflow({ backend });
    const three = client.defineWorkflow({ name: "three" }, async ({ input, step: steps }) => {
      for (const name of ["a", "b", "c"]) await steps.run({ name }, () => step(input));
      return input;
    });
    const worker = client.newWorker({ concurrency: AT_ONCE });
    await worker.start();
    const run = async (n) => {
      const handle = await three.run({ n });
      // Its own result() looks once a second; it is looked at more often here.
      for (;;) {
        const { status } = await backend.getWorkflowRun({ workflowRunId: handle.workflowRun.id });
        if (status === "succeeded" || status === "completed") return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    return { run, close: () => worker.stop() };
  },
  async dbos() {
    const { DBOS } = await peer("@dbos-inc/dbos-sdk");
    DBOS.setConfig({ name: "bench", systemDatabaseUrl: where, logLevel: "error", runAdminServer: false });
    const three = DBOS.registerWorkflow(
      async (input) => {
        for (const name of ["a", "b", "c"]) await DBOS.runStep(() => step(input), { name });
        return input;
      },
      { name: "three" },
    );
    await DBOS.launch();
    return { run: async (n) => (await DBOS.startWorkflow(three)({ n })).getResult(), close: () => DBOS.shutdown() };
  },
};

async function throughput({ run }, total) {
  let next = 0;
  const one = async () => {
    while (next < total) await run(next++);
  };
  // A service runs for days: what it does in its first seconds, while its code is being compiled, is not what is measured.
  const until = performance.now() + WARM;
  const warm = async () => {
    while (performance.now() < until) await run(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, warm));
  total += next;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const done = total - next;
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: done / seconds, cpuMs: (user + system) / 1000 / done, all: total };
}

async function latency({ run }, total) {
  const times = [];
  for (let n = 0; n < total; n += 1) {
    const begin = performance.now();
    await run(n);
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return { p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] };
}

// ------------------------------------------------------------------------------------------- executions that wait

const WAITING = { StartAt: "A", States: { A: task("a", "W"), W: { Type: "Wait", SecondsPath: "$.seconds", Next: "B" }, B: task("b") } };

async function waiting(tasks, more = {}) {
  const { Runtime } = await import("stepglass/durable");
  const { sqlite } = await import("stepglass/sqlite");
  return new Runtime({ store: sqlite(where), machines: { Waiting: WAITING }, tasks, ...more });
}

/** Starts executions that wait for a year, and at the end one that waits for moments. */
async function fill(total) {
  const runtime = await (await waiting({ a: step, b: step })).open();
  const begin = performance.now();
  let next = 0;
  const one = async () => {
    while (next < total)
      await runtime.start("Waiting", { name: `order-${next++}`, input: { seconds: 365 * 86_400, customer: `customer-${next}` } });
  };
  await Promise.all(Array.from({ length: 500 }, one));
  await runtime.start("Waiting", { name: "first", input: { seconds: 1 } });
  const perSecond = total / ((performance.now() - begin) / 1000);
  // They have all come to their Wait state.
  while ((await runtime.get("Waiting", "first").then((execution) => execution.describe())).status === "RUNNING")
    await new Promise((resolve) => setTimeout(resolve, 100));
  await runtime.start("Waiting", { name: "due", input: { seconds: 2 } });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const rss = process.memoryUsage().rss;
  await runtime.close();
  return { perSecond, rssMB: rss / 2 ** 20, bytesEach: statSync(where).size / total };
}

async function open() {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const begin = performance.now();
  let dispatched;
  const first = new Promise((resolve) => (dispatched = resolve));
  const runtime = await waiting({ a: step, b: (input) => (dispatched(performance.now() - begin), input) });
  await runtime.open();
  const opened = performance.now() - begin;
  const firstMs = await first;
  const rss = process.memoryUsage().rss;
  await runtime.close();
  return { openMs: opened, firstMs, rssMB: rss / 2 ** 20 };
}

/** All of them are due at once, after a year in which nobody was there. */
async function late(total) {
  const at = Date.now() + 400 * DAY;
  const clock = { now: () => at, setTimeout: (run, delay) => setTimeout(run, Math.min(delay, 1000)), clearTimeout };
  const begin = performance.now();
  let done = 0;
  let firstMs;
  let ended;
  const all = new Promise((resolve) => (ended = resolve));
  const b = (input) => ((firstMs ??= performance.now() - begin), input);
  const runtime = await waiting({ a: step, b }, { clock, onEnd: () => ++done === total && ended() });
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
  await runtime.open();
  await all;
  clearInterval(watch);
  const seconds = (performance.now() - begin) / 1000;
  await runtime.close();
  return { firstMs, perSecond: total / seconds, rssMB: most / 2 ** 20 };
}

async function list(total) {
  const runtime = await (await waiting({ a: step, b: step })).open();
  const time = async (work) => {
    const times = [];
    for (let i = 0; i < 20; i += 1) {
      const begin = performance.now();
      await work(i);
      times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b)[10];
  };
  const page = await time(() => runtime.list({ status: "RUNNING", machine: "Waiting" }, { limit: 100 }));
  const middle = await time((i) => runtime.list({ status: "RUNNING" }, { limit: 100, before: (total >> 1) + i }));
  await runtime.close();
  return { pageMs: page, middleMs: middle };
}

const total = Number(count);
let result;
if (mode === "throughput" || mode === "latency") {
  const made = await sides[side]();
  result = await (mode === "throughput" ? throughput : latency)(made, total);
  console.log(JSON.stringify(result));
  await Promise.race([made.close(), new Promise((resolve) => setTimeout(resolve, 3000))]);
} else {
  result = await { fill, open, late, list }[mode](total);
  console.log(JSON.stringify(result));
}
process.exit(0);
