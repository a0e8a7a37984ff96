// Serves /debugger, which shows executions in a browser.
//
// docs/server.md has the contract of the JSON and of the event stream.

import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { isObject } from "../../core/base/json.ts";
import { messageOf } from "../../core/base/errors.ts";
import { historyOf } from "../../runtime/durable/history-pages.ts";
import { mapRunsOf } from "../../runtime/durable/map-runs.ts";
import { ACTIONS, type ActionName, act } from "../executions/actions.ts";
import { componentFile, content, file, html, json, notFound, redirect } from "./content.ts";
import { drawing } from "./drawing.ts";
import { consolePage, executionPage, listPage } from "./debugger-pages.ts";
import { actionScript, executionScript, listScript, style } from "./debugger-files.ts";
import { ANYONE, type Identity, ownerName } from "../protocol/access.ts";
import { ApiError, noExecution } from "../protocol/errors.ts";
import { described, redriveOf } from "../executions/descriptions.ts";
import { type StoredExecution, shownRecord } from "../storage/records.ts";
import type { BulkReport, ConsoleDescription, ExecutionDocument, ListQuery } from "./documents.ts";
import { EventStreams } from "./event-stream.ts";
import { Counting, addressOf, iso, listOf } from "./listing.ts";
import { type ConsoleSource, actionNames } from "./source.ts";

/** The largest number of executions of one request that changes many, and how many are changed at the same time. */
const MOST_AT_ONCE = 100;
const SIDE_BY_SIDE = 10;

/** Records an action on an execution and its result. */
type Record = (action: string, executionArn: string, error?: string) => void;

/** Who makes a request, and where his actions are recorded. */
interface Visitor {
  identity: Identity;
  record: Record;
}

/** Serves the pages and the data of /debugger. */
export class Debugger {
  readonly #source: ConsoleSource;
  readonly #page: string | undefined;
  readonly #component: string | undefined;
  readonly #streams: EventStreams;
  readonly #counting: Counting;

  /** `page` is the folder of the built playground, `component` that of `<stepglass-debugger>`; undefined if it is not installed. */
  constructor(source: ConsoleSource, { page, component }: { page: string | undefined; component: string | undefined }) {
    this.#source = source;
    this.#page = page !== undefined && existsSync(join(page, "index.html")) ? page : undefined;
    this.#component = component !== undefined && existsSync(join(component, "debugger.js")) ? component : undefined;
    this.#streams = new EventStreams(source);
    this.#counting = new Counting(source);
  }

  /** Ends the event streams. */
  close(): void {
    this.#streams.close();
  }

  /** Answers a request for an address of /debugger. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: () => Promise<unknown>,
    identity: Identity = ANYONE,
    record: Record = () => {},
  ): Promise<void> {
    const visitor = { identity, record };
    if (request.method === "POST") return this.#post(request, response, body, visitor);
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
        if (rest.length === 0) return html(response, await this.#listPage(searchParams, visitor));
        break;
      case "page":
        if (this.#page !== undefined) return file(response, this.#page, decoded(path) || "index.html");
        break;
      case "component":
        if (this.#component !== undefined && componentFile.test(path)) return file(response, this.#component, path);
        break;
      case "executions":
        if (rest.length === 1) return html(response, await this.#executionPage(decoded(path), visitor));
        break;
      case "api":
        return this.#api(request, response, rest, searchParams, visitor);
    }
    throw notFound(`there is nothing at ${pathname.slice(0, 200)}`);
  }

  /** Performs an action: POST /debugger/api/executions/ARN/ACTION for one execution, POST /debugger/api/bulk for many. */
  async #post(request: IncomingMessage, response: ServerResponse, body: () => Promise<unknown>, visitor: Visitor): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://server");
    const [, arn, action] = /^\/debugger\/api\/executions\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    const isBulk = pathname === "/debugger/api/bulk";
    if (!isBulk && (arn === undefined || action === undefined)) throw notFound(`there is nothing at POST ${pathname.slice(0, 200)}`);
    // Pages of other sites can send forms without the browser's consent check, but not JSON.
    if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
      throw new ApiError("UnsupportedMediaType", "the body must be JSON, with content-type: application/json", { status: 415 });
    if (isBulk) return json(response, await this.#bulk(await body(), visitor));
    return json(response, await this.#act(decoded(arn ?? ""), action ?? "", await body(), visitor));
  }

  /** Performs an action on an execution, and records it. */
  async #act(arn: string, action: string, input: unknown, visitor: Visitor): Promise<object> {
    const name = ACTIONS.find((known) => known === action);
    try {
      const about = await this.#about(arn, visitor);
      const { actions } = this.#source;
      if (actions === undefined) throw new ApiError("AccessDeniedException", "this console only reads", { status: 403 });
      if (!visitor.identity.may("write", ownerName(about.machineArn)))
        throw new ApiError("AccessDeniedException", `this key may not change the execution ${arn}`, { status: 403 });
      const result = await act(actions, about, action, input);
      if (name !== undefined) visitor.record(name, arn);
      return result;
    } catch (thrown) {
      if (name !== undefined) visitor.record(name, arn, thrown instanceof ApiError ? thrown.type : messageOf(thrown));
      throw thrown;
    }
  }

  /** Performs an action on many executions: `{action, executions: [ARN, …]}`, with the members of the action's body. */
  async #bulk(input: unknown, visitor: Visitor): Promise<BulkReport> {
    const { action, executions, ...rest } = isObject(input) ? input : {};
    const isList = Array.isArray(executions) && executions.every((arn) => typeof arn === "string");
    if (typeof action !== "string" || !ACTIONS.some((name) => name === action))
      throw new ApiError("ValidationException", `action must be one of ${ACTIONS.join(", ")}`);
    if (!isList || executions.length > MOST_AT_ONCE)
      throw new ApiError("ValidationException", `executions must be a list of at most ${MOST_AT_ONCE} ARNs`);
    const report: BulkReport = { done: [], refused: [] };
    const left = [...new Set(executions as string[])];
    const work = async (): Promise<void> => {
      for (let arn = left.shift(); arn !== undefined; arn = left.shift()) {
        try {
          await this.#act(arn, action, rest, visitor);
          report.done.push(arn);
        } catch (thrown) {
          const type = thrown instanceof ApiError ? thrown.type : "InternalFailure";
          report.refused.push({ executionArn: arn, type, reason: messageOf(thrown) });
        }
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    return report;
  }

  /** Returns the page with the list. Without the files of the component, the server fills it in itself. */
  async #listPage(parameters: URLSearchParams, visitor: Visitor): Promise<string> {
    if (this.#component !== undefined && existsSync(join(this.#component, "console.js"))) return consolePage();
    const machines = this.#source.machines().sort((a, b) => (a.name < b.name || (a.name === b.name && a.arn < b.arn) ? -1 : 1));
    return listPage(await listOf(this.#source, parameters, this.#page !== undefined, mayRead(visitor)), queryOf(parameters), machines);
  }

  async #executionPage(arn: string, visitor: Visitor): Promise<string> {
    return executionPage(await this.#document(arn, visitor), {
      page: this.#page !== undefined,
      component: this.#component !== undefined,
    });
  }

  /** Answers a request for data. */
  async #api(
    request: IncomingMessage,
    response: ServerResponse,
    [kind, ...path]: string[],
    parameters: URLSearchParams,
    visitor: Visitor,
  ): Promise<void> {
    if (kind === "executions" && path.length > 0) return this.#execution(request, response, path, parameters, visitor);
    if (path.length > 0) throw notFound(`there is no ${path.join("/").slice(0, 200)}`);
    switch (kind) {
      case "executions":
        return json(response, await listOf(this.#source, parameters, this.#page !== undefined, mayRead(visitor)));
      case "counts":
        return json(response, await this.#counting.read(parameters, mayRead(visitor)));
      case "console": {
        const { kind: source } = this.#source;
        const { name: user } = visitor.identity;
        const actions = visitor.identity.may("write") ? actionNames(this.#source) : [];
        const about: ConsoleDescription = { kind: source, actions, page: this.#page !== undefined, ...(user !== undefined && { user }) };
        return json(response, about);
      }
      default:
        throw notFound(`there is no ${String(kind).slice(0, 200)}`);
    }
  }

  /** Answers a request for an execution, or for a part of one. */
  async #execution(
    request: IncomingMessage,
    response: ServerResponse,
    [name = "", part, ...more]: string[],
    parameters: URLSearchParams,
    visitor: Visitor,
  ): Promise<void> {
    if (more.length > 0) throw notFound("there is no such part of an execution");
    const arn = decoded(name);
    switch (part) {
      case undefined:
        return json(response, await this.#document(arn, visitor));
      case "definition":
        return content(response, 200, "application/json", (await this.#document(arn, visitor)).definition);
      case "history":
        return json(response, { events: (await this.#document(arn, visitor)).events });
      case "graph.svg": {
        const { definition, events } = await this.#document(arn, visitor);
        return drawing(response, definition, events);
      }
      case "events": {
        const after = Number(parameters.get("after") ?? request.headers["last-event-id"] ?? 0);
        return this.#streams.send(request, response, await this.#about(arn, visitor), after);
      }
      default:
        throw notFound(`an execution has no ${part.slice(0, 200)}`);
    }
  }

  async #about(arn: string, visitor: Visitor): Promise<StoredExecution> {
    const about = await this.#source.store.get(arn);
    // An execution that the visitor may not see does not exist for him.
    if (about !== undefined && visitor.identity.may("read", ownerName(about.machineArn))) return shownRecord(about);
    const { type, message } = noExecution(arn);
    throw new ApiError(type, message, { status: 404 });
  }

  async #document(arn: string, visitor: Visitor): Promise<ExecutionDocument> {
    const { store, host, quotas } = this.#source;
    const about = await this.#about(arn, visitor);
    const { events } = (await historyOf(host, arn)) ?? { events: [] };
    // The execution may have ended while its history was being read.
    const found = await store.get(arn);
    const now = found === undefined ? about : shownRecord(found);
    const { startDate, stopDate, input, output, error, cause, name, status } = described(now);
    const { state, suspended, attributes } = now;
    const runs = status === "RUNNING";
    const mapRuns = await mapRunsOf(store, arn);
    const redrivable = redriveOf(now, quotas).redriveStatus === "REDRIVABLE" && now.mapRunArn === undefined;
    const may = visitor.identity.may("write", ownerName(now.machineArn)) ? actionNames(this.#source) : [];
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
      ...(attributes !== undefined && { attributes }),
      redrivable,
      actions: may.filter((action) => isPossible(action, { runs, suspended: suspended !== undefined, redrivable })),
      ...(runs && { signals: await this.#source.signals(arn) }),
      ...(mapRuns.length > 0 && { mapRuns }),
      events,
      ...(runs && { live: `${addressOf(arn)}/events` }),
      list: "/debugger/",
    };
  }
}

/** Returns which machines a visitor may read, by their ARNs. */
function mayRead({ identity }: Visitor): (machineArn: string) => boolean {
  return (machineArn) => identity.may("read", ownerName(machineArn));
}

/** Returns whether an action is possible on an execution in this state. */
function isPossible(
  action: ActionName,
  { runs, suspended, redrivable }: { runs: boolean; suspended: boolean; redrivable: boolean },
): boolean {
  switch (action) {
    case "redrive":
      return !runs && redrivable;
    case "resume":
      return runs && suspended;
    case "stop":
      return runs;
    default:
      return runs && !suspended;
  }
}

function queryOf(parameters: URLSearchParams): ListQuery {
  const [status = "", stateMachineArn = "", name = ""] = ["status", "stateMachineArn", "name"].map((key) => parameters.get(key) ?? "");
  return { status, stateMachineArn, name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError("ValidationException", "the address is not correctly URL-encoded");
  }
}
