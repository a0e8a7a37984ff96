// @ts-nocheck: has no types yet.
// /debugger: the executions of the server, to look at in a browser.
//
// docs/server.md has the contract of the JSON and of the event stream.

import { createReadStream, existsSync, statSync } from "node:fs";
import { extname, join, normalize, sep } from "node:path";
import { renderSvg } from "../definition/definition.ts";
import { ApiError, noExecution } from "./errors.ts";
import { described, historyOf } from "./executions.ts";
import { executionPage, executionScript, listPage, listScript, style } from "./debugger-pages.ts";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".map": "application/json",
};
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// A picture that comes alone brings its own style.
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";
const ALIVE = 15_000;
const STREAMS = 200;
const LISTED = 50;

export class Debugger {
  #service;
  #page;
  #component;
  #streams = new Set();

  /** `page` is the folder of the built playground, `component` that of `<stepglass-debugger>`; each where there is one. */
  constructor(service, { page, component }) {
    this.#service = service;
    this.#page = page !== undefined && existsSync(join(page, "index.html")) ? page : undefined;
    this.#component = component !== undefined && existsSync(join(component, "debugger.js")) ? component : undefined;
  }

  /** Ends the event streams. */
  close() {
    for (const stream of this.#streams) stream.end();
  }

  async serve(request, response) {
    if (request.method !== "GET" && request.method !== "HEAD") throw new ApiError("MethodNotAllowed", "only GET and HEAD are allowed", { status: 405 });
    const { pathname, searchParams } = new URL(request.url, "http://server");
    const [, , first = "", ...rest] = pathname.split("/");
    if (pathname === "/debugger") return redirect(response, "/debugger/");
    // Dots in the address may lead elsewhere.
    if (!pathname.startsWith("/debugger/")) throw new ApiError("ResourceNotFound", `there is nothing at ${pathname.slice(0, 200)}`, { status: 404 });
    if (first === "" && rest.length === 0) return html(response, listPage(await this.#list(searchParams)));
    if (first === "list.css") return plain(response, "text/css; charset=utf-8", style);
    if (first === "list.js") return plain(response, "text/javascript; charset=utf-8", listScript);
    if (first === "execution.js") return plain(response, "text/javascript; charset=utf-8", executionScript);
    if (first === "page" && this.#page !== undefined) return file(response, this.#page, decoded(rest.join("/")) || "index.html");
    if (first === "component" && this.#component !== undefined && /^(debugger(-\w+)?\.js|stepglass\.wasm)$/.test(rest.join("/"))) return file(response, this.#component, rest.join("/"));
    if (first === "executions" && rest.length === 1) {
      return html(response, executionPage(await this.#document(decoded(rest[0])), { page: this.#page !== undefined, component: this.#component !== undefined }));
    }
    if (first === "api" && rest[0] === "executions") return this.#api(request, response, rest.slice(1), searchParams);
    throw new ApiError("ResourceNotFound", `there is nothing at ${pathname.slice(0, 200)}`, { status: 404 });
  }

  async #api(request, response, [name, part, ...more], parameters) {
    if (name === undefined) return json(response, await this.#list(parameters));
    if (more.length > 0) throw new ApiError("ResourceNotFound", "there is no such part of an execution", { status: 404 });
    const arn = decoded(name);
    switch (part) {
      case undefined:
        return json(response, await this.#document(arn));
      case "definition":
        return plain(response, "application/json", (await this.#document(arn)).definition);
      case "history":
        return json(response, { events: (await this.#document(arn)).events });
      case "graph.svg": {
        const { definition, events } = await this.#document(arn);
        response.setHeader("content-security-policy", PICTURE_POLICY);
        return plain(response, "image/svg+xml", renderSvg(definition, { status: statusOf(events) }));
      }
      case "events":
        return this.#stream(request, response, arn, Number(parameters.get("after") ?? request.headers["last-event-id"] ?? 0));
      default:
        throw new ApiError("ResourceNotFound", `an execution has no ${part.slice(0, 200)}`, { status: 404 });
    }
  }

  async #list(parameters) {
    const [status, machine] = [parameters.get("status") || undefined, parameters.get("stateMachineArn") || undefined];
    const limit = Math.min(Math.max(Number(parameters.get("limit")) || LISTED, 1), 1000);
    const before = Number(parameters.get("before")) || undefined;
    const matches = status && ((about) => about.status === status);
    const { items, before: next } = await this.#service.store.list({ machine, matches }, { limit, before });
    return { executions: items.map((about) => summary(about, this.#page !== undefined)), ...(next !== undefined && { before: next }) };
  }

  /** Everything about an execution; `docs/server.md` describes it. */
  async #document(arn) {
    const { store, runner } = this.#service;
    const about = await store.get(arn);
    if (about === undefined) throw noExecutionHere(arn);
    const { events } = await historyOf(this.#service, about);
    // The history may have ended what was running when it was asked for.
    const now = (await store.get(arn)) ?? about;
    const { startDate, stopDate, input, output, error, cause, name, status } = described(now);
    return {
      stepglass: "execution/1",
      executionArn: arn,
      name,
      stateMachineArn: now.machineArn,
      stateMachineName: now.machineName,
      type: now.type,
      definition: await store.getDefinition(now.revision.hash),
      status,
      startDate: iso(startDate),
      ...(stopDate !== undefined && { stopDate: iso(stopDate) }),
      redriveCount: now.redriveCount,
      input,
      ...(output !== undefined && { output }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
      events,
      ...(runner.find(arn) !== undefined && { live: `${addressOf(arn)}/events` }),
      list: "/debugger/",
    };
  }

  /** The history as server-sent events: what has been since `after`, then what comes, then the end. */
  async #stream(request, response, arn, after) {
    const { store, runner } = this.#service;
    const about = await store.get(arn);
    if (about === undefined) throw noExecutionHere(arn);
    if (!Number.isSafeInteger(after) || after < 0) throw new ApiError("ValidationException", "after must be the id of an event");
    if (this.#streams.size >= STREAMS) throw new ApiError("ServiceUnavailable", `at most ${STREAMS} executions can be watched at the same time`, { status: 503 });
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-content-type-options": "nosniff" });
    response.write("retry: 1000\n\n");
    if (request.method === "HEAD") return response.end();
    this.#streams.add(response);
    const alive = setInterval(() => response.write(": alive\n\n"), ALIVE);
    const closed = new Promise((resolve) => response.once("close", resolve));
    const tell = (kind, data, id) => response.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
    try {
      const live = runner.find(arn);
      const source = live === undefined ? (await historyOf(this.#service, about, { from: after })).events : live.execution;
      const events = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
      for (;;) {
        const next = await Promise.race([events.next(), closed.then(() => undefined)]);
        if (next === undefined) return;
        if (next.done) break;
        if (next.value.id <= after) continue;
        // A reader that is slower than the execution holds it up here, and not in memory.
        if (!tell("history", next.value, next.value.id)) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
      }
      if (live !== undefined) await live.ended;
      const { status, stopDate, output, error, cause } = (await store.get(arn)) ?? live?.about ?? about;
      tell("end", { status, ...(stopDate !== undefined && { stopDate: iso(stopDate) }), output, error, cause });
      response.end();
    } finally {
      clearInterval(alive);
      this.#streams.delete(response);
    }
  }
}

/** A file of a folder. */
function file(response, folder, name) {
  const path = normalize(join(folder, name));
  if (!path.startsWith(folder + sep) || name.includes("\0") || !existsSync(path) || !statSync(path).isFile()) {
    throw new ApiError("ResourceNotFound", `there is no ${name.slice(0, 200)}`, { status: 404 });
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "content-length": statSync(path).size,
    // Files with a hash in their name never change.
    "cache-control": /-[\w-]{8}\.\w+$/.test(path) && !path.endsWith("-worker.js") ? "public, max-age=31536000, immutable" : "no-cache",
    "x-content-type-options": "nosniff",
  });
  if (response.req.method === "HEAD") return response.end();
  return createReadStream(path).on("error", () => response.destroy()).pipe(response);
}

/** An execution of a list, with the addresses of what there is of it. */
function summary({ id, name, machineArn, machineName, type, status, startDate, stopDate }, page) {
  return {
    executionArn: id,
    name,
    stateMachineArn: machineArn,
    stateMachineName: machineName,
    type,
    status,
    startDate: iso(startDate),
    ...(stopDate !== undefined && { stopDate: iso(stopDate) }),
    import: addressOf(id),
    debugger: page ? `/debugger/page/#import=${encodeURIComponent(addressOf(id))}` : `/debugger/executions/${encodeURIComponent(id)}`,
  };
}

/** What has become of each state, by its JSON Pointer or name: what the drawing colours. */
export function statusOf(events) {
  const states = new Map();
  const open = new Map();
  for (const { id, previousEventId, type, stateEnteredEventDetails: entered, stateExitedEventDetails: exited } of events) {
    const name = entered?.name ?? exited?.name ?? open.get(previousEventId);
    if (name === undefined) continue;
    open.set(id, name);
    if (entered) states.set(name, type.startsWith("Fail") ? "failed" : "running");
    else if (exited) states.set(name, "succeeded");
    else if (/Failed$|TimedOut$/.test(type)) states.set(name, "failed");
    else if (/Aborted$/.test(type)) states.set(name, "cancelled");
  }
  return states;
}

function addressOf(arn) {
  return `/debugger/api/executions/${encodeURIComponent(arn)}`;
}

function noExecutionHere(arn) {
  const { type, message } = noExecution(arn);
  return new ApiError(type, message, { status: 404 });
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError("ValidationException", "the address is not correctly URL-encoded");
  }
}

const iso = (time) => new Date(time).toISOString();

function json(response, value) {
  plain(response, "application/json", JSON.stringify(value));
}

function html(response, text) {
  response.setHeader("content-security-policy", POLICY);
  plain(response, "text/html; charset=utf-8", text);
}

function plain(response, type, text) {
  const body = Buffer.from(text);
  response.writeHead(200, { "content-type": type, "content-length": body.length, "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

function redirect(response, to) {
  response.writeHead(302, { location: to, "content-length": 0 });
  response.end();
}
