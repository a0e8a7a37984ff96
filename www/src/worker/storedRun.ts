// The data that restores a run after the page was closed, and the facts that a list shows about it.

import { type DebugSession, saveSession } from "stepglass/debug";
import type { StoredRun } from "../model/protocol.ts";

/** The maximum number of waiting tasks that are listed. */
const MOST_WAITING = 3;

export class RunRecorder {
  /**
   * The ids under which the session's runs are stored, by run number. An empty id means that this page does not store the run.
   */
  private readonly ids = new Map<number, string>();
  private last: { id: string; saved: string } | undefined;

  /** Sets the id of the session's first run. It is stored already, or another tab stores it. */
  begin(run: number, id: string): void {
    this.ids.set(run, id);
  }

  /**
   * Returns the current run as it is stored, or null if it is not stored. Facts are left out if the page has stored them before
   * under the id `have`.
   */
  record(session: DebugSession, speed: number, have: string | null): StoredRun | null {
    const { run } = session;
    const id = this.ids.get(run) ?? newId();
    this.ids.set(run, id);
    if (id === "") return null;
    const saved = saveSession(session, { run });
    const [own] = session.executions();
    const outcome = session.runs().find(({ current }) => current)?.outcome;
    const { start, facts } = saved.runs[0] as unknown as { start: number; facts: [string, number][] };
    const text = JSON.stringify(saved);
    const same = have === id && this.last?.id === id && this.last.saved === text;
    this.last = { id, saved: text };
    const [timer] = session.timers();
    return {
      id,
      run,
      name: own!.name,
      status: outcome?.status ?? "RUNNING",
      began: start,
      now: outcome ? (facts.at(-1)?.[1] ?? start) : session.now,
      speed: session.status === "running" ? speed : 0,
      waits: session
        .waiting()
        .slice(0, MOST_WAITING)
        .map(({ state }) => state),
      ...(timer && { timer: { state: timer.state, at: timer.at } }),
      ...(!same && { saved: text }),
    };
  }
}

/** Returns an id that no other tab uses. `crypto.randomUUID` does not exist in pages without a secure context. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("");
}
