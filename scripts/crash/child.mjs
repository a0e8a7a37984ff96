// The process that is killed: a runtime on a file. It does what its parent asks for, line by line, and tells what has happened.
//
//   node child.mjs FILE POINT COUNT SEED     dies when it comes to POINT for the COUNTth time
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Runtime } from "stepglass/durable";
import { sqlite } from "stepglass/sqlite";
import { LARGE, machines } from "./machines.mjs";

const [file, point, count, base] = process.argv.slice(2);
let left = Number(count);

/** A line in the pipe, which outlives this process. */
const tell = (told) => writeSync(1, `${JSON.stringify(told)}\n`);

/** A place where this process may die. */
function pass(name) {
  if (name !== point || --left > 0) return;
  tell({ died: name });
  process.kill(process.pid, "SIGKILL");
  // The signal comes at the latest when this thread waits.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}

/** What a write is about, for the places before and after it. */
function kindsOf(batches) {
  const kinds = ["write"];
  if (batches.some(({ create }) => create !== undefined)) kinds.push("start");
  if (batches.some(({ snapshot }) => typeof snapshot === "string")) kinds.push("snapshot");
  if (batches.some(({ change }) => change?.status !== undefined && change.status !== "RUNNING")) kinds.push("end");
  if (batches.some(({ change }) => change?.redriveCount !== undefined)) kinds.push("redrive");
  return kinds;
}

function dying(store) {
  const around =
    (name) =>
    async (...args) => {
      pass(`before ${name}`);
      const answer = await store[name](...args);
      pass(`after ${name}`);
      return answer;
    };
  const write = async (batches) => {
    const kinds = kindsOf(batches);
    for (const kind of kinds) pass(`before ${kind}`);
    const results = await store.write(batches);
    for (const [i, { id, facts }] of batches.entries())
      if (results[i].ok && facts !== undefined)
        for (const [, , method, task] of JSON.parse(facts.text))
          if (method === "succeed" || method === "fail") tell({ answered: [id, task] });
    for (const kind of kinds) pass(`after ${kind}`);
    return results;
  };
  const own = { write, load: around("load"), prune: around("prune") };
  return new Proxy(store, {
    get: (target, name) => own[name] ?? (typeof target[name] === "function" ? target[name].bind(target) : target[name]),
  });
}

/** A handler whose effect is a line that its parent reads. */
const handler = (answer) => async (input, task) => {
  pass("before effect");
  const key = task.idempotencyKey;
  tell({ called: [key.slice(0, key.indexOf("/")), task.id], key, attempt: task.attempt });
  pass("after effect");
  await pause(task.id % 7);
  return answer(input, task);
};

const flaky = (input, { attempt }) => {
  if (attempt >= 2) return input;
  throw Object.assign(new Error("not yet"), { name: "Flaky" });
};
const broken = (input, task) => {
  if (redriven.has(task.idempotencyKey.slice(0, task.idempotencyKey.indexOf("/")))) return input;
  throw Object.assign(new Error("broken"), { name: "Broken" });
};
const redriven = new Set();

const runtime = new Runtime({
  store: dying(sqlite(file)),
  machines,
  resident: 20,
  retention: { executions: 400 },
  tasks: {
    echo: handler((input) => input),
    flaky: handler(flaky),
    broken: handler(broken),
    large: handler(() => ({ text: "x".repeat(LARGE) })),
    never: handler(() => new Promise(() => {})),
    act: handler((input) => input),
    "sqs:sendMessage.waitForTaskToken": handler((_, task) => void tell({ token: task.token, key: task.idempotencyKey })),
  },
  onSuspended: ({ arn }, why) => tell({ problem: `${arn} is suspended: ${why}` }),
  onStoreError: ({ error }) => tell({ problem: `the store fails: ${error.stack}` }),
});

const operations = {
  start: async ({ machine, name, input }) => {
    try {
      await runtime.start(machine, { name, input, seed: Number(base) });
    } catch (error) {
      // It has ended since the process before this one died.
      if (error.code !== "EXECUTION_EXISTS") throw error;
    }
  },
  succeed: ({ token, output }) => runtime.succeed(token, output),
  stop: async ({ machine, name }) => (await runtime.get(machine, name)).stop("Enough"),
  redrive: async ({ machine, name }) => {
    const execution = await runtime.get(machine, name);
    redriven.add(execution.arn);
    if ((await execution.describe()).status !== "FAILED") return;
    await execution.redrive();
  },
  migrate: async ({ machine, name }) => {
    const execution = await runtime.get(machine, name);
    // It may have ended meanwhile.
    if ((await execution.describe()).status !== "RUNNING") return;
    await execution.migrate({ ...machines.Migrate, Comment: "the next version" }).catch((error) => {
      if (error.code !== "NOT_RUNNING") throw error;
    });
  },
  redriven: async ({ arn }) => void redriven.add(arn),
  prune: () => runtime.prune(),
  look: async ({ machine, name }) => {
    const execution = await runtime.get(machine, name);
    if (execution === undefined) return { gone: true };
    const { status, output, redriveCount, suspended } = await execution.describe();
    if (status === "RUNNING") return { status, suspended };
    return { status, output, redriveCount, ids: (await execution.history()).map(({ id, type, timestamp }) => [id, type, timestamp]) };
  },
};

const lines = createInterface({ input: process.stdin });
const first = [];
let opened = false;
async function perform(line) {
  const { op, id, ...given } = JSON.parse(line);
  try {
    tell({ done: id, answer: (await operations[op](given)) ?? null });
  } catch (error) {
    tell({ problem: `${line.slice(0, 200)}: ${error.stack}` });
  }
}
lines.on("line", (line) => {
  const { op, arn } = JSON.parse(line);
  if (op === "redriven") redriven.add(arn);
  else if (opened) void perform(line);
  else first.push(line);
  if (op === "ready") void open();
});
lines.on("close", async () => {
  await runtime.close();
  process.exit(0);
});

/** The parent has told what this process has to know before it recovers. */
async function open() {
  first.pop();
  const begin = performance.now();
  await runtime.open();
  opened = true;
  tell({ ready: performance.now() - begin });
  for (const line of first) void perform(line);
}
