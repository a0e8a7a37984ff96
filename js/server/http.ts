// The endpoint serves AWS JSON 1.0 over HTTP, with limits against abuse. It reads a request and calls the operation of its service.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ServeOptions } from "../core/api/server.d.ts";
import { messageOf } from "../core/base/errors.ts";
import { version } from "../core/definition/definition.ts";
import { content, redirect } from "./pages/content.ts";
import { login, loginPage } from "./pages/login.ts";
import { Debugger } from "./pages/debugger.ts";
import { OPEN_METRICS } from "./metrics.ts";
import { ApiError, stackOf } from "./protocol/errors.ts";
import { OriginCheck } from "./protocol/origin-check.ts";
import type { Log } from "./protocol/log.ts";
import type { Caller, Scope } from "./protocol/caller.ts";
import { REQUEST } from "./protocol/quotas.ts";
import { parse } from "./protocol/request-body.ts";
import { ANYONE, type Access, type Identity, checkOperation, isRead, readable, resourcesOf } from "./protocol/access.ts";
import type { ConsoleSource } from "./pages/source.ts";
import { isOperation } from "./protocol/shapes.ts";
import type { Operation } from "./protocol/shapes.ts";

const JSON_1_0 = "application/x-amz-json-1.0";
const TARGET = "AWSStepFunctions.";

// Limits in bytes: of one request's body, of all bodies that are being received, and of the headers.
const BODY = 4 * 2 ** 20;
const BODIES = 64 * 2 ** 20;
const HEADERS = 32 * 2 ** 10;
const CONNECTIONS = 4096;
// Maximum length of a trace header, in characters.
const TRACE = 256;

/** Members of responses that always have a fraction, also if it is zero. */
const PERCENTAGE = /(?<="toleratedFailurePercentage":)\d+(?=[,}])/;
const FLOATS: Partial<Record<Operation, RegExp>> = { DescribeMapRun: PERCENTAGE, TestState: PERCENTAGE };

const ALLOWED_HEADERS =
  "authorization,content-type,x-amz-content-sha256,x-amz-date,x-amz-security-token,x-amz-target,x-amz-user-agent,x-amzn-trace-id,amz-sdk-invocation-id,amz-sdk-request";

/** The options of the endpoint, and the folders of the debugger. */
interface EndpointOptions extends Pick<ServeOptions, "allowOrigins" | "allowHosts" | "bodyLimit" | "timeouts"> {
  log: Log;
  /** The keys that requests need; undefined if access is not checked. */
  access?: Access | undefined;
  /** The folders of the built playground and of `<stepglass-debugger>`, if they exist. */
  page: string | undefined;
  component: string | undefined;
  /** The executions that the console shows; undefined for a proxy. */
  source?: ConsoleSource;
  /** Returns the text of the metrics, if there are any. */
  metrics?: () => Promise<string>;
  /** Returns the number of running executions, if it is known. */
  running?: () => number;
}

/** The target of the endpoint's requests: a service of this process, or a proxy to another one. */
export interface Served {
  call(operation: string, input: unknown, caller: Caller): Promise<object>;
  readonly quotas: object | undefined;
}

/** The HTTP server of a service. */
export class Endpoint {
  /** Undefined for a console, which has no API. */
  readonly #served: Served | undefined;
  readonly #metrics: (() => Promise<string>) | undefined;
  readonly #running: (() => number) | undefined;
  readonly #originCheck: OriginCheck;
  readonly #access: Access | undefined;
  readonly #debugger: Debugger | undefined;
  readonly #server: Server;
  readonly #log: Log;
  readonly #bodyLimit: number;
  /** Bytes of all bodies that are being received. */
  #receiving = 0;

  constructor(
    served: Served | undefined,
    {
      log,
      access,
      allowOrigins = [],
      allowHosts = [],
      bodyLimit = served?.quotas === undefined ? BODY : REQUEST,
      timeouts = {},
      page,
      component,
      source,
      metrics,
      running,
    }: EndpointOptions,
  ) {
    this.#served = served;
    this.#metrics = metrics;
    this.#running = running;
    this.#log = log;
    this.#bodyLimit = bodyLimit;
    this.#originCheck = new OriginCheck({ origins: allowOrigins, hosts: allowHosts });
    this.#access = access;
    this.#debugger = source && new Debugger(source, { page, component });
    const limits = { maxHeaderSize: HEADERS, keepAliveTimeout: 65_000, noDelay: true, connectionsCheckingInterval: 1000 };
    this.#server = createServer(limits, (request, response) => this.#serve(request, response));
    this.#server.maxConnections = CONNECTIONS;
    // Milliseconds until the headers, and until the whole request, must have arrived.
    this.#server.headersTimeout = timeouts.headers ?? 10_000;
    this.#server.requestTimeout = timeouts.request ?? 30_000;
    this.#server.on("clientError", (error, socket) => this.#garbled(error, socket));
  }

  /** Starts to listen. Resolves to the port. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (error) => this.#log("error", () => stackOf(error)));
        const address = this.#server.address();
        resolve(typeof address === "object" && address !== null ? address.port : port);
      });
    });
  }

  /** Accepts no more requests. Resolves when those in progress are answered, at the latest after `grace` milliseconds. */
  close(grace: number): Promise<void> {
    this.#debugger?.close();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#server.closeAllConnections(), grace);
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      this.#server.closeIdleConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const id = randomUUID();
    const { method, url = "/" } = request;
    const [path = ""] = url.split("?", 1);
    let what = `${method} ${url.slice(0, 200)}`;
    let problem = "";
    response.setHeader("x-amzn-RequestId", id);
    response.on("error", () => {});
    request.on("error", () => {});
    try {
      const { refused, origin } = this.#originCheck.check(request);
      if (refused !== undefined) throw new ApiError("AccessDeniedException", refused, { status: 403 });
      if (origin !== undefined) allow(response, origin);
      if (method === "OPTIONS") preflight(response, origin);
      else if (this.#debugger !== undefined && (path === "/debugger" || path.startsWith("/debugger/")))
        await this.#serveDebugger(this.#debugger, path, request, response, id);
      else if (method === "POST" && this.#served !== undefined) {
        const operation = operationOf(request.headers);
        what = operation;
        await this.#perform(this.#served, operation, request, response, id);
      } else if (method === "GET" && path === "/" && this.#debugger !== undefined) redirect(response, "/debugger/");
      else if (method === "GET" && path === "/health") this.#health(response);
      else if (method === "GET" && path === "/metrics" && this.#metrics !== undefined)
        await this.#sendMetrics(this.#metrics, request, response);
      else throw new ApiError("UnknownOperationException", `there is nothing at ${method} ${path.slice(0, 200)}`, { status: 404 });
    } catch (error) {
      problem = ` ${this.#fail(response, error, id)}`;
    }
    const { statusCode } = response;
    const took = (performance.now() - began).toFixed(1);
    this.#log(statusCode >= 500 ? "error" : "info", () => `${what} ${statusCode} ${took} ms${problem}`);
  }

  #health(response: ServerResponse): void {
    send(response, 200, { status: "ok", version: version(), ...(this.#running && { running: this.#running() }) }, "application/json");
  }

  async #sendMetrics(metrics: () => Promise<string>, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#access?.identifyByToken(request);
    content(response, 200, OPEN_METRICS, await metrics());
  }

  /** Serves the pages to those who have logged in, and to the others the page with which they do. */
  async #serveDebugger(
    pages: Debugger,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<void> {
    const access = this.#access;
    const body = async (): Promise<unknown> => parse(await this.#body(request));
    if (access === undefined) return pages.serve(request, response, body);
    const { remoteAddress: address } = request.socket;
    const about = { requestId, ...(address !== undefined && { address }) };
    if (path === "/debugger/login") {
      const isIn = await login(access, request, response, () => this.#body(request));
      if (!isIn) access.record({ operation: "login", result: "UnrecognizedClientException", ...about });
      return;
    }
    let identity: Identity;
    try {
      identity = access.identifyByToken(request);
    } catch (error) {
      if (request.method === "POST" && error instanceof ApiError)
        access.record({ operation: path.slice(0, 300), result: error.type, ...about });
      const isPage = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
      if (!isPage) throw error;
      return loginPage(response);
    }
    const { name: key } = identity;
    const record = (operation: string, resource: string, result = "ok"): void =>
      access.record({ ...(key !== undefined && { key }), operation, resource, result, ...about });
    return pages.serve(request, response, body, identity, record);
  }

  async #perform(
    served: Served,
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<void> {
    const body = await this.#body(request);
    const access = this.#access;
    const { remoteAddress: address } = request.socket;
    let identity: Identity = ANYONE;
    let input: Record<string, unknown> = {};
    let result = "ok";
    try {
      if (access !== undefined) identity = access.identify(request, body);
      input = parse(body);
      if (access !== undefined) checkOperation(identity, operation, input);
      await this.#answer(served, operation, input, identity, request, response);
    } catch (error) {
      result = error instanceof ApiError ? error.type : "InternalFailure";
      throw error;
    } finally {
      const isRefused = identity === ANYONE || result === "AccessDeniedException";
      if (access !== undefined && (isRefused || !isRead(operation))) {
        const [resource] = resourcesOf(operation, input);
        const who = { ...(identity.name !== undefined && { key: identity.name }), operation, ...(resource !== undefined && { resource }) };
        access.record({ ...who, result, ...(address !== undefined && { address }), requestId });
      }
    }
  }

  async #answer(
    served: Served,
    operation: Operation,
    input: Record<string, unknown>,
    identity: Identity,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once("close", leave);
    const output = await served.call(operation, input, {
      signal: gone.signal,
      scope: scopeOf(request.headers),
      ...traceOf(request.headers),
    });
    response.off("close", leave);
    send(response, 200, readable(identity, output), JSON_1_0, FLOATS[operation]);
  }

  /** Reads the body of a request. Throws if it exceeds the limits. */
  async #body(request: IncomingMessage): Promise<Buffer> {
    const limit = this.#bodyLimit;
    const tooLarge = (): ApiError =>
      new ApiError("RequestEntityTooLargeException", `a request can have at most ${limit} bytes`, { status: 413 });
    if (Number(request.headers["content-length"]) > limit) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.#receiving += chunk.length;
        if (size > limit) throw tooLarge();
        if (this.#receiving > BODIES) throw new ApiError("ServiceUnavailable", "too many large requests at the same time", { status: 503 });
        chunks.push(chunk);
      }
    } finally {
      this.#receiving -= size;
    }
    const [first] = chunks;
    return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
  }

  /** Sends an error and returns its type. */
  #fail(response: ServerResponse, error: unknown, id: string): string {
    if (error instanceof ApiError && error.status === 401) response.setHeader("www-authenticate", "Bearer");
    const { type, message, status, members } = error instanceof ApiError ? error : internalFailure(error);
    if (!(error instanceof ApiError) && !response.destroyed) this.#log("error", () => `${id}: ${stackOf(error)}`);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return type;
    }
    // The rest of the request is not read, so the connection cannot be reused.
    if (!response.req.complete) response.setHeader("connection", "close");
    send(response, status, { __type: type, message, ...members });
    if (!response.req.complete) response.once("finish", () => setTimeout(() => response.req.destroy(), 100).unref());
    return type;
  }

  /** Answers a request that is not valid HTTP, too large or too slow. */
  #garbled({ code }: Error & { code?: string }, socket: Duplex): void {
    if (!socket.writable || code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const { status, type, message } = garbledAs(code);
    this.#log("debug", () => `${type}: ${code}`);
    const body = JSON.stringify({ __type: type, message });
    const head = [
      `HTTP/1.1 ${status}`,
      `content-type: ${JSON_1_0}`,
      `x-amzn-RequestId: ${randomUUID()}`,
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  }
}

/** Returns the response for an error of Node's HTTP parser. */
function garbledAs(code: string | undefined): { status: string; type: string; message: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW": {
      const message = `the headers of a request can have at most ${HEADERS} bytes`;
      return { status: "431 Request Header Fields Too Large", type: "RequestHeaderSectionTooLarge", message };
    }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: "408 Request Timeout", type: "RequestTimeout", message: "the request took too long to arrive" };
    default:
      return { status: "400 Bad Request", type: "BadRequest", message: "the request is not valid HTTP" };
  }
}

/**
 * Returns the region of a request's signature, and the account if the access key is an account number, as emulators use it. The
 * rest of the
 * signature is not checked.
 */
function scopeOf({ authorization }: IncomingHttpHeaders): Scope {
  const [, key, region] = /\bCredential=([^/,\s]+)\/\d+\/([a-z0-9-]+)\/states\/aws4_request/.exec(authorization ?? "") ?? [];
  return { region, account: /^\d{12}$/.test(key ?? "") ? key : undefined };
}

/** Returns the trace header of a request. */
function traceOf(headers: IncomingHttpHeaders): { traceHeader?: string } {
  const given = headers["x-amzn-trace-id"];
  // An invalid header is ignored.
  return typeof given === "string" && given.length <= TRACE && /^[\x20-\x7e]+$/.test(given) ? { traceHeader: given } : {};
}

function operationOf(headers: IncomingHttpHeaders): Operation {
  const target = headers["x-amz-target"];
  if (typeof target !== "string")
    throw new ApiError("MissingAction", "the header X-Amz-Target is missing: this endpoint speaks AWS JSON 1.0", { status: 400 });
  const operation = target.startsWith(TARGET) ? target.slice(TARGET.length) : "";
  if (!isOperation(operation))
    throw new ApiError("UnknownOperationException", `there is no operation ${JSON.stringify(target.slice(0, 200))}`);
  return operation;
}

/** Returns the API's error for an unexpected error of the server. */
function internalFailure(thrown: unknown): ApiError {
  return new ApiError("InternalFailure", `The request failed because of an error in the server: ${messageOf(thrown)}`, { status: 500 });
}

/** Sends JSON. `float` matches a number that is written with a fraction. */
function send(response: ServerResponse, status: number, value: object, type = JSON_1_0, float?: RegExp): void {
  const text = JSON.stringify(value);
  content(response, status, type, float === undefined ? text : text.replace(float, "$&.0"));
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "x-amzn-RequestId");
  response.setHeader("vary", "origin");
}

function preflight(response: ServerResponse, origin: string | undefined): void {
  if (origin !== undefined) {
    response.setHeader("access-control-allow-methods", "GET,POST");
    response.setHeader("access-control-allow-headers", ALLOWED_HEADERS);
    response.setHeader("access-control-max-age", "600");
    // Chromium sends this header before a public page may call the loopback.
    if (response.req.headers["access-control-request-private-network"] === "true")
      response.setHeader("access-control-allow-private-network", "true");
  }
  response.writeHead(204);
  response.end();
}
