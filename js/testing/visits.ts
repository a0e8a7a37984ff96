// @ts-nocheck: has no types yet.
// The visits of states, found in a history.

/** What a history tells of states: when each was entered and left, in which iteration. */
export class Visits {
  /** In the order of entering. */
  own = [];
  /** The events by id. */
  events = new Map();
  #outline;
  #contexts = new Map();

  constructor(history, outline, child) {
    this.#outline = outline;
    const open = new Map();
    const began = history.length > 0 ? Date.parse(history[0].timestamp) : 0;
    for (const event of history) {
      this.events.set(event.id, event);
      const { stateEnteredEventDetails: entered, stateExitedEventDetails: exited } = event;
      if (entered !== undefined) {
        const iterations = this.iterations(event.id, entered.name);
        const visit = new Visit(event, iterations, Date.parse(event.timestamp) - began, child);
        this.own.push(visit);
        open.set(`${entered.name}\n${iterations}`, visit);
      } else if (exited !== undefined) {
        const visit = open.get(`${exited.name}\n${this.iterations(event.id, exited.name)}`);
        visit?.leave(event, Date.parse(event.timestamp) - began);
      }
    }
  }

  /** The indices of the iterations around a state, the outermost first, by an event of its chain. */
  iterations(event, state) {
    const depth = this.#outline.named.get(state)?.maps.length ?? 0;
    return depth === 0 ? [] : this.#context(event).slice(0, depth);
  }

  /** The state that an event is about: the one that was entered last in its chain. */
  stateOf(id) {
    for (let event = this.events.get(id); event !== undefined; event = this.events.get(event.previousEventId)) {
      if (event.stateEnteredEventDetails !== undefined) return event.stateEnteredEventDetails.name;
    }
    return undefined;
  }

  /** The indices that led to an event: of the iteration that the chain before it began with, and of those around that. */
  #context(id) {
    const chain = [];
    let known;
    for (let at = id; (known = this.#contexts.get(at)) === undefined; at = this.events.get(at).previousEventId) {
      const event = this.events.get(at);
      if (event === undefined) {
        known = [];
        break;
      }
      chain.push(event);
    }
    for (const event of chain.reverse()) {
      const started = event.type === "MapIterationStarted" ? event.mapIterationStartedEventDetails : undefined;
      if (started !== undefined) known = [...known.slice(0, this.#outline.named.get(started.name)?.maps.length ?? 0), started.index];
      this.#contexts.set(event.id, known);
    }
    return known;
  }
}

/** One visit of a state. */
class Visit {
  #entered;
  #exited;

  constructor(entered, iterations, at, child) {
    this.#entered = entered;
    this.state = entered.stateEnteredEventDetails.name;
    this.type = entered.type.replace("StateEntered", "");
    this.iterations = iterations;
    /** Milliseconds from the start of the execution. */
    this.at = at;
    this.event = entered.id;
    if (child !== undefined) this.child = child;
  }

  leave(event, at) {
    this.#exited = event;
    /** Milliseconds from entering to leaving. */
    this.duration = at - this.at;
  }

  /** The state's raw input. */
  get input() {
    return JSON.parse(this.#entered.stateEnteredEventDetails.input);
  }

  /** Its output; undefined where it was not left. */
  get output() {
    return this.#exited === undefined ? undefined : JSON.parse(this.#exited.stateExitedEventDetails.output);
  }
}
