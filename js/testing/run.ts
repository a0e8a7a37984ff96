// @ts-nocheck: has no types yet.
// What happened in one run, for assertions, messages and snapshots.

import { Handlers } from "../tasks/resource.ts";
import { brief } from "./compare.ts";
import { spoken } from "./duration.ts";
import { story } from "./story.ts";
import { Visits } from "./visits.ts";

export class TestRun {
  #facts;
  #visits;
  #entered;

  constructor(facts) {
    this.#facts = facts;
    const { input, outcome, calls, history, coverage, children, nested, machine } = facts;
    /** The machine under test. */
    Object.defineProperty(this, "machine", { value: machine });
    this.input = input;
    /** "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"; "RUNNING" where it would wait for ever. */
    this.status = outcome.status;
    this.output = outcome.output;
    this.error = outcome.error;
    this.cause = outcome.cause;
    /** The calls of tasks, in order. */
    this.calls = calls;
    this.history = history;
    /** How often each part of the definition was used, by JSON Pointer. */
    this.hits = coverage.hits;
    /** The child executions of Distributed Maps. */
    this.children = children;
    /** The executions that tasks have started. */
    this.nested = nested;
  }

  /** The names of the machine's own states in the order in which they were entered; without those in branches and iterations. */
  get path() {
    const { outline } = this.#facts.machine;
    return this.#all().own.filter(({ state }) => outline.named.get(state)?.parent === undefined).map(({ state }) => state);
  }

  /** Every visit of a state, at any depth, in the order of entering. */
  get visits() {
    return (this.#entered ??= [...this.#all().own, ...this.children.flatMap((child) => new Visits(child.history, this.#facts.machine.outline, child.name).own)]);
  }

  /** The retries, in order. */
  get retries() {
    return this.#handled("Retry").map(({ delay, ...retry }) => ({ ...retry, delay }));
  }

  /** The errors that catchers took on, in order. */
  get caught() {
    return this.#handled("Catch");
  }

  /** How long each Wait lasted, in milliseconds. */
  get waits() {
    return this.visits.filter(({ type, duration }) => type === "Wait" && duration !== undefined).map(({ state, duration, iterations }) => ({ state, duration, iterations }));
  }

  /** From the first event to the last, in milliseconds of the run's own time. */
  get duration() {
    return this.history.length === 0 ? 0 : Date.parse(this.history.at(-1).timestamp) - Date.parse(this.history[0].timestamp);
  }

  /** The states that wait, of a run that would wait for ever. */
  get waiting() {
    return this.#facts.waiting.map(({ state }) => state);
  }

  /** The calls of a state, a function or a resource. */
  callsOf(name) {
    const probe = new Handlers({ [name]: () => {} });
    return this.calls.filter(({ state, resource, parameters }) => probe.find(resource, state, parameters) !== undefined);
  }

  /** How it ended, in a sentence. */
  get ending() {
    const why = [this.error, this.cause].filter((part) => part !== undefined && part !== "").join(": ");
    const last = this.#all().stateOf(this.history.at(-1)?.previousEventId) ?? this.visits.at(-1)?.state;
    switch (this.status) {
      case "SUCCEEDED":
        return `The execution succeeded with ${brief(this.output)}.`;
      case "FAILED":
        return `The execution failed${last === undefined ? "" : ` in ${last}`}${why ? `: ${why.length > 300 ? `${why.slice(0, 299)}…` : why}` : ""}.`;
      case "RUNNING":
        return `The execution waits for ever in ${this.waiting.join(", ")}: no answer comes, and nothing times out.`;
      case "TIMED_OUT":
        return `The execution timed out${last === undefined ? "" : ` in ${last}`} after ${spoken(this.duration)}.`;
      default:
        return `The execution was aborted${why ? `: ${why}` : ""}.`;
    }
  }

  /** What happened, event by event, in lines that are the same in every run. With `times` they begin with the time. */
  text(options) {
    const { times = false, payloads = true, lines } = options ?? {};
    const all = story(this.#facts, this.#all(), { times, payloads });
    const shown = lines !== undefined && all.length > lines ? [...all.slice(0, lines >> 1), `… ${all.length - lines} more lines`, ...all.slice(-(lines - (lines >> 1)))] : all;
    return `${shown.join("\n")}\n`;
  }

  /** The history for snapshots: without times, payloads as values; ids and links only with `ids`, times with `times`. */
  historySnapshot(options) {
    const { ids = false, times = false } = options ?? {};
    return this.history.map((event) => stable(event, { ids, times }));
  }

  toString() {
    return this.text();
  }

  /** For snapshots of the run itself. */
  toJSON() {
    const { status, output, error, cause } = this;
    return { status, ...(output !== undefined && { output }), ...(error !== undefined && { error }), ...(cause !== undefined && { cause }), story: this.text().trimEnd().split("\n") };
  }

  /** What console.log() shows. */
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return this.text({ times: true });
  }

  #all() {
    return (this.#visits ??= new Visits(this.history, this.#facts.machine.outline));
  }

  #handled(kind) {
    const context = this.#all();
    const marked = this.#facts.coverage.handled.filter(({ pointer }) => pointer.slice(0, pointer.lastIndexOf("/")).endsWith(`/${kind}`));
    return marked.map(({ state, error, cause, delay, pointer, event, child }) => {
      const found = { state, error, cause, delay, index: Number(pointer.slice(pointer.lastIndexOf("/") + 1)), iterations: child === undefined ? context.iterations(event, state) : [], ...(child !== undefined && { child }) };
      if (kind === "Catch") delete found.delay;
      return found;
    });
  }
}

function stable({ id, previousEventId, timestamp, type, ...rest }, { ids, times }) {
  const out = { ...(ids && { id, previousEventId }), ...(times && { timestamp }), type };
  for (const [member, details] of Object.entries(rest)) {
    out[member] = Object.fromEntries(
      Object.entries(details)
        .filter(([name]) => !name.endsWith("Details"))
        .map(([name, value]) => [name, ["input", "output", "parameters"].includes(name) ? parsed(value) : name === "assignedVariables" ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, parsed(text)])) : value]),
    );
  }
  return out;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
