// The tool explain_history.

import type { HistoryEvent, HistoryReplay } from "../../core/api/index.d.ts";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import { spoken } from "../../core/base/duration.ts";
import { isObject } from "../../core/base/json.ts";
import { replayHistory } from "../../core/execution/recorded.ts";
import { Unusable } from "../../language/files/problem.ts";
import { read } from "../../language/files/reading.ts";
import { count } from "../../language/files/terminal.ts";
import { Chains, type Visit } from "../../core/history/chains.ts";
import { detailsOf, isExecutionEnd } from "../../core/history/events.ts";
import { asTexts, eventOf, eventsOf } from "../../core/history/recorded.ts";
import { definitionArguments, usableSource } from "./definitions.ts";
import { LISTED, OUTPUT, VALUE, type Cutter } from "./limits.ts";
import { any, array, boolean, int, number, object, oneOf, record, string, union } from "./protocol.ts";
import { cutMember, defineTool } from "./tool.ts";

const divergence = object({
  event: int().optional(),
  state: string().optional(),
  pointer: string().optional(),
  message: string(),
  reason: string().optional(),
});

export const historyTool = defineTool({
  name: "explain_history",
  title: "Explain an execution history",
  description:
    "Reads the history of an execution on AWS (get-execution-history, an SDK, the console's export, an Express log, or stepglass run --json) and tells what happened: each state with its times and attempts, errors, and where and why the execution failed. With a definition it also replays the execution and reports the first difference.",
  input: {
    historyFile: string().optional().describe("Path of the history's JSON file in the server's folder."),
    history: union([string(), array(any()), record(string(), any())])
      .optional()
      .describe("The history itself instead of historyFile: JSON text, the list of events, or an object with events."),
    ...definitionArguments,
    state: string().optional().describe("Lists only the visits of this state."),
    payloads: boolean().optional().describe("Whether the list has inputs and outputs. Default: true."),
    limit: int().min(1).max(1000).optional().describe(`The largest number of visits to list. Default: ${LISTED}.`),
  },
  output: {
    status: oneOf(["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "RUNNING"]),
    events: int(),
    started: string().optional().describe("The first event's time."),
    duration: number().describe("Milliseconds from the first event to the last."),
    input: any().optional(),
    output: any().optional(),
    error: string().optional(),
    cause: string().optional(),
    failure: object({ event: int(), type: string(), state: string().optional(), error: string().optional(), cause: string().optional() })
      .optional()
      .describe("The last error in a state: the reason of a failure."),
    states: array(
      object({ state: string(), type: string(), visits: int(), attempts: int(), failures: int(), duration: number() }),
    ).describe("Each state with how often it was visited, tried and failed, and its time in all, the longest first."),
    visits: array(
      object({
        state: string(),
        type: string(),
        event: int().describe("Id of the event that entered the state."),
        at: number().describe("Milliseconds after the first event."),
        duration: number().optional().describe("Absent if the state was never left."),
        attempts: int(),
        iterations: array(int()).describe("Indices in the enclosing Maps, the innermost last."),
        errors: array(object({ event: int(), type: string(), error: string().optional(), cause: string().optional() })),
        input: any().optional(),
        output: any().optional(),
      }),
    ),
    replay: object({ matches: boolean(), complete: boolean(), compared: int(), divergence: divergence.optional() }).optional(),
    ...cutMember,
  },
  call({ historyFile, history, state, payloads = true, limit = LISTED, ...given }, { cut, limits }) {
    if ((historyFile === undefined) === (history === undefined)) throw new Unusable("give either historyFile or history");
    const named = historyFile ?? "the history";
    const document = documentOf(historyFile === undefined ? history : read(historyFile), named);
    const reading = new Reading(recordedEvents(document, named));
    const replay = given.file === undefined && given.definition === undefined ? undefined : replayed(document, given);
    const { visits } = reading.chains;
    const listed = cut.list(state === undefined ? visits : reading.chains.visitsOf(state), limit, "visit");
    if (state !== undefined && listed.length === 0) throw new Unusable(`no state ${JSON.stringify(state)} was entered`);
    const outcome = reading.outcome(cut);
    const divergence = replay?.divergence;
    return {
      text: cut.text(reading.story(outcome, replay), limits.characters, "the text"),
      data: {
        ...outcome,
        states: cut.list(reading.states(), LISTED, "state"),
        visits: listed.map((visit) => reading.visit(visit, payloads, cut)),
        ...(replay && {
          replay: {
            matches: replay.matches,
            complete: replay.complete,
            compared: replay.compared,
            ...(divergence && { divergence: shownDivergence(divergence) }),
          },
        }),
      },
    };
  },
});

function shownDivergence({ event, state, pointer, message, reason }: NonNullable<HistoryReplay["divergence"]>) {
  return {
    ...(event !== undefined && { event }),
    ...(state !== undefined && { state }),
    ...(pointer !== undefined && { pointer }),
    message,
    ...(reason !== undefined && { reason }),
  };
}

function documentOf(given: unknown, named: string): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new Unusable(`${named} is not JSON: ${messageOf(error)}`);
  }
}

function recordedEvents(document: unknown, named: string): HistoryEvent[] {
  const list = eventsOf(document) ?? (isObject(document) && Array.isArray(document.history) ? document.history : undefined);
  if (list === undefined || list.length === 0) throw new Unusable(`${named} is not a history: it has no events`);
  try {
    const events = asTexts(list.map(eventOf)).sort((a, b) => a.id - b.id);
    const gap = events.findIndex(({ id }, i) => id !== i + 1);
    if (gap >= 0) throw new Unusable(`${named} is incomplete: event ${gap + 1} is missing. Export all pages of the history`);
    const wrong = events.find(({ id, previousEventId }) => !(previousEventId >= 0 && previousEventId < id));
    if (wrong !== undefined)
      throw new Unusable(`${named}: event ${wrong.id} follows on event ${wrong.previousEventId}, which is not before it`);
    // The types are those of AWS. Unknown ones are ignored.
    return events as unknown as HistoryEvent[];
  } catch (error) {
    throw error instanceof Unusable ? error : new Unusable(`${named}: ${messageOf(error)}`);
  }
}

function replayed(document: unknown, given: Parameters<typeof usableSource>[0]): HistoryReplay {
  const source = usableSource(given);
  const history = isObject(document) && Array.isArray(document.history) ? document.history : document;
  try {
    return replayHistory(source.json, JSON.stringify(history), source.options(given.type ? { type: given.type } : {}));
  } catch (error) {
    throw codeOf(error) === "NOT_A_HISTORY" ? new Unusable(messageOf(error)) : error;
  }
}

/** An error at an event. */
interface Wrong {
  event: number;
  type: string;
  error?: string;
  cause?: string;
}

/** The outcome of an execution, in a tool's answer. */
interface Outcome {
  status: string;
  events: number;
  duration: number;
  error?: string;
  cause?: string;
  failure?: Wrong & { state?: string };
}

const STATUSES: Record<string, string> = {
  ExecutionSucceeded: "SUCCEEDED",
  ExecutionFailed: "FAILED",
  ExecutionTimedOut: "TIMED_OUT",
  ExecutionAborted: "ABORTED",
};

/** A history with its visits of states. */
class Reading {
  readonly chains = new Chains(() => ({}));
  #events: HistoryEvent[];
  /** The errors of each visit, by its id. */
  #errors = new Map<number, Wrong[]>();

  constructor(events: HistoryEvent[]) {
    this.#events = events;
    for (const event of events) {
      this.chains.add(event);
      const visit = this.chains.visitOf(event.id);
      if (visit === undefined || !/(?:Failed|TimedOut)$/.test(event.type) || isExecutionEnd(event)) continue;
      const errors = this.#errors.get(visit.id);
      if (errors === undefined) this.#errors.set(visit.id, [wrongOf(event)]);
      else errors.push(wrongOf(event));
    }
  }

  outcome(cut: Cutter): Outcome {
    const [first, last] = [this.#events[0], this.#events.at(-1)];
    const end = last && isExecutionEnd(last) ? detailsOf(last) : undefined;
    const failed = end === undefined || last?.type === "ExecutionSucceeded" ? undefined : this.#lastError();
    const { error, cause } = end ?? {};
    const input = first && detailsOf(first).input;
    return {
      status: STATUSES[last?.type ?? ""] ?? "RUNNING",
      events: this.#events.length,
      ...(first && { started: first.timestamp }),
      duration: first && last ? timeBetween(first, last) : 0,
      ...(input !== undefined && { input: cut.value(valueOf(input), VALUE, "the input") }),
      ...(end?.output !== undefined && { output: cut.value(valueOf(end.output), OUTPUT, "the output") }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause: cut.text(cause, VALUE, "the cause") }),
      ...(failed && { failure: { ...failed, ...(failed.cause !== undefined && { cause: cut.text(failed.cause, VALUE, "a cause") }) } }),
    };
  }

  #lastError(): (Wrong & { state?: string }) | undefined {
    let found: (Wrong & { state?: string }) | undefined;
    for (const { id, state } of this.chains.visits)
      for (const one of this.#errors.get(id) ?? []) if (found === undefined || one.event > found.event) found = { ...one, state };
    return found;
  }

  /** Returns all states that were entered, the ones that took longest first. */
  states() {
    const all = new Map<string, { state: string; type: string; visits: number; attempts: number; failures: number; duration: number }>();
    for (const visit of this.chains.visits) {
      const sum = all.get(visit.state) ?? { state: visit.state, type: visit.type, visits: 0, attempts: 0, failures: 0, duration: 0 };
      sum.visits += 1;
      sum.attempts += visit.attempts;
      sum.failures += this.#errors.get(visit.id)?.length ?? 0;
      sum.duration += this.#duration(visit) ?? 0;
      all.set(visit.state, sum);
    }
    return [...all.values()].sort((a, b) => b.duration - a.duration);
  }

  visit(visit: Visit, payloads: boolean, cut: Cutter) {
    const { state, type, enter, exit, attempts } = visit;
    const duration = this.#duration(visit);
    const [entered, exited] = [this.#events[enter - 1], this.#events[exit - 1]];
    const input = payloads && entered ? detailsOf(entered).input : undefined;
    const output = payloads && exited ? detailsOf(exited).output : undefined;
    return {
      state,
      type,
      event: enter,
      at: this.#at(enter),
      ...(duration !== undefined && { duration }),
      attempts,
      iterations: this.chains.threadOf(visit).iterations,
      errors: (this.#errors.get(visit.id) ?? [])
        .slice(0, 20)
        .map((one) => ({ ...one, ...(one.cause !== undefined && { cause: cut.text(one.cause, VALUE, `a cause in ${state}`) }) })),
      ...(input !== undefined && { input: cut.value(valueOf(input), VALUE, `the input of ${state} at event ${enter}`) }),
      ...(output !== undefined && { output: cut.value(valueOf(output), VALUE, `the output of ${state} at event ${exit}`) }),
    };
  }

  #duration({ enter, exit }: Visit): number | undefined {
    return exit === 0 ? undefined : this.#at(exit) - this.#at(enter);
  }

  #at(event: number): number {
    const [first, at] = [this.#events[0], this.#events[event - 1]];
    return first && at ? timeBetween(first, at) : 0;
  }

  /** Describes what happened, line by line. */
  story({ status, events, duration, error, cause, failure }: Outcome, replay: HistoryReplay | undefined): string {
    const lines = [
      `${status} after ${spoken(duration)}, ${count(events, "event")}${error === undefined ? "" : `: ${error}${cause ? `: ${cause}` : ""}`}`,
    ];
    if (failure?.state !== undefined)
      lines.push(
        `The last error was in ${failure.state}, event ${failure.event} ${failure.type}${failure.error === undefined ? "" : `: ${failure.error}${failure.cause ? `: ${failure.cause}` : ""}`}`,
      );
    lines.push("", ...this.#lines());
    if (replay !== undefined)
      lines.push(
        "",
        replay.divergence === undefined
          ? `The definition does the same: ${count(replay.compared, "event")} compared`
          : `The definition does something else at event ${replay.divergence.event ?? "?"}: ${replay.divergence.message}`,
      );
    return lines.join("\n");
  }

  #lines(): string[] {
    const { visits } = this.chains;
    const shown = visits.slice(0, LISTED).map((visit) => {
      const duration = this.#duration(visit);
      const { iterations } = this.chains.threadOf(visit);
      const errors = this.#errors.get(visit.id) ?? [];
      return [
        `${spoken(this.#at(visit.enter)).padStart(9)}  ${visit.state}${iterations.length > 0 ? ` [${iterations.join(", ")}]` : ""} (${visit.type})`,
        duration === undefined ? ", never left" : `, ${spoken(duration)}`,
        visit.attempts > 1 ? `, ${visit.attempts} attempts` : "",
        errors.length > 0 ? `, ${errors.map((one) => one.error ?? one.type).join(", ")}` : "",
      ].join("");
    });
    return visits.length > shown.length ? [...shown, `… ${count(visits.length - shown.length, "more visit")}`] : shown;
  }
}

function wrongOf(event: HistoryEvent): Wrong {
  const { error, cause } = detailsOf(event);
  return { event: event.id, type: event.type, ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
}

function timeBetween(from: HistoryEvent, to: HistoryEvent): number {
  return Date.parse(to.timestamp) - Date.parse(from.timestamp);
}

/** Parses a payload. A text that is not JSON, because it was masked, is returned unchanged. */
function valueOf(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
