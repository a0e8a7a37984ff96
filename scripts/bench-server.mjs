// Measures the server beside moto's, in one run, with one client and one machine.
//
//   npm run bench:server                 installs moto from PyPI once, then measures both
//   npm run bench:server -- --no-peer    us alone
//   npm run bench:server -- --json       ends with one JSON object
//
// Build first: npm run build. Executions of 20 states are started over HTTP from a process of its own: 5,000 at us, 500 under
// way at once; of moto, which runs each in a thread, fewer, with as many under way as suits it best. Each server has a
// process of its own, and they take turns: load, peer, load, peer. The best turn of each counts.
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { pythonClients } from "./clients.mjs";
import { root, windows } from "./steps.mjs";

const args = process.argv.slice(2);
const unknown = args.filter((arg) => !["--no-peer", "--json"].includes(arg));
if (unknown.length > 0) {
  console.error(`bench:server: unknown option ${unknown.join(" ")}\noptions: --no-peer --json`);
  process.exit(2);
}

const TURNS = 2;
const OURS = { total: 5000, inFlight: 500 };
// The number of concurrent executions that suits moto best, and our own.
const PEER = [
  { total: 200, inFlight: 8 },
  { total: 200, inFlight: 50 },
  { total: 500, inFlight: 500, patience: 240_000 },
];
const TARGET = 20;

const peer = args.includes("--no-peer") ? { reason: "--no-peer" } : pythonClients({ bench: true });
if (peer.reason) console.log(`without moto: ${peer.reason}`);

const report = { ours: [], moto: [] };
for (let turn = 0; turn < TURNS; turn++) {
  report.ours.push(await measure("stepglass", await ours(), OURS));
  if (peer.bin === undefined) continue;
  for (const load of PEER) report.moto.push(await measure("moto", await moto(peer.bin), load));
}

const best = (all) => all.filter(({ stuck }) => stuck === 0).sort((a, b) => b.perSecond - a.perSecond)[0];
const [us, them] = [best(report.ours), best(report.moto)];
const patient = (all) => Math.min(...all.map(({ start }) => start.p99));
console.log(`\nstepglass  ${us.perSecond} executions/s, StartExecution p99 ${patient(report.ours)} ms, memory after ${us.memory} MiB`);
if (them) {
  report.ratio = Number((us.perSecond / them.perSecond).toFixed(1));
  console.log(
    `moto       ${them.perSecond} executions/s (${them.inFlight} at once), StartExecution p99 ${patient(report.moto.filter(({ inFlight }) => inFlight === them.inFlight))} ms, memory after ${them.memory} MiB`,
  );
  console.log(`ratio      ${report.ratio}× (target: ${TARGET}×)${report.ratio >= TARGET ? "" : "  MISSED"}`);
}
if (args.includes("--json")) console.log(JSON.stringify(report));

async function measure(name, { child, url }, load) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "benches/server-load.mjs"), JSON.stringify({ url, ...load })]);
  const result = { ...JSON.parse(stdout), inFlight: load.inFlight, memory: await memoryOf(child.pid) };
  child.kill();
  await new Promise((resolve) => child.once("close", resolve));
  const { perSecond, start, seconds, started, seen, stuck, wrong, statuses } = result;
  const lost = started - seen;
  const ended = Object.entries(statuses)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");
  console.log(
    `${name.padEnd(10)} ${started} executions, ${load.inFlight} at once: ${seconds} s, ${perSecond}/s; StartExecution p50 ${start.p50}, p99 ${start.p99} ms; ${ended}; ${lost} lost, ${stuck} stuck, ${wrong} wrong`,
  );
  return result;
}

async function ours() {
  const child = spawn(process.execPath, [join(root, "dist/cli.js"), "serve", "--port", "0", "--json", "--log-level", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(String(data)));
    child.once("close", () => reject(new Error("the server has not started: npm run build")));
  });
  return { child, url: JSON.parse(line).url };
}

async function moto(bin) {
  const port = await freePort();
  const env = {
    ...process.env,
    MOTO_PORT: String(port),
    SF_EXECUTION_HISTORY_TYPE: "SUCCESS",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
  };
  const child = spawn(join(bin, `moto_server${windows ? ".exe" : ""}`), ["-p", String(port)], { stdio: "ignore", env });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; ; i++) {
    try {
      await fetch(url);
      break;
    } catch {
      if (i > 300) throw new Error("moto has not started");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  // By default moto answers every execution with a fixed result. This makes it run them.
  await fetch(`${url}/moto-api/config`, { method: "POST", body: JSON.stringify({ stepfunctions: { execute_state_machine: true } }) });
  return { child, url };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function memoryOf(pid) {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
    return Math.round(Number(stdout) / 1024);
  } catch {
    return undefined;
  }
}
