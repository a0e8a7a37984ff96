// Kills workers and servers under executions on Restate, and checks that nothing is lost: each execution ends as it should, its history has
// each answer once, and each task has had its effect once by its idempotency key, however often it was called.
//
//   npm run crash:restate -- [--only WORD] [--items N] [--executions N] [--json]
//
// The oracle is a file to which workers append a line for each call and each effect; a service that takes idempotency keys does an effect
// once for each key. Needs the packages of pkg-tests/restate.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePorts, startServer, unavailable } from "../pkg-tests/restate/server.mjs";
import { root } from "./steps.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    items: { type: "string", default: "10000" },
    executions: { type: "string", default: "40" },
    json: { type: "boolean" },
  },
});
const { RestateClient } = await import("../dist/restate.js");
const COUNT = Number(values.executions);
const LONGEST = 900_000;

/** A cluster, the process of a worker, and its log. */
class Place {
  static async open(nodes = 1) {
    const place = new Place();
    place.server = await startServer({ nodes });
    place.client = new RestateClient(place.server.ingress, { admin: place.server.admin });
    place.file = join(place.server.folder, "effects");
    [place.port] = await freePorts(1);
    await place.begin();
    return place;
  }

  /** Starts a worker on the port of the previous one. */
  async begin(env = {}) {
    const child = spawn(process.execPath, [join(root, "scripts/crash/restate-worker.mjs"), this.port, this.server.admin, this.file], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.worker = child;
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("exit", (code) => reject(new Error(`the worker has ended with ${code}`)));
    });
  }

  async kill() {
    const ended = new Promise((resolve) => this.worker.once("exit", resolve));
    this.worker.kill("SIGKILL");
    await ended;
  }

  async close() {
    await this.kill();
    await this.server.stop();
  }

  /** Returns the lines of the log that begin with a word: `[word, task, key]`. */
  lines(word) {
    const all = existsSync(this.file) ? readFileSync(this.file, "utf8").split("\n") : [];
    return all.map((line) => line.split(" ")).filter(([first]) => first === word);
  }

  /**
   * Returns the keys whose effect has happened. If a worker died between the effect and its line, the service reported it at the
   * next request.
   */
  done() {
    return new Set(["effect", "again"].flatMap((word) => this.lines(word)).map(([, , key]) => key));
  }

  async start(machine, count, input = {}) {
    return Promise.all(
      Array.from({ length: count }, (_, n) => this.client.start(machine, { name: `${machine}-${n}`, input: { n, ...input } })),
    );
  }
}

async function eventually(holds, what) {
  for (const until = Date.now() + LONGEST; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 25))) {
    const value = await holds();
    if (value) return value;
  }
  throw new Error(`${what}: not in ${LONGEST / 1000} s`);
}

/** Checks how executions have ended. */
async function check(place, executions, { tasks, status = "SUCCEEDED" }) {
  const problems = [];
  for (const execution of executions) {
    const found = await eventually(() => place.client.get(execution.arn), `execution ${execution.name}`);
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, LONGEST, { status: "not ended" })));
    const result = await Promise.race([found.result, late]);
    clearTimeout(timer);
    if (result.status !== status) problems.push(`${found.name} is ${result.status}: ${result.error ?? ""} ${result.cause ?? ""}`);
    const events = await found.history();
    const gap = events.findIndex(({ id }, i) => id !== i + 1);
    if (gap >= 0) problems.push(`${found.name}: event ${gap + 1} has the id ${events[gap].id}`);
    if (tasks === undefined) continue;
    const answers = events.filter(({ type }) => /^(Task|LambdaFunction)Succeeded$/.test(type)).length;
    if (answers !== tasks) problems.push(`${found.name} has ${answers} answers, and not ${tasks}`);
  }
  return [...problems, ...oracle(place, executions, tasks)];
}

/** Checks that each task has had its effect: at least one key for each, and one effect for each key. */
function oracle(place, executions, tasks) {
  const effects = new Map();
  for (const [, , key] of place.lines("effect")) effects.set(key, (effects.get(key) ?? 0) + 1);
  const twice = [...effects].filter(([, count]) => count > 1).map(([key]) => `${key} had its effect twice`);
  if (tasks === undefined) return twice;
  const lost = executions.flatMap(({ arn, name }) => {
    const own = [...place.done()].filter((key) => key.startsWith(`${arn}/`)).length;
    return own === tasks ? [] : [`${name} has ${own} effects, and not ${tasks}`];
  });
  return [...twice, ...lost];
}

const SCENARIOS = {
  async "worker killed"(place) {
    const all = await place.start("Steps", COUNT, { milliseconds: 100 });
    for (let kills = 0; kills < 3; kills += 1) {
      const before = place.lines("effect").length;
      await eventually(() => place.lines("effect").length > before + COUNT / 4, "effects");
      await place.kill();
      await place.begin();
    }
    return check(place, all, { tasks: 4 });
  },
  async "server killed"(place) {
    const all = await place.start("Steps", COUNT, { milliseconds: 100 });
    await eventually(() => place.lines("effect").length > COUNT / 2, "effects");
    await place.server.kill(0);
    await place.server.restart(0);
    return check(place, all, { tasks: 4 });
  },
  async "one node of three killed"(place) {
    const all = await place.start("Steps", COUNT, { milliseconds: 100 });
    await eventually(() => place.lines("effect").length > COUNT / 2, "effects");
    // The server whose ingress receives the requests must stay.
    await place.server.kill(2);
    const more = await Promise.all(
      [0, 1, 2].map((n) => place.client.start("Steps", { name: `later-${n}`, input: { n, milliseconds: 1 } })),
    );
    const problems = await check(place, [...all, ...more], { tasks: 4 });
    await place.server.restart(2);
    return problems;
  },
  async "duplicate and late tokens"(place) {
    const all = await place.start("Asking", COUNT);
    await eventually(() => new Set(place.lines("token").map(([, token]) => token)).size >= COUNT, "tokens");
    const tokens = [...new Set(place.lines("token").map(([, token]) => token))];
    await place.kill();
    await place.begin();
    const answers = await Promise.all(tokens.flatMap((token) => [1, 2, 3].map((n) => place.client.succeed(token, { n }))));
    const accepted = answers.filter(Boolean).length;
    const problems = accepted === COUNT ? [] : [`${accepted} answers of ${COUNT} tokens were accepted`];
    problems.push(...(await check(place, all, {})));
    const late = await Promise.all(tokens.map((token) => place.client.fail(token, { error: "Late" })));
    if (late.some(Boolean)) problems.push(`${late.filter(Boolean).length} late answers were accepted`);
    return problems;
  },
  async "stop in a slice"(place) {
    const all = await place.start("Steps", 10, { milliseconds: 60_000 });
    await eventually(() => place.lines("begins").length >= 10, "calls");
    await Promise.all(all.map(({ arn }) => place.client.get(arn).then((one) => one?.stop("Enough", "now"))));
    const problems = await check(place, all, { status: "ABORTED" });
    await eventually(() => place.lines("aborted").length >= 10, "aborted signals");
    return problems;
  },
  async "worker upgraded between slices"(place) {
    const all = await place.start("Versioned", COUNT);
    await eventually(async () => (await Promise.all(all.map((one) => one.frames()))).every((frames) => frames.length > 0), "Wait states");
    await place.kill();
    await place.begin({ VERSION: "2" });
    const problems = await check(place, all, {});
    for (const one of all) if ((await one.result).output !== "1") problems.push(`${one.name} has changed its definition`);
    const next = await place.client.start("Versioned", { name: "next", input: {} });
    if ((await next.result).output !== "2") problems.push("a new execution has the old definition");
    return problems;
  },
  async "worker stopped and continued"(place) {
    const all = await place.start("Steps", COUNT, { milliseconds: 200 });
    await eventually(() => place.lines("begins").length >= COUNT / 2, "calls");
    const zombie = place.worker;
    zombie.kill("SIGSTOP");
    // Another worker on its own port replaces it.
    const port = place.port;
    [place.port] = await freePorts(1);
    await place.begin();
    const others = await place.start("Asking", 1);
    await eventually(() => place.lines("token").length > 0, "a call of the new worker");
    zombie.kill("SIGCONT");
    const problems = await check(place, all, { tasks: 4 });
    await others[0].stop();
    place.port = port;
    zombie.kill("SIGKILL");
    return problems;
  },
  async "a Distributed Map"(place) {
    const items = Number(values.items);
    const execution = await place.client.start("Items", { name: "items", input: { items: Array.from({ length: items }, (_, n) => n) } });
    await eventually(() => place.lines("effect").length > items / 10, "effects");
    await place.kill();
    await place.begin();
    const problems = await check(place, [execution], {});
    const effects = place.done().size;
    if (effects !== items) problems.push(`${effects} items of ${items} had their effect`);
    return problems;
  },
};

const report = [];
if (unavailable !== undefined) {
  console.log(`crash:restate: skipped, because ${unavailable}`);
  process.exit(process.env.CI ? 1 : 0);
}
for (const [name, run] of Object.entries(SCENARIOS)) {
  if (!name.includes(values.only)) continue;
  const begun = Date.now();
  const place = await Place.open(name.includes("three") ? 3 : 1);
  const problems = await run(place).catch((error) => [String(error.stack ?? error)]);
  const [calls, effects] = ["begins", "effect"].map((word) => place.lines(word).length);
  await place.close();
  report.push({ name, seconds: (Date.now() - begun) / 1000, calls, effects, problems });
  if (!values.json) {
    const { seconds } = report.at(-1);
    console.log(`${problems.length === 0 ? "ok    " : "FAILED"} ${name}: ${calls} calls, ${effects} effects, ${seconds.toFixed(1)} s`);
    for (const problem of problems.slice(0, 5)) console.log(`       ${problem}`);
  }
}
if (values.json) console.log(JSON.stringify(report));
process.exit(report.some(({ problems }) => problems.length > 0) ? 1 : 0);
