// @ts-nocheck: has no types yet.
// The history of one execution on a tape: the run's own, or that of a child execution of a Distributed Map.

import { Chains, detailsOf } from "../history/chains.ts";
import { lowerBound } from "./search.ts";

/** Numbers of visits and threads of a child begin at a multiple of this. */
const APART = 2 ** 32;

export class Strand {
  /** 0 is the run's own; children are numbered as they begin. */
  number;
  /** A child's name. */
  child;
  /** Of a child: the strand that its Map is in, the event there with which its Map Run began, and its place among the children. */
  begun;
  /** Events whose payloads are no longer kept are marked as `thin`. */
  events = [];
  /** Where on the tape each event stands. */
  eventAt = [];
  /** How a child has ended. */
  status;
  /** Where on the tape the stages of a visit stand, by the event that entered it; of a child all of them together. */
  #stages;
  #tape;
  #chains;
  #path;

  constructor(tape, number, child, begun) {
    Object.assign(this, { number, child, begun });
    this.#tape = tape;
    this.#stages = begun === undefined ? new Map() : [];
    if (begun === undefined) this.#chains = new Chains(this);
  }

  /** The visits of its states; of a child they are read when they are asked for. */
  get chains() {
    this.#chains ??= new Chains(this);
    for (let i = this.#chains.length; i < this.events.length; i++) this.#chains.add(this.events[i]);
    return this.#chains;
  }

  /** Forgets what can be read again. */
  cool() {
    if (this.begun !== undefined) this.#chains = undefined;
  }

  add(event, place) {
    this.events.push(event);
    this.eventAt.push(place);
    if (this.begun === undefined) this.#chains.add(event);
  }

  addStage(entered, place) {
    if (this.begun !== undefined) return this.#stages.push(place);
    const list = this.#stages.get(entered);
    if (list) list.push(place);
    else this.#stages.set(entered, [place]);
  }

  /** Places of the stages of the visit that an event has begun. */
  stagesOf(entered) {
    // A child has few.
    return this.begun === undefined ? (this.#stages.get(entered) ?? []) : this.#stages.filter((place) => this.#tape[place].entered === entered);
  }

  /** How many events have been seen at a place. */
  eventsAt(place) {
    return lowerBound(this.eventAt, place);
  }

  /** The visit of the Map around a child; undefined for the run's own. */
  get around() {
    return this.begun?.parent.chains.visitOf(this.begun.run);
  }

  /** A child's index and those of the iterations around it, the innermost last. */
  get path() {
    if (this.#path === undefined) {
      const { around, begun } = this;
      this.#path = around === undefined ? [] : [...begun.parent.iterationsOf(around.thread), begun.index];
    }
    return this.#path;
  }

  /** The indices in the Maps around and in it, for a thread. */
  iterationsOf(thread) {
    const own = this.chains.threads[thread]?.iterations ?? [];
    return this.begun === undefined ? own : [...this.path, ...own];
  }

  /** A number of a visit or a thread that no other strand has. */
  numbered(id) {
    return this.number * APART + id;
  }
}

/** The strand's number and the number within it. */
export function apart(numbered) {
  return [Math.floor(numbered / APART), numbered % APART];
}

/** A visit and those around it, the innermost first; a child's are within its Map's. */
export function* outwards(visit) {
  for (let at = visit; at !== undefined; ) {
    yield at;
    at = at.strand.chains.visits[at.around] ?? at.strand.around;
  }
}

/** An event without its payloads: what the way through a state machine is read from. */
export function thinned(event) {
  const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
  if (key === undefined) return event;
  const { input, output, parameters, inputDetails, outputDetails, assignedVariables, assignedVariablesDetails, cause, ...rest } = detailsOf(event);
  return { ...event, [key]: rest, thin: true };
}
