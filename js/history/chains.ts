// @ts-nocheck: has no types yet.
// Reads a history as it grows: which visit of which state an event belongs to, and which branch or iteration that is in.

/** What stands in the member of an event that its type names. */
export function detailsOf(event) {
  for (const key in event) if (key.endsWith("EventDetails")) return event[key];
  return {};
}

const SCOPE_START = /^(?:ParallelStateStarted|MapStateStarted|MapRunStarted)$/;
const ENTERED = /^(\w+)StateEntered$/;
const ATTEMPT = /^(?:Task|LambdaFunction|Activity)Scheduled$/;

export class Chains {
  /**
   * Visits of states, in the order of their entering: `{id, strand, state, type, enter, exit, end, around, thread, attempts, failed}`.
   * `exit` is the event that left the state, `end` the one with which the visit was over, whichever way; 0 while it is not.
   */
  visits = [];
  /** Chains of visits: `{id, around, iterations, slot, enter}`; the first is the execution's own. */
  threads = [];
  #visitOf = [];
  #byEnter = new Map();
  #byState = new Map();
  #open = new Set();
  #types = [];
  #indices = [];
  #strand;

  /** Of a strand, which every visit knows. */
  constructor(strand) {
    this.#strand = strand;
  }

  /** How many events there are. */
  get length() {
    return this.#visitOf.length;
  }

  /** The visit that an event belongs to. */
  visitOf(event) {
    return this.visits[this.#visitOf[event - 1] ?? -1];
  }

  /** The visit that an event has begun. */
  entered(event) {
    return this.visits[this.#byEnter.get(event) ?? -1];
  }

  /** All visits of a state. */
  visitsOf(state) {
    return (this.#byState.get(state) ?? []).map((id) => this.visits[id]);
  }

  add(event) {
    const { type, id } = event;
    const previous = event.previousEventId;
    let visit = previous > 0 ? (this.#visitOf[previous - 1] ?? -1) : -1;
    let index = -1;
    const entered = ENTERED.exec(type);
    if (entered) {
      visit = this.#enter(event, previous, entered[1]);
    } else if (type.endsWith("StateExited")) {
      const { name } = detailsOf(event);
      visit = this.#climb(visit, (v) => v.state === name && v.end === 0);
      const left = this.visits[visit];
      if (left) {
        left.exit = id;
        this.#close(left, id);
      }
    } else if (type.startsWith("MapIteration")) {
      const details = detailsOf(event);
      index = details.index ?? -1;
      visit = this.#climb(visit, (v) => v.state === details.name && v.end === 0);
      if (!type.endsWith("Started")) this.#endIteration(visit, index, id);
    } else if (/^(?:Parallel|Map)State|^MapRun/.test(type)) {
      const kind = type.startsWith("Parallel") ? "Parallel" : "Map";
      visit = this.#climb(visit, (v) => v.type === kind && v.end === 0);
      const container = this.visits[visit];
      if (container && SCOPE_START.test(type)) container.attempts += type === "MapRunStarted" ? 0 : 1;
      if (container && /(?:Failed|Aborted)$/.test(type)) this.#closeInside(container, id);
    } else if (ATTEMPT.test(type)) {
      const at = this.visits[visit];
      if (at) at.attempts += 1;
    } else if (type.endsWith("StateAborted")) {
      const at = this.visits[visit];
      if (at) this.#close(at, id);
    } else if (/^Execution(?:Succeeded|Failed|Aborted|TimedOut)$/.test(type)) {
      for (const open of this.#open) this.visits[open].end = id;
      this.#open.clear();
    }
    this.#visitOf.push(visit);
    this.#types.push(type);
    this.#indices.push(index);
  }

  /** The visits that are not over after an event, the outer ones first. */
  openAt(event) {
    return this.visits.filter((visit) => visit.enter <= event && (visit.end === 0 || visit.end > event));
  }

  /** Whether a thread is another, or lies within it. */
  isWithin(thread, outer) {
    for (let at = thread; at !== undefined; at = this.outside(at)) if (at === outer) return true;
    return false;
  }

  /** The thread of the Parallel or Map around a thread. */
  outside(thread) {
    const around = this.threads[thread]?.around ?? -1;
    return this.visits[around]?.thread;
  }

  #enter(event, previous, type) {
    const before = this.visits[this.#visitOf[previous - 1] ?? -1];
    const previousType = this.#types[previous - 1] ?? "";
    let thread = before?.thread;
    if (before === undefined || SCOPE_START.test(previousType) || previousType === "MapIterationStarted") {
      thread = this.threads.length;
      const outer = before === undefined ? [] : this.threads[before.thread].iterations;
      const iteration = previousType === "MapIterationStarted" ? this.#indices[previous - 1] : -1;
      const slot = before === undefined ? 0 : iteration >= 0 ? iteration : this.#branches(before, previous);
      this.threads.push({ id: thread, around: before?.id ?? -1, attempt: before?.attempts ?? 1, start: previous, iterations: iteration >= 0 ? [...outer, iteration] : outer, slot, isIteration: iteration >= 0, enter: event.id });
    }
    const id = this.visits.length;
    const { name } = detailsOf(event);
    this.visits.push({ id, strand: this.#strand, state: name, type, enter: event.id, exit: 0, end: 0, around: this.threads[thread].around, thread, attempts: 0 });
    this.#byEnter.set(event.id, id);
    this.#open.add(id);
    const list = this.#byState.get(name);
    if (list) list.push(id);
    else this.#byState.set(name, [id]);
    return id;
  }

  /** How many branches the present attempt of a Parallel has begun. */
  #branches(container, start) {
    let n = 0;
    for (let i = this.threads.length - 1; i >= 0 && this.threads[i].enter > container.enter; i--) if (this.threads[i].start === start) n += 1;
    return n;
  }

  #climb(from, fits) {
    for (let at = from; at >= 0; at = this.visits[at].around) if (fits(this.visits[at])) return at;
    return from;
  }

  #close(visit, event) {
    visit.end = event;
    this.#open.delete(visit.id);
    if (visit.type === "Parallel" || visit.type === "Map") this.#closeInside(visit, event);
  }

  #closeInside(container, event) {
    for (const id of this.#open) {
      if (id > container.id && this.#isInside(this.visits[id], container.id)) {
        this.visits[id].end = event;
        this.#open.delete(id);
      }
    }
  }

  #endIteration(container, index, event) {
    for (const id of this.#open) {
      for (let at = this.visits[id]; at !== undefined; at = this.visits[at.around]) {
        const thread = this.threads[at.thread];
        if (thread.around !== container || thread.slot !== index || !thread.isIteration) continue;
        this.visits[id].end = event;
        this.#open.delete(id);
        break;
      }
    }
  }

  #isInside(visit, container) {
    for (let at = visit.around; at >= 0; at = this.visits[at].around) if (at === container) return true;
    return false;
  }
}
