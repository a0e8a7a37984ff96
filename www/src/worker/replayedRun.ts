// The replay of a recorded execution under the debugger. It computes the stages of the data flow, which no recording has.

import type { HistoryReplay } from "stepglass";
import { DebugSession } from "stepglass/debug";
import type { Flow, Methods, Origin } from "../model/protocol.ts";
import { flowOf } from "./flow.ts";
import type { ListedHistory } from "./historyLists.ts";
import { type WithoutMapRuns, withoutMapRuns } from "./mapRuns.ts";
import { originOf } from "./origin.ts";

type Replayed = Pick<HistoryReplay, "divergences" | "tasks" | "startTime" | "input">;
type SessionVisit = ReturnType<DebugSession["visits"]>[number];

/** A visit in the recording, and the same visit in the replay. */
interface MatchedVisit {
  enter: number;
  replayed: SessionVisit;
}

export class ReplayedRun {
  readonly session: DebugSession;
  private played: Promise<void> | undefined;
  private isDisposed = false;
  private onDisposed: (() => void) | undefined;
  /** The matching visits of each requested state. */
  private readonly matched = new Map<string, MatchedVisit[]>();
  /** The events of the recording by those of the replay that entered and left the same visits. */
  private readonly recordedEvents = new Map([[1, 1]]);
  /** The first event of the recording that the replay does not have. */
  private readonly divergence: number;
  private readonly mapRuns: WithoutMapRuns;

  constructor(
    private readonly json: string,
    private readonly recording: ListedHistory,
    { divergences, tasks, startTime, input }: Replayed,
  ) {
    this.divergence = Math.min(...divergences.flatMap(({ event }) => event ?? []));
    // The children of a Map Run have histories of their own, so the replay has the recorded result of their Map in place of them.
    this.mapRuns = withoutMapRuns(json, recording);
    this.session = new DebugSession(this.mapRuns.definition, {
      input,
      recorded: [...tasks, ...this.mapRuns.tasks],
      seed: 0,
      // A call without a recorded answer waits instead of failing.
      ask: true,
      ...(startTime !== undefined && { startTime }),
    });
  }

  definition(): string {
    return this.json;
  }

  readonly mocked = (): boolean => false;

  /** Returns the data of a visit; null if the replay differs from the recording before the visit's end. */
  async flow({ state, enter, attempt, item }: Methods["flow"]["params"]): Promise<Flow | null> {
    await (this.played ??= this.play());
    if (this.isDisposed) return null;
    const visits = this.visitsOf(state);
    const found = enter === undefined ? visits.at(-1) : visits.find((visit) => visit.enter === enter);
    const flow = found && flowOf(this.session, this.json, state, found.replayed.enter, attempt, undefined, item);
    return flow ? { ...flow, enter: found.enter } : null;
  }

  /**
   * Returns the event with which a run of the definition enters a visit of the recording. Undefined if the replay differs before the
   * visit's end, or if a Distributed Map began before the visit: a run calls the tasks of its children.
   */
  async entryOf(state: string, enter: number): Promise<number | undefined> {
    await (this.played ??= this.play());
    return this.isDisposed || enter >= this.mapRuns.first
      ? undefined
      : this.visitsOf(state).find((visit) => visit.enter === enter)?.replayed.enter;
  }

  /** Returns the sources of a part of a value, with the events of the recording. */
  origin({ visit, attempt, stage, path, item }: Methods["origin"]["params"]): Origin[] {
    return originOf(this.session, this.json, visit, attempt, stage, path, this.mocked, item).map(({ event, state, ...origin }) => {
      if (state !== undefined) this.visitsOf(state);
      const recorded = event === undefined ? undefined : this.recordedEvents.get(event);
      return { ...origin, ...(state !== undefined && { state }), ...(recorded !== undefined && { event: recorded }) };
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.session.dispose();
    this.onDisposed?.();
  }

  /** Plays the replay to its end, or to the first point at which the recording has no answer. */
  private play(): Promise<void> {
    const { session } = this;
    return new Promise((resolve) => {
      this.onDisposed = resolve;
      session.on("terminated", () => resolve());
      session.on("stopped", () => resolve());
      session.on("tasks", () => (session.due === null || session.waiting().length > 0) && resolve());
      session.continue();
    });
  }

  /**
   * Returns the visits of a state that ended in the recording as they did in the replay. Branches and iterations may take turns in
   * another order, so visits are matched by their iterations, and by their order within these.
   */
  private visitsOf(state: string): MatchedVisit[] {
    const known = this.matched.get(state);
    if (known) return known;
    // The data flow of a Map that was replaced is not that of its definition.
    if (this.mapRuns.maps.has(state)) return [];
    const open = new Map<string, SessionVisit[]>();
    for (const visit of this.session.visits(state)) {
      const key = visit.iterations.join();
      const list = open.get(key);
      if (list) list.push(visit);
      else open.set(key, [visit]);
    }
    const found: MatchedVisit[] = [];
    for (const { state: name, enter, exit, end, iterations } of this.recording.allVisits()) {
      if (name !== state) continue;
      const replayed = open.get(iterations.join())?.shift();
      if (!replayed || end === 0 || end >= this.divergence || replayed.end === 0 || replayed.exit > 0 !== exit > 0) continue;
      found.push({ enter, replayed });
      this.recordedEvents.set(replayed.enter, enter);
      if (exit > 0) this.recordedEvents.set(replayed.exit, exit);
    }
    this.matched.set(state, found);
    return found;
  }
}
