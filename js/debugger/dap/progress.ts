// Sends progress events for a long run to clients that support them.

import type { DebugSession } from "../../core/api/debug.d.ts";

/**
 * Number of events after which a run is long. Progress is reported each time that many more have happened. A time limit would
 * behave differently from run to run.
 */
const LONG = 2000;
const STEP = 1000;

export class Progress {
  #session: DebugSession;
  #isWanted: boolean;
  #emit: (event: string, body?: object) => void;
  /** The number of events when the run was continued. */
  #since: number | undefined;
  #askedTasks: number | undefined;
  #last = 0;

  constructor(session: DebugSession, isWanted: boolean, emit: (event: string, body?: object) => void) {
    this.#session = session;
    this.#isWanted = isWanted;
    this.#emit = emit;
  }

  /** Called when the run is continued. */
  begin(): void {
    this.#since = this.#session.events;
  }

  /** Called when the run has moved. */
  moved(): void {
    if (!this.#isWanted || this.#since === undefined || this.#session.status !== "running") return;
    const { events } = this.#session;
    const message = `${events.toLocaleString("en")} events`;
    if (this.#askedTasks === undefined) {
      if (events - this.#since < LONG) return;
      this.#last += 1;
      this.#emit("progressStart", { progressId: `run ${this.#last}`, title: "Running the state machine", message });
    } else {
      if (events - this.#askedTasks < STEP) return;
      this.#emit("progressUpdate", { progressId: `run ${this.#last}`, message });
    }
    this.#askedTasks = events;
  }

  /** Called when the run has stopped. */
  end(): void {
    if (this.#askedTasks !== undefined) this.#emit("progressEnd", { progressId: `run ${this.#last}` });
    this.#askedTasks = this.#since = undefined;
  }
}
