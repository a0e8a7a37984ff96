// Runs recorded executions on a host and compares their results and histories with those in memory: the same definitions, inputs and
// answers of tasks. What a host cannot run is named with the reason.
//
//   npm run conformance -- --host durable|restate [FILE…] [--json] [--longest SECONDS]
//
// A host runs in real time: of what takes longer than SECONDS of it (default: 60) on Restate only the beginning is compared, up to where it
// waits. The host `durable` is a Runtime with a store in memory, whose clock is moved to what comes next. An execution that was stopped
// when it was recorded is stopped where it waits.
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { root } from "../steps.mjs";
import { Script } from "./wasm.mjs";

const dist = (name) => import(pathToFileURL(join(root, "dist", name)).href);
// Some have a heartbeat of seconds, in real time.
const AT_ONCE = { durable: 25, restate: 8 };
// After how many milliseconds tokens are answered: the answer of the service that has got the token is there by then.
const LATER = { durable: 20, restate: 1000 };
const SEED = 7;

/** Resolves when the handler's answer was taken, and before virtual time goes on: that is in the next turn of the event loop. */
async function afterAnswer() {
  for (let i = 0; i < 50; i += 1) await undefined;
}

/** The answers of a case's tasks; those that come by token are given to `later`. */
function tasksOf({ TaskError, TaskResponse }, one, later) {
  const script = new Script(one.mocks ?? {}, one.objects ?? {});
  return (_input, task) => {
    const { stateName: state, resource, iterations, parameters, token, purpose } = task;
    const { submitted, ending } = script.next({ state, resource, iterations, input: parameters, purpose });
    const fails = ending !== undefined && "error" in ending;
    if (resource.endsWith(".waitForTaskToken")) {
      if (ending !== undefined) later(token, ending);
      return new TaskResponse(submitted ?? {});
    }
    if (ending === undefined) return task.sleep?.(Infinity) ?? new Promise(() => {});
    if (fails) throw new TaskError(ending.error, ending.cause);
    return new TaskResponse(ending.output);
  };
}

/** What is known of a case before it runs on a host: how it ends in memory, and how long that takes. */
async function inMemory(stepglass, one, name) {
  const { StateMachine } = stepglass;
  const type = one.type === "EXPRESS" ? "EXPRESS" : "STANDARD";
  const text = typeof one.definition === "string" ? one.definition : (JSON.stringify(one.definition) ?? "");
  const account = "us-east-1:123456789012";
  const machine = new StateMachine(text, { type, name, arn: `arn:aws:states:${account}:stateMachine:${name}` });
  const names = { name: "case", arn: `arn:aws:states:${account}:execution:${name}:case` };
  const later = (token, ending) =>
    afterAnswer().then(() => ("error" in ending ? execution.fail(token, ending) : execution.succeed(token, ending.output)));
  const clock = one.stop ? "real" : "virtual";
  const execution = machine.start(one.input ?? {}, { ...names, seed: SEED, clock, tasks: tasksOf(stepglass, one, later) });
  if (one.stop) await afterAnswer().then(() => execution.abort());
  const result = await execution.result;
  const history = execution.history();
  const [first, last] = [history[0], history.at(-1)].map(({ timestamp }) => Date.parse(timestamp));
  return { definition: text, machine, result, history, seconds: (last - first) / 1000 };
}

/** The hosts: each runs one machine a case, and returns how to start and to answer. */
const HOSTS = {
  async durable(stepglass, machines, tasks) {
    const { Runtime, executionOfToken } = await dist("durable-node.js");
    const runtimes = new Map();
    // Each has a time of its own.
    const open = async (name) => {
      const clock = new JumpingClock();
      const runtime = await new Runtime({ machines: { [name]: machines[name] }, tasks, clock }).open();
      runtimes.set(name, { runtime, clock });
      return runtime;
    };
    const whose = (token) => runtimes.get(executionOfToken(token).split(":").at(-2)).runtime;
    const client = {
      start: async (name, options) => (await open(name)).start(name, options),
      succeed: (token, output) => whose(token).succeed(token, output),
      fail: (token, failure) => whose(token).fail(token, failure),
    };
    const close = async () => {
      for (const { runtime, clock } of runtimes.values()) {
        clock.stop();
        await runtime.close();
      }
    };
    return { client, close };
  },
  async restate(stepglass, machines, tasks) {
    const { sdk, startServer, unavailable } = await import("../../pkg-tests/restate/server.mjs");
    if (unavailable !== undefined) throw new Error(unavailable);
    const { RestateClient, serveOnRestate } = await dist("restate.js");
    const server = await startServer();
    const worker = await serveOnRestate({ machines, tasks, port: 0, admin: server.admin, sdk: await sdk() });
    const close = async () => {
      await worker.close();
      await server.stop();
    };
    return { client: new RestateClient(server.ingress, { admin: server.admin }), close };
  },
};

/** Time that goes on to the next timer whenever nothing happens for a moment. */
class JumpingClock {
  #now = Date.UTC(2026, 0, 1);
  #timers = new Map();
  #next = 1;
  #idle = setInterval(() => this.#jump(), 30);
  now = () => this.#now;
  setTimeout = (run, delay) => (this.#timers.set(this.#next, { run, at: this.#now + Math.max(0, delay) }), this.#next++);
  clearTimeout = (timer) => this.#timers.delete(timer);
  stop() {
    clearInterval(this.#idle);
  }
  #jump() {
    const first = Math.min(...[...this.#timers.values()].map(({ at }) => at));
    if (first === Infinity) return;
    this.#now = Math.max(this.#now, first);
    for (const [id, { run, at }] of [...this.#timers]) if (at <= this.#now && this.#timers.delete(id)) run();
  }
}

/** Runs the cases; returns `{host, total, equal, differing, left}`. */
async function compareHost(host, cases, longest) {
  const stepglass = await dist("node.js");
  if (HOSTS[host] === undefined) throw new Error(`--host takes ${Object.keys(HOSTS).join(" or ")}`);
  const { sameHistory } = await import("./same-history.mjs");
  const left = [];
  const chosen = [];
  for (const [i, one] of cases.entries()) {
    const name = `case-${i}`;
    const leave = (reason) => left.push({ name: one.name, reason });
    if (one.definition === null) leave("its recording has no definition");
    else if (one.type === "EXPRESS" && host !== "restate") leave("an Express execution: this host runs Standard ones");
    else if (!ends(stepglass, one)) leave("its definition is not valid");
    else {
      const memory = await limited(inMemory(stepglass, one, name), 5000).catch((error) => error);
      if (memory instanceof Error) leave(`in memory: ${memory.message.slice(0, 100)}`);
      else chosen.push({ one, name, memory });
    }
  }
  const differing = [];
  await onHost(
    stepglass,
    host,
    chosen,
    async (client, { one, name, memory }) => {
      const execution = await client.start(name, { name: "case", input: one.input ?? {}, seed: SEED });
      if (host === "restate" && memory.seconds > longest) {
        const { reason, problem } = await sameBeginning(execution, memory);
        (problem === undefined ? left : differing).push({ name: one.name, reason: problem ?? reason });
        return;
      }
      if (one.stop) {
        await reached(execution, memory.history.length - 1);
        await execution.stop();
      }
      const result = await limited(execution.result, 1000 * (longest + 60));
      const problem = sameHistory({ result, history: await execution.history() }, memory);
      if (problem !== undefined) differing.push({ name: one.name, reason: problem });
    },
    differing,
  );
  return { host, total: cases.length, equal: cases.length - left.length - differing.length, differing, left };

  /** Compares the events up to where an execution waits, and stops it. */
  async function sameBeginning(execution, { history, seconds }) {
    const [beginning] = waits(history);
    const there = { result: "RUNNING", history: await reached(execution, beginning.length) };
    const problem = sameHistory(there, { result: (await execution.describe()).status, history: beginning });
    await execution.stop();
    return { problem, reason: `it waits as in memory, with the same ${beginning.length} events; its end takes ${Math.round(seconds)} s` };
  }
}

/** The events before the longest pause, and those after it. */
function waits(history) {
  const times = history.map(({ timestamp }) => Date.parse(timestamp));
  const pauses = times.slice(1).map((time, i) => time - times[i]);
  const at = pauses.indexOf(Math.max(...pauses)) + 1;
  return [history.slice(0, at), history.slice(at)];
}

/** The history of an execution when it has so many events. */
async function reached(execution, count) {
  for (let tries = 0; ; tries += 1) {
    const history = await execution.history();
    if (history.length >= count || tries > 500) return history;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function onHost(stepglass, host, chosen, run, differing) {
  const answers = new Map();
  let client;
  const later = (token, ending) =>
    setTimeout(() => void ("error" in ending ? client.fail(token, ending) : client.succeed(token, ending.output)), LATER[host]);
  for (const { one, name } of chosen) answers.set(name, tasksOf(stepglass, one, later));
  const tasks = (input, task) => {
    // A child of a Map Run has the label of that after its machine.
    const [name] = task.idempotencyKey.split(":")[6].split("/");
    return answers.get(name)(input, task);
  };
  const opened = await HOSTS[host](stepglass, Object.fromEntries(chosen.map(({ name, memory }) => [name, memory.machine])), tasks);
  client = opened.client;
  const queue = [...chosen];
  const work = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift())
      await run(client, one).catch((error) => differing.push({ name: one.one.name, reason: String(error.message ?? error).slice(0, 300) }));
  };
  await Promise.all(Array.from({ length: AT_ONCE[host] }, work));
  await opened.close();
}

function ends({ validate }, { definition }) {
  const text = typeof definition === "string" ? definition : (JSON.stringify(definition) ?? "");
  return validate(text).every(({ severity }) => severity !== "error");
}

function limited(promise, milliseconds) {
  let timer;
  const late = new Promise(
    (_, reject) => (timer = setTimeout(() => reject(new Error(`it does not end in ${milliseconds} ms`)), milliseconds)),
  );
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Runs it as a command. */
export async function main(host, cases, { json, longest }) {
  const report = await compareHost(host, cases, longest);
  if (json) console.log(JSON.stringify(report));
  else {
    console.log(`${host}: ${report.equal} of ${report.total} executions have the result and the history that they have in memory`);
    for (const [title, list] of [
      ["≠", report.differing],
      ["–", report.left],
    ])
      for (const { name, reason } of list) console.log(`${title} ${name}\n  ${reason}`);
  }
  return report.differing.length === 0 ? 0 : 1;
}
