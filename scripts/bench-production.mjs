// Measures the commands that take executions from an account, and the page that opens one.
//
//   npm run bench:production                   all of it
//   npm run bench:production -- replay         a part: fetch, replay, page
//
// Build first: npm run build. Fetched are 500 executions of a machine with six states from `stepglass serve`; replayed are 10,000 files,
// which are copies of them with other names. A history of 25,000 events is opened on the page by `stepglass open`, and counts as
// opened when the page has all of its events. Times are on the clock, CPU time is that of all processes (of the browser, too), and
// memory is the most that the process has used.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { root } from "./steps.mjs";

const PARTS = ["fetch", "replay", "page"];
const args = process.argv.slice(2);
const unknown = args.filter((arg) => !PARTS.includes(arg));
if (unknown.length > 0) {
  console.error(`bench:production: unknown part ${unknown.join(" ")}; known: ${PARTS.join(" ")}`);
  process.exit(2);
}
const wanted = new Set(args.length > 0 ? args : PARTS);

const FETCHED = 500;
const REPLAYED = 10_000;
const EVENTS = 25_000;
/** The time in which the commands must be done, in seconds. */
const GOALS = { replay: 60, page: 2 };

const folder = mkdtempSync(join(tmpdir(), "stepglass-production-"));
const command = join(root, "dist/cli.cjs");
const memory = join(root, "scripts/bench-production/memory.cjs");
symlinkSync(join(root, "pkg-tests/server/node_modules"), join(folder, "node_modules"), "junction");

const work = "arn:aws:lambda:us-east-1:123456789012:function:work";
const definition = {
  StartAt: "Check",
  States: {
    Check: { Type: "Choice", Choices: [{ Variable: "$.amount", NumericGreaterThan: 0, Next: "Charge" }], Default: "Refuse" },
    Charge: {
      Type: "Task",
      Resource: work,
      ResultPath: "$.charge",
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 2 }],
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: { StartAt: "Pack", States: { Pack: { Type: "Task", Resource: work, End: true } } },
      ResultPath: "$.packed",
      Next: "Done",
    },
    Refuse: { Type: "Fail", Error: "Refused" },
    Done: { Type: "Succeed" },
  },
};

/** Runs a command of the package. Resolves to its output, the seconds that it took, and its memory in MiB. */
function measured(...of) {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const env = { ...process.env, AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" };
    const child = spawn(process.execPath, ["--require", memory, command, ...of], { cwd: folder, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => {
      const [, cpu, used] = /used: ([\d.]+) s, (\d+) MiB/.exec(output) ?? [];
      resolve({ code, output, seconds: (performance.now() - begun) / 1000, cpu: Number(cpu), memory: Number(used) });
    });
  });
}

/** Starts a command that keeps running. Resolves to the line of JSON that it prints. */
function started(...of) {
  const child = spawn(process.execPath, [command, ...of, "--json"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`stepglass ${of[0]} ended with ${code}`)));
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part) => {
      text += part;
      if (text.includes("\n")) resolve({ ...JSON.parse(text), stop: () => child.kill() });
    });
  });
}

/** Returns the CPU time of the browser's processes so far, in seconds. Only Linux tells. */
function browserCpu() {
  if (process.platform !== "linux") return undefined;
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = new Map();
  for (const pid of all) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      // The parent, and the ticks of a hundredth of a second in user and in kernel mode.
      found.set(pid, { parent: fields[1], ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid) => pid === String(process.pid) || (found.has(pid) && isOurs(found.get(pid).parent));
  let ticks = 0;
  for (const [pid, one] of found) if (pid !== String(process.pid) && isOurs(pid)) ticks += one.ticks;
  return ticks / 100;
}

async function call(action, body) {
  const answer = await fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${action}` },
    body: JSON.stringify(body),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(`${action}: ${value.message ?? JSON.stringify(value)}`);
  return value;
}

/** Prints a figure. The CPU time counts, if it is known: these commands use one core, and other programs may use the machine too. */
function report(what, { seconds, cpu = seconds, memory: used }, goal) {
  const missed = goal !== undefined && cpu > goal;
  if (missed) process.exitCode = 1;
  const words = [
    `${seconds.toFixed(1)} s`,
    ...(cpu === seconds ? [] : [`${cpu.toFixed(1)} s of CPU`]),
    ...(used === undefined ? [] : [`${used} MiB`]),
    ...(goal === undefined ? [] : [missed ? `and the goal is ${goal} s` : `the goal is ${goal} s`]),
  ];
  console.log(`${what}: ${words.join(", ")}`);
}

/** Starts executions on the server, of which every tenth fails, and fetches them. */
async function fetchMany() {
  const { stateMachineArn } = await call("CreateStateMachine", {
    name: "Orders",
    definition: JSON.stringify(definition),
    roleArn: "arn:aws:iam::123456789012:role/any",
  });
  for (let n = 0; n < FETCHED; n++) {
    const input = { order: n, amount: n % 10, items: [1, 2, 3].map((item) => ({ item, text: "x".repeat(200) })) };
    await call("StartExecution", { stateMachineArn, name: `order-${n}`, input: JSON.stringify(input) });
  }
  for (;;) {
    const { executions } = await call("ListExecutions", { stateMachineArn, statusFilter: "RUNNING" });
    if (executions.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const done = await measured("fetch", stateMachineArn, "--limit", String(FETCHED), "--out", "runs");
  if (done.code !== 0) throw new Error(done.output);
  report(`fetch of ${readdirSync(join(folder, "runs")).length} executions`, done);
}

/** Replays copies of the fetched executions. */
async function replayMany() {
  mkdirSync(join(folder, "many"));
  writeFileSync(join(folder, "orders.asl.json"), JSON.stringify(definition));
  const files = readdirSync(join(folder, "runs")).map((name) => gunzipSync(readFileSync(join(folder, "runs", name))).toString());
  let events = 0;
  for (let n = 0; n < REPLAYED; n++) {
    const run = JSON.parse(files[n % files.length]);
    run.execution.executionArn += `-${n}`;
    events += run.history.length;
    writeFileSync(join(folder, "many", `${n}.sfnrun`), gzipSync(JSON.stringify(run)));
  }
  const done = await measured("replay", "many", "orders.asl.json");
  if (done.code !== 0) throw new Error(done.output);
  report(`replay of ${REPLAYED} executions with ${events} events`, done, GOALS.replay);
}

/** Opens an execution with a long history on the page. */
async function openLong() {
  const { simulate } = await import("stepglass");
  const long = {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemProcessor: { StartAt: "Work", States: { Work: { Type: "Task", Resource: work, End: true } } },
        Next: "Done",
      },
      Done: { Type: "Succeed" },
    },
  };
  writeFileSync(join(folder, "long.asl.json"), JSON.stringify(long));
  const { launch } = await import("../pkg-tests/browser.mjs");
  const browser = await launch();
  try {
    // A short history shows what the page itself takes.
    for (const [items, goal] of [
      [1, undefined],
      [3570, GOALS.page],
    ]) {
      const input = Array.from({ length: items }, (_, i) => ({ item: i }));
      const { history, status } = simulate(long, input, { Work: { output: { done: true } } });
      if (status !== "SUCCEEDED" || history.length > EVENTS) throw new Error(`${history.length} events, ${status}`);
      writeFileSync(join(folder, "long.json"), JSON.stringify({ events: history }));
      await openIn(browser, history.length, goal);
    }
  } finally {
    await browser.close();
  }
}

async function openIn(browser, events, goal) {
  const opened = await started("open", "long.json", "long.asl.json", "--no-browser");
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto("about:blank");
    const before = browserCpu();
    const begun = performance.now();
    await page.goto(opened.url);
    await page.waitForFunction((last) => document.querySelector('input[aria-label="Event shown"]')?.max === String(last), events, {
      polling: 20,
    });
    const seconds = (performance.now() - begun) / 1000;
    const used = browserCpu();
    const cpu = used === undefined || before === undefined ? undefined : used - before;
    report(`a history of ${events} events opened on the page`, { seconds, ...(cpu !== undefined && { cpu }) }, goal);
  } finally {
    await context.close();
    opened.stop();
  }
}

writeFileSync(join(folder, "tasks.mjs"), "export const work = (input) => ({ done: true, input });\n");
const server = await started("serve", "--port", "0", "--tasks", "tasks.mjs");
try {
  if (wanted.has("fetch") || wanted.has("replay")) await fetchMany();
  if (wanted.has("replay")) await replayMany();
  if (wanted.has("page")) await openLong();
} finally {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}
