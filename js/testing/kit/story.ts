// Describes a history in lines for people.

import type { HandledError, HistoryEvent } from "../../core/api/index.d.ts";
import { type EventDetails, detailsOf } from "../../core/history/events.ts";
import { parseResource } from "../../core/tasks/resource.ts";
import { spoken } from "../../core/base/duration.ts";
import type { RunFacts } from "./run-facts.ts";
import { type Visits, timeBetween } from "./visits.ts";

const WIDTH = 120;

/** What the lines contain: the run's own time, and payloads. */
interface StoryOptions {
  times: boolean;
  payloads: boolean;
}

/** Returns the lines that describe a run. They are the same for equal runs. */
export function story(facts: RunFacts, visits: Visits, options: StoryOptions): string[] {
  return new Story(facts, visits, options).lines;
}

class Story {
  lines: string[] = [];
  #facts: RunFacts;
  #visits: Visits;
  #options: StoryOptions;
  /** The payload that was shown last. */
  #shown: string | undefined;

  constructor(facts: RunFacts, visits: Visits, options: StoryOptions) {
    this.#facts = facts;
    this.#visits = visits;
    this.#options = options;
    const { history, coverage, children } = facts;
    // A retry or a catch is shown after the error that it handled, before what followed.
    const handled = coverage.handled.filter(({ child }) => child === undefined);
    let handledCount = 0;
    const addHandledBefore = (id: number) => {
      for (let next = handled[handledCount]; next !== undefined && next.event < id; next = handled[++handledCount]) this.#addHandled(next);
    };
    for (const event of history) {
      addHandledBefore(event.id);
      this.#addEvent(event);
    }
    addHandledBefore(Infinity);
    for (const { name, status } of children) this.#say(history.at(-1), `child execution ${name}: ${status}`);
    this.#say(history.at(-1), this.#end());
  }

  #say(event: HistoryEvent | undefined, text: string): void {
    const began = this.#facts.history[0];
    const time =
      this.#options.times && event !== undefined && began !== undefined ? `${spoken(timeBetween(began, event)).padStart(11)}  ` : "";
    this.lines.push(`${time}${text}`);
  }

  /** Returns a text with a payload, unless that was shown last. */
  #data(text: string | undefined): string {
    if (!this.#options.payloads || text === undefined) return "";
    const cleaned = readable(text);
    if (cleaned === this.#shown) return "";
    this.#shown = cleaned;
    return ` ${cut(cleaned)}`;
  }

  /** Returns a text with a result, which is always shown. */
  #result(text: string | undefined): string {
    this.#shown = undefined;
    return this.#data(text);
  }

  #addEvent(event: HistoryEvent): void {
    const details = detailsOf(event);
    const text = this.#textOf(event.type, details, () =>
      place(this.#visits.iterations(event.id, details.name ?? this.#visits.stateOf(event.id) ?? "")),
    );
    if (text !== undefined) this.#say(event, text);
  }

  /** Returns the line for an event. Undefined for events that others imply. */
  #textOf(type: HistoryEvent["type"], details: EventDetails, where: () => string): string | undefined {
    if (type === "ExecutionStarted") return `start${this.#data(details.input)}`;
    if (type === "ExecutionRedriven") return "redriven";
    if (type === "MapStateStarted") return `    ${where()}${details.length} item${details.length === 1 ? "" : "s"}`;
    if (type.endsWith("StateEntered"))
      return `→ ${where()}${details.name} (${type.replace("StateEntered", "")})${this.#data(details.input)}`;
    if (type.endsWith("StateExited"))
      return this.#endsChain(details.name) ? `← ${where()}${details.name}${this.#data(details.output)}` : undefined;
    if (type.endsWith("Scheduled")) return `    ${where()}call ${called(details)}${this.#data(details.parameters ?? details.input)}`;
    if (/^(Task|LambdaFunction|Activity)Succeeded$/.test(type)) return `    ${where()}✓${this.#result(details.output)}`;
    if (/^(Task|LambdaFunction|Activity)(Failed|TimedOut)$/.test(type) || type === "EvaluationFailed" || type === "MapRunFailed") {
      return `    ${where()}✗ ${this.#why(details) || type}`;
    }
    return undefined;
  }

  /**
   * Returns whether a state is the last one of a branch or an iteration. The output of any other state is the next state's input.
   */
  #endsChain(name: string | undefined): boolean {
    const state = this.#facts.machine.outline.named.get(name ?? "");
    return state?.parent !== undefined && state.fields.Next === undefined && state.type !== "Choice";
  }

  #addHandled({ state, error, delay, pointer, event }: HandledError): void {
    const index = indexIn(pointer);
    const text =
      delay === undefined
        ? `⤷ ${error ?? "the error"} caught by ${state}/Catch/${index}`
        : `↻ retry in ${spoken(delay)} by ${state}/Retry/${index}`;
    this.#say(this.#visits.events.get(event), `    ${place(this.#visits.iterations(event, state))}${text}`);
  }

  /** Returns the last line. */
  #end(): string {
    const { outcome, waiting } = this.#facts;
    if (outcome.status === "RUNNING") return `RUNNING: waits for ever in ${waiting.map(({ state }) => state).join(", ")}`;
    if (outcome.status === "SUCCEEDED")
      return `SUCCEEDED${this.#options.payloads ? ` ${cut(readable(JSON.stringify(outcome.output)))}` : ""}`;
    const why = outcome.status === "TIMED_OUT" ? "" : this.#why(outcome);
    return `${outcome.status}${why ? ` ${why}` : ""}`;
  }

  #why({ error, cause }: { error?: string | undefined; cause?: string | undefined }): string {
    return cut([error, this.#options.payloads ? cause : undefined].filter((part) => part !== undefined && part !== "").join(": "));
  }
}

/** Returns the last step of a JSON Pointer, an index in Retry or Catch. */
export function indexIn(pointer: string): number {
  return Number(pointer.slice(pointer.lastIndexOf("/") + 1));
}

/** Describes the iteration of a line. */
function place(iterations: readonly number[]): string {
  return iterations.length === 0 ? "" : `[${iterations.join("/")}] `;
}

/** Describes what a task calls, as briefly as is clear. */
function called({ resourceType, resource = "" }: EventDetails): string {
  if (resourceType) return `${resourceType}:${resource}`;
  return parseResource(resource).name ?? resource;
}

/** Removes from a payload the metadata that clients of AWS's services add. */
function readable(text: string): string {
  return text.replace(/,?"Sdk(?:Http|Response)Metadata":\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
}

function cut(text: string): string {
  const line = text.replaceAll("\n", "⏎");
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
