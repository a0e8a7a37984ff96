// Measures durable executions on SQLite beside openworkflow (SQLite) and DBOS (PostgreSQL), in one run.
//
//   npm run bench:durable                      everything
//   npm run bench:durable -- --quick           fewer executions
//   npm run bench:durable -- --no-peers        us alone
//   npm run bench:durable -- --waiting N       how many executions wait (default: 100,000)
//   npm run bench:durable -- --listed N        how many there are when a page is listed (default: 200,000)
//   npm run bench:durable -- --json            ends with one JSON object
//
// Build first: npm run build. Needs a Node with SQLite: this one, or that of the stores' tests. The peers are installed under
// pkg-tests/.cache; DBOS is measured where PostgreSQL's initdb and pg_ctl are found. The sides take turns.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodeWithSqlite } from "../pkg-tests/store/drivers.mjs";
import { root, run } from "./steps.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    "no-peers": { type: "boolean" },
    waiting: { type: "string" },
    listed: { type: "string" },
  },
});
const TURNS = values.quick ? 1 : 3;
const PEERS = { openworkflow: "0.10.1", "@dbos-inc/dbos-sdk": "5.3.0" };
const PORT = 15_432;
const folder = mkdtempSync(join(tmpdir(), "stepglass-bench-"));
const waiting = Number(values.waiting ?? (values.quick ? 10_000 : 100_000));
const listed = Number(values.listed ?? (values.quick ? 10_000 : 200_000));

if (nodeWithSqlite === undefined) {
  console.error("bench:durable: there is no Node with SQLite: install pkg-tests/store first");
  process.exit(1);
}

let files = 0;
/** Returns the measurements of a side. Undefined if it fails. */
function measure(side, mode, where, count) {
  const args = ["--no-warnings", join(root, "scripts/bench-durable/side.mjs"), side, mode, where, String(count)];
  const { stdout, stderr } = spawnSync(nodeWithSqlite, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  const line = stdout.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) console.error(`${side} ${mode}: ${stderr.slice(-2000)}`);
  return line && JSON.parse(line);
}

function installPeers() {
  const cache = join(root, "pkg-tests/.cache/bench-durable");
  if (!Object.keys(PEERS).every((name) => existsSync(join(cache, "node_modules", name)))) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, "package.json"), JSON.stringify({ private: true, dependencies: PEERS }));
    console.log("installing the peers under pkg-tests/.cache …");
    if (!run("npm", ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--no-engine-strict"], { cwd: cache }))
      return [];
  }
  return ["openworkflow", ...(startPostgres() ? ["dbos"] : [])];
}

/** Starts a PostgreSQL server for the benchmark. Returns false if there is none on this machine. */
function startPostgres() {
  const bin = postgresBin();
  if (bin === undefined) {
    console.log("there is no PostgreSQL here (initdb): DBOS is not measured");
    return false;
  }
  const data = join(folder, "postgres");
  mkdirSync(data);
  // PostgreSQL refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ["runuser", ["-u", "postgres", "--"]] : undefined;
  if (asUser) spawnSync("chown", ["-R", "postgres", folder]);
  const perform = (name, args) =>
    asUser
      ? spawnSync(asUser[0], [...asUser[1], join(bin, name), ...args], { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] })
      : spawnSync(join(bin, name), args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  const made = perform("initdb", ["-D", data, "-A", "trust", "-U", "postgres"]);
  const options = `-p ${PORT} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${data}`;
  const started = made.status === 0 && perform("pg_ctl", ["-D", data, "-o", options, "-l", join(data, "log"), "-w", "start"]);
  if (!started || started.status !== 0) {
    console.log(`PostgreSQL does not start: ${(started || made).stderr}`);
    return false;
  }
  stopPostgres = () => perform("pg_ctl", ["-D", data, "-m", "immediate", "stop"]);
  return true;
}
let stopPostgres = () => {};

function postgresBin() {
  const folders = ["/usr/lib/postgresql"]
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).map((name) => join(path, name, "bin")));
  return [...folders, ...(process.env.PATH ?? "").split(":")].find((path) => existsSync(join(path, "initdb")));
}

/** Returns the CPU time of all processes of PostgreSQL in milliseconds, including those that have ended. */
function postgresCpu() {
  let ticks = 0;
  const pid = Number(readFileSync(join(folder, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
  for (const name of readdirSync("/proc").filter((text) => /^\d+$/.test(text))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")
        .map(Number);
      if (Number(name) === pid) ticks += fields[11] + fields[12] + fields[13] + fields[14];
      else if (fields[1] === pid) ticks += fields[11] + fields[12];
    } catch {
      // The process has ended in the meantime.
    }
  }
  return ticks * 10;
}

const where = (side) =>
  side === "dbos" ? `postgresql://postgres@127.0.0.1:${PORT}/bench${++files}` : join(folder, `${side}-${++files}.db`);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const report = { machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`, sides: {} };

const peers = values["no-peers"] ? [] : installPeers();
const COUNTS = { stepglass: values.quick ? 500 : 3000, openworkflow: values.quick ? 150 : 300, dbos: values.quick ? 200 : 600 };
const found = Object.fromEntries(["stepglass", ...peers].map((side) => [side, { throughput: [], latency: [] }]));
for (let turn = 0; turn < TURNS; turn += 1)
  for (const side of Object.keys(found)) {
    const before = side === "dbos" ? postgresCpu() : 0;
    const told = measure(side, "throughput", where(side), COUNTS[side]);
    // The server works for DBOS, so its CPU time counts.
    if (told && side === "dbos") told.cpuMs += (postgresCpu() - before) / told.all;
    if (told) found[side].throughput.push(told);
    const slow = measure(side, "latency", where(side), values.quick ? 20 : 60);
    if (slow) found[side].latency.push(slow);
  }
console.log(`executions of three tasks; 50 at once, and one after the other; load ${loadavg()[0].toFixed(1)}, ${report.machine}\n`);
console.log("                executions/s   CPU ms each   p50 ms of one");
for (const [side, { throughput, latency }] of Object.entries(found)) {
  if (throughput.length === 0) continue;
  const one = {
    perSecond: median(throughput.map(({ perSecond }) => perSecond)),
    cpuMs: Math.min(...throughput.map(({ cpuMs }) => cpuMs)),
    p50: latency.length > 0 ? median(latency.map(({ p50 }) => p50)) : undefined,
  };
  report.sides[side] = one;
  console.log(
    `${side.padEnd(14)} ${one.perSecond.toFixed(1).padStart(13)} ${one.cpuMs.toFixed(3).padStart(13)} ${(one.p50?.toFixed(1) ?? "").padStart(15)}`,
  );
}
for (const side of peers)
  if (report.sides[side]) {
    const ratio = report.sides.stepglass.perSecond / report.sides[side].perSecond;
    report.sides[side].ratio = ratio;
    console.log(`${ratio.toFixed(1)} times the executions of ${side}`);
  }
stopPostgres();

const file = join(folder, "waiting.db");
report.waiting = { executions: waiting, ...measure("stepglass", "fill", file, waiting) };
report.opened = measure("stepglass", "open", file, waiting);
const { perSecond, bytesEach, rssMB } = report.waiting;
console.log(
  `\n${waiting} waiting: started ${perSecond?.toFixed(0)}/s, ${bytesEach?.toFixed(0)} bytes each on disk, RSS ${rssMB?.toFixed(0)} MB`,
);
const { openMs, firstMs, rssMB: rss } = report.opened ?? {};
console.log(`opened again in ${openMs?.toFixed(0)} ms, the first dispatched after ${firstMs?.toFixed(0)} ms, RSS ${rss?.toFixed(0)} MB`);
if (listed > waiting) measure("stepglass", "fill", (report.listedFile = join(folder, "listed.db")), listed);
report.listed = {
  executions: Math.max(listed, waiting),
  ...measure("stepglass", "list", report.listedFile ?? file, Math.max(listed, waiting)),
};
console.log(
  `a page of 100 of ${report.listed.executions}: ${report.listed.pageMs?.toFixed(2)} ms; from the middle ${report.listed.middleMs?.toFixed(2)} ms`,
);
report.late = measure("stepglass", "late", file, waiting);
console.log(
  `all due at once after a year: the first dispatched after ${report.late?.firstMs.toFixed(0)} ms, ${report.late?.perSecond.toFixed(0)}/s, RSS at most ${report.late?.rssMB.toFixed(0)} MB`,
);
rmSync(folder, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify(report));
