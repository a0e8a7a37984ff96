// Events of executions as other programs write them: other cases of names, times as seconds, logs of Express executions.

import { isObject } from "../base/json.ts";

/** An event with the names and times of `execution.history()`. */
export interface RecordedEvent {
  id: number;
  previousEventId: number;
  timestamp: string;
  type: string;
  [details: string]: unknown;
}

/** The list of events in a parsed document: of get-execution-history, of an SDK, of the console's export or of a log. */
export function eventsOf(value: unknown): unknown[] | undefined {
  const { events, Events, executionHistory } = membersOf(value);
  const list: unknown[] | undefined = [value, events, Events, executionHistory, membersOf(executionHistory)["events"]].find(Array.isArray);
  // The log of an Express execution, as CloudWatch hands it out: each event is the text of a message.
  return list?.map((one) => {
    const message = textOf(membersOf(one)["message"]);
    if (message === undefined) return one;
    try {
      return JSON.parse(message) as unknown;
    } catch {
      return one;
    }
  });
}

/** What carries data. */
const PAYLOADS: ReadonlySet<string> = new Set(["input", "output", "parameters"]);
/** In place of data that whoever made the history has left out. */
const MASK = /^\s*(?:HIDDEN_DUE_TO_SECURITY_REASONS|[[<]?(?:REDACTED|MASKED)[\]>]?|\*{3,})\s*$/i;

/** Payloads as the API has them, as JSON text: whoever stored the history may have parsed them, and then a string is a value. */
export function asTexts(events: RecordedEvent[]): RecordedEvent[] {
  const each = (change: (value: unknown) => unknown): RecordedEvent[] =>
    events.map((event) => {
      const key = Object.keys(event).find((name) => name.endsWith("EventDetails"));
      if (key === undefined) return event;
      return {
        ...event,
        [key]: Object.fromEntries(
          Object.entries(membersOf(event[key])).map(([name, value]) => [
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

/** Whether a text is JSON. */
export function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** One event with the names and the times of `execution.history()`: other tools write them in other cases, and times as seconds. */
export function eventOf(value: unknown): RecordedEvent {
  const from = Object.fromEntries(
    Object.entries(membersOf(value)).map(([key, held]) => [`${key.charAt(0).toLowerCase()}${key.slice(1)}`, held]),
  );
  const { id, previousEventId = from["previous_event_id"] ?? 0, timestamp = from["event_timestamp"], type } = from;
  if (typeof type !== "string" || !Number.isSafeInteger(Number(id)))
    throw new Error("This is not a history: an event has no type or no id.");
  const details = Object.entries(from).filter(([key]) => key.endsWith("EventDetails"));
  // Logs have one name for the details of all.
  if (details.length === 0 && from["details"] !== undefined)
    details.push([
      `${/State(Entered|Exited)$/.exec(type)?.[0].replace("S", "s") ?? `${type.charAt(0).toLowerCase()}${type.slice(1)}`}EventDetails`,
      from["details"],
    ]);
  const lowered = details.map(([key, held]) => [
    key,
    Object.fromEntries(Object.entries(membersOf(held)).map(([name, inner]) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, inner])),
  ]);
  return { id: Number(id), previousEventId: Number(previousEventId), timestamp: timeOf(timestamp), type, ...Object.fromEntries(lowered) };
}

function timeOf(value: unknown): string {
  const number = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  const time = typeof number === "number" ? new Date(number < 1e11 ? number * 1000 : number) : new Date(String(value));
  if (Number.isNaN(time.getTime())) throw new Error(`This is not a history: ${JSON.stringify(value)} is not a time.`);
  return time.toISOString();
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
