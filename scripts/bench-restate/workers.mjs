// What a second worker brings: `npm run bench:restate -- --workers`. Two kinds of workers: one that does nothing but the machine, which is a
// matter of CPU, and one whose tasks take 20 ms of something that it has four of, such as connections of a database.
import { once } from "node:events";
import { loadavg } from "node:os";
import { freePorts, startServer } from "../../pkg-tests/restate/server.mjs";

const KINDS = { "CPU alone": [], "4 tasks of 20 ms at once": ["4", "20"] };

/** Measures workers behind a balancer. `tools` are those of bench-restate.mjs. */
export async function measureWorkers(tools) {
  const measured = [];
  for (const [kind, limits] of Object.entries(KINDS)) {
    const server = await startServer();
    const [port, ...ports] = await freePorts(3);
    const workers = await Promise.all(ports.map((own) => tools.start("side.mjs", ["ours", own, "-", ...limits])));
    const all = { 1: [], 2: [] };
    for (let turn = 0; turn < tools.turns; turn += 1)
      for (const number of turn % 2 === 0 ? [1, 2] : [2, 1])
        all[number].push(await measure({ ...tools, server, workers, port, ports: ports.slice(0, number) }));
    for (const child of workers) child.kill("SIGKILL");
    await server.stop();
    const of = (number, what) => tools.median(all[number].map((one) => one[what]));
    const result = { kind, load: loadavg()[0], ratio: tools.median(all[2].map(({ rate }, i) => rate / all[1][i].rate)) };
    for (const number of [1, 2]) result[number] = Object.fromEntries(Object.keys(all[number][0]).map((what) => [what, of(number, what)]));
    measured.push(result);
    if (!tools.json) print(result);
  }
  return measured;
}

/** The rate with a balancer before the workers of some ports, and the CPU milliseconds that an execution costs each of those at work. */
async function measure({ start, calls, rate, cpuOf, count, server, workers, port, ports }) {
  const balancer = await start("balancer.mjs", [port, ...ports.map((own) => `http://127.0.0.1:${own}`)]);
  await register(server.admin, `http://127.0.0.1:${port}`);
  const call = calls.ours(server);
  await rate(call, 50);
  const all = { servers: server.nodes.map(({ child }) => child), workers, balancer: [balancer], client: [process] };
  const used = () => Object.entries(all).map(([who, list]) => [who, list.reduce((sum, { pid }) => sum + cpuOf(pid), 0)]);
  const before = Object.fromEntries(used());
  const told = { rate: await rate(call, count) };
  for (const [who, after] of used()) told[who] = (after - before[who]) / count;
  balancer.kill("SIGTERM");
  const [text] = await once(balancer.stdout, "data");
  told.connections = Number(text);
  if (balancer.exitCode === null) await once(balancer, "exit");
  return told;
}

async function register(admin, uri) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${admin}/deployments`, { method: "POST", headers, body: JSON.stringify({ uri, force: true }) });
  if (!answer.ok) throw new Error(await answer.text());
}

function print({ kind, load, ratio, ...sides }) {
  console.log(`${kind}, load ${load.toFixed(1)}`);
  for (const number of [1, 2]) {
    const { rate, connections, ...cpu } = sides[number];
    const parts = Object.entries(cpu).map(([who, ms]) => `${who} ${ms.toFixed(2)}`);
    const name = `${number} worker${number > 1 ? "s" : " "}`;
    console.log(`  ${name} ${rate.toFixed(0).padStart(5)} executions/s   CPU ms of each: ${parts.join(", ")}; connections: ${connections}`);
  }
  console.log(`  a second worker brings ${ratio.toFixed(2)} times as many`);
}
