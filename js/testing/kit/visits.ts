// Finds the visits of states in a history.

import type { HistoryEvent } from "../../core/api/index.d.ts";
import type { StateVisit } from "../../core/api/testing.d.ts";
import type { Outline } from "../../core/definition/outline.ts";
import { Chains } from "../../core/history/chains.ts";
import { detailsOf } from "../../core/history/events.ts";

/** The visits in a history: when each state was entered and left, in which iteration. */
export class Visits {
  /** The visits in the order of entry. */
  readonly own: readonly StateVisit[];
  /** The events by id. */
  readonly events: ReadonlyMap<number, HistoryEvent>;
  #outline: Outline;
  #chains = new Chains(() => ({}));

  constructor(history: readonly HistoryEvent[], outline: Outline, child?: string) {
    this.#outline = outline;
    this.events = new Map(history.map((event) => [event.id, event]));
    for (const event of history) this.#chains.add(event);
    const began = history[0];
    this.own = this.#chains.visits.flatMap(({ enter, exit, state }) => {
      const entered = this.events.get(enter);
      if (began === undefined || entered === undefined) return [];
      return [new Visit(entered, this.events.get(exit), this.iterations(enter, state), timeBetween(began, entered), child)];
    });
  }

  /** Returns the indices of the iterations around a state, the outermost first, by an event of the state. */
  iterations(event: number, state: string): number[] {
    const visit = this.#chains.visitOf(event);
    const depth = this.#outline.named.get(state)?.maps.length ?? 0;
    return visit === undefined ? [] : this.#chains.threadOf(visit).iterations.slice(0, depth);
  }

  /** Returns the state that was entered last before an event, in the event's chain. */
  stateOf(id: number): string | undefined {
    for (let event = this.events.get(id); event !== undefined; event = this.events.get(event.previousEventId)) {
      if ("stateEnteredEventDetails" in event) return event.stateEnteredEventDetails.name;
    }
    return undefined;
  }
}

/** Returns the time from one event to another, in milliseconds. */
export function timeBetween(from: HistoryEvent, to: HistoryEvent): number {
  return Date.parse(to.timestamp) - Date.parse(from.timestamp);
}

/** One visit of a state. Payloads are parsed on access. */
class Visit implements StateVisit {
  readonly state: string;
  readonly type: string;
  readonly iterations: number[];
  /** Milliseconds from the start of the execution. */
  readonly at: number;
  readonly event: number;
  declare readonly child?: string;
  /** Time from entry to exit, in milliseconds. */
  declare readonly duration?: number;
  #entered: HistoryEvent;
  #exited: HistoryEvent | undefined;

  constructor(entered: HistoryEvent, exited: HistoryEvent | undefined, iterations: number[], at: number, child: string | undefined) {
    this.#entered = entered;
    this.#exited = exited;
    this.state = detailsOf(entered).name ?? "";
    this.type = entered.type.replace("StateEntered", "");
    this.iterations = iterations;
    this.at = at;
    this.event = entered.id;
    if (child !== undefined) this.child = child;
    if (exited !== undefined) this.duration = timeBetween(entered, exited);
  }

  /** The state's raw input. */
  get input(): unknown {
    return JSON.parse(detailsOf(this.#entered).input ?? "null");
  }

  /** The state's output. Undefined if it was not left. */
  get output(): unknown {
    return this.#exited && JSON.parse(detailsOf(this.#exited).output ?? "null");
  }
}
