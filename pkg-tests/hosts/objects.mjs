// The Durable Object host of docs/host-guide.md in workerd, Cloudflare's runtime, and an adapter for the tests of hosts. It performs tasks by
// HTTP requests to this process.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "../../scripts/bundlers.mjs";
import { root } from "../../scripts/steps.mjs";

const { executionOfToken } = await import("../../dist/durable-node.js");

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "main.js", esModule = embed "main.js"),
        (name = "./stepglass-fast.wasm", wasm = embed "stepglass-fast.wasm"),
      ],
      compatibilityDate = "2025-11-01",
      durableObjectNamespaces = [(className = "Execution", uniqueKey = "execution", enableSql = true)],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [(name = "EXECUTIONS", durableObjectNamespace = "Execution"), (name = "TASKS", service = "tasks")],
    )),
    (name = "tasks", network = (allow = ["local"])),
    (name = "disk", disk = (path = "objects", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Builds the Worker as wrangler does: one file, with the WebAssembly as a separate module. */
export async function build() {
  const esbuild = await import("esbuild");
  const folder = mkdtempSync(join(tmpdir(), "stepglass-objects-"));
  mkdirSync(join(folder, "objects"));
  const page = readFileSync(join(root, "docs/host-guide.md"), "utf8");
  const [, code] = /```js\n(\/\/ execution\.js\n[^]*?)```\n/.exec(page);
  await esbuild.build({
    stdin: { contents: code, resolveDir: root, loader: "js" },
    outfile: join(folder, "main.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    alias: { stepglass: join(root, "dist/workerd.js") },
    external: ["cloudflare:workers", "./stepglass-fast.wasm"],
    logLevel: "warning",
  });
  cpSync(join(root, "dist/stepglass-fast.wasm"), join(folder, "stepglass-fast.wasm"));
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A process of workerd. */
export class Workerd {
  #folder;
  #child;
  #base;

  constructor(folder) {
    this.#folder = folder;
  }

  async begin() {
    const child = spawn(program("workerd"), ["serve", "config.capnp", "--control-fd=3"], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output = (output + text).slice(-4000)));
    const port = await new Promise((resolve, reject) => {
      child.stdio[3].on("data", (text) => /"port":(\d+)/.test(text) && resolve(/"port":(\d+)/.exec(text)[1]));
      child.once("exit", () => reject(new Error(`workerd has ended:\n${output}`)));
    });
    this.#base = `http://127.0.0.1:${port}/`;
    this.output = () => output;
  }

  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** Calls a method of an execution. */
  async ask(method, arn, ...given) {
    const response = await fetch(new URL(method, this.#base), { method: "POST", body: JSON.stringify({ arn, given }) });
    if (!response.ok) throw new Error(`workerd has answered ${response.status}: ${await response.text()}\n${this.output()}`);
    return (await response.json()).answer;
  }
}

/** An HTTP server that calls the handlers of a program. If a request is closed early, the task's signal is aborted. */
function serveTasks(tasks) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { resource, input, task } = JSON.parse(Buffer.concat(chunks));
    const controller = new AbortController();
    response.on("close", () => response.writableFinished || controller.abort());
    let answer;
    try {
      answer = { output: await tasks[resource](input, { ...task, signal: controller.signal }) };
    } catch (thrown) {
      answer = { error: thrown.error ?? thrown.name, cause: thrown.errorCause ?? thrown.stack };
    }
    response.end(JSON.stringify(answer));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const arnOf = (machine, name) => `arn:aws:states:us-east-1:123456789012:execution:${machine}:${name}`;

/** Returns `open` of an adapter. `workerd` is a running process, or a function that starts one for each host, so that it can crash. */
export const opener = (workerd) => async (given) => {
  const own = typeof workerd === "function" ? await workerd() : undefined;
  const there = own ?? workerd;
  const server = await serveTasks(given.tasks);
  const service = `http://127.0.0.1:${server.address().port}/`;
  const known = new Set();
  const handle = (arn) => ({
    arn,
    // The request fails if the process dies before it answers, so it is repeated.
    get result() {
      const ask = () => there.ask("result", arn).catch(() => new Promise((resolve) => setTimeout(resolve, 50)).then(ask));
      return ask();
    },
    describe: () => there.ask("describe", arn),
    history: async ({ from = 0, limit = Infinity, reverse = false } = {}) => {
      const events = await there.ask("history", arn);
      return (reverse ? events.reverse() : events).slice(from, from + limit);
    },
    stop: async (...about) => void (await there.ask("stop", arn, ...about)),
  });
  const answer = (token, method, ...rest) => {
    const arn = executionOfToken(token);
    return arn === undefined ? Promise.resolve(false) : there.ask("token", arn, token, method, ...rest);
  };
  return {
    start: async (machine, { name, input, seed = Math.trunc(2 ** 32 * Math.random()) }) => {
      const arn = arnOf(machine, name);
      const about = {
        machine,
        name,
        arn,
        service,
        seed,
        input: JSON.stringify(input),
        definition: JSON.stringify(given.machines[machine]),
      };
      const { error } = await there.ask("start", arn, about);
      if (error !== undefined) throw Object.assign(new Error(`there is an execution ${name} of ${machine} already`), { code: error });
      known.add(arn);
      return handle(arn);
    },
    get: async (machine, name) => ((await there.ask("describe", arnOf(machine, name))) ? handle(arnOf(machine, name)) : undefined),
    succeed: (token, output) => answer(token, "succeed", output),
    fail: (token, { error = "States.TaskFailed", cause }) => answer(token, "fail", error, cause),
    ...(own !== undefined && {
      async crash() {
        await own.kill();
        await own.begin();
        // A request wakes each object at once. Its alarm would wake it later.
        await Promise.all([...known].map((arn) => own.ask("describe", arn)));
      },
    }),
    close: async () => {
      await own?.kill();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
