// A server of one recorded execution: its page, for people on this machine.

import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import type { RecordedDocument } from "../../core/history/recorded.ts";
import { componentFile, content, file, html, json, notFound, redirect } from "./content.ts";
import { actionScript, executionScript, style } from "./debugger-files.ts";
import { executionPage } from "./debugger-pages.ts";
import type { ExecutionDocument } from "./documents.ts";
import { drawing } from "./drawing.ts";
import { ApiError } from "../protocol/errors.ts";
import { OriginCheck } from "../protocol/origin-check.ts";

const HOST = "127.0.0.1";

/** Serves one recorded execution at an address of the loopback, to programs and pages of this machine. */
export class OpenedExecution {
  readonly #server: Server;
  readonly #originCheck = new OriginCheck({});
  readonly #execution: ExecutionDocument;
  readonly #page: string | undefined;
  readonly #component: string | undefined;
  /** The addresses of the execution's page and of its data. */
  readonly #address: string;
  readonly #data: string;

  /** `page` is the folder of the built playground, and `component` that of `<stepglass-debugger>`. Either can be absent. */
  constructor(execution: RecordedDocument, { page, component }: { page: string; component: string }) {
    const name = encodeURIComponent(execution.executionArn);
    this.#address = `/debugger/executions/${name}`;
    this.#data = `/debugger/api/executions/${name}`;
    this.#execution = {
      ...execution,
      definition: execution.definition ?? "",
      input: execution.input,
      // AWS's events have these members and more.
      events: execution.events as unknown as HistoryEvent[],
      status: execution.status as ExecutionDocument["status"],
      redrivable: false,
      actions: [],
      list: "/debugger/",
    };
    this.#page = existsSync(join(page, "index.html")) ? page : undefined;
    this.#component = existsSync(join(component, "debugger.js")) ? component : undefined;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  /** Whether the playground is there. It sketches a graph for an execution without a definition. */
  get hasPage(): boolean {
    return this.#page !== undefined;
  }

  /** Listens at a port, or at a free one if it is 0. Resolves to the address of the page. */
  async listen(port: number): Promise<{ url: string; port: number }> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, HOST, () => resolve());
    });
    const address = this.#server.address();
    const taken = typeof address === "object" && address !== null ? address.port : port;
    const path = this.#page === undefined ? this.#address : `/debugger/page/#import=${encodeURIComponent(this.#data)}`;
    return { url: `http://${HOST}:${taken}${path}`, port: taken };
  }

  /** Stops listening and ends all connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    response.on("error", () => {});
    try {
      const { refused } = this.#originCheck.check(request);
      if (refused !== undefined) throw new ApiError("AccessDeniedException", refused, { status: 403 });
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new ApiError("MethodNotAllowed", "only GET and HEAD are allowed", { status: 405 });
      this.#answer(new URL(request.url ?? "/", "http://server").pathname, response);
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 500;
      content(response, status, "application/json", JSON.stringify({ message: messageOf(error) }));
    }
  }

  #answer(path: string, response: ServerResponse): void {
    const { definition, events } = this.#execution;
    switch (path) {
      case "/":
      case "/debugger/":
        return redirect(response, this.#address);
      case this.#address:
        return html(response, executionPage(this.#execution, { page: this.hasPage, component: this.#component !== undefined }));
      case this.#data:
        return json(response, this.#execution);
      case `${this.#data}/history`:
        return json(response, { events });
      case `${this.#data}/graph.svg`:
        return drawing(response, definition, events);
      case "/debugger/list.css":
        return content(response, 200, "text/css; charset=utf-8", style);
      case "/debugger/execution.js":
        return content(response, 200, "text/javascript; charset=utf-8", executionScript);
      case "/debugger/actions.js":
        return content(response, 200, "text/javascript; charset=utf-8", actionScript);
    }
    const [, folder, name = ""] = /^\/debugger\/(page|component)\/(.*)$/s.exec(path) ?? [];
    if (folder === "page" && this.#page !== undefined) return file(response, this.#page, name || "index.html");
    if (folder === "component" && this.#component !== undefined && componentFile.test(name)) return file(response, this.#component, name);
    throw notFound(`there is nothing at ${path.slice(0, 200)}`);
  }
}
