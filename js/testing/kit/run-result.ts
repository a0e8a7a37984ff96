// The result of one run, for assertions, messages and snapshots.

import type { ChildExecution, Execution, ExecutionCoverage, ExecutionStatus, HandledError, HistoryEvent } from "../../core/api/index.d.ts";
import type { CaughtError, RetriedError, StateVisit, TaskCall, TestRun as Run, TextOptions } from "../../core/api/testing.d.ts";
import { isObject } from "../../core/base/json.ts";
import { isCalledBy } from "../../core/definition/outline.ts";
import { brief } from "../mocks/display.ts";
import { spoken } from "../../core/base/duration.ts";
import type { OutlinedMachine, RunFacts } from "./run-facts.ts";
import { indexIn, story } from "./story.ts";
import { Visits, timeBetween } from "./visits.ts";

export class TestRun implements Run {
  #facts: RunFacts;
  #visits: Visits | undefined;
  #entered: StateVisit[] | undefined;
  /** The machine under test. */
  declare readonly machine: OutlinedMachine;
  readonly input: unknown;
  /** "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", or "RUNNING" if it would wait for ever. */
  readonly status: ExecutionStatus;
  readonly output: unknown;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  /** The calls of tasks, in order. */
  readonly calls: TaskCall[];
  readonly history: HistoryEvent[];
  /** How often each part of the definition was used, by JSON Pointer. */
  readonly hits: ExecutionCoverage["hits"];
  /** The child executions of Distributed Maps. */
  readonly children: ChildExecution[];
  /** The executions that tasks have started. */
  readonly nested: Execution[];

  constructor(facts: RunFacts) {
    this.#facts = facts;
    const { status, output, error, cause }: { status: ExecutionStatus; output?: unknown; error?: string; cause?: string } = facts.outcome;
    Object.defineProperty(this, "machine", { value: facts.machine });
    this.input = facts.input;
    this.status = status;
    this.output = output;
    this.error = error;
    this.cause = cause;
    this.calls = facts.calls;
    this.history = facts.history;
    this.hits = facts.coverage.hits;
    this.children = facts.children;
    this.nested = facts.nested;
  }

  /** The names of the machine's own states in the order in which they were entered, without those in branches and iterations. */
  get path(): string[] {
    const { outline } = this.#facts.machine;
    return this.#own.own.filter(({ state }) => outline.named.get(state)?.parent === undefined).map(({ state }) => state);
  }

  /** Every visit of a state, at any depth, in the order of entry. */
  get visits(): StateVisit[] {
    const { outline } = this.#facts.machine;
    return (this.#entered ??= [...this.#own.own, ...this.children.flatMap(({ history, name }) => new Visits(history, outline, name).own)]);
  }

  /** The retries, in order. */
  get retries(): RetriedError[] {
    // Every retry has a delay.
    return this.#handled("Retry").map(({ about, delay = 0 }) => ({ ...about, delay }));
  }

  /** The errors that catchers handled, in order. */
  get caught(): CaughtError[] {
    return this.#handled("Catch").map(({ about }) => about);
  }

  /** The duration of each Wait, in milliseconds. */
  get waits(): Run["waits"] {
    return this.visits.flatMap(({ type, state, duration, iterations }) =>
      type === "Wait" && duration !== undefined ? [{ state, duration, iterations }] : [],
    );
  }

  /** The time from the first event to the last, in milliseconds of the run's own time. */
  get duration(): number {
    const [first, last] = [this.history[0], this.history.at(-1)];
    return first === undefined || last === undefined ? 0 : timeBetween(first, last);
  }

  /** The states that are waiting, if the run would wait for ever. */
  get waiting(): string[] {
    return this.#facts.waiting.map(({ state }) => state);
  }

  /** Returns the calls of a state, a function or a resource. */
  callsOf(name: string): TaskCall[] {
    const isCalled = isCalledBy(name);
    return this.calls.filter(({ state, resource, parameters }) => isCalled(resource, state, parameters));
  }

  /** Describes in a sentence how the run ended. */
  get ending(): string {
    const why = [this.error, this.cause].filter((part) => part !== undefined && part !== "").join(": ");
    const last = this.#own.stateOf(this.history.at(-1)?.previousEventId ?? 0) ?? this.visits.at(-1)?.state;
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

  /** Describes the run, event by event, in lines that are the same for equal runs. With `times`, they begin with the time. */
  text(options?: TextOptions): string {
    const { times = false, payloads = true, lines } = options ?? {};
    const all = story(this.#facts, this.#own, { times, payloads });
    const shown =
      lines !== undefined && all.length > lines
        ? [
            ...all.slice(0, lines >> 1),
            `… ${all.length - lines} more ${all.length - lines === 1 ? "line" : "lines"}`,
            ...all.slice(-(lines - (lines >> 1))),
          ]
        : all;
    return `${shown.join("\n")}\n`;
  }

  /** Returns the history for snapshots: without times, and with parsed payloads. `ids` adds ids and links, `times` adds times. */
  historySnapshot(options?: { ids?: boolean; times?: boolean }): Record<string, unknown>[] {
    const { ids = false, times = false } = options ?? {};
    return this.history.map((event) => stable(event, { ids, times }));
  }

  toString(): string {
    return this.text();
  }

  /** Returns the form of the run in snapshots. */
  toJSON(): ReturnType<Run["toJSON"]> {
    const { status, output, error, cause } = this;
    return {
      status,
      ...(output !== undefined && { output }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
      story: this.text().trimEnd().split("\n"),
    };
  }

  /** Returns what console.log() shows. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.text({ times: true });
  }

  /** The visits of the execution itself, without those of child executions. */
  get #own(): Visits {
    return (this.#visits ??= new Visits(this.history, this.#facts.machine.outline));
  }

  #handled(field: "Retry" | "Catch"): { about: CaughtError; delay: number | undefined }[] {
    const marked = this.#facts.coverage.handled.filter(({ pointer }) => pointer.slice(0, pointer.lastIndexOf("/")).endsWith(`/${field}`));
    return marked.map((handled) => ({ about: this.#aboutHandled(handled), delay: handled.delay }));
  }

  #aboutHandled({ state, error, cause, pointer, event, child }: HandledError): CaughtError {
    const iterations = child === undefined ? this.#own.iterations(event, state) : [];
    return { state, error, cause, index: indexIn(pointer), iterations, ...(child !== undefined && { child }) };
  }
}

/** Returns an event in the form of a snapshot. */
function stable(
  { id, previousEventId, timestamp, type, ...rest }: HistoryEvent,
  { ids, times }: { ids: boolean; times: boolean },
): Record<string, unknown> {
  const out: Record<string, unknown> = { ...(ids && { id, previousEventId }), ...(times && { timestamp }), type };
  for (const [member, details] of Object.entries(rest)) {
    out[member] = Object.fromEntries(
      Object.entries(details)
        .filter(([name]) => !name.endsWith("Details"))
        .map(([name, value]) => [name, payload(name, value)]),
    );
  }
  return out;
}

/** Returns the value of a member of an event's details. Payloads in them are JSON text. */
function payload(name: string, value: unknown): unknown {
  if (name === "assignedVariables" && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([variable, text]) => [variable, parsed(text)]));
  return ["input", "output", "parameters"].includes(name) ? parsed(value) : value;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
