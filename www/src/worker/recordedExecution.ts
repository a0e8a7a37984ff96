// An execution that was recorded elsewhere. Its events are shown, and nothing runs.

import type { Graph } from "../model/graph.ts";
import type { Note, RunResult } from "../model/protocol.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { buffersOf } from "./history.ts";
import { ListedHistory } from "./historyLists.ts";
import type { Laned } from "./lanes.ts";
import type { ReplayedRun } from "./replayedRun.ts";
import { nextNumber } from "./run.ts";

const post = (note: Note, transfer: Transferable[] = []): void => self.postMessage(note, { transfer });

export class Shown {
  readonly id = nextNumber();
  readonly history: ListedHistory;
  private over = false;
  private replayed: ReplayedRun | undefined;

  constructor(graph: Graph) {
    this.history = new ListedHistory(graph);
  }

  /** The replay that computes the data flow; undefined before the first one. */
  get replay(): ReplayedRun | undefined {
    return this.replayed;
  }

  set replay(run: ReplayedRun | undefined) {
    this.replayed?.dispose();
    this.replayed = run;
  }

  /** Returns what the time line needs. */
  laned(): Laned {
    const { history } = this;
    return { events: history.length, visitsInOrder: () => history.lanedVisits(), timeOf: (event) => history.timeOf(event) };
  }

  /** Adds events. It can be called again with further ones. */
  add(events: readonly HistoryEvent[], result: RunResult | undefined): void {
    for (const event of events) this.history.add(event);
    const chunk = this.history.take();
    if (chunk) post({ note: "log", run: this.id, chunk, now: chunk.times.at(-1) ?? 0 }, buffersOf(chunk));
    if (!result || this.over) return;
    this.over = true;
    post({ note: "ended", run: this.id, result, took: 0 });
  }
}
