// A Restate server for tests: the binary of the npm package on free ports of the loopback interface, with its data in a temporary folder.
// If no server can run on this machine, `unavailable` says why.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importSource } from "../../scripts/sources.mjs";

const packages = join(import.meta.dirname, "node_modules/@restatedev");
const binary = join(packages, `restate-server-${process.platform}-${process.arch}`, "bin/restate-server");

/** The reason why no server can run here, or undefined if one can. */
export const unavailable = !existsSync(join(packages, "restate-sdk"))
  ? "the packages of pkg-tests/restate are not installed: npm ci --prefix pkg-tests/restate"
  : existsSync(binary)
    ? undefined
    : `Restate has no server for ${process.platform} on ${process.arch}`;

// The memory of a server is small, because several may run on one machine.
const MEMORY = "256MB";
const READY = 60_000;

/** Starts a server with `nodes` nodes. Resolves when it accepts requests. */
export async function startServer({ nodes = 1 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-restate-"));
  const all = [];
  for (let i = 0; i < nodes; i += 1) all.push({ name: `n${i + 1}`, ports: await freePorts(3), exit: undefined });
  const server = {
    folder,
    nodes: all,
    ingress: `http://127.0.0.1:${all[0].ports[0]}`,
    admin: `http://127.0.0.1:${all[0].ports[1]}`,
    ingressOf: (i) => `http://127.0.0.1:${all[i].ports[0]}`,
    /** Kills a node at once, like a power cut. */
    kill: (i = 0) => end(all[i], "SIGKILL"),
    /** Starts a node that has ended again, on the same ports and with its data. */
    restart: async (i = 0) => {
      begin(all[i], all, folder);
      await ready(all[i]);
    },
    stop: async () => {
      await Promise.all(all.map((node) => end(node, "SIGKILL")));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  // The nodes are killed even if a test process exits without calling `stop`.
  process.once("exit", () => all.forEach(({ child }) => child?.kill("SIGKILL")));
  try {
    for (const node of all) begin(node, all, folder);
    await Promise.all(all.map(ready));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function begin(node, all, folder) {
  const [ingress, admin, fabric] = node.ports;
  const env = {
    ...process.env,
    // A killed server leaves the files of its queues in TMPDIR. Here they are removed with the folder.
    ...(process.platform === "win32" ? {} : { TMPDIR: folder }),
    ...{ DO_NOT_TRACK: "1", RESTATE_DISABLE_TELEMETRY: "true", RUST_LOG: "warn", RESTATE_LOG_FILTER: "warn" },
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_INGRESS__ADVERTISED_INGRESS_ENDPOINT: `http://127.0.0.1:${ingress}/`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${fabric}/`,
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: MEMORY,
    RESTATE_CLUSTER_NAME: "stepglass",
    RESTATE_AUTO_PROVISION: String(node === all[0]),
    ...(all.length > 1 && {
      RESTATE_DEFAULT_REPLICATION: "2",
      RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(all.map(({ ports }) => `http://127.0.0.1:${ports[2]}/`)),
    }),
  };
  const args = ["--node-name", node.name, "--base-dir", join(folder, node.name), "--listen-mode", "tcp", "--no-logo"];
  node.child = spawn(binary, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  node.log = "";
  for (const stream of [node.child.stdout, node.child.stderr]) stream.on("data", (text) => (node.log = (node.log + text).slice(-4000)));
  node.exit = new Promise((resolve) => node.child.once("exit", resolve));
}

async function end(node, signal) {
  if (node.child === undefined || node.child.exitCode !== null || node.child.signalCode !== null) return;
  node.child.kill(signal);
  await node.exit;
}

/** Resolves when a node's ingress and admin API answer. */
async function ready({ name, ports: [ingress, admin], child, log }) {
  const urls = [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${ingress}/restate/health`];
  for (const until = Date.now() + READY; Date.now() < until;) {
    if (child.exitCode !== null) break;
    const answers = await Promise.all(
      urls.map((url) =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    if (answers.every(Boolean)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Restate's node ${name} did not come up:\n${log}`);
}

/** Returns free ports. */
export async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve) => {
          const server = createServer().listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Imports the SDK, which is installed in this folder and not in the root. */
export async function sdk() {
  Promise.withResolvers ??= function withResolvers() {
    let resolve, reject;
    const promise = new this((settle, fail) => ([resolve, reject] = [settle, fail]));
    return { promise, resolve, reject };
  };
  return import(join(packages, "restate-sdk/dist/index.js"));
}

/** Starts and registers a worker in this process, with a client. `drop` ends it at once, and the next worker repeats its open work. */
export async function startWorker({ server, ...options }) {
  const { RestateClient, serveOnRestate } = await importSource("pkg-tests/restate/inside.mjs");
  const worker = await serveOnRestate({ port: 0, admin: server.admin, ...options, sdk: await sdk() });
  const client = new RestateClient(server.ingress, { admin: server.admin });
  return { worker, client, url: worker.url, close: () => worker.close(), drop: () => worker.close() };
}
