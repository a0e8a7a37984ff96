// The kinds of entries of a recording: everything that an engine reports, in the order in which it happened.

import type { ChildExecution, ErrorFacts, TraceStage } from "../../core/api/index.d.ts";
import { isStateEntered } from "../../core/history/events.ts";
import type { ExecutionHistory, RecordedEvent } from "./execution-history.ts";

/** An event of the main history. */
export interface EventEntry {
  kind: "event";
  /** The history that the entry belongs to. Undefined for the main history. */
  history?: ExecutionHistory;
  event: RecordedEvent;
  /** The index in `Recording.facts` of the fact that caused it. */
  fact: number;
}

/** An event of a child execution's history. */
export interface ChildEntry {
  kind: "child";
  history: ExecutionHistory;
  event: RecordedEvent;
  /** The number of events of the main history before it. */
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
  /** Undefined once it is dropped; `Recording.valueAt` computes it again. */
  value: StageValue | undefined;
  fact: number;
  /** For an error: where it arose, and what each retrier and catcher makes of it. */
  failure?: ErrorFacts;
  /** The rule, retrier or catcher that a decision was for. */
  taken?: number | "default";
}

/**
 * The value of a stage, or of several successive stages with the same value. Most values are never used, so the text is parsed on
 * first use.
 */
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

export type RecordingEntry = EventEntry | ChildEntry | EndEntry | StageEntry;

/** Returns whether an entry is the entry into a state. */
export function isEntering({ event }: RecordingEntry): boolean {
  return event !== undefined && isStateEntered(event);
}

/** Returns the stage at a position, or undefined if the entry is of another kind. */
export function stageAt(entries: readonly RecordingEntry[], position: number): StageEntry | undefined {
  const entry = entries[position];
  return entry?.kind === "stage" ? entry : undefined;
}
