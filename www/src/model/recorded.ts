// Recorded executions: the output of `aws stepfunctions get-execution-history`, exports of the console, and exports of `stepglass
// serve` and files of `stepglass fetch`.

import {
  type RecordedEvent as HistoryEvent,
  asTexts,
  detailsMember,
  documentOfFetched,
  eventOf,
  eventsOf,
  isFetched,
  isJson,
} from "stepglass/recorded";

export { type HistoryEvent, eventOf };

export interface Recorded {
  title: string;
  events: HistoryEvent[];
  /** The definition that ran, if the file has it. */
  definition?: string;
  input?: string;
  result?: { status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED"; output?: unknown; text?: string; error?: string; cause?: string };
  /** The addresses that give further events while the execution runs. */
  live?: string;
  list?: string;
}

const MOST_EVENTS = 25_000;

/** Returns whether a parsed document is an execution history. */
export function isRecorded(value: unknown): boolean {
  if (isFetched(value)) return true;
  if (/^execution\/\d+$/.test(String(object(value)["stepglass"]))) return true;
  const list = eventsOf(value);
  const [first] = list ?? [];
  return object(first)["type"] !== undefined && object(first)["id"] !== undefined;
}

/** Throws an Error that says what is wrong with the file. */
export function readRecorded(value: unknown, title: string): Recorded {
  if (isFetched(value)) return readRecorded(documentOfFetched(value), title);
  const kind = object(value)["stepglass"];
  if (kind !== undefined && kind !== "execution/1") throw new Error(`This is ${String(kind)}, and this page can open only execution/1.`);
  const list = eventsOf(value) ?? [];
  if (list.length > MOST_EVENTS) throw new Error(`The history has ${list.length} events, and an execution may have ${MOST_EVENTS}.`);
  const events = asTexts(list.map(eventOf)).sort((a, b) => a.id - b.id);
  if (events.length === 0 && kind === undefined) throw new Error("The history has no events.");
  if (object(value)["nextToken"])
    throw new Error(
      "The history is one page of several (it has a nextToken): export all of them, as `aws stepfunctions get-execution-history` does by itself.",
    );
  events.forEach((event, i) => {
    if (event.id !== i + 1) throw new Error(`The history is incomplete: event ${i + 1} is missing.`);
    if (event.previousEventId < 0 || event.previousEventId >= event.id)
      throw new Error(`Event ${event.id} follows on event ${event.previousEventId}, which is not before it.`);
  });
  const document = object(value);
  const recorded: Recorded = {
    title:
      text(document["name"]) ??
      (text(document["executionArn"]) ?? text(object(list[0])["execution_arn"]))?.split(":").at(-1) ??
      (title || `Execution of ${String(events[0]?.timestamp).slice(0, 16).replace("T", " ")}`),
    events,
  };
  const started = object(object(events[0])["executionStartedEventDetails"]);
  const input = text(started["input"]) ?? text(document["input"]);
  if (input !== undefined && isJson(input)) recorded.input = input;
  // `describe-state-machine` has the definition as text; other sources have it as an object.
  const definition =
    typeof document["definition"] === "object" && document["definition"] !== null
      ? `${JSON.stringify(document["definition"], null, 2)}\n`
      : text(document["definition"]);
  if (definition !== undefined) recorded.definition = definition;
  const last = events.at(-1);
  const result = last && resultOf(last);
  if (result) recorded.result = { ...result, ...textOf(last) };
  const live = text(document["live"]);
  if (live !== undefined) recorded.live = live;
  const list_ = text(document["list"]);
  if (list_ !== undefined) recorded.list = list_;
  return recorded;
}

/** Returns the names of the states in the history. */
export function statesOf(events: readonly HistoryEvent[]): string[] {
  return [...new Set(events.flatMap((event) => text(object(event["stateEnteredEventDetails"])["name"]) ?? []))];
}

/** Returns the text of the output in the last event, as it is written there. */
function textOf(last: HistoryEvent): { text?: string } {
  const output = text(object(last["executionSucceededEventDetails"])["output"]);
  return output === undefined ? {} : { text: output };
}

/** Returns the result that the last event reports; undefined while the execution runs. */
export function resultOf(last: HistoryEvent): Recorded["result"] {
  const kinds = {
    ExecutionSucceeded: "SUCCEEDED",
    ExecutionFailed: "FAILED",
    ExecutionTimedOut: "TIMED_OUT",
    ExecutionAborted: "ABORTED",
  } as const;
  const status = kinds[last.type as keyof typeof kinds];
  if (status === undefined) return undefined;
  const details = object(last[detailsMember(last.type)]);
  const result: NonNullable<Recorded["result"]> = { status };
  const output = text(details["output"]);
  if (output !== undefined) {
    try {
      result.output = JSON.parse(output);
    } catch {
      // The text is not JSON: logs truncate long output.
      result.output = output;
    }
  }
  const [error, cause] = [text(details["error"]), text(details["cause"])];
  if (error !== undefined) result.error = error;
  if (cause !== undefined) result.cause = cause;
  return result;
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
