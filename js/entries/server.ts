// The entry `stepglass/server`: the AWS Step Functions API on this machine.

import "./node.ts";
import type { Runtime } from "../core/api/durable.d.ts";
import type { ConsoleOptions, ConsoleServer as PublicConsole, ServeOptions, Server as PublicServer } from "../core/api/server.d.ts";
import { asyncDispose } from "../core/base/dispose.ts";
import { misuse } from "../core/base/errors.ts";
import { checkOptions } from "../core/base/options.ts";
import { sendSignal } from "../server/executions/actions.ts";
import { Access } from "../server/protocol/access.ts";
import { ApiError } from "../server/protocol/errors.ts";
import { Endpoint } from "../server/http.ts";
import { isLevel, logger } from "../server/protocol/log.ts";
import { RestateFront } from "../server/restate.ts";
import { metricsOf } from "../server/metrics.ts";
import { runtimeSource, serverSource } from "../server/pages/source.ts";
import { Service } from "../server/service.ts";
import { openData } from "../server/storage/data.ts";
import { StoreConflict, StoreError } from "../runtime/store/errors.ts";
import { MemoryStore } from "../runtime/store/memory.ts";
import { argumentText } from "../core/tasks/integration.ts";
import { component, playground } from "./wasm-file.ts";

export { ApiError, MemoryStore, StoreConflict, StoreError };

/** The options, in the order in which messages list them. */
const OPTIONS = [
  ...[
    "tasks",
    "otherTasks",
    "urls",
    "lambdaEndpoint",
    "mockConfig",
    "serviceModel",
    "data",
    "store",
    "restate",
    "region",
    "account",
    "clock",
    "limits",
  ],
  ...["quotas", "missingHandler", "statusEvents", "eventsEndpoint", "executionLogs", "logsEndpoint"],
  ...["host", "port", "access", "allowOrigins", "allowHosts", "bodyLimit", "timeouts", "page", "logLevel", "log"],
];

/** Starts a server. Resolves when it listens. */
export async function serve(options: ServeOptions = {}): Promise<PublicServer> {
  checkOptions(options, OPTIONS, "serve()");
  const { host = "127.0.0.1", port = 8083, logLevel = "error", page = playground } = options;
  checkPlace(port, logLevel);
  const log = logger(logLevel, options.log);
  if (options.restate !== undefined) return serveFront(options.restate, options, log);
  if (options.data !== undefined && options.store !== undefined) throw misuse("INVALID_OPTION", "serve() takes data or store, not both");
  const access = accessOf(options);
  const store = options.data === undefined ? options.store : openData(options.data);
  const service = new Service({ ...options, ...(store !== undefined && { store }), log });
  await service.open();
  const endpoint = new Endpoint(service, {
    ...options,
    ...{ page, component, log, access },
    source: serverSource(service),
    metrics: () => metricsOf(service),
    running: () => service.runner.running,
  });
  try {
    const taken = await endpoint.listen(port, host);
    // Executions continue only after it is certain that this server keeps its port.
    await service.resume();
    return new Server(behind(service), endpoint, host, taken);
  } catch (error) {
    await endpoint.close(0);
    await service.close();
    throw error;
  }
}

function accessOf({ access }: Pick<ServeOptions, "access">): Access | undefined {
  return access && new Access(access);
}

function checkPlace(port: number, logLevel: string): asserts logLevel is NonNullable<ServeOptions["logLevel"]> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw misuse("INVALID_OPTION", "port must be a whole number from 0 to 65535");
  if (!isLevel(logLevel)) throw misuse("INVALID_OPTION", 'logLevel must be "silent", "error", "info" or "debug"');
}

/** Options that a server in front of Restate cannot use, because they belong to its workers. */
const OF_WORKERS = [
  ...["tasks", "otherTasks", "urls", "lambdaEndpoint", "mockConfig", "serviceModel", "data", "store", "clock", "limits", "quotas"],
  ...["missingHandler", "statusEvents", "eventsEndpoint", "executionLogs", "logsEndpoint"],
] as const satisfies (keyof ServeOptions)[];

/** Starts a server in front of Restate. */
async function serveFront(
  restate: NonNullable<ServeOptions["restate"]>,
  options: ServeOptions,
  log: ReturnType<typeof logger>,
): Promise<PublicServer> {
  const useless = OF_WORKERS.find((name) => options[name] !== undefined);
  if (useless !== undefined)
    throw misuse("INVALID_OPTION", `serve() takes ${useless} or restate, not both: serveOnRestate() of stepglass/restate has the tasks`);
  const where = typeof restate === "string" ? { ingress: restate } : restate;
  checkOptions(where, ["ingress", "admin"], "restate of serve()");
  const { host = "127.0.0.1", port = 8083, region, account } = options;
  const front = new RestateFront({ ...where, region, account });
  const endpoint = new Endpoint(front, { ...options, page: undefined, component: undefined, log, access: accessOf(options) });
  const taken = await endpoint.listen(port, host);
  return new Server(front, endpoint, host, taken);
}

const CONSOLE_OPTIONS = ["host", "port", "access", "allowOrigins", "allowHosts", "page", "logLevel", "log"];

/** Serves a console of the executions of a Runtime. Resolves when it listens. */
export async function serveConsole(runtime: Runtime, options: ConsoleOptions = {}): Promise<PublicConsole> {
  checkOptions(options, CONSOLE_OPTIONS, "serveConsole()");
  const source = runtimeSource(runtime);
  const { host = "127.0.0.1", port = 8083, logLevel = "error", page = playground } = options;
  checkPlace(port, logLevel);
  const log = logger(logLevel, options.log);
  const metrics = (): Promise<string> => runtime.metricsText();
  const endpoint = new Endpoint(undefined, { ...options, page, component, log, source, metrics, access: accessOf(options) });
  return new Server(NOTHING_BEHIND, endpoint, host, await endpoint.listen(port, host));
}

/** A console has nothing to close beside its endpoint: the runtime is its owner's. */
const NOTHING_BEHIND: Behind = {
  running: 0,
  call: (operation) => Promise.reject(new ApiError("UnknownOperationException", `a console has no operation ${operation}`)),
  signal: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** The service that a server passes its requests to. */
interface Behind {
  readonly running: number;
  call(operation: string, input: object): Promise<object>;
  signal(arn: string, name: string, payload: unknown, options: { id?: string }): Promise<void>;
  close(grace: number): Promise<void>;
}

/** Returns a service of this process in the form that a server uses. */
function behind(service: Service): Behind {
  return {
    get running() {
      return service.runner.running;
    },
    call: (operation, input) => service.call(operation, input),
    signal: (arn, name, payload, { id }) => sendSignal(service, arn, name, argumentText(payload, "the payload"), id),
    close: (grace) => service.close(grace),
  };
}

/** The loopback addresses at which servers that listen on all addresses are reached. */
const ANY = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** A server that listens. */
class Server implements PublicServer {
  readonly host: string;
  readonly port: number;
  readonly #behind: Behind;
  readonly #endpoint: Endpoint;
  #closed: Promise<void> | undefined;

  constructor(behind: Behind, endpoint: Endpoint, host: string, port: number) {
    this.#behind = behind;
    this.#endpoint = endpoint;
    this.host = host;
    this.port = port;
  }

  /** The URL that clients use as their endpoint. */
  get url(): string {
    const host = ANY.get(this.host) ?? this.host;
    const shown = host.includes(":") ? `[${host}]` : host;
    return `http://${shown}:${this.port}`;
  }

  /** The number of running executions. */
  get running(): number {
    return this.#behind.running;
  }

  /** Performs an operation without HTTP: `call("StartExecution", {…})`. Rejects with ApiError. */
  call(operation: string, input: object = {}): Promise<object> {
    return this.#behind.call(operation, input);
  }

  /** Sends a signal to a running execution. */
  signal(arn: string, name: string, payload?: unknown, options: { id?: string } = {}): Promise<void> {
    checkOptions(options, ["id"], "signal()");
    return this.#behind.signal(arn, name, payload, options);
  }

  /** Stops listening, answers the requests that are under way, and closes the server. */
  close({ grace = 2000 }: { grace?: number } = {}): Promise<void> {
    return (this.#closed ??= this.#close(grace));
  }

  async [asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(grace: number): Promise<void> {
    const ended = this.#endpoint.close(grace);
    await this.#behind.close(grace);
    await ended;
  }
}
