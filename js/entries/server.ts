// @ts-nocheck: has no types yet.
// `stepglass/server`: the AWS Step Functions API on this machine.

import "./node.ts";
import { component, playground } from "./beside.ts";
import { asyncDispose } from "../base/dispose.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { ApiError } from "../server/errors.ts";
import { Endpoint } from "../server/http.ts";
import { isLevel, logger } from "../server/log.ts";
import { Service } from "../server/service.ts";
import { MemoryStore, StoreConflict } from "../server/store.ts";

export { ApiError, MemoryStore, StoreConflict };

const SERVICE = ["tasks", "urls", "lambdaEndpoint", "mockConfig", "store", "region", "account", "clock", "limits"];
const ENDPOINT = ["host", "port", "allowOrigins", "allowHosts", "bodyLimit", "timeouts", "page"];
const OPTIONS = [...SERVICE, ...ENDPOINT, "logLevel", "log"];

const own = (names, options) => Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));

/** Starts a server; resolves when it listens. */
export async function serve(options = {}) {
  checkOptions(options, OPTIONS, "serve()");
  const { host = "127.0.0.1", port = 8083, logLevel = "error" } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw misuse("INVALID_OPTION", "port must be a whole number from 0 to 65535");
  if (!isLevel(logLevel)) throw misuse("INVALID_OPTION", 'logLevel must be "silent", "error", "info" or "debug"');
  const log = logger(logLevel, options.log);
  const service = new Service({ ...own(SERVICE, options), log });
  await service.open();
  const endpoint = new Endpoint(service, { page: playground, component, ...own(ENDPOINT, options), log });
  try {
    return new Server(service, endpoint, host, await endpoint.listen(port, host));
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** A server that listens. */
class Server {
  #service;
  #endpoint;
  #closed;

  constructor(service, endpoint, host, port) {
    this.#service = service;
    this.#endpoint = endpoint;
    this.host = host;
    this.port = port;
  }

  /** What clients take as their endpoint. */
  get url() {
    const shown = this.host === "0.0.0.0" ? "127.0.0.1" : this.host === "::" ? "[::1]" : this.host.includes(":") ? `[${this.host}]` : this.host;
    return `http://${shown}:${this.port}`;
  }

  /** How many executions run. */
  get running() {
    return this.#service.runner.running;
  }

  /** Performs an operation without HTTP: `call("StartExecution", {…})`. Rejects with ApiError. */
  call(operation, input = {}) {
    return this.#service.call(operation, input);
  }

  /** Stops listening, answers what is under way, and ends. */
  close({ grace = 2000 } = {}) {
    return (this.#closed ??= this.#close(grace));
  }

  async [asyncDispose]() {
    await this.close();
  }

  async #close(grace) {
    const ended = this.#endpoint.close(grace);
    await this.#service.close();
    await ended;
  }
}
