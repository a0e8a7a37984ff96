// Progress of a run that takes long, for clients that show it.

import type { DebugSession } from "../api/debug.d.ts";

/** A run is long after so many events; it is told of each time it has had so many more. Times would differ from run to run. */
const LONG = 2000;
const STEP = 1000;

export class Progress {
  #session: DebugSession;
  #isWanted: boolean;
  #emit: (event: string, body?: object) => void;
  /** The number of events when the run went on. */
  #since: number | undefined;
  #told: number | undefined;
  #last = 0;

  constructor(session: DebugSession, isWanted: boolean, emit: (event: string, body?: object) => void) {
    this.#session = session;
    this.#isWanted = isWanted;
    this.#emit = emit;
  }

  /** The run goes on. */
  begin(): void {
    this.#since = this.#session.events;
  }

  /** The run has moved. */
  moved(): void {
    if (!this.#isWanted || this.#since === undefined || this.#session.status !== "running") return;
    const { events } = this.#session;
    const message = `${events.toLocaleString("en")} events`;
    if (this.#told === undefined) {
      if (events - this.#since < LONG) return;
      this.#last += 1;
      this.#emit("progressStart", { progressId: `run ${this.#last}`, title: "Running the state machine", message });
    } else {
      if (events - this.#told < STEP) return;
      this.#emit("progressUpdate", { progressId: `run ${this.#last}`, message });
    }
    this.#told = events;
  }

  /** The run has stopped. */
  end(): void {
    if (this.#told !== undefined) this.#emit("progressEnd", { progressId: `run ${this.#last}` });
    this.#told = this.#since = undefined;
  }
}
