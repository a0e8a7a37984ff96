// Streams the history of an execution as server-sent events.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import { historyOf } from "../../runtime/durable/history-pages.ts";
import { ApiError } from "../protocol/errors.ts";
import { iso } from "./listing.ts";
import type { ConsoleSource } from "./source.ts";

const KEEP_ALIVE_MS = 15_000;
const MAX_STREAMS = 200;
/** Polling interval for the events of an execution that another process runs, in milliseconds. */
const POLL_MS = 500;
const PAGE_SIZE = 1000;

/** The event streams of a console. */
export class EventStreams {
  readonly #source: ConsoleSource;
  readonly #streams = new Set<ServerResponse>();

  constructor(source: ConsoleSource) {
    this.#source = source;
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Streams the events of an execution after `after`, then new ones, then its end. */
  async send(request: IncomingMessage, response: ServerResponse, about: ExecutionRecord, after: number): Promise<void> {
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
      await this.#write(response, about, after);
    } finally {
      clearInterval(alive);
      this.#streams.delete(response);
    }
  }

  /** Writes the events after `after`, and the end, to a stream. Stops when the client disconnects. */
  async #write(response: ServerResponse, about: ExecutionRecord, after: number): Promise<void> {
    const gone = new AbortController();
    const closed = new Promise<undefined>((resolve) =>
      response.once("close", () => {
        gone.abort();
        resolve(undefined);
      }),
    );
    const events = this.#events(about.id, after, gone.signal);
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
    const ended = await Promise.race([this.#ended(about.id, gone.signal), closed]);
    if (gone.signal.aborted) return;
    const { status, stopDate, output, error, cause } = ended ?? about;
    response.end(message("end", { status, ...(stopDate !== undefined && { stopDate: iso(stopDate) }), output, error, cause }));
  }

  /** Resolves to the record of an execution when it has ended. */
  async #ended(arn: string, gone: AbortSignal): Promise<ExecutionRecord | undefined> {
    const { store, host, kind } = this.#source;
    if (kind !== "store") return host.ended(arn);
    for (;;) {
      const record = await store.get(arn);
      if (record?.status !== "RUNNING" || gone.aborted) return record;
      await later(POLL_MS);
    }
  }

  /** Returns whether another process runs an execution. */
  async #runsElsewhere(arn: string): Promise<boolean> {
    const { store, host, kind } = this.#source;
    if (store.sharing === undefined && kind !== "store") return false;
    const record = await store.get(arn);
    return record?.status === "RUNNING" && record.suspended === undefined && (kind === "store" || !host.has(record));
  }

  /** Yields the events of an execution after the first `from` ones, as they happen. */
  async *#events(arn: string, from: number, gone: AbortSignal): AsyncGenerator<HistoryEvent, void> {
    const { host, kind } = this.#source;
    while (!gone.aborted) {
      // Whether it runs elsewhere is read before the history, so that the events at its end are not missed.
      const elsewhere = await this.#runsElsewhere(arn);
      // The listener is added before the history is read, so that no event is missed.
      const live = kind === "store" ? undefined : (host.find(arn) ?? (await host.take(arn)));
      const changed = live?.driver.changed();
      const { events } = (await historyOf(host, arn, { from, limit: PAGE_SIZE })) ?? { events: [] };
      yield* events;
      from += events.length;
      if (events.length > 0) continue;
      if (live === undefined && !elsewhere) return;
      if (live?.driver.outcome !== undefined) return;
      await (changed ?? later(POLL_MS));
    }
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Formats a server-sent event. */
function message(kind: string, data: object, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
