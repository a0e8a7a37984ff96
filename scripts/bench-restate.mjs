// Measures executions on Restate beside a handler of Restate that was written by hand and does the same three tasks, in turns.
//
//   npm run bench:restate -- [--quick] [--nodes 1,3] [--json]
//   npm run bench:restate -- --workers [--quick] [--json]     one worker and two, behind a balancer (scripts/bench-restate/workers.mjs)
//
// For each side: executions a second with 50 at once, the median latency of one at a time, CPU milliseconds an execution of the servers and
// of the worker. Needs the packages of pkg-tests/restate; build first.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePorts, startServer, unavailable } from "../pkg-tests/restate/server.mjs";
import { root } from "./steps.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    nodes: { type: "string", default: "1,3" },
    workers: { type: "boolean" },
  },
});
if (unavailable !== undefined) {
  console.error(`bench:restate: ${unavailable}`);
  process.exit(1);
}
const TURNS = values.quick ? 2 : 5;
const COUNT = values.quick ? 200 : 500;
const SINGLE = values.quick ? 20 : 50;
const AT_ONCE = 50;
const TICK = 10;

/** Returns the CPU milliseconds that a process has used; 0 if the system does not report them. */
function cpuOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return 0;
  }
}

async function worker(side, server) {
  const [port] = await freePorts(1);
  return start("side.mjs", [side, port, server.admin]);
}

/** Starts a program of scripts/bench-restate. Resolves when it is ready. */
async function start(name, args) {
  const child = spawn(process.execPath, [join(root, "scripts/bench-restate", name), ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => String(text).includes("ready") && resolve());
    child.once("exit", (code) => reject(new Error(`${name} has ended with ${code}`)));
  });
  return child;
}

const { RestateClient } = await import("../dist/restate.js");
let names = 0;
/** Runs one execution of a side, from the request to its result. */
const CALLS = {
  ours: (server) => {
    const client = new RestateClient(server.ingress, { admin: server.admin });
    return () => client.run("Three", { input: { n: 0 } });
  },
  "by-hand": (server) => async () => {
    const body = JSON.stringify({ n: 0 });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${server.ingress}/ByHand/${process.pid}-${names++}/run`, { method: "POST", headers, body })).json();
  },
};

async function rate(call, count) {
  let left = count;
  const begun = performance.now();
  const work = async () => {
    while (left-- > 0) {
      const { n } = await call();
      if (n !== 3) throw new Error(`an execution has ended with ${n}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return (1000 * count) / (performance.now() - begun);
}

async function latency(call) {
  const times = [];
  for (let i = 0; i < SINGLE; i += 1) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  return median(times);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

async function measure(nodes) {
  const server = await startServer({ nodes });
  const workers = { ours: await worker("ours", server), "by-hand": await worker("by-hand", server) };
  const calls = Object.fromEntries(Object.entries(CALLS).map(([side, make]) => [side, make(server)]));
  const told = {
    ours: { rate: [], latency: [], serverMs: [], workerMs: [] },
    "by-hand": { rate: [], latency: [], serverMs: [], workerMs: [] },
  };
  for (const call of Object.values(calls)) await rate(call, 100);
  const serverCpu = () => server.nodes.reduce((sum, { child }) => sum + cpuOf(child.pid), 0);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const side of turn % 2 === 0 ? ["ours", "by-hand"] : ["by-hand", "ours"]) {
      const before = [serverCpu(), cpuOf(workers[side].pid)];
      told[side].rate.push(await rate(calls[side], COUNT));
      told[side].serverMs.push((serverCpu() - before[0]) / COUNT);
      told[side].workerMs.push((cpuOf(workers[side].pid) - before[1]) / COUNT);
      told[side].latency.push(await latency(calls[side]));
    }
  const sides = Object.fromEntries(
    Object.entries(told).map(([side, lists]) => [
      side,
      Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, median(list)])),
    ]),
  );
  for (const child of Object.values(workers)) child.kill("SIGKILL");
  await server.stop();
  return { nodes, ...sides, ratio: median(told.ours.rate.map((rate, i) => rate / told["by-hand"].rate[i])) };
}

if (values.workers) {
  const { measureWorkers } = await import("./bench-restate/workers.mjs");
  const counts = { turns: TURNS, count: COUNT, json: values.json };
  const measured = await measureWorkers({ start, calls: CALLS, rate, cpuOf, median, ...counts });
  if (values.json) console.log(JSON.stringify({ cores: cpus().length, measured }));
  process.exit();
}

const report = { cores: cpus().length, load: [], measured: [] };
for (const nodes of values.nodes.split(",").map(Number)) {
  report.load.push(loadavg()[0]);
  const measured = await measure(nodes);
  report.measured.push(measured);
  if (values.json) continue;
  console.log(`${nodes} node${nodes > 1 ? "s" : ""}, load ${report.load.at(-1).toFixed(1)}`);
  console.log(
    `${"".padEnd(10)}${"executions/s".padStart(14)}${"p50 of one".padStart(14)}${"server CPU".padStart(14)}${"worker CPU".padStart(14)}`,
  );
  for (const side of ["ours", "by-hand"]) {
    const { rate, latency, serverMs, workerMs } = measured[side];
    const cells = [rate.toFixed(0), `${latency.toFixed(1)} ms`, `${serverMs.toFixed(2)} ms`, `${workerMs.toFixed(2)} ms`];
    console.log(`${side.padEnd(10)}${cells.map((cell) => cell.padStart(14)).join("")}`);
  }
  console.log(`ratio of executions a second: ${measured.ratio.toFixed(2)}`);
}
if (values.json) console.log(JSON.stringify(report));
