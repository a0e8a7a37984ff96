// What a server tells others of its executions: changes of their status, and the logs of their machines.

import type { ChildExecution, HistoryEvent } from "../api/index.d.ts";
import type { NoticeTarget, ServeOptions } from "../api/server.d.ts";
import { CloudWatchLogs, EventBridge, destinationOf } from "./destinations.ts";
import { stackOf } from "./errors.ts";
import { ExecutionLogs } from "./execution-logs.ts";
import { type Destination, Outlet } from "./sinks.ts";
import type { ExecutionOptions } from "../execution/machine.ts";
import type { StoredExecution } from "./records.ts";
import type { Service } from "./service.ts";
import { statusNotice } from "./status-events.ts";

// A server that ends at once tells of that, if it can.
const LEAST = 1000;

/** The options that say to whom a server tells what. */
export type PublishOptions = Pick<ServeOptions, "statusEvents" | "eventsEndpoint" | "executionLogs" | "logsEndpoint">;

/** Tells of the executions of a service. */
export class Publisher {
  readonly #service: Service;
  readonly #statuses: readonly Outlet[];
  readonly #logged: readonly Outlet[];
  readonly #logs = new ExecutionLogs();

  constructor(service: Service, { statusEvents, eventsEndpoint, executionLogs, logsEndpoint }: PublishOptions) {
    this.#service = service;
    const outlet = (destination: Destination): Outlet => new Outlet(destination, service.log);
    this.#statuses = [
      ...targets(statusEvents).map((target) => outlet(destinationOf(target, "status events"))),
      ...(eventsEndpoint === undefined ? [] : [outlet(new EventBridge(eventsEndpoint, "EventBridge"))]),
    ];
    this.#logged = [
      ...targets(executionLogs).map((target) => outlet(destinationOf(target, "execution logs"))),
      ...(logsEndpoint === undefined ? [] : [outlet(new CloudWatchLogs(logsEndpoint, "CloudWatch Logs"))]),
    ];
  }

  /** What an execution is observed with: each event when it is kept. */
  observers(record: StoredExecution, hasChildren: boolean): Pick<ExecutionOptions, "onEvent" | "onChild"> {
    const logs = this.#logged.length > 0 && ExecutionLogs.isLogged(record);
    // A start is told of by the host, without a look at all events.
    const redriven = this.#statuses.length > 0 && record.status !== "RUNNING";
    const children =
      hasChildren && (logs || this.#statuses.length > 0) ? { onChild: (child: ChildExecution) => void this.#child(child) } : {};
    if (!logs && !redriven) return children;
    const now = (): StoredExecution => (this.#service.runner.host.find(record.id)?.record as StoredExecution | undefined) ?? record;
    const onEvent = (event: HistoryEvent): void => {
      if (event.type === "ExecutionRedriven") this.#tellBegun(now(), Date.parse(event.timestamp));
      if (logs) this.#logEvent(now(), event);
    };
    return { onEvent, ...children };
  }

  /** A new execution is kept. */
  begun(record: StoredExecution): void {
    this.#tellBegun(record, record.startDate);
  }

  /** An execution has ended. */
  ended(record: StoredExecution): void {
    if (record.type === "STANDARD") this.#tell(record, this.#service.now());
  }

  /** Delivers what waits, for at most so many milliseconds, or a second. */
  async close(grace: number): Promise<void> {
    const all = [...this.#statuses, ...this.#logged];
    await Promise.all(all.map((outlet) => outlet.close(Math.max(grace, LEAST))));
  }

  /** An execution runs. It may have ended already, while that was being kept. */
  #tellBegun({ stopDate, output, error, cause, ...begun }: StoredExecution, at: number): void {
    if (begun.type === "STANDARD") this.#tell({ ...begun, status: "RUNNING" }, at);
  }

  #tell(record: StoredExecution, at: number): void {
    if (this.#statuses.length === 0) return;
    // All have the same event, with the same id.
    const notice = statusNotice(record, at, this.#service.quotas);
    for (const outlet of this.#statuses) outlet.add(notice);
  }

  #logEvent(record: StoredExecution, event: HistoryEvent): void {
    const notice = this.#logs.notice(record, event, record.redriveCount);
    if (notice !== undefined) for (const outlet of this.#logged) outlet.add(notice);
  }

  /** A child of a Map Run has ended: all of it is told at once. */
  async #child({ arn, history }: ChildExecution): Promise<void> {
    try {
      const record = (await this.#service.store.get(arn)) as StoredExecution | undefined;
      // What was told before the Map Run was redriven is not told again.
      const events = history.slice(
        Math.max(
          history.findLastIndex(({ type }) => type === "ExecutionRedriven"),
          0,
        ),
      );
      const [first] = events;
      if (record === undefined || first === undefined) return;
      this.#tellBegun(record, Date.parse(first.timestamp));
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
