// The endpoint serves AWS JSON 1.0 over HTTP, with limits against abuse. It reads a request and calls the operation of its service.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ServeOptions } from "../core/api/server.d.ts";
import { isObject } from "../core/base/json.ts";
import { messageOf } from "../core/base/errors.ts";
import { version } from "../core/definition/definition.ts";
import { content, redirect } from "./pages/content.ts";
import { Debugger } from "./pages/debugger.ts";
import { OPEN_METRICS, metricsOf } from "./metrics.ts";
import { ApiError, stackOf } from "./protocol/errors.ts";
import { OriginCheck } from "./protocol/origin-check.ts";
import type { Log } from "./protocol/log.ts";
import type { Caller, Scope } from "./protocol/caller.ts";
import { REQUEST } from "./protocol/quotas.ts";
import type { Service } from "./service.ts";
import { isOperation } from "./protocol/shapes.ts";
import type { Operation } from "./protocol/shapes.ts";

const JSON_1_0 = "application/x-amz-json-1.0";
const TARGET = "AWSStepFunctions.";

// Limits in bytes: of one request's body, of all bodies that are being received, and of the headers.
const BODY = 4 * 2 ** 20;
const BODIES = 64 * 2 ** 20;
const HEADERS = 32 * 2 ** 10;
const CONNECTIONS = 4096;
// Maximum nesting of a body. The deepest request of the API has seven levels.
const DEPTH = 100;
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
  /** The folders of the built playground and of `<stepglass-debugger>`, if they exist. */
  page: string | undefined;
  component: string | undefined;
}

/** The target of the endpoint's requests: a service of this process, or a proxy to another one. */
export interface Served {
  call(operation: string, input: unknown, caller: Caller): Promise<object>;
  readonly quotas: object | undefined;
}

/** The HTTP server of a service. */
export class Endpoint {
  readonly #served: Served;
  /** The service of this process, which the debugger and the metrics show; undefined for a proxy. */
  readonly #service: Service | undefined;
  readonly #originCheck: OriginCheck;
  readonly #debugger: Debugger | undefined;
  readonly #server: Server;
  readonly #log: Log;
  readonly #bodyLimit: number;
  /** Bytes of all bodies that are being received. */
  #receiving = 0;

  constructor(
    service: Service | Served,
    {
      log,
      allowOrigins = [],
      allowHosts = [],
      bodyLimit = service.quotas === undefined ? BODY : REQUEST,
      timeouts = {},
      page,
      component,
    }: EndpointOptions,
  ) {
    this.#served = service;
    this.#service = "runner" in service ? service : undefined;
    this.#log = log;
    this.#bodyLimit = bodyLimit;
    this.#originCheck = new OriginCheck({ origins: allowOrigins, hosts: allowHosts });
    this.#debugger = this.#service && new Debugger(this.#service, { page, component });
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
        await this.#debugger.serve(request, response, async () => parse(await this.#body(request)));
      else if (method === "POST") {
        const operation = operationOf(request.headers);
        what = operation;
        await this.#perform(operation, request, response);
      } else if (method === "GET" && path === "/" && this.#debugger !== undefined) redirect(response, "/debugger/");
      else if (method === "GET" && path === "/health") this.#health(response);
      else if (method === "GET" && path === "/metrics" && this.#service !== undefined)
        content(response, 200, OPEN_METRICS, await metricsOf(this.#service));
      else throw new ApiError("UnknownOperationException", `there is nothing at ${method} ${path.slice(0, 200)}`, { status: 404 });
    } catch (error) {
      problem = ` ${this.#fail(response, error, id)}`;
    }
    const { statusCode } = response;
    const took = (performance.now() - began).toFixed(1);
    this.#log(statusCode >= 500 ? "error" : "info", () => `${what} ${statusCode} ${took} ms${problem}`);
  }

  #health(response: ServerResponse): void {
    send(
      response,
      200,
      { status: "ok", version: version(), ...(this.#service && { running: this.#service.runner.running }) },
      "application/json",
    );
  }

  async #perform(operation: Operation, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const input = parse(await this.#body(request));
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once("close", leave);
    const output = await this.#served.call(operation, input, {
      signal: gone.signal,
      scope: scopeOf(request.headers),
      ...traceOf(request.headers),
    });
    response.off("close", leave);
    send(response, 200, output, JSON_1_0, FLOATS[operation]);
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

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses the body of a request. */
function parse(body: Buffer): Record<string, unknown> {
  const refuse = (why: string): ApiError => new ApiError("SerializationException", why);
  if (body.length === 0) return {};
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw refuse("the body is not UTF-8");
  }
  if (isDeep(text)) throw refuse(`the body nests more than ${DEPTH} levels deep`);
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    throw refuse("the body is not JSON");
  }
  if (!isObject(input)) throw refuse("Start of structure or map found where not expected.");
  return input;
}

/** Returns whether the text nests deeper than any request of the API. */
function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 92) i += 1;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > DEPTH) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
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
