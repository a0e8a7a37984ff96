// @ts-nocheck: has no types yet.
// A history as people tell it.

import { parseResource } from "../tasks/resource.ts";
import { spoken } from "./duration.ts";

const WIDTH = 120;

/** The lines of what happened: the same for equal runs, with `times` those of the run's own clock. */
export function story(facts, visits, how) {
  return new Story(facts, visits, how).lines;
}

class Story {
  lines = [];
  #facts;
  #visits;
  #how;
  #began;
  #shown;

  constructor(facts, visits, how) {
    this.#facts = facts;
    this.#visits = visits;
    this.#how = how;
    const { history, coverage, children } = facts;
    this.#began = history.length > 0 ? Date.parse(history[0].timestamp) : 0;
    // What Retry and Catch have done stands after the error that they did it for, before what came of it.
    const handled = coverage.handled.filter(({ child }) => child === undefined);
    let told = 0;
    for (const event of history) {
      while (told < handled.length && handled[told].event < event.id) this.#tellHandled(handled[told++]);
      this.#tell(event);
    }
    while (told < handled.length) this.#tellHandled(handled[told++]);
    for (const { name, status } of children) this.#say(history.at(-1), `child execution ${name}: ${status}`);
    this.#tellEnd();
  }

  #say(event, text) {
    const time = this.#how.times && event !== undefined ? `${spoken(Date.parse(event.timestamp) - this.#began).padStart(11)}  ` : "";
    this.lines.push(`${time}${text}`);
  }

  /** A payload after a text, where it is not the one that was shown last. */
  #data(text) {
    if (!this.#how.payloads || text === undefined) return "";
    const cleaned = readable(text);
    if (cleaned === this.#shown) return "";
    this.#shown = cleaned;
    return ` ${cut(cleaned)}`;
  }

  /** A result, which is always news. */
  #result(text) {
    this.#shown = undefined;
    return this.#data(text);
  }

  #tell(event) {
    const { type } = event;
    const details = event[Object.keys(event).find((key) => key.endsWith("EventDetails"))] ?? {};
    const where = () => place(this.#visits.iterations(event.id, details.name ?? this.#visits.stateOf(event.id)));
    if (type === "ExecutionStarted") this.#say(event, `start${this.#data(details.input)}`);
    else if (type.endsWith("StateEntered")) this.#say(event, `→ ${where()}${details.name} (${type.replace("StateEntered", "")})${this.#data(details.input)}`);
    else if (type.endsWith("StateExited")) {
      // Of all others the next state's input tells it.
      const state = this.#facts.machine.outline.named.get(details.name);
      if (state?.parent !== undefined && state.fields.Next === undefined && state.type !== "Choice") this.#say(event, `← ${where()}${details.name}${this.#data(details.output)}`);
    } else if (type.endsWith("Scheduled")) this.#say(event, `    ${where()}call ${called(details)}${this.#data(details.parameters ?? details.input)}`);
    else if (/^(Task|LambdaFunction|Activity)Succeeded$/.test(type)) this.#say(event, `    ${where()}✓${this.#result(details.output)}`);
    else if (/^(Task|LambdaFunction|Activity)(Failed|TimedOut)$/.test(type) || type === "EvaluationFailed" || type === "MapRunFailed") this.#say(event, `    ${where()}✗ ${this.#why(details) || type}`);
    else if (type === "MapStateStarted") this.#say(event, `    ${where()}${details.length} item${details.length === 1 ? "" : "s"}`);
    else if (type === "ExecutionRedriven") this.#say(event, "redriven");
  }

  #tellHandled({ state, error, delay, pointer, event }) {
    const index = pointer.slice(pointer.lastIndexOf("/") + 1);
    const text = delay === undefined ? `⤷ ${error ?? "the error"} caught by ${state}/Catch/${index}` : `↻ retry in ${spoken(delay)} by ${state}/Retry/${index}`;
    this.#say(this.#visits.events.get(event), `    ${place(this.#visits.iterations(event, state))}${text}`);
  }

  #tellEnd() {
    const { outcome, history } = this.#facts;
    const { status, output } = outcome;
    if (status === "RUNNING") this.#say(history.at(-1), `RUNNING: waits for ever in ${this.#facts.waiting.map(({ state }) => state).join(", ")}`);
    else if (status === "SUCCEEDED") this.#say(history.at(-1), `SUCCEEDED${this.#how.payloads ? ` ${cut(readable(JSON.stringify(output)))}` : ""}`);
    else this.#say(history.at(-1), `${status}${this.#why(outcome) ? ` ${this.#why(outcome)}` : ""}`);
  }

  #why({ error, cause }) {
    return cut([error, this.#how.payloads ? cause : undefined].filter((part) => part !== undefined && part !== "").join(": "));
  }
}

/** Which iteration a line is about. */
function place(iterations) {
  return iterations.length === 0 ? "" : `[${iterations.join("/")}] `;
}

/** What a task calls, as short as it is clear. */
function called({ resourceType, resource }) {
  if (resourceType) return `${resourceType}:${resource}`;
  return parseResource(resource).name ?? resource;
}

/** A payload without what a service's client would say of the request. */
function readable(text) {
  return text.replace(/,?"Sdk(?:Http|Response)Metadata":\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
}

function cut(text) {
  const line = text.replaceAll("\n", "⏎");
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
