// What makes a run again when the page is gone, and what a list says of it.

import { type DebugSession, saveSession } from "stepglass/debug";
import type { KeptRun } from "../model/protocol.ts";

/// Tasks that are told of those that wait.
const MOST_WAITING = 3;

export class Keeper {
  /// What runs of the session are kept as, by their numbers; an empty name is of one that is not.
  private readonly ids = new Map<number, string>();
  private last: { id: string; saved: string } | undefined;

  /// The run that the session begins with is kept already, or is somebody else's.
  begin(run: number, id: string): void {
    this.ids.set(run, id);
  }

  /// The run on screen; null where it is none to be kept. Its facts are left out where the page has kept them, the last time, as `have`.
  keep(session: DebugSession, speed: number, have: string | null): KeptRun | null {
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

/// One that no other tab has: `crypto.randomUUID` is not there where the page has no secure context.
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("");
}
