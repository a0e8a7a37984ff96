// How executions a second grow from one thread of a pool to two: npm run bench -- --pool
//
// The turns of both alternate. On a machine that is busy with something else, wall-clock time says how many cores were free; so this also
// counts the CPU time of the pool's own thread and of the others, which gives the ratio that two free cores would have.
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { performance } from "node:perf_hooks";
import { createPool } from "stepglass/pool";

const handlers = new URL("./pool-handlers.mjs", import.meta.url);
const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:Price";
/** What two threads are to give. */
const TARGET = 1.8;

/** A loop of `rounds` over a Choice and a computed Pass, then a Task. */
function machineOf(rounds) {
  return {
    QueryLanguage: "JSONata",
    StartAt: "Begin",
    States: {
      Begin: { Type: "Pass", Assign: { n: 0 }, Next: "Count" },
      Count: { Type: "Pass", Assign: { n: "{% $n + 1 %}" }, Next: "Enough" },
      Enough: { Type: "Choice", Choices: [{ Condition: `{% $n >= ${rounds} %}`, Next: "Price" }], Default: "Count" },
      Price: { Type: "Task", Resource: FUNCTION, End: true },
    },
  };
}

/** Executions by their work. */
const CASES = [
  { id: "small", what: "3 states, one of them a Task", rounds: 1, count: 12_000 },
  { id: "middle", what: "100 states, one of them a Task", rounds: 49, count: 4_000 },
  { id: "large", what: "1,000 states, one of them a Task", rounds: 499, count: 600 },
];

/** Measures and prints; `{id: {ratio, …}}`. */
export async function all({ quick = false } = {}) {
  console.log(`${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}, load ${loadavg()[0].toFixed(1)}`);
  const [one, two] = [await createPool({ handlers, threads: 1 }), await createPool({ handlers, threads: 2 })];
  const report = {};
  try {
    for (const { id, what, rounds, count } of CASES) {
      const machines = [one, two].map((pool) => pool.machine(machineOf(rounds)));
      const inputs = Array.from({ length: quick ? count / 4 : count }, (_, i) => ({ price: i, quantity: 3 }));
      for (const machine of machines) await turn(machine, inputs);
      const turns = [[], []];
      for (let i = 0; i < (quick ? 3 : 7); i++) {
        for (const at of i % 2 ? [0, 1] : [1, 0]) turns[at].push(await turn(machines[at], inputs));
      }
      report[id] = printed(what, best(turns[0]), best(turns[1]));
    }
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
  return report;
}

/** Milliseconds of an execution: wall-clock, CPU of this thread, CPU of the others. */
async function turn(machine, inputs) {
  const before = [performance.now(), process.cpuUsage(), ownCpu()];
  for await (const { status, error, cause } of machine.each(inputs)) {
    if (status !== "SUCCEEDED") throw new Error(`an execution ended with ${status}: ${error} ${cause}`);
  }
  const { user, system } = process.cpuUsage(before[1]);
  const own = ownCpu() - before[2];
  const each = (milliseconds) => milliseconds / inputs.length;
  return { wall: each(performance.now() - before[0]), own: each(own), others: each((user + system) / 1000 - own) };
}

/** The least of each: what else the machine does can only add. */
function best(turns) {
  const least = (name) => Math.min(...turns.map((turn) => turn[name]));
  const { wall, own, others } = turns.reduce((a, b) => (b.wall < a.wall ? b : a));
  return { wall, cores: (own + others) / wall, own: least("own"), others: least("others") };
}

/** CPU time of this thread in milliseconds, as far as the system tells. */
function ownCpu() {
  if (typeof process.threadCpuUsage === "function") {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  }
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return NaN;
  }
}

function printed(what, one, two) {
  const measured = one.wall / two.wall;
  // One thread works beside the pool's own; two share two cores with it.
  const free = (2 * Math.max(one.others, one.own)) / (two.others + two.own);
  const us = (milliseconds) => `${(milliseconds * 1000).toFixed(0)} µs`;
  const second = (wall) => `${Math.round(1000 / wall).toLocaleString("en")} a second`;
  const share = two.own / (two.own + two.others);
  console.log(`\n${what}`);
  console.log(`  one thread    ${second(one.wall)}; CPU of an execution: ${us(one.others)} in the thread, ${us(one.own)} in the pool`);
  console.log(`  two threads   ${second(two.wall)}; CPU of an execution: ${us(two.others)} in the threads, ${us(two.own)} in the pool`);
  console.log(`  measured      ${measured.toFixed(2)}×, with ${two.cores.toFixed(2)} cores at work`);
  console.log(`  two free cores ${free.toFixed(2)}× by CPU time (target ${TARGET})`);
  console.log(`  limit         ${limitOf(free, share, one, two)}`);
  return { measured, free, one, two };
}

function limitOf(free, share, one, two) {
  const growth = two.others / one.others;
  if (share > 0.1)
    return `the pool's own thread takes ${Math.round(share * 100)} % of all CPU: messages, JSON text and promises of each execution`;
  if (growth > 1.1) return `an execution takes ${growth.toFixed(2)} times the CPU beside another: memory and caches that the cores share`;
  return free >= TARGET ? "the cores: each further thread adds its own" : "unknown";
}
