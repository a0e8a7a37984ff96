// One of the two sides in a process of its own: answers requests to run a case with what it cost.
//
//   node benches/worker.mjs stepglass|peer|jsonata    (forked by scripts/bench.mjs)
import { cases, handlersOf } from "./cases.mjs";
import { expressions } from "./expressions.mjs";

const side = await import(`./sides/${process.argv[2]}.mjs`);
const prepared = new Map();

process.on("message", async ({ id, least, warmUp }) => {
  try {
    process.send({ id, ...(await measure(id, least, warmUp)) });
  } catch (error) {
    process.send({ id, problem: String(error?.stack ?? error) });
  }
});
process.send({ ready: true, versions: side.versions() });

/** Runs a case as often as it takes to fill `least` milliseconds; the mean in microseconds of wall time and of CPU. */
async function measure(id, least, warmUp) {
  const one = [...cases, ...expressions].find((one) => one.id === id);
  if (!prepared.has(id)) {
    // Handlers that count their failures are made for each run.
    const shared = one.failures === undefined ? handlersOf(one) : undefined;
    prepared.set(id, { machine: side.prepare(one), handlers: () => shared ?? handlersOf(one) });
    // Warm up: what is measured is the speed that a long-lived process has.
    const until = performance.now() + warmUp;
    do check(one, await side.run(prepared.get(id).machine, prepared.get(id).handlers()));
    while (performance.now() < until);
  }
  const { machine, handlers } = prepared.get(id);
  let runs = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  do {
    check(one, await side.run(machine, handlers()));
    runs += 1;
  } while (performance.now() - start < least);
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { runs, wall: (wall * 1000) / runs, cpu: (user + system) / runs };
}

function check(one, output) {
  if (!one.expect(output)) throw new Error(`${one.id}: wrong output`);
}
