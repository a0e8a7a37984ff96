// @ts-nocheck: has no types yet.
// The endpoint: AWS JSON 1.0 over HTTP, with limits for those who mean harm.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { ApiError } from "./errors.ts";
import { Debugger } from "./debugger.ts";
import { Gate } from "./gate.ts";
import { isOperation } from "./service.ts";
import { version } from "../definition/definition.ts";

const JSON_1_0 = "application/x-amz-json-1.0";
const TARGET = "AWSStepFunctions.";

// Bytes of one request's body; of all bodies at once that are being received; of headers.
const BODY = 4 * 2 ** 20;
const BODIES = 64 * 2 ** 20;
const HEADERS = 32 * 2 ** 10;
const CONNECTIONS = 4096;
// Values of a body inside of one another. The deepest request has seven.
const DEPTH = 100;

/** Members of answers that are written with a fraction, also where it is zero. */
const PERCENTAGE = /(?<="toleratedFailurePercentage":)\d+(?=[,}])/;
const FLOATS = { DescribeMapRun: PERCENTAGE, TestState: PERCENTAGE };

const ALLOWED_HEADERS = "authorization,content-type,x-amz-content-sha256,x-amz-date,x-amz-security-token,x-amz-target,x-amz-user-agent,amz-sdk-invocation-id,amz-sdk-request";

/** The HTTP server of a service. */
export class Endpoint {
  #service;
  #gate;
  #debugger;
  #server;
  #log;
  #bodyLimit;
  #receiving = 0;

  constructor(service, { log, allowOrigins = [], allowHosts = [], bodyLimit = BODY, timeouts = {}, page, component }) {
    this.#service = service;
    this.#log = log;
    this.#bodyLimit = bodyLimit;
    this.#gate = new Gate({ origins: allowOrigins, hosts: allowHosts });
    this.#debugger = new Debugger(service, { page, component });
    this.#server = createServer({ maxHeaderSize: HEADERS, keepAliveTimeout: 65_000, noDelay: true, connectionsCheckingInterval: 1000 }, (request, response) => this.#serve(request, response));
    this.#server.maxConnections = CONNECTIONS;
    // To the end of the headers, and to the end of the body.
    this.#server.headersTimeout = timeouts.headers ?? 10_000;
    this.#server.requestTimeout = timeouts.request ?? 30_000;
    this.#server.on("clientError", (error, socket) => this.#garbled(error, socket));
  }

  /** Listens; resolves to the port. */
  listen(port, host) {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (error) => this.#log("error", () => error.stack));
        resolve(this.#server.address().port);
      });
    });
  }

  /** Takes no more requests; resolves when those at hand are answered, or after `grace` milliseconds. */
  close(grace) {
    this.#debugger.close();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#server.closeAllConnections(), grace);
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      this.#server.closeIdleConnections();
    });
  }

  async #serve(request, response) {
    const began = performance.now();
    const id = randomUUID();
    let what = `${request.method} ${request.url.slice(0, 200)}`;
    response.setHeader("x-amzn-RequestId", id);
    response.on("error", () => {});
    request.on("error", () => {});
    try {
      const { refused, origin } = this.#gate.judge(request);
      if (refused !== undefined) throw new ApiError("AccessDeniedException", refused, { status: 403 });
      if (origin !== undefined) allow(response, origin);
      const path = request.url.split("?", 1)[0];
      if (request.method === "OPTIONS") preflight(response, origin);
      else if (path === "/debugger" || path.startsWith("/debugger/")) await this.#debugger.serve(request, response);
      else if (request.method === "POST") {
        const operation = operationOf(request.headers);
        what = operation;
        await this.#perform(operation, request, response);
      } else if (request.method === "GET" && path === "/") redirect(response, "/debugger/");
      else if (request.method === "GET" && path === "/health") send(response, 200, { status: "ok", version: version(), running: this.#service.runner.running }, "application/json");
      else throw new ApiError("UnknownOperationException", `there is nothing at ${request.method} ${path.slice(0, 200)}`, { status: 404 });
    } catch (error) {
      this.#fail(response, error, id);
    }
    this.#log(response.statusCode >= 500 ? "error" : "info", () => `${what} ${response.statusCode} ${(performance.now() - began).toFixed(1)} ms${response.problem ? ` ${response.problem}` : ""}`);
  }

  async #perform(operation, request, response) {
    const input = parse(await this.#body(request));
    const gone = new AbortController();
    const leave = () => gone.abort();
    response.once("close", leave);
    const output = await this.#service.call(operation, input, { signal: gone.signal, scope: scopeOf(request.headers) });
    response.off("close", leave);
    send(response, 200, output, JSON_1_0, FLOATS[operation]);
  }

  /** The body, as bytes, within the limits. */
  async #body(request) {
    const limit = this.#bodyLimit;
    const tooLarge = () => new ApiError("RequestEntityTooLargeException", `a request can have at most ${limit} bytes`, { status: 413 });
    if (Number(request.headers["content-length"]) > limit) throw tooLarge();
    const chunks = [];
    let size = 0;
    try {
      for await (const chunk of request) {
        size += chunk.length;
        this.#receiving += chunk.length;
        if (size > limit) throw tooLarge();
        if (this.#receiving > BODIES) throw new ApiError("ServiceUnavailable", "too many large requests at the same time", { status: 503 });
        chunks.push(chunk);
      }
    } finally {
      this.#receiving -= size;
    }
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  }

  #fail(response, error, id) {
    const { type, message, status, members } = error instanceof ApiError ? error : bug(error);
    if (!(error instanceof ApiError) && !response.destroyed) this.#log("error", () => `${id}: ${error?.stack ?? error}`);
    response.problem = type;
    if (response.headersSent || response.destroyed) return response.destroy();
    // What is left of the request is not read: the connection is of no more use.
    if (!response.req.complete) response.setHeader("connection", "close");
    send(response, status, { __type: type, message, ...members });
    if (!response.req.complete) response.once("finish", () => setTimeout(() => response.req.destroy(), 100).unref());
  }

  /** What is no HTTP, too much of it, or too slow. */
  #garbled(error, socket) {
    const [status, type, message] =
      {
        HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "RequestHeaderSectionTooLarge", `the headers of a request can have at most ${HEADERS} bytes`],
        ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "RequestTimeout", "the request took too long to arrive"],
      }[error.code] ?? ["400 Bad Request", "BadRequest", "the request is not valid HTTP"];
    if (!socket.writable || error.code === "ECONNRESET") return socket.destroy();
    this.#log("debug", () => `${type}: ${error.code}`);
    const body = JSON.stringify({ __type: type, message });
    socket.end(`HTTP/1.1 ${status}\r\ncontent-type: ${JSON_1_0}\r\nx-amzn-RequestId: ${randomUUID()}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
  }
}

/**
 * The region of a request's signature, and the account where the access key is an account's number, as emulators have it;
 * nothing else of the signature is looked at.
 */
function scopeOf({ authorization }) {
  const [, key, region] = /\bCredential=([^/,\s]+)\/\d+\/([a-z0-9-]+)\/states\/aws4_request/.exec(authorization ?? "") ?? [];
  return { region, account: /^\d{12}$/.test(key ?? "") ? key : undefined };
}

function operationOf(headers) {
  const target = headers["x-amz-target"];
  if (typeof target !== "string") throw new ApiError("MissingAction", "the header X-Amz-Target is missing: this endpoint speaks AWS JSON 1.0", { status: 400 });
  const operation = target.startsWith(TARGET) ? target.slice(TARGET.length) : "";
  if (!isOperation(operation)) throw new ApiError("UnknownOperationException", `there is no operation ${JSON.stringify(target.slice(0, 200))}`);
  return operation;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parse(body) {
  const refuse = (why) => new ApiError("SerializationException", why);
  if (body.length === 0) return {};
  let text;
  try {
    text = utf8.decode(body);
  } catch {
    throw refuse("the body is not UTF-8");
  }
  if (isDeep(text)) throw refuse(`the body nests more than ${DEPTH} levels deep`);
  let input;
  try {
    input = JSON.parse(text);
  } catch {
    throw refuse("the body is not JSON");
  }
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw refuse("Start of structure or map found where not expected.");
  return input;
}

/** Whether more brackets are open at once than any request has. */
function isDeep(text) {
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

function bug(error) {
  return { type: "InternalFailure", message: `The request failed because of an error in the server: ${error?.message ?? error}`, status: 500 };
}

function send(response, status, value, type = JSON_1_0, float) {
  const text = JSON.stringify(value);
  const body = Buffer.from(float === undefined ? text : text.replace(float, "$&.0"));
  response.writeHead(status, { "content-type": type, "content-length": body.length, "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(body);
}

function redirect(response, to) {
  response.writeHead(302, { location: to, "content-length": 0 });
  response.end();
}

function allow(response, origin) {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "x-amzn-RequestId");
  response.setHeader("vary", "origin");
}

function preflight(response, origin) {
  if (origin !== undefined) {
    response.setHeader("access-control-allow-methods", "GET,POST");
    response.setHeader("access-control-allow-headers", ALLOWED_HEADERS);
    response.setHeader("access-control-max-age", "600");
    // Chromium asks so before a page of the web may reach the loopback.
    if (response.req.headers["access-control-request-private-network"] === "true") response.setHeader("access-control-allow-private-network", "true");
  }
  response.writeHead(204);
  response.end();
}
