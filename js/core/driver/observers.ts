// The observers of an execution: onEvent, onStage, onChild and onIdle.

import { isThenable } from "../base/thenable.ts";
import type { ChildExecution, Execution, HistoryEvent, StartOptions, TraceStage } from "../api/index.d.ts";

/** The functions that observe an execution. */
export type ObserverOptions = Pick<StartOptions, "onEvent" | "onStage" | "onChild" | "onIdle">;

/** An execution with observers. */
interface Observed {
  readonly execution: Execution;
  /** The number of events. */
  readonly events: number;
  /** Returns the events from an index on. */
  history(from: number): HistoryEvent[];
  /** Returns the stages of data flow since the last call. */
  trace(): TraceStage[];
}

export class Observers {
  #options: ObserverOptions;
  #observed: Observed;
  /** The number of reported events. */
  #reported = 0;

  constructor(options: ObserverOptions, observed: Observed) {
    this.#options = options;
    this.#observed = observed;
  }

  /** Skips the events of a resumed execution. */
  skip(events: number): void {
    this.#reported = events;
  }

  /** Reports new events and stages, in the order in which they happened. */
  notify(): void {
    if (this.#options.onStage !== undefined) return this.#tellStages();
    const { events } = this.#observed;
    if (this.#options.onEvent === undefined || this.#reported >= events) return;
    const from = this.#reported;
    this.#reported = events;
    for (const event of this.#observed.history(from)) this.#call("onEvent", this.#options.onEvent, event);
  }

  /** Reports that a child execution of a Distributed Map has ended. */
  notifyChild(child: ChildExecution): void {
    this.#call("onChild", this.#options.onChild, child);
  }

  /** Reports that nothing can move the execution. */
  notifyIdle(): void {
    this.#call("onIdle", this.#options.onIdle, undefined);
  }

  #tellStages(): void {
    const { events: count } = this.#observed;
    const events = this.#reported < count ? this.#observed.history(this.#reported) : [];
    this.#reported = count;
    let next = 0;
    const upTo = (id: number) => {
      for (let event; (event = events[next]) !== undefined && event.id <= id; next += 1)
        this.#call("onEvent", this.#options.onEvent, event);
    };
    for (const stage of this.#observed.trace()) {
      // The `after` of a child execution's stage counts events of the child's history.
      if (stage.child === undefined) upTo(stage.after);
      this.#call("onStage", this.#options.onStage, stage);
    }
    upTo(Infinity);
  }

  /** Calls an observer. An error that it throws is printed and does not affect the execution. */
  #call<What>(name: string, observer: ((what: What, execution: Execution) => unknown) | undefined, what: What): void {
    const report = (thrown: unknown) => console.error(`stepglass: ${name} has thrown`, thrown);
    try {
      const answer = observer?.(what, this.#observed.execution);
      if (isThenable(answer)) Promise.resolve(answer).catch(report);
    } catch (thrown) {
      report(thrown);
    }
  }
}
