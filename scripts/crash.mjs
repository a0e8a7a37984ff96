// Kills a process that runs durable executions, again and again on one file, and checks that each of them ends as one that was never
// killed: what was acknowledged is not lost, no task is called again whose answer was stored, and its idempotency key stays the same.
//
//   npm run crash -- [--seed N] [--kills M] [--file FILE] [--json]
//
// A process dies at a moment of chance, or at one of the places in POINTS. The same seed makes the same executions and chooses the
// same places; the moments are the machine's. Needs a Node that has SQLite: this one, or that of the stores' tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { nodeWithSqlite } from "../pkg-tests/store/drivers.mjs";
import { random } from "../pkg-tests/store/random.mjs";
import { expected, machines } from "./crash/machines.mjs";
import { root } from "./steps.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "200" },
    file: { type: "string" },
    json: { type: "boolean" },
  },
});
const POINTS = [
  ...["before write", "after write", "before start", "after start", "before snapshot", "after snapshot", "before end", "after end"],
  ...["before redrive", "after redrive", "before effect", "after effect", "before load", "after load", "before prune", "after prune"],
];
// Number of executions that are open at the same time.
const OPEN = 60;
// How long a process may take to come to its point, and the last one to become idle, in milliseconds.
const LONGEST = 500;
const LAST = 120_000;

if (nodeWithSqlite === undefined) {
  console.error("crash: there is no Node with SQLite: install pkg-tests/store first");
  process.exit(1);
}
const seed = Number(values.seed);
const kills = Number(values.kills);
const next = random(seed);
const folder = mkdtempSync(join(tmpdir(), "stepglass-crash-"));
const file = values.file ?? join(folder, "crash.db");
const kinds = Object.keys(machines);

/** All executions by name. */
const executions = new Map();
/** Requests that were not acknowledged yet, by number. */
const asked = new Map();
/** Stored answers, and the calls of tasks, by execution and task. */
const answered = new Set();
const keys = new Map();
const problems = [];
const counts = { executions: 0, kills: 0, atPlaces: 0, calls: 0, again: 0, acknowledged: 0, opened: [] };
const places = new Map();
let operations = 0;
let child;

const arnOf = ({ machine, name }) => `arn:aws:states:us-east-1:123456789012:execution:${machine}:${name}`;

function ask(operation) {
  const id = ++operations;
  const line = { id, ...operation };
  asked.set(id, line);
  send(line);
  return id;
}

function send(line) {
  if (child?.ready) child.stdin.write(`${JSON.stringify(line)}\n`);
}

/** Starts an execution of a random kind. */
function start() {
  const machine = kinds[next(kinds.length)];
  const n = executions.size;
  const name = `${machine}-${n}`;
  const input = { n, items: Array.from({ length: 1 + next(8) }, (_, i) => i) };
  executions.set(name, { machine, name, input, calls: 0 });
  counts.executions += 1;
  ask({ op: "start", machine, name, input });
}

const open = () => [...executions.values()].filter(({ checked }) => !checked);

/** Handles a message of the child process. */
function hear(told) {
  if ("problem" in told) problems.push(told.problem);
  else if ("answered" in told) answered.add(told.answered.join(" "));
  else if ("called" in told) called(told);
  else if ("token" in told) ask({ op: "succeed", token: told.token, output: { answered: Number(/-(\d+)\//.exec(told.key)[1]) } });
  else if ("died" in told) places.set(told.died, (places.get(told.died) ?? 0) + 1);
  else if ("ready" in told) counts.opened.push(told.ready);
  else if ("done" in told) done(told);
}

function called({ called: [arn, task], key, attempt }) {
  counts.calls += 1;
  const id = `${arn} ${task}`;
  const name = `${key} ${attempt}`;
  if (answered.has(id)) problems.push(`${id} (${name}) is called again although its answer is stored`);
  if (keys.has(id)) counts.again += 1;
  if ((keys.get(id) ?? name) !== name) problems.push(`${id} had the key ${keys.get(id)}, and has ${name} now`);
  keys.set(id, name);
  const execution = executions.get(arn.slice(arn.lastIndexOf(":") + 1));
  // The execution was started by another one.
  if (execution === undefined) return;
  execution.calls += 1;
  if (execution.machine === "Migrate" && !execution.migrated) {
    execution.migrated = true;
    ask({ op: "migrate", machine: execution.machine, name: execution.name });
  }
  if (execution.machine === "Stop" && key && execution.calls > 1 && !execution.stopped) {
    execution.stopped = true;
    ask({ op: "stop", machine: execution.machine, name: execution.name });
  }
}

function done({ done: id, answer }) {
  const operation = asked.get(id);
  if (operation === undefined) return;
  asked.delete(id);
  counts.acknowledged += 1;
  if (operation.op === "look") check(executions.get(operation.name), answer);
  else if (operation.op === "start") executions.get(operation.name).started = true;
}

/** Checks that an execution which has ended has the expected result. */
function check(execution, { gone, status, output, redriveCount, suspended, ids }) {
  execution.looking = false;
  const wrong = (what) => {
    execution.checked = true;
    problems.push(`${execution.name}: ${what}`);
  };
  if (gone) return void (execution.started && wrong("its start was acknowledged, and it is not there"));
  if (suspended) return wrong("it is suspended");
  if (status === "RUNNING") return;
  if (execution.machine === "Redrive" && status === "FAILED") {
    if (execution.redriven) return;
    execution.redriven = true;
    return void ask({ op: "redrive", machine: execution.machine, name: execution.name });
  }
  execution.checked = true;
  const [state, result] = expected(execution.machine, execution.input);
  if (status !== state || JSON.stringify(output) !== JSON.stringify(result))
    wrong(`it is ${status} with ${JSON.stringify(output)?.slice(0, 200)}, and not ${state} with ${JSON.stringify(result)?.slice(0, 200)}`);
  if (execution.machine === "Redrive" && redriveCount !== 1) wrong(`it was redriven ${redriveCount} times`);
  const gap = ids.findIndex(([id], i) => id !== i + 1);
  if (gap >= 0) wrong(`event ${gap + 1} has the id ${ids[gap][0]}`);
  // An aborted execution may have been in any state.
  if (execution.machine === "Stop") return;
  const types = ids
    .map(([, type]) => type)
    .sort()
    .join(" ");
  const twin = twins.get(`${execution.machine} ${execution.input.items.length}`);
  if (twin === undefined) twins.set(`${execution.machine} ${execution.input.items.length}`, { types, name: execution.name });
  else if (twin.types !== types) wrong(`its history is ${types}, and that of ${twin.name} ${twin.types}`);
}
const twins = new Map();

/** Runs a process. Resolves when it has exited. */
async function live({ point = "", count = 1 } = {}, alive) {
  child = spawn(nodeWithSqlite, ["--no-warnings", join(root, "scripts/crash/child.mjs"), file, point, String(count), String(seed)], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: root,
  });
  const mine = child;
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  child.stdin.on("error", () => {});
  const exited = once(child, "exit");
  for (const { machine, name, redriven } of open())
    if (redriven) child.stdin.write(`${JSON.stringify({ op: "redriven", arn: arnOf({ machine, name }) })}\n`);
  for (const line of asked.values()) child.stdin.write(`${JSON.stringify(line)}\n`);
  child.stdin.write(`${JSON.stringify({ op: "ready" })}\n`);
  child.ready = true;
  const lines = createInterface({ input: child.stdout });
  const over = (async () => {
    for await (const line of lines) {
      const told = JSON.parse(line);
      hear(told);
      if ("ready" in told) void alive(mine);
    }
  })();
  const [code, signal] = await exited;
  await over;
  mine.ready = false;
  if (signal !== "SIGKILL" && code !== 0) problems.push(`the process ended with ${code ?? signal}: ${errors}`);
}

/** Checks the executions that may have ended. */
function look() {
  for (const execution of open())
    if (!execution.looking) {
      execution.looking = true;
      ask({ op: "look", machine: execution.machine, name: execution.name });
    }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs a process until it is killed. */
async function kill() {
  const chosen = next(2) === 0 ? {} : { point: POINTS[next(POINTS.length)], count: 1 + next(6) };
  const delay = chosen.point === undefined ? next(150) : LONGEST;
  const timed = chosen.point === undefined && next(4) === 0;
  const starts = Math.min(2 + next(11), Math.max(0, OPEN - open().length));
  const prunes = next(5) === 0;
  for (const execution of open()) execution.looking = false;
  for (const [id, { op }] of asked) if (op === "look") asked.delete(id);
  let early;
  const life = live(chosen, async (mine) => {
    for (let i = 0; i < starts; i += 1) start();
    if (prunes || chosen.point?.endsWith("prune")) for (let i = 0; i < chosen.count; i += 1) ask({ op: "prune" });
    look();
    await pause(delay);
    mine.kill("SIGKILL");
  });
  // Some processes are killed while they open the store.
  const mine = child;
  if (timed) early = setTimeout(() => mine.kill("SIGKILL"), 100 + next(200));
  await life;
  clearTimeout(early);
  counts.kills += 1;
}

/** Runs the last process until nothing is left to do. */
async function finish() {
  for (const execution of open()) execution.looking = false;
  for (const [id, { op }] of asked) if (op === "look") asked.delete(id);
  await live({}, async (mine) => {
    const until = Date.now() + LAST;
    while ((open().length > 0 || asked.size > 0) && Date.now() < until) {
      look();
      await pause(100);
    }
    mine.stdin.end();
  });
  for (const { name, started } of open()) problems.push(`${name} has not ended${started ? "" : "; its start was never acknowledged"}`);
}

const begin = Date.now();
while (counts.kills < kills && problems.length === 0) {
  await kill();
  if (counts.kills % 100 === 0 && !values.json)
    console.log(`${counts.kills} kills, ${counts.executions} executions, ${open().length} open`);
}
await finish();
if (values.file === undefined) rmSync(folder, { recursive: true, force: true });
counts.atPlaces = [...places.values()].reduce((sum, count) => sum + count, 0);
const { opened, ...told } = counts;
opened.sort((a, b) => a - b);
const report = {
  seed,
  ...told,
  seconds: (Date.now() - begin) / 1000,
  openMs: { median: opened[opened.length >> 1], max: opened.at(-1) },
  places: Object.fromEntries(places),
  problems,
};
if (values.json) console.log(JSON.stringify(report));
else {
  console.log(
    `${told.executions} executions, ${told.kills} kills (${told.atPlaces} at places), ${told.calls} calls, ${told.again} of them again; ${problems.length} problems`,
  );
  for (const [place, count] of [...places].sort()) console.log(`  ${place}: ${count}`);
  console.log(
    `open: median ${report.openMs.median?.toFixed(1)} ms, at most ${report.openMs.max?.toFixed(1)} ms; ${report.seconds.toFixed(0)} s`,
  );
  for (const problem of problems.slice(0, 20)) console.error(problem);
}
process.exit(problems.length > 0 ? 1 : 0);
