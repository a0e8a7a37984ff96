// A worker: the process that Restate calls to run slices of executions, and their tasks.

import { type Http2Server, type ServerHttp2Session, createServer } from "node:http2";
import type { RestateOptions, RestateWorker } from "../../core/api/restate.d.ts";
import type { InvokeCommand, TaskHandler } from "../../core/api/index.d.ts";
import { asyncDispose } from "../../core/base/dispose.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { LIMITS } from "../../core/execution/settings.ts";
import { Handlers } from "../../core/tasks/resource.ts";
import { ActivityObject } from "./activities.ts";
import { RegisteredMachines } from "./registered-machines.ts";
import { ExecutionObject } from "./object.ts";
import { BuiltinTasks } from "./builtin-tasks.ts";
import { MapRunObject } from "./runs.ts";
import { type Sdk, type Services, servicesOf } from "./sdk.ts";
import { ScheduleObject } from "./schedules.ts";
import { ShardObject } from "./shard.ts";
import type { SliceHost } from "./slice-host.ts";
import { TaskService } from "./tasks.ts";

const OPTIONS = [
  ...["machines", "tasks", "longTasks", "sdk", "port", "host", "url", "admin", "identityKeys"],
  ...["slice", "shard", "retention", "missingHandler", "region", "account", "onLog", ...LIMITS],
];
const DAY = 86_400_000;
// How long Restate remembers a start by its name if executions are kept forever, in milliseconds.
const REMEMBERED = 365 * DAY;

/** Starts a worker. Resolves when it listens and, with `admin`, is registered. */
export async function serveOnRestate(options: RestateOptions): Promise<RestateWorker> {
  checkOptions(options, OPTIONS, "serveOnRestate()");
  const { host = "127.0.0.1", port = 9080 } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw misuse("INVALID_OPTION", "port must be a whole number from 0 to 65535");
  const sdk = options.sdk === undefined ? await importSdk() : (options.sdk as Sdk);
  const services = servicesOf(sdk, partsOf(options));
  const { identityKeys, onLog } = options;
  const handler = sdk.createEndpointHandler({
    services,
    ...(identityKeys !== undefined && { identityKeys: [...identityKeys] }),
    logger: (about: { level?: string }, message?: unknown, ...more: unknown[]) =>
      onLog?.({ level: about.level ?? "info", message: [message, ...more].map(shownEntry).join(" ") }),
  });
  const server = createServer(handler as unknown as (request: unknown, response: unknown) => void);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  const taken = await listening(server, port, host);
  const worker = new Worker(server, sessions, options.url ?? `http://${host.includes(":") ? `[${host}]` : host}:${taken}`, taken);
  try {
    if (options.admin !== undefined) await worker.register(options.admin);
  } catch (error) {
    await worker.close();
    throw error;
  }
  return worker;
}

/** Creates the objects behind a worker's services. */
export function partsOf(options: RestateOptions, now: () => number = Date.now): Services {
  const { slice = {}, shard = 100, retention, longTasks = [], missingHandler = "suspend" } = options;
  if (missingHandler !== "suspend" && missingHandler !== "fail")
    throw misuse("INVALID_OPTION", `missingHandler must be "suspend" or "fail", not ${shown(missingHandler)}`);
  const machines = new RegisteredMachines(options);
  const handlers = new Handlers<TaskHandler>(
    options.tasks,
    new BuiltinTasks(machines, options.payloadLimit),
    () => missingHandler === "suspend",
    options.strict,
  );
  machines.handlers = handlers;
  const long = new Set(longTasks);
  const retained = retention?.days === undefined ? undefined : retention.days * DAY;
  const host: SliceHost = {
    machines,
    isLong: ({ heartbeat, state, resource }: InvokeCommand) => heartbeat !== undefined || long.has(state) || long.has(resource),
    limits: { milliseconds: (slice.seconds ?? 60) * 1000, entries: slice.entries ?? 1000, shard },
    now,
    retention: retained,
  };
  const tasks = new TaskService(host, () => handlers);
  return {
    object: new ExecutionObject(host),
    schedule: new ScheduleObject(host),
    activity: new ActivityObject(),
    shards: new ShardObject(),
    mapRuns: new MapRunObject(),
    tasks,
    machines,
    remembered: retained ?? REMEMBERED,
  };
}

/** Imports the SDK. Its versions for Node 22 use a function that Node 20 does not have. */
async function importSdk(): Promise<Sdk> {
  const promises = Promise as unknown as { withResolvers?: () => unknown };
  promises.withResolvers ??= function withResolvers() {
    let resolve!: (value: unknown) => void;
    let reject!: (reason: unknown) => void;
    const promise = new Promise((settle, fail) => {
      resolve = settle;
      reject = fail;
    });
    return { promise, resolve, reject };
  };
  const name = "@restatedev/restate-sdk";
  try {
    return await import(/* @vite-ignore */ name);
  } catch (error) {
    const what =
      (error as { code?: string }).code === "ERR_MODULE_NOT_FOUND" ? "is not installed" : `could not be loaded: ${messageOf(error)}`;
    throw misuse("RESTATE_NO_SDK", `the package ${name} ${what}: npm install ${name}`, Error);
  }
}

function shownEntry(entry: unknown): string {
  return entry instanceof Error ? (entry.stack ?? entry.message) : typeof entry === "string" ? entry : (JSON.stringify(entry) ?? "");
}

function listening(server: Http2Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

class Worker implements RestateWorker {
  readonly url: string;
  readonly port: number;
  readonly #server: Http2Server;
  readonly #sessions: Set<ServerHttp2Session>;
  #closed: Promise<void> | undefined;

  constructor(server: Http2Server, sessions: Set<ServerHttp2Session>, url: string, port: number) {
    this.#server = server;
    this.#sessions = sessions;
    this.url = url;
    this.port = port;
  }

  /** Registers this worker with Restate. */
  async register(admin: string): Promise<void> {
    const url = new URL("deployments", admin.endsWith("/") ? admin : `${admin}/`);
    const body = JSON.stringify({ uri: this.url, force: true });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body }).catch((error: unknown) => {
      throw misuse("RESTATE_UNREACHABLE", `${url} does not answer: ${messageOf(error)}`, Error);
    });
    const text = await response.text();
    if (!response.ok) throw misuse("RESTATE_FAILED", `Restate refused the worker ${this.url}: ${text}`, Error);
  }

  /** Closes the worker. Unfinished work is done by another worker, or after a restart. */
  close(): Promise<void> {
    return (this.#closed ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const session of this.#sessions) session.destroy();
    }));
  }

  async [asyncDispose](): Promise<void> {
    await this.close();
  }
}
