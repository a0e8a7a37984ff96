// The status of each state at the current position, for a graph next to the text.

import type { DebugSession } from "../../core/api/debug.d.ts";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import { detailsOf, isStateEntered, isStateExited } from "../../core/history/events.ts";

/** The status of a state. It is `failed` if a visit of it has ended without leaving it. */
interface Mark {
  status: "running" | "succeeded" | "failed";
  visits: number;
}

/** Counts visits along the history. A step forwards or back counts only the events of the step. */
export class Marks {
  #session: DebugSession;
  /** Which history was counted, and up to which event. */
  #of = "";
  #event = 0;
  #counts = new Map<string, { entered: number; exited: number }>();

  constructor(session: DebugSession) {
    this.#session = session;
  }

  /** The marks of the states that were entered before the current position, by name. */
  get all(): Record<string, Mark> {
    this.#move();
    const open = new Set([...this.#session.threads(), ...this.#session.stackTrace()].map(({ state }) => state));
    const marks: Record<string, Mark> = {};
    for (const [state, { entered, exited }] of this.#counts) {
      if (entered === 0) continue;
      const status = entered === exited ? "succeeded" : open.has(state) ? "running" : "failed";
      marks[state] = { status, visits: entered };
    }
    return marks;
  }

  #move(): void {
    const session = this.#session;
    const of = `${session.run}:${session.execution}`;
    if (of !== this.#of) {
      this.#of = of;
      this.#event = 0;
      this.#counts.clear();
    }
    const { event } = session;
    const [from, to] = event < this.#event ? [event, this.#event] : [this.#event, event];
    for (const one of session.history(from).slice(0, to - from)) this.#count(one, event < this.#event ? -1 : 1);
    this.#event = event;
  }

  #count(event: HistoryEvent, by: 1 | -1): void {
    const isEntry = isStateEntered(event);
    if (!isEntry && !isStateExited(event)) return;
    const { name = "" } = detailsOf(event);
    let counts = this.#counts.get(name);
    if (counts === undefined) this.#counts.set(name, (counts = { entered: 0, exited: 0 }));
    if (isEntry) counts.entered += by;
    else counts.exited += by;
  }
}
