// The answers of tasks, call by call, from the history of an execution.

import type { HistoryEvent } from "../api/index.d.ts";
import { detailsOf } from "./events.ts";
import type { RecordedEvent } from "./recorded.ts";

/** A call of a task, and its outcome. */
export interface Call {
  state: string;
  /** The time until the answer, in milliseconds. */
  after: number;
  /** The service's whole response, as JSON. */
  response?: unknown;
  error?: string;
  cause?: string;
  /** The response to the request of a `.sync` or `.waitForTaskToken` task. */
  submitted?: unknown;
  /** Whether the call was never answered. */
  never?: boolean;
  /** Whether the service wraps the result in further members. */
  wrapped?: boolean;
}

/** Returns all calls by the state's name, in the order in which they were made. */
export function callsOf(events: readonly RecordedEvent[]): Map<string, Call[]> {
  const byState = new Map<string, Call[]>();
  const stateAt: string[] = [];
  const open = new Map<number, { call: Call; since: number }>();
  for (const event of events) {
    // A recorded event can have members that the package does not know.
    const details: Record<string, unknown> = detailsOf(event as unknown as HistoryEvent);
    const entered = event.type.endsWith("StateEntered") ? text(details["name"]) : undefined;
    const state = entered ?? stateAt[event.previousEventId] ?? "";
    stateAt[event.id] = state;
    const time = Date.parse(event.timestamp);
    if (/^(Task|LambdaFunction|Activity)Scheduled$/.test(event.type)) {
      const call: Call = {
        state,
        after: 0,
        never: true,
        ...(/^(?:lambda|states|http)$/.test(text(details["resourceType"]) ?? "") && event.type === "TaskScheduled" && { wrapped: true }),
      };
      open.set(event.id, { call, since: time });
      const list = byState.get(state);
      if (list) list.push(call);
      else byState.set(state, [call]);
      continue;
    }
    const opened = openBefore(event, events, open);
    if (!opened || !/^(Task|LambdaFunction|Activity)/.test(event.type)) continue;
    const { call, since } = opened;
    if (event.type === "TaskSubmitted") call.submitted = parsed(details["output"]);
    else if (
      /(Succeeded|Failed)$/.test(event.type) ||
      /^(Task(StartFailed|SubmitFailed)|LambdaFunction(Schedule|Start)Failed|ActivityScheduleFailed)$/.test(event.type)
    ) {
      call.after = Math.max(0, time - since);
      delete call.never;
      if (event.type.endsWith("Succeeded")) call.response = parsed(details["output"]);
      else {
        call.error = text(details["error"]) ?? "States.TaskFailed";
        const cause = text(details["cause"]);
        if (cause !== undefined) call.cause = cause;
      }
    }
  }
  return byState;
}

/** Returns the call that an event belongs to. It is the first one in the chain of previous events. */
function openBefore(event: RecordedEvent, events: readonly RecordedEvent[], open: ReadonlyMap<number, { call: Call; since: number }>) {
  for (let id = event.previousEventId, steps = 0; id > 0 && steps < 8; steps++) {
    const opened = open.get(id);
    if (opened) return opened;
    const before = events[id - 1];
    if (!before || before.type.endsWith("StateEntered")) return undefined;
    id = before.previousEventId;
  }
  return undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
