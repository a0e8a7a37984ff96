// Measures us beside `aws-local-stepfunctions`, in one run, with the same definitions, inputs and handlers; and our
// JSONata, through the engine, beside jsonata-js.
//
//   npm run bench                 everything
//   npm run bench -- --quick      fewer and shorter runs
//   npm run bench -- --json       ends with one JSON object
//   npm run bench -- --case ID    one case only, again and again where the option is given again
//   npm run bench -- --no-peer    us alone
//   npm run bench -- --floor      the cases with Tasks beside the same loop without an engine instead
//   npm run bench -- --testkit    a suite of 200 tests of a machine of 30 states instead
//   npm run bench -- --map-run    a Distributed Map of 100,000 items instead: time and memory
//   npm run bench -- --memory     executions with much data instead: time and memory
//   npm run bench -- --scale      how time and memory grow instead, from 10 states, items or retries to many; --svg FILE draws it,
//                                 --markdown FILE writes the table where FILE has the two comments for it
//   npm run bench -- --pool       executions a second of a pool with one thread and with two instead
//   npm run bench -- --bombs      endless, exploding and very busy expressions and machines instead: how long each holds the
//                                 event loop, how soon an abort acts, and memory
//
// Build first: npm run build. The peer and the Node that it needs are installed under benches/peer from a lockfile of
// their own. Each side runs in a process of its own; the sides take turns, so that whatever else the machine does
// hits both. A ratio compares the fastest turns of both in the same version of Node.
import { fork, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { all as bombs } from "../benches/bombs.mjs";
import { cases } from "../benches/cases.mjs";
import { expressions } from "../benches/expressions.mjs";
import { all as loads } from "../benches/memory.mjs";
import { curves, all as growth } from "../benches/scale.mjs";
import { root, run as runShown } from "./steps.mjs";

const OPTIONS = [
  "--quick",
  "--json",
  "--case",
  "--no-peer",
  "--map-run",
  "--memory",
  "--bombs",
  "--scale",
  "--svg",
  "--markdown",
  "--pool",
  "--testkit",
  "--floor",
  "--help",
];
const args = process.argv.slice(2);
const VALUED = ["--case", "--svg", "--markdown"];
const unknown = args.filter((arg, i) => !OPTIONS.includes(arg) && !VALUED.includes(args[i - 1]));
const valueOf = (option) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined);
if (unknown.length > 0 || args.includes("--help")) {
  if (unknown.length > 0) console.error(`bench: unknown option ${unknown.join(" ")}`);
  console.error(`options: ${OPTIONS.join(" ")}`);
  process.exit(unknown.length > 0 ? 2 : 0);
}
const quick = args.includes("--quick");
const json = args.includes("--json");
const wanted = args.filter((_, i) => args[i - 1] === "--case");
const all = args.includes("--scale") ? Object.keys(curves).map((id) => ({ id })) : [...cases, ...expressions];
for (const id of wanted.filter((id) => !all.some((one) => one.id === id))) {
  console.error(`bench: no case ${id}; there are ${all.map((one) => one.id).join(", ")}`);
  process.exit(2);
}
const chosen = (cases) => cases.filter((one) => wanted.length === 0 || wanted.includes(one.id));
const TURNS = quick ? 5 : 15;
const TURN_MS = quick ? 30 : 100;
const WARM_UP_MS = quick ? 400 : 1500;
/** The target of point 11 of the plan. Times are minima of CPU time. */
const COLD_TARGET_MS = 50;
const SIZE_TARGET_KB = 300;

if (!existsSync(join(root, "dist/node.js"))) {
  console.error("there is no dist yet: npm run build");
  process.exit(1);
}

const report = { machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`, node: process.versions.node };
if (args.includes("--map-run")) {
  report.mapRun = mapRun();
} else if (args.includes("--memory")) {
  report.memory = loads();
} else if (args.includes("--bombs")) {
  report.bombs = bombs();
} else if (args.includes("--scale")) {
  report.scale = growth(wanted.length > 0 ? wanted : undefined, { quick, svg: valueOf("--svg"), markdown: valueOf("--markdown") });
} else if (args.includes("--pool")) {
  report.pool = await (await import("../benches/pool.mjs")).all({ quick });
} else if (args.includes("--floor")) {
  report.floor = await floor();
} else if (args.includes("--testkit")) {
  report.testkit = testkit();
} else {
  const peerNode = args.includes("--no-peer") ? undefined : installPeer();
  await compare(chosen(cases), "peer", peerNode);
  await compare(chosen(expressions), "jsonata", peerNode);
  if (wanted.length === 0) {
    coldStart(peerNode);
    memory(peerNode);
    size();
  }
}
if (json) console.log(JSON.stringify(report));

/** Installs the peer if it is missing. Returns the Node that runs it, or undefined if there is none for this machine. */
function installPeer() {
  const folder = join(root, "benches/peer");
  if (!existsSync(join(folder, "node_modules/aws-local-stepfunctions"))) {
    console.log("installing the peer under benches/peer …");
    // The peer's Node is installed with it, because the present one may be too old for it.
    if (!runShown("npm", ["ci", "--silent", "--no-engine-strict"], { cwd: folder })) {
      report.peer = { problem: "cannot be installed" };
      console.log("the peer cannot be installed here; measuring us alone");
      return undefined;
    }
  }
  const needed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).optionalDependencies;
  const installed = Object.keys(needed)
    .map((name) => join(folder, "node_modules", name, process.platform === "win32" ? "bin/node.exe" : "bin/node"))
    .find((path) => existsSync(path));
  if (installed) return installed;
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  report.peer = { problem: `no Node 22 for ${process.platform} ${process.arch}` };
  console.log("the peer needs Node 22, of which there is no package for this machine; run this with Node 22");
  return undefined;
}

/** Measures cases together with one of the peers, all sides in turns. */
async function compare(chosen, peer, peerNode) {
  if (chosen.length === 0) return;
  const sides = [{ name: "ours", module: "stepglass", node: process.execPath }];
  if (peerNode) {
    if (peerNode !== process.execPath) sides.push({ name: "oursOnPeerNode", module: "stepglass", node: peerNode });
    sides.push({ name: "peer", module: peer, node: peerNode });
  }
  for (const side of sides) await startWorker(side);
  report.sides = {
    ...report.sides,
    ...Object.fromEntries(sides.map(({ name, module, versions }) => [name === "peer" ? module : name, versions])),
  };
  const native = nativeTimes(chosen);
  const like = sides.find((side) => side.name === "oursOnPeerNode") ?? sides[0];
  report.cases ??= [];
  const versions = (side) => `${side.module} ${side.versions.package} on Node ${side.versions.node}`;
  console.log(`\n${sides.map(versions).join(" · ")} · ${report.machine}`);
  console.log(`${TURNS} turns each, alternating; microseconds of CPU, fastest turn (median)\n`);
  const columns = [
    ["", 40],
    ["native", 10],
    ["ours", 18],
    ...(like === sides[0] ? [] : [["ours, Node 22", 18]]),
    ...(peerNode
      ? [
          ["peer", 20],
          ["ratio", 9],
          ["median", 9],
          ["wall", 9],
          ["target", 10],
        ]
      : []),
  ];
  line(columns.map(([title, width]) => title.padStart(width)));
  for (const one of chosen) {
    const turns = Object.fromEntries(sides.map(({ name }) => [name, []]));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const side of sides) turns[side.name].push(await side.measure(one.id));
    }
    const result = { id: one.id, title: one.title, transitions: one.transitions };
    if (native?.[one.id] !== undefined) result.native = native[one.id];
    for (const { name } of sides) result[name] = { cpu: spread(turns[name], "cpu"), wall: spread(turns[name], "wall") };
    if (peerNode) {
      const [a, b] = [result.peer, result[like.name]];
      result.ratio = { cpu: a.cpu.min / b.cpu.min, cpuMedian: a.cpu.median / b.cpu.median, wall: a.wall.min / b.wall.min };
      if (one.target) Object.assign(result, { target: one.target, met: result.ratio.cpu >= one.target });
    }
    report.cases.push(result);
    const cell = (name) => (result[name] ? `${round(result[name].cpu.min)} (${round(result[name].cpu.median)})` : "");
    const cells = [one.title.padEnd(40), (result.native === undefined ? "" : round(result.native)).padStart(10)];
    cells.push(cell("ours").padStart(18), ...(like === sides[0] ? [] : [cell("oursOnPeerNode").padStart(18)]));
    if (result.ratio) {
      cells.push(
        cell("peer").padStart(20),
        times(result.ratio.cpu).padStart(9),
        times(result.ratio.cpuMedian).padStart(9),
        times(result.ratio.wall).padStart(9),
      );
      cells.push(one.target ? `${result.met ? "✓" : "✗"} ≥ ${one.target}`.padStart(10) : "");
    }
    line(cells);
  }
  for (const side of sides) side.child.kill();
  if (peerNode) {
    report.ratioOf = `peer and ours, both on Node ${like.versions.node}: fastest turn of each, CPU`;
    console.log(`\nratio: ${report.ratioOf}; median: of the medians; wall: of the fastest wall times.`);
  }
}

/**
 * Measures the cases with Tasks next to the cost of the handlers, their promises and the JSON of their answers without an engine.
 */
async function floor() {
  const sides = ["stepglass", "empty"].map((module) => ({ name: module, module, node: process.execPath }));
  for (const side of sides) await startWorker(side);
  const results = {};
  console.log(`${TURNS} turns each, alternating, on Node ${process.versions.node}; microseconds of CPU, fastest turn (median)\n`);
  line(["".padEnd(40), "ours".padStart(18), "no engine".padStart(18)]);
  for (const { id, title } of chosen(cases).filter(({ definition }) =>
    Object.values(definition.States).some(({ Type }) => Type === "Task"),
  )) {
    const turns = { stepglass: [], empty: [] };
    for (let turn = 0; turn < TURNS; turn++) for (const side of sides) turns[side.name].push(await side.measure(id));
    const [ours, empty] = [spread(turns.stepglass, "cpu"), spread(turns.empty, "cpu")];
    results[id] = { ours, empty };
    line([title.padEnd(40), ...[ours, empty].map(({ min, median }) => `${round(min)} (${round(median)})`.padStart(18))]);
  }
  for (const { child } of sides) child.kill();
  return results;
}

async function startWorker(side) {
  const child = fork(join(root, "benches/worker.mjs"), [side.module], { execPath: side.node, execArgv: [] });
  const waiting = [];
  const answer = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  child.on("message", (message) => {
    const { resolve, reject } = waiting.shift();
    if (message.problem) reject(new Error(message.problem));
    else resolve(message);
  });
  child.on("exit", (code, signal) => {
    for (const { reject } of waiting) reject(new Error(`the worker of ${side.name} ended (${signal ?? code})`));
  });
  side.child = child;
  side.versions = (await answer()).versions;
  side.measure = (id) => {
    const result = answer();
    child.send({ id, least: TURN_MS, warmUp: WARM_UP_MS });
    return result;
  };
}

/** Measures the same machines in the native engine. Returns the microseconds of the fastest run. */
function nativeTimes(chosen) {
  const cargo = ["run", "--quiet", "--profile", "fast", "--example", "time_cases"];
  const lines = chosen.map(({ id, definition, input, failures, counts }) =>
    JSON.stringify({ name: id, definition, input, failures, counts, runs: TURNS }),
  );
  const result = spawnSync("cargo", cargo, {
    cwd: root,
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (result.status !== 0) {
    console.log("no native numbers: cargo cannot build examples/time_cases.rs here");
    return undefined;
  }
  const times = {};
  for (const text of result.stdout.trim().split("\n")) {
    const { name, microseconds, status, problem } = JSON.parse(text);
    if (problem || status !== "SUCCEEDED") throw new Error(`native: ${problem ?? `${name} ended as ${status}`}`);
    times[name] = microseconds;
  }
  return times;
}

/** Measures a new process that imports the package, makes a machine and runs it once, next to a process that does nothing. */
function coldStart(peerNode) {
  const sides = [
    { name: "ours", node: process.execPath, arg: "stepglass" },
    ...(peerNode
      ? [
          { name: "oursOnPeerNode", node: peerNode, arg: "stepglass" },
          { name: "peer", node: peerNode, arg: "peer" },
        ]
      : []),
  ];
  const runs = quick ? 5 : 15;
  const samples = new Map(sides.map((side) => [side.name, { bare: [], whole: [] }]));
  for (let i = 0; i < runs; i++) {
    for (const { name, node, arg } of sides) {
      samples.get(name).bare.push(oneShot(node, "bare").cpu);
      samples.get(name).whole.push(oneShot(node, arg).cpu);
    }
  }
  report.coldStart = {};
  console.log("\ncold start: CPU of a fresh process that imports the package, makes a machine of one Task and runs it (minimum)");
  for (const { name } of sides) {
    const { bare, whole } = samples.get(name);
    const result = { process: Math.min(...whole) / 1000, node: Math.min(...bare) / 1000 };
    result.own = result.process - result.node;
    result.ownMedian = (median(whole) - median(bare)) / 1000;
    report.coldStart[name] = result;
    const mark = name === "ours" ? `   ${result.own <= COLD_TARGET_MS ? "✓" : "✗"} ≤ ${COLD_TARGET_MS} ms` : "";
    console.log(`  ${label(name).padEnd(24)}${ms(result.own)} on top of a bare Node's ${ms(result.node)}: ${ms(result.process)}${mark}`);
  }
}

function memory(peerNode) {
  const sides = [["ours", process.execPath, "stepglass"], ...(peerNode ? [["peer", peerNode, "peer"]] : [])];
  report.memory = {};
  console.log("\nmemory: bytes for each of 5,000 executions that wait (resident set; JavaScript heap)");
  for (const [name, node, arg] of sides) {
    const result = oneShot(node, `idle-${arg}`);
    report.memory[name] = result;
    console.log(`  ${label(name).padEnd(24)}${round(result.rss)} resident, ${round(result.heap)} of it on the heap`);
  }
}

/** Runs benches/once.mjs in a new process. Returns its output. */
function oneShot(node, what) {
  const result = spawnSync(node, ["--expose-gc", join(root, "benches/once.mjs"), what], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (result.status !== 0) throw new Error(`benches/once.mjs ${what} failed`);
  return JSON.parse(result.stdout);
}

function size() {
  const bytes = readFileSync(join(root, "dist/stepglass.wasm"));
  const sizes = {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
  };
  report.size = sizes;
  const kb = (n) => `${(n / 1000).toFixed(0)} kB`;
  const met = sizes.gzip <= SIZE_TARGET_KB * 1000;
  console.log(
    `\nsize of the wasm: ${kb(sizes.raw)} raw, ${kb(sizes.gzip)} gzip, ${kb(sizes.brotli)} brotli   ${met ? "✓" : "✗"} ≤ ${SIZE_TARGET_KB} kB gzip`,
  );
}

/** Measures the whole process of a test run, including imports and the runner. Returns the fastest of several. */
function testkit() {
  const times = [];
  for (let i = 0; i < (quick ? 3 : 7); i++) {
    const began = performance.now();
    const { status, stdout } = spawnSync(process.execPath, ["--test-reporter=tap", join(root, "benches/testkit.test.mjs")], {
      encoding: "utf8",
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
    if (status !== 0 || !/^# pass 200$/m.test(stdout)) throw new Error(`benches/testkit.test.mjs failed\n${stdout.slice(-2000)}`);
    times.push({ wall: performance.now() - began, cpu: Number(/^# cpu ([\d.]+)$/m.exec(stdout)[1]) });
  }
  const best = (part) => Math.min(...times.map((one) => one[part]));
  const result = { tests: 200, states: 30, wall: best("wall"), wallMedian: median(times.map(({ wall }) => wall)), cpu: best("cpu") };
  console.log(
    `200 tests of a machine of 30 states with node:test: ${result.wall.toFixed(0)} ms for the whole process (median ${result.wallMedian.toFixed(0)} ms), ${result.cpu.toFixed(0)} ms of CPU   ${result.wall < 1000 ? "✓" : "✗"} < 1 s`,
  );
  return result;
}

function mapRun() {
  const results = {};
  for (const what of ["map-run-pass", "map-run-task", "map-run-lines", "map-run-child", "map-run-again"]) {
    const result = oneShot(process.execPath, what);
    results[what] = result;
    const { items, seconds, cpu, rss } = result;
    const met = seconds < 10 && rss < 256;
    console.log(
      `${what}: ${items.toLocaleString("en")} items × 2 states in ${seconds.toFixed(2)} s (${cpu.toFixed(2)} s of CPU), peak resident set ${rss.toFixed(0)} MiB   ${met ? "✓" : "✗"} < 10 s, < 256 MiB`,
    );
  }
  return results;
}

function spread(turns, part) {
  const all = turns.map((turn) => turn[part]);
  return { min: Math.min(...all), median: median(all) };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function label(name) {
  return { ours: "ours", oursOnPeerNode: "ours, on the peer's Node", peer: "peer" }[name];
}

function line(cells) {
  console.log(cells.join("").trimEnd());
}

function round(n) {
  return Math.round(n).toLocaleString("en");
}

function times(ratio) {
  return `${ratio.toFixed(1)}×`;
}

function ms(n) {
  return `${n.toFixed(1)} ms`;
}
