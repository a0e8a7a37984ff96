// Recorded executions: what `aws stepfunctions get-execution-history` prints, what the console exports, what
// `stepglass serve` hands out.

export interface HistoryEvent {
  id: number;
  previousEventId: number;
  timestamp: string;
  type: string;
  [details: string]: unknown;
}

export interface Recorded {
  title: string;
  events: HistoryEvent[];
  /// The definition that ran, where the file has it.
  definition?: string;
  input?: string;
  result?: { status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED"; output?: unknown; error?: string; cause?: string };
  /// Where more events come from, while the execution runs.
  live?: string;
  list?: string;
}

const MOST_EVENTS = 25_000;

/// Whether a parsed document holds a history.
export function isRecorded(value: unknown): boolean {
  if (/^execution\/\d+$/.test(String(object(value)["stepglass"]))) return true;
  const list = eventsOf(value);
  const [first] = list ?? [];
  return object(first)["type"] !== undefined && object(first)["id"] !== undefined;
}

/// Throws an Error that says what is wrong with the file.
export function readRecorded(value: unknown, title: string): Recorded {
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
  // What `describe-state-machine` has as text, others have as an object.
  const definition =
    typeof document["definition"] === "object" && document["definition"] !== null
      ? `${JSON.stringify(document["definition"], null, 2)}\n`
      : text(document["definition"]);
  if (definition !== undefined) recorded.definition = definition;
  const last = events.at(-1);
  const result = last && resultOf(last);
  if (result) recorded.result = result;
  const live = text(document["live"]);
  if (live !== undefined) recorded.live = live;
  const list_ = text(document["list"]);
  if (list_ !== undefined) recorded.list = list_;
  return recorded;
}

/// Names of the states that the history tells of.
export function statesOf(events: readonly HistoryEvent[]): string[] {
  return [...new Set(events.flatMap((event) => text(object(event["stateEnteredEventDetails"])["name"]) ?? []))];
}

/// What the last event says about the end; `undefined` while the execution runs.
export function resultOf(last: HistoryEvent): Recorded["result"] {
  const kinds = {
    ExecutionSucceeded: "SUCCEEDED",
    ExecutionFailed: "FAILED",
    ExecutionTimedOut: "TIMED_OUT",
    ExecutionAborted: "ABORTED",
  } as const;
  const status = kinds[last.type as keyof typeof kinds];
  if (status === undefined) return undefined;
  const details = object(last[`${last.type[0]!.toLowerCase()}${last.type.slice(1)}EventDetails`]);
  const result: NonNullable<Recorded["result"]> = { status };
  const output = text(details["output"]);
  if (output !== undefined) {
    try {
      result.output = JSON.parse(output);
    } catch {
      // Logs cut what is long.
      result.output = output;
    }
  }
  const [error, cause] = [text(details["error"]), text(details["cause"])];
  if (error !== undefined) result.error = error;
  if (cause !== undefined) result.cause = cause;
  return result;
}

function eventsOf(value: unknown): unknown[] | undefined {
  const { events, Events, executionHistory } = object(value) as Record<string, unknown>;
  const list: unknown[] | undefined = [value, events, Events, executionHistory, object(executionHistory)["events"]].find(Array.isArray);
  // The log of an Express execution, as CloudWatch hands it out: each event is the text of a message.
  return list?.map((one) => {
    const message = text(object(one)["message"]);
    if (message === undefined) return one;
    try {
      return JSON.parse(message) as unknown;
    } catch {
      return one;
    }
  });
}

/// What carries data.
const PAYLOADS: ReadonlySet<string> = new Set(["input", "output", "parameters"]);
/// In place of data that whoever made the history has left out.
const MASK = /^\s*(?:HIDDEN_DUE_TO_SECURITY_REASONS|[[<]?(?:REDACTED|MASKED)[\]>]?|\*{3,})\s*$/i;

/// Payloads as the API has them, as JSON text: whoever stored the history may have parsed them, and then a string is a value.
function asTexts(events: HistoryEvent[]): HistoryEvent[] {
  const each = (change: (value: unknown) => unknown): HistoryEvent[] =>
    events.map((event) => {
      const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
      if (key === undefined) return event;
      return {
        ...event,
        [key]: Object.fromEntries(
          Object.entries(object(event[key])).map(([name, value]) => [
            name,
            PAYLOADS.has(name) && value !== null && value !== undefined ? change(value) : value,
          ]),
        ),
      };
    });
  let parsed = false;
  each((value) => ((parsed ||= typeof value !== "string"), value));
  if (!parsed) return events;
  return each((value) => (typeof value === "string" && (MASK.test(value) || isJson(value)) ? value : JSON.stringify(value)));
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/// The details of an event, whatever its type calls them.
export function detailsOf(event: HistoryEvent): Record<string, unknown> {
  const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
  return key === undefined ? {} : object(event[key]);
}

/// One event with the names and the times of `execution.history()`: other tools write them in other cases, and times as seconds.
export function eventOf(value: unknown): HistoryEvent {
  const from = Object.fromEntries(Object.entries(object(value)).map(([key, held]) => [`${key[0]!.toLowerCase()}${key.slice(1)}`, held]));
  const { id, previousEventId = from["previous_event_id"] ?? 0, timestamp = from["event_timestamp"], type } = from;
  if (typeof type !== "string" || !Number.isSafeInteger(Number(id)))
    throw new Error("This is not a history: an event has no type or no id.");
  const details = Object.entries(from).filter(([key]) => key.endsWith("EventDetails"));
  // Logs have one name for the details of all.
  if (details.length === 0 && from["details"] !== undefined)
    details.push([
      `${/State(Entered|Exited)$/.exec(type)?.[0].replace("S", "s") ?? `${type[0]!.toLowerCase()}${type.slice(1)}`}EventDetails`,
      from["details"],
    ]);
  const lowered = details.map(([key, held]) => [
    key,
    Object.fromEntries(Object.entries(object(held)).map(([name, inner]) => [`${name[0]!.toLowerCase()}${name.slice(1)}`, inner])),
  ]);
  return { id: Number(id), previousEventId: Number(previousEventId), timestamp: timeOf(timestamp), type, ...Object.fromEntries(lowered) };
}

function timeOf(value: unknown): string {
  const number = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  const time = typeof number === "number" ? new Date(number < 1e11 ? number * 1000 : number) : new Date(String(value));
  if (Number.isNaN(time.getTime())) throw new Error(`This is not a history: ${JSON.stringify(value)} is not a time.`);
  return time.toISOString();
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
