// The entries of a tape: all that an engine has told, in the order in which it happened.

import type { ChildExecution, HistoryEvent, TraceStage } from "../api/index.d.ts";
import { isStateEntered } from "../history/events.ts";
import type { ExecutionHistory } from "./history.ts";

/** An event of a recorded history. Where its payloads are no longer kept it is `thin`; `Recording.eventOf` makes it whole again. */
export type RecordedEvent = HistoryEvent & { thin?: true };

/** An event of the execution's own history. */
export interface EventEntry {
  kind: "event";
  /** The history that the entry belongs to; the execution's own where there is none. */
  history?: ExecutionHistory;
  event: RecordedEvent;
  /** The fact that it came of: an index of `Recording.facts`. */
  fact: number;
}

/** An event of a child execution's history. */
export interface ChildEntry {
  kind: "child";
  history: ExecutionHistory;
  event: RecordedEvent;
  /** How many events of the execution's own history were told by then. */
  after: number;
  fact: number;
}

/** The end of a child execution. */
interface EndEntry {
  kind: "end";
  history: ExecutionHistory;
  event?: undefined;
  status: ChildExecution["status"];
  after: number;
  fact: number;
}

/** A stage of a state's data flow, or a decision. */
export interface StageEntry {
  kind: "stage";
  history: ExecutionHistory;
  event?: undefined;
  stage: TraceStage["stage"];
  state: string;
  /** The event that entered the state. */
  entered: number;
  after: number;
  /** The index of the item or the batch. */
  index?: number;
  /** Absent once it is dropped; `Recording.valueAt` makes it again. */
  value: StageValue | undefined;
  fact: number;
  /** The rule, retrier or catcher that a decision was for. */
  taken?: number | "default";
}

/** The value of a stage, or of several in turn that have the same. Few are looked at: the text is read when it is asked for. */
export class StageValue {
  #text: string | undefined;
  #read: TraceStage["value"];

  constructor(text: string) {
    this.#text = text;
  }

  get value(): TraceStage["value"] {
    if (this.#text !== undefined) this.#read = JSON.parse(this.#text);
    this.#text = undefined;
    return this.#read;
  }
}

export type TapeEntry = EventEntry | ChildEntry | EndEntry | StageEntry;

/** Whether an entry is the entering of a state. */
export function isEntering({ event }: TapeEntry): boolean {
  return event !== undefined && isStateEntered(event);
}

/** The stage at a place of a tape; undefined where something else is. */
export function stageAt(tape: readonly TapeEntry[], place: number): StageEntry | undefined {
  const entry = tape[place];
  return entry?.kind === "stage" ? entry : undefined;
}
