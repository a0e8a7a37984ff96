// Publishes events of a server's executions: changes of their status, and the logs of their machines.

import type { ChildExecution, HistoryEvent } from "../../core/api/index.d.ts";
import type { NoticeTarget, ServeOptions } from "../../core/api/server.d.ts";
import { CloudWatchLogs, EventBridge, destinationOf } from "./destinations.ts";
import { stackOf } from "../protocol/errors.ts";
import { ExecutionLogs } from "./execution-logs.ts";
import { type Destination, Sink } from "./sinks.ts";
import type { ExecutionOptions } from "../../core/execution/machine.ts";
import type { StoredExecution } from "../storage/records.ts";
import type { Registry } from "../storage/registry.ts";
import { statusNotice } from "./status-events.ts";

// Minimum time for the delivery of queued notices at the end of the server, in milliseconds.
const MIN_GRACE_MS = 1000;

/** The options that name the destinations. */
export type PublishOptions = Pick<ServeOptions, "statusEvents" | "eventsEndpoint" | "executionLogs" | "logsEndpoint">;

/** What the publisher needs of the server. */
type PublisherContext = Pick<Registry, "store" | "log" | "quotas" | "now">;

/** Publishes the events of a server's executions. */
export class Publisher {
  readonly #service: PublisherContext;
  readonly #current: (arn: string) => StoredExecution | undefined;
  readonly #statuses: readonly Sink[];
  readonly #logged: readonly Sink[];
  readonly #logs = new ExecutionLogs();

  /** `current` returns the record of an execution in memory. */
  constructor(
    service: PublisherContext,
    { statusEvents, eventsEndpoint, executionLogs, logsEndpoint }: PublishOptions,
    current: (arn: string) => StoredExecution | undefined,
  ) {
    this.#service = service;
    this.#current = current;
    const sink = (destination: Destination): Sink => new Sink(destination, service.log);
    this.#statuses = [
      ...targets(statusEvents).map((target) => sink(destinationOf(target, "status events"))),
      ...(eventsEndpoint === undefined ? [] : [sink(new EventBridge(eventsEndpoint, "EventBridge"))]),
    ];
    this.#logged = [
      ...targets(executionLogs).map((target) => sink(destinationOf(target, "execution logs"))),
      ...(logsEndpoint === undefined ? [] : [sink(new CloudWatchLogs(logsEndpoint, "CloudWatch Logs"))]),
    ];
  }

  /** Returns the observers of an execution. They are called for each event that is in the store. */
  observers(record: StoredExecution, hasChildren: boolean): Pick<ExecutionOptions, "onEvent" | "onChild"> {
    const logs = this.#logged.length > 0 && ExecutionLogs.isLogged(record);
    // The host reports a new start, so only a redrive needs an observer of events.
    const redriven = this.#statuses.length > 0 && record.status !== "RUNNING";
    const children =
      hasChildren && (logs || this.#statuses.length > 0) ? { onChild: (child: ChildExecution) => void this.#child(child) } : {};
    if (!logs && !redriven) return children;
    const now = (): StoredExecution => this.#current(record.id) ?? record;
    const onEvent = (event: HistoryEvent): void => {
      if (event.type === "ExecutionRedriven") this.#publishStart(now(), Date.parse(event.timestamp));
      if (logs) this.#logEvent(now(), event);
    };
    return { onEvent, ...children };
  }

  /** Publishes the start of a new execution that is in the store. */
  begun(record: StoredExecution): void {
    this.#publishStart(record, record.startDate);
  }

  /** Publishes the end of an execution. */
  ended(record: StoredExecution): void {
    if (record.type === "STANDARD") this.#publish(record, this.#service.now());
  }

  /** Delivers the queued notices. Gives up after `grace` milliseconds, but not before a second has passed. */
  async close(grace: number): Promise<void> {
    const all = [...this.#statuses, ...this.#logged];
    await Promise.all(all.map((sink) => sink.close(Math.max(grace, MIN_GRACE_MS))));
  }

  /**
   * Publishes that an execution runs. The record may be one of an ended execution, if the execution ended while it was being
   * stored.
   */
  #publishStart({ stopDate, output, error, cause, ...begun }: StoredExecution, at: number): void {
    if (begun.type === "STANDARD") this.#publish({ ...begun, status: "RUNNING" }, at);
  }

  #publish(record: StoredExecution, at: number): void {
    if (this.#statuses.length === 0) return;
    // All destinations get the same event, with the same id.
    const notice = statusNotice(record, at, this.#service.quotas);
    for (const sink of this.#statuses) sink.add(notice);
  }

  #logEvent(record: StoredExecution, event: HistoryEvent): void {
    const notice = this.#logs.notice(record, event, record.redriveCount);
    if (notice !== undefined) for (const sink of this.#logged) sink.add(notice);
  }

  /** Publishes the events of a Map Run's child all at once, when it has ended. */
  async #child({ arn, history }: ChildExecution): Promise<void> {
    try {
      const record = (await this.#service.store.get(arn)) as StoredExecution | undefined;
      // Events from before the redrive of the Map Run were already published.
      const events = history.slice(
        Math.max(
          history.findLastIndex(({ type }) => type === "ExecutionRedriven"),
          0,
        ),
      );
      const [first] = events;
      if (record === undefined || first === undefined) return;
      this.#publishStart(record, Date.parse(first.timestamp));
      this.ended(record);
      if (ExecutionLogs.isLogged(record)) for (const event of events) this.#logEvent(record, event);
    } catch (thrown) {
      this.#service.log("error", () => stackOf(thrown));
    }
  }
}

function targets(given: NoticeTarget | readonly NoticeTarget[] | undefined): readonly NoticeTarget[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given as NoticeTarget];
}
