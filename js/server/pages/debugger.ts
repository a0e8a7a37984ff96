// Serves /debugger, which shows the server's executions in a browser.
//
// docs/server.md has the contract of the JSON and of the event stream.

import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { ExecutionStatus, HistoryEvent } from "../../core/api/index.d.ts";
import { historyOf } from "../../runtime/durable/history-pages.ts";
import { mapRunsOf } from "../../runtime/durable/map-runs.ts";
import { act, signalsOf } from "../executions/actions.ts";
import { componentFile, content, file, html, json, notFound, redirect } from "./content.ts";
import { drawing } from "./drawing.ts";
import { executionPage, listPage } from "./debugger-pages.ts";
import { actionScript, executionScript, listScript, style } from "./debugger-files.ts";
import { ApiError, noExecution } from "../protocol/errors.ts";
import { described, redriveOf } from "../executions/descriptions.ts";
import { type StoredExecution, type StoredSummary, shownRecord } from "../storage/records.ts";
import type { Context } from "../executions/context.ts";
import type { ExecutionDocument, ExecutionList, ExecutionSummary, ListQuery } from "./documents.ts";
import type { Quotas } from "../protocol/quotas.ts";

const KEEP_ALIVE_MS = 15_000;
const MAX_STREAMS = 200;
/** Polling interval for the events of an execution that another process runs, in milliseconds. */
const POLL_MS = 500;
const DEFAULT_LIMIT = 50;
const PAGE_SIZE = 1000;

/** Serves the pages and the data of /debugger. */
export class Debugger {
  readonly #service: Context;
  readonly #page: string | undefined;
  readonly #component: string | undefined;
  readonly #streams = new Set<ServerResponse>();

  /** `page` is the folder of the built playground, `component` that of `<stepglass-debugger>`; undefined if it is not installed. */
  constructor(service: Context, { page, component }: { page: string | undefined; component: string | undefined }) {
    this.#service = service;
    this.#page = page !== undefined && existsSync(join(page, "index.html")) ? page : undefined;
    this.#component = component !== undefined && existsSync(join(component, "debugger.js")) ? component : undefined;
  }

  /** Ends the event streams. */
  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Answers a request for an address of /debugger. */
  async serve(request: IncomingMessage, response: ServerResponse, body: () => Promise<unknown>): Promise<void> {
    if (request.method === "POST") return this.#act(request, response, body);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new ApiError("MethodNotAllowed", "only GET, HEAD and POST are allowed", { status: 405 });
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://server");
    const [, folder, first = "", ...rest] = pathname.split("/");
    if (pathname === "/debugger") return redirect(response, "/debugger/");
    // The URL parser resolves "..", so the path can be outside of /debugger.
    if (folder !== "debugger") throw notFound(`there is nothing at ${pathname.slice(0, 200)}`);
    const path = rest.join("/");
    switch (first) {
      case "list.css":
        return content(response, 200, "text/css; charset=utf-8", style);
      case "list.js":
        return content(response, 200, "text/javascript; charset=utf-8", listScript);
      case "actions.js":
        return content(response, 200, "text/javascript; charset=utf-8", actionScript);
      case "execution.js":
        return content(response, 200, "text/javascript; charset=utf-8", executionScript);
      case "":
        if (rest.length === 0) return html(response, listPage(await this.#list(searchParams), queryOf(searchParams), this.#machines()));
        break;
      case "page":
        if (this.#page !== undefined) return file(response, this.#page, decoded(path) || "index.html");
        break;
      case "component":
        if (this.#component !== undefined && componentFile.test(path)) return file(response, this.#component, path);
        break;
      case "executions":
        if (rest.length === 1) return html(response, await this.#executionPage(decoded(path)));
        break;
      case "api":
        if (rest[0] === "executions") return this.#api(request, response, rest.slice(1), searchParams);
    }
    throw notFound(`there is nothing at ${pathname.slice(0, 200)}`);
  }

  /** Performs an action on an execution: POST /debugger/api/executions/ARN/ACTION. */
  async #act(request: IncomingMessage, response: ServerResponse, body: () => Promise<unknown>): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://server");
    const [, arn, action] = /^\/debugger\/api\/executions\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    if (arn === undefined || action === undefined) throw notFound(`there is nothing at POST ${pathname.slice(0, 200)}`);
    // Pages of other sites can send forms without the browser's consent check, but not JSON.
    if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
      throw new ApiError("UnsupportedMediaType", "the body must be JSON, with content-type: application/json", { status: 415 });
    return json(response, await act(this.#service, await this.#about(decoded(arn)), action, await body()));
  }

  /** Returns the machines to filter by, sorted by name. */
  #machines(): { arn: string; name: string }[] {
    const all = [...this.#service.machines.values()].map(({ arn, name }) => ({ arn, name }));
    return all.sort((a, b) => (a.name < b.name || (a.name === b.name && a.arn < b.arn) ? -1 : 1));
  }

  async #executionPage(arn: string): Promise<string> {
    return executionPage(await this.#document(arn), { page: this.#page !== undefined, component: this.#component !== undefined });
  }

  /** Answers a request for the list of executions, for an execution, or for a part of one. */
  async #api(request: IncomingMessage, response: ServerResponse, path: string[], parameters: URLSearchParams): Promise<void> {
    const [name, part, ...more] = path;
    if (name === undefined) return json(response, await this.#list(parameters));
    if (more.length > 0) throw notFound("there is no such part of an execution");
    const arn = decoded(name);
    switch (part) {
      case undefined:
        return json(response, await this.#document(arn));
      case "definition":
        return content(response, 200, "application/json", (await this.#document(arn)).definition);
      case "history":
        return json(response, { events: (await this.#document(arn)).events });
      case "graph.svg": {
        const { definition, events } = await this.#document(arn);
        return drawing(response, definition, events);
      }
      case "events":
        return this.#stream(request, response, arn, Number(parameters.get("after") ?? request.headers["last-event-id"] ?? 0));
      default:
        throw notFound(`an execution has no ${part.slice(0, 200)}`);
    }
  }

  async #list(parameters: URLSearchParams): Promise<ExecutionList> {
    const { status, stateMachineArn: machineArn, name: namePrefix } = queryOf(parameters);
    const limit = Math.min(Math.max(Number(parameters.get("limit")) || DEFAULT_LIMIT, 1), 1000);
    const before = Number(parameters.get("before")) || undefined;
    const filter = {
      ...(status !== "" && { status: status as ExecutionStatus }),
      ...(machineArn !== "" && { machineArn }),
      ...(namePrefix !== "" && { namePrefix }),
    };
    const { items, before: next } = await this.#service.store.list(filter, { limit, ...(before !== undefined && { before }) });
    const executions = (items as unknown as StoredSummary[]).map((about) => summary(about, this.#page !== undefined, this.#service.quotas));
    return { executions, ...(next !== undefined && { before: next }) };
  }

  async #about(arn: string): Promise<StoredExecution> {
    const about = await this.#service.store.get(arn);
    if (about !== undefined) return shownRecord(about);
    const { type, message } = noExecution(arn);
    throw new ApiError(type, message, { status: 404 });
  }

  async #document(arn: string): Promise<ExecutionDocument> {
    const { store, runner } = this.#service;
    const about = await this.#about(arn);
    const { events } = (await historyOf(runner.host, arn)) ?? { events: [] };
    // The execution may have ended while its history was being read.
    const found = await store.get(arn);
    const now = found === undefined ? about : shownRecord(found);
    const { startDate, stopDate, input, output, error, cause, name, status } = described(now);
    const { state, suspended } = now;
    const runs = status === "RUNNING";
    const mapRuns = await mapRunsOf(store, arn);
    return {
      stepglass: "execution/1",
      executionArn: arn,
      name,
      stateMachineArn: now.machineArn,
      stateMachineName: now.machine,
      type: now.type,
      definition: (await store.getDefinition(now.revision.hash)) ?? "",
      status,
      startDate: iso(startDate),
      ...(stopDate !== undefined && { stopDate: iso(stopDate) }),
      redriveCount: now.redriveCount,
      input,
      ...(output !== undefined && { output }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
      ...(state !== undefined && { state }),
      ...(suspended !== undefined && { suspended: suspended.reason }),
      redrivable: redriveOf(now, this.#service.quotas).redriveStatus === "REDRIVABLE" && now.mapRunArn === undefined,
      ...(runs && { signals: await signalsOf(this.#service, arn) }),
      ...(mapRuns.length > 0 && { mapRuns }),
      events,
      ...(runs && { live: `${addressOf(arn)}/events` }),
      list: "/debugger/",
    };
  }

  /** Streams the history as server-sent events: the events after `after`, then new ones, then the end. */
  async #stream(request: IncomingMessage, response: ServerResponse, arn: string, after: number): Promise<void> {
    const about = await this.#about(arn);
    if (!Number.isSafeInteger(after) || after < 0) throw new ApiError("ValidationException", "after must be the id of an event");
    if (this.#streams.size >= MAX_STREAMS) {
      throw new ApiError("ServiceUnavailable", `at most ${MAX_STREAMS} executions can be watched at the same time`, { status: 503 });
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-content-type-options": "nosniff" });
    response.write("retry: 1000\n\n");
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    this.#streams.add(response);
    const alive = setInterval(() => response.write(": alive\n\n"), KEEP_ALIVE_MS);
    try {
      await this.#writeEvents(response, about, after);
    } finally {
      clearInterval(alive);
      this.#streams.delete(response);
    }
  }

  /** Writes the events after `after`, and the end, to a stream. Stops when the client disconnects. */
  async #writeEvents(response: ServerResponse, about: StoredExecution, after: number): Promise<void> {
    const closed = new Promise<undefined>((resolve) => response.once("close", () => resolve(undefined)));
    const events = this.#events(about.id, after);
    for (;;) {
      const next = await Promise.race([events.next(), closed]);
      if (next === undefined) return;
      if (next.done) break;
      const { value } = next;
      if (value.id <= after) continue;
      // If the client is slower than the execution, the loop waits: events are not buffered in memory.
      if (!response.write(message("history", value, value.id)))
        await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
    }
    const ended = await Promise.race([this.#service.runner.ended(about.id), closed]);
    const { status, stopDate, output, error, cause } = ended ?? about;
    response.end(message("end", { status, ...(stopDate !== undefined && { stopDate: iso(stopDate) }), output, error, cause }));
  }

  /** Returns whether another process that shares the store runs an execution. */
  async #runsElsewhere(arn: string): Promise<boolean> {
    const { store, runner } = this.#service;
    if (store.sharing === undefined) return false;
    const record = await store.get(arn);
    return record?.status === "RUNNING" && record.suspended === undefined && !runner.host.has(record);
  }

  /** Yields the events of an execution after the first `from` ones, as they happen. */
  async *#events(arn: string, from: number): AsyncGenerator<HistoryEvent, void> {
    const { host } = this.#service.runner;
    for (;;) {
      // The listener is added before the history is read, so that no event is missed.
      const live = host.find(arn) ?? (await host.take(arn));
      const changed = live?.driver.changed();
      const { events } = (await historyOf(host, arn, { from, limit: PAGE_SIZE })) ?? { events: [] };
      yield* events;
      from += events.length;
      if (events.length > 0) continue;
      if (live === undefined && !(await this.#runsElsewhere(arn))) return;
      if (live?.driver.outcome !== undefined) return;
      await (changed ?? new Promise((resolve) => setTimeout(resolve, POLL_MS)));
    }
  }
}

/** Formats a server-sent event. */
function message(kind: string, data: object, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** An execution of a list; `page` says whether the playground is there to open it. */
function summary(about: StoredSummary, page: boolean, quotas: Quotas | undefined): ExecutionSummary {
  const { id, name, machineArn, machine, type, status, startDate, stopDate } = about;
  // A summary has all fields of a record except the payloads, and redriveOf reads no payload.
  const { redriveStatus } = redriveOf(about as unknown as StoredExecution, quotas);
  return {
    executionArn: id,
    name,
    stateMachineArn: machineArn,
    stateMachineName: machine,
    type,
    status,
    startDate: iso(startDate),
    ...(stopDate !== undefined && { stopDate: iso(stopDate) }),
    redrivable: redriveStatus === "REDRIVABLE",
    import: addressOf(id),
    debugger: page ? `/debugger/page/#import=${encodeURIComponent(addressOf(id))}` : `/debugger/executions/${encodeURIComponent(id)}`,
  };
}

function queryOf(parameters: URLSearchParams): ListQuery {
  const [status = "", stateMachineArn = "", name = ""] = ["status", "stateMachineArn", "name"].map((key) => parameters.get(key) ?? "");
  return { status, stateMachineArn, name };
}

function addressOf(arn: string): string {
  return `/debugger/api/executions/${encodeURIComponent(arn)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError("ValidationException", "the address is not correctly URL-encoded");
  }
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
