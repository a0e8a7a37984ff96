// A server with a data folder is killed again and again while a client starts executions. Every acknowledged execution has to end like its
// twin on a server that is not killed, and each effect happens once per idempotency key.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { isDeepStrictEqual } from "node:util";
import { setTimeout as pause } from "node:timers/promises";

const root = join(import.meta.dirname, "../..");
const role = "arn:aws:iam::123456789012:role/any";
/** What executions do. The number of an execution selects its kind. */
export const KINDS = ["tasks", "wait", "token", "activity", "child", "retry", "map", "parallel"];

/** Returns a generator of numbers from 0 to 1, which the seed determines. */
export function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const task = (more = {}, resource = "work") => ({
  Type: "Task",
  Resource: `arn:aws:lambda:us-east-1:123456789012:function:${resource}`,
  End: true,
  ...more,
});

/** The definition of a machine that runs the states of the input's `kind`. */
function definition(child, activity) {
  const sync = "arn:aws:states:::states:startExecution.sync:2";
  const branches = Object.fromEntries([1, 2, 3].map((i) => [i, { StartAt: `B${i}`, States: { [`B${i}`]: task() } }]));
  const each = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "Each", States: { Each: task() } };
  const choices = KINDS.map((kind) => ({ Variable: "$.kind", StringEquals: kind, Next: kind }));
  return JSON.stringify({
    StartAt: "Which",
    States: {
      Which: { Type: "Choice", Choices: choices },
      tasks: { ...task(), End: undefined, Next: "Second" },
      Second: { ...task(), End: undefined, Next: "Third" },
      Third: task(),
      wait: { Type: "Wait", Seconds: 1, Next: "Third" },
      token: {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        Parameters: { "token.$": "$$.Task.Token", "name.$": "$.name" },
        ResultPath: "$.answer",
        Next: "Third",
      },
      activity: {
        Type: "Task",
        Resource: activity,
        HeartbeatSeconds: 2,
        // If the server is killed while it gives a task to a worker, the worker never receives it, so the task has to time out.
        Retry: [{ ErrorEquals: ["States.HeartbeatTimeout", "States.Timeout"], IntervalSeconds: 1, MaxAttempts: 50, BackoffRate: 1 }],
        Next: "Third",
      },
      child: {
        Type: "Task",
        Resource: sync,
        Parameters: { StateMachineArn: child, "Input.$": "$" },
        OutputPath: "$.Output",
        Next: "Third",
      },
      retry: task({ Retry: [{ ErrorEquals: ["Unsteady"], IntervalSeconds: 1, MaxAttempts: 3 }] }, "unsteady"),
      map: { Type: "Map", ItemsPath: "$.items", ItemProcessor: each, MaxConcurrency: 2, End: true },
      parallel: { Type: "Parallel", Branches: Object.values(branches), End: true },
    },
  });
}

const child = JSON.stringify({ StartAt: "Pause", States: { Pause: { Type: "Wait", Seconds: 1, Next: "Inner" }, Inner: task() } });

export function inputOf(n) {
  const name = `e${n}`;
  return JSON.stringify({ n, name, kind: KINDS[n % KINDS.length], items: [0, 1, 2].map((i) => ({ n: n + i, name })) });
}

/** A server in a separate process, which can be killed and started again on the same port. */
class Served {
  #node;
  #folder;
  #data;
  #child;
  port;

  constructor(node, folder, data) {
    this.#node = node;
    this.#folder = folder;
    this.#data = data;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    this.port ??= await freePort();
    const tasks = join(import.meta.dirname, "crash-tasks.mjs");
    const args = [join(root, "dist/cli.js"), "serve", "--json", "--port", String(this.port), "--tasks", tasks, "--log-level", "error"];
    this.#child = spawn(this.#node, ["--no-warnings", ...args, "--retain", "100000", ...(this.#data ? ["--data", this.#data] : [])], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, STEPGLASS_EFFECTS: this.#folder },
    });
    let stderr = "";
    this.#child.stderr.on("data", (chunk) => (stderr += chunk));
    const ready = once(this.#child.stdout, "data");
    const gone = once(this.#child, "exit").then(() => Promise.reject(new Error(`the server has ended: ${stderr}`)));
    gone.catch(() => {});
    await Promise.race([ready, gone]);
  }

  async kill() {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Repeats a request until it is answered, because the server may be down, or until `until` returns true. Throws the API's errors. */
export async function call(url, operation, input = {}, until = () => false) {
  for (;;) {
    try {
      const response = await fetch(url, {
        method: "POST",
        body: JSON.stringify(input),
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` },
        signal: AbortSignal.timeout(70_000),
      });
      const body = await response.json();
      if (response.ok) return body;
      if (response.status < 500) throw Object.assign(new Error(`${operation}: ${body.__type}: ${body.message}`), { type: body.__type });
    } catch (error) {
      if (error.type !== undefined) throw error;
    }
    if (until()) return undefined;
    await pause(20);
  }
}

function linesOf(folder, name) {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Answers task tokens and activity tasks until it is stopped. */
function answerTasks(served, folder, activityArn) {
  let stopped = false;
  const isOver = () => stopped;
  const callIgnoringLate = async (operation, input) => {
    // An answer is sent again if it was stored but its response was lost.
    const late = (error) => ["TaskTimedOut", "TaskDoesNotExist"].includes(error.type) || Promise.reject(error);
    await call(served.url, operation, input, isOver).catch(late);
  };
  const tokens = async () => {
    for (let next = 0; !stopped;) {
      const all = linesOf(folder, "tokens");
      for (; next < all.length; next += 1) await callIgnoringLate("SendTaskSuccess", { taskToken: all[next].token, output: '"yes"' });
      await pause(20);
    }
  };
  const worker = async () => {
    while (!stopped) {
      const { taskToken, input } = (await call(served.url, "GetActivityTask", { activityArn, workerName: "w" }, isOver)) ?? {};
      if (taskToken !== undefined) await callIgnoringLate("SendTaskSuccess", { taskToken, output: input });
    }
  };
  const all = Promise.all([tokens(), worker(), worker()]);
  return {
    all,
    stop() {
      stopped = true;
    },
  };
}

/** Runs `count` executions on one server, which is killed `kills` times. Returns how each has ended, and the effects. */
async function runExecutions({ node, count, kills, next, start, isTwin, done }) {
  const folder = join(done, isTwin ? "twin" : "killed");
  mkdirSync(folder);
  const served = new Served(node, folder, isTwin ? undefined : join(folder, "data"));
  await served.start();
  const { url } = served;
  const { activityArn } = await call(url, "CreateActivity", { name: "Work" });
  const inner = await call(url, "CreateStateMachine", { name: "Child", definition: child, roleArn: role });
  const made = { name: "Crash", definition: definition(inner.stateMachineArn, activityArn), roleArn: role };
  const { stateMachineArn } = await call(url, "CreateStateMachine", made);
  const helper = answerTasks(served, folder, activityArn);
  let acknowledged = 0;
  const began = performance.now();
  const recoveries = [];
  const killing = async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      // The last kills happen when all executions are started and some still run.
      const share = Math.floor((count * (kill + next())) / kills);
      while (acknowledged < share) await pause(2);
      await pause(next() * 120);
      await served.kill();
      const from = performance.now();
      await served.start();
      recoveries.push(performance.now() - from);
    }
  };
  const starting = start({ url, stateMachineArn, count, onAcknowledged: () => (acknowledged += 1) });
  await Promise.race([Promise.all([starting, killing()]), helper.all]);
  const ends = new Map();
  const lost = [];
  for (let n = 0; n < count; n += 1) {
    const executionArn = `${stateMachineArn.replace(":stateMachine:", ":execution:")}:e${n}`;
    for (;;) {
      const about = await Promise.race([call(url, "DescribeExecution", { executionArn }).catch(() => undefined), helper.all]);
      if (about === undefined) lost.push(executionArn);
      else if (about.status === "RUNNING") {
        await pause(20);
        continue;
      } else ends.set(`e${n}`, { status: about.status, error: about.error, output: outcomeOf(about) });
      break;
    }
  }
  const seconds = (performance.now() - began) / 1000;
  helper.stop();
  await served.kill();
  await helper.all;
  return { ends, lost, acknowledged, effects: linesOf(folder, "effects"), recoveries, seconds };
}

/** The parsed output of an execution. */
function outcomeOf({ output }) {
  return output === undefined ? undefined : JSON.parse(output);
}

/** The number of effects of each state of each execution, counted once per idempotency key. */
function effectsOf(effects) {
  const keys = new Map();
  for (const { name, state, key } of effects) {
    const place = `${name} ${state}`;
    keys.set(place, (keys.get(place) ?? new Set()).add(key));
  }
  return new Map([...keys].map(([place, set]) => [place, set.size]));
}

/** Runs the executions on a server that is not killed and on one that is, and returns the differences. */
export async function crash({ node, count, kills, seed, start }) {
  const done = mkdtempSync(join(tmpdir(), "stepglass-crash-"));
  try {
    const next = random(seed);
    const twin = await runExecutions({ node, count, kills: 0, next, start, isTwin: true, done });
    const killed = await runExecutions({ node, count, kills, next, start, isTwin: false, done });
    const different = [];
    for (const [name, end] of twin.ends)
      if (!isDeepStrictEqual(killed.ends.get(name), end)) different.push({ name, twin: end, killed: killed.ends.get(name) });
    const [once, again] = [effectsOf(twin.effects), effectsOf(killed.effects)];
    const effects = [...new Set([...once.keys(), ...again.keys()])].filter((place) => once.get(place) !== again.get(place));
    const keys = new Set(killed.effects.map(({ key }) => key)).size;
    return {
      acknowledged: killed.acknowledged,
      ended: killed.ends.size,
      lost: killed.lost,
      different,
      effects: effects.map((place) => ({ place, twin: once.get(place), killed: again.get(place) })),
      keys,
      calls: killed.effects.length,
      recoveries: killed.recoveries,
      seconds: killed.seconds,
      twinSeconds: twin.seconds,
    };
  } finally {
    rmSync(done, { recursive: true, force: true });
  }
}
