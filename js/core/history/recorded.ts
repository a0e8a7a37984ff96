// Reads events in the forms of other programs: names in other cases, times as seconds, logs of Express executions.

import { isObject } from "../base/json.ts";
import type { HistoryEvent } from "../api/index.d.ts";
import type table from "./events.json";

type PublicType = HistoryEvent["type"];
type WrittenType = keyof typeof table;
type Same<Differences extends never> = Differences;

/**
 * An event type of AWS, of which the engine writes only some. Fails to compile if the public types have other events than the core,
 * whose list `cargo xtask tables` writes to events.json.
 */
type EventType = string | Same<Exclude<PublicType, WrittenType> | Exclude<WrittenType, PublicType>>;

/** Returns the name of the member that has the details of an event of a type. */
export function detailsMember(type: EventType): string {
  const name = /State(?:Entered|Exited)$/.exec(type)?.[0] ?? type;
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}EventDetails`;
}

/** An event with the names and times of `execution.history()`. */
export interface RecordedEvent {
  id: number;
  previousEventId: number;
  timestamp: string;
  type: string;
  [details: string]: unknown;
}

/** Returns the events of a parsed document: of get-execution-history, of an SDK, of the console's export or of a log. */
export function eventsOf(value: unknown): unknown[] | undefined {
  const { events, Events, executionHistory } = membersOf(value);
  const list: unknown[] | undefined = [value, events, Events, executionHistory, membersOf(executionHistory)["events"]].find(Array.isArray);
  // In the log of an Express execution, as CloudWatch returns it, each event is the text of a message.
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

/** The `format` of a file of a fetched execution, and the highest `version` that this release reads. */
export const FETCHED_FORMAT = "stepglass-execution";
export const FETCHED_VERSION = 1;

/** A history with the known data of its execution, in the form in which `stepglass serve` describes one (docs/server.md). */
export interface RecordedDocument {
  stepglass: "execution/1";
  name: string;
  executionArn: string;
  stateMachineArn: string;
  stateMachineName: string;
  type: "STANDARD" | "EXPRESS";
  status: string;
  startDate: string;
  stopDate?: string;
  redriveCount: number;
  input?: string;
  output?: string;
  error?: string;
  cause?: string;
  /** Absent if the account or the file does not have it. */
  definition?: string;
  events: RecordedEvent[];
}

/** Returns whether a parsed document is the content of a `*.sfnrun` file. */
export function isFetched(value: unknown): boolean {
  return membersOf(value)["format"] === FETCHED_FORMAT;
}

/** Returns the content of a `*.sfnrun` file as a document. Throws an Error that names what this release cannot read. */
export function documentOfFetched(value: unknown): RecordedDocument {
  const { version, execution, stateMachine, history, missing } = membersOf(value);
  if (typeof version !== "number" || version > FETCHED_VERSION)
    throw new Error(`The file has version ${String(version)}, and this release reads up to ${FETCHED_VERSION}: update Stepglass.`);
  if (!isObject(execution) || !Array.isArray(history)) throw new Error("The file has no execution or no history.");
  const [withheld] = Array.isArray(missing) ? missing.map((one) => textOf(membersOf(one)["message"])) : [];
  if (history.length === 0) throw new Error(`The file has no history: ${withheld ?? "the execution had not begun when it was fetched"}`);
  const machine = membersOf(stateMachine);
  const definition = textOf(machine["definition"]);
  return {
    ...described(execution),
    ...(machine["type"] === "EXPRESS" && { type: "EXPRESS" as const }),
    ...(definition !== undefined && { definition }),
    events: history.map(eventOf),
  };
}

/**
 * Returns a history as a document: the events of an API, a log or an export. `name` is used if the history does not name its
 * execution. Throws an Error if the value has no events.
 */
export function documentOfHistory(value: unknown, name: string): RecordedDocument {
  const members = membersOf(value);
  const list = eventsOf(Array.isArray(members["history"]) ? members["history"] : value) ?? [];
  const events = asTexts(list.map(eventOf)).sort((a, b) => a.id - b.id);
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) throw new Error("This is not a history: it has no events.");
  const status = /^Execution(Succeeded|Failed|Aborted|TimedOut)$/.exec(last.type)?.[1];
  const ended = membersOf(last[detailsMember(last.type)]);
  const definition = isObject(members["definition"]) ? JSON.stringify(members["definition"], null, 2) : textOf(members["definition"]);
  const document = described({
    name,
    executionArn: textOf(membersOf(list[0])["execution_arn"]),
    startDate: first.timestamp,
    input: membersOf(first["executionStartedEventDetails"])["input"],
    ...members,
    status: status === undefined ? "RUNNING" : status === "TimedOut" ? "TIMED_OUT" : status.toUpperCase(),
    ...(status !== undefined && { ...ended, stopDate: last.timestamp }),
  });
  return { ...document, ...(definition !== undefined && { definition }), events };
}

/** Returns the members of DescribeExecution's response that a document has. */
function described(execution: Record<string, unknown>): Omit<RecordedDocument, "definition" | "events"> {
  const member = (name: string): string | undefined => textOf(execution[name]);
  const arn = member("executionArn") ?? "";
  const stateMachineArn = member("stateMachineArn") ?? "";
  const given = ["stopDate", "input", "output", "error", "cause"].map((name) => [name, member(name)]);
  return {
    stepglass: "execution/1",
    executionArn: arn,
    name: arn.split(":").slice(7).join(":") || (member("name") ?? ""),
    stateMachineArn,
    stateMachineName: (stateMachineArn || arn).split(":")[6] ?? "",
    type: "STANDARD",
    status: member("status") ?? "",
    startDate: member("startDate") ?? "",
    redriveCount: Number(execution["redriveCount"] ?? 0),
    ...(Object.fromEntries(given.filter(([, text]) => text !== undefined)) as Partial<RecordedDocument>),
  };
}

/** The members of an event's details that carry data. */
const PAYLOADS: ReadonlySet<string> = new Set(["input", "output", "parameters"]);
/** Texts that replace data which was left out of a history. */
const MASK = /^\s*(?:HIDDEN_DUE_TO_SECURITY_REASONS|[[<]?(?:REDACTED|MASKED)[\]>]?|\*{3,})\s*$/i;

/** Returns the events with payloads as JSON text, as the API has them. If a history has parsed payloads, a string is a value. */
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

/** Returns whether a text is JSON. */
export function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** Returns an event with the names and times of `execution.history()`. Other tools write names in other cases, and times as seconds. */
export function eventOf(value: unknown): RecordedEvent {
  const from = Object.fromEntries(
    Object.entries(membersOf(value)).map(([key, content]) => [`${key.charAt(0).toLowerCase()}${key.slice(1)}`, content]),
  );
  const { id, previousEventId = from["previous_event_id"] ?? 0, timestamp = from["event_timestamp"], type } = from;
  if (typeof type !== "string" || !Number.isSafeInteger(Number(id)))
    throw new Error("This is not a history: an event has no type or no id.");
  const details = Object.entries(from).filter(([key]) => key.endsWith("EventDetails"));
  // Logs have the same name for the details of all types.
  if (details.length === 0 && from["details"] !== undefined) details.push([detailsMember(type), from["details"]]);
  const lowered = details.map(([key, content]) => [
    key,
    Object.fromEntries(
      Object.entries(membersOf(content)).map(([name, inner]) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, inner]),
    ),
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
