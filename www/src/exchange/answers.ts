// What the tasks of a run answered, call by call, read from its history. The source of tests and mock files.

import type { Answered } from "../model/protocol.ts";
import { detailsOf } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";

/// One call of a task and what became of it.
export interface Call {
  state: string;
  /// Milliseconds until the answer.
  after: number;
  /// The service's whole response, as JSON.
  response?: unknown;
  error?: string;
  cause?: string;
  /// The response to the request of a `.sync` or `.waitForTaskToken` task.
  submitted?: unknown;
  /// Nobody answered.
  never?: boolean;
  /// The service puts something around what is asked of it.
  wrapped?: boolean;
}

/// What a service puts something around.
const WRAPPED = /^arn:[^:]*:states:::(?:lambda|states|http):/;

/// The calls of a run that was made here.
export function callsAnswered(answered: readonly Answered[]): Map<string, Call[]> {
  const byState = new Map<string, Call[]>();
  for (const { state, resource, after = 0, output, error, cause, submitted, never } of answered) {
    const call: Call = {
      state,
      after,
      ...(never
        ? { never }
        : error === undefined
          ? { response: output }
          : { error: error ?? "States.TaskFailed", ...(cause !== undefined && { cause }) }),
      ...(submitted !== undefined && { submitted }),
      ...(WRAPPED.test(resource) && { wrapped: true }),
    };
    const list = byState.get(state);
    if (list) list.push(call);
    else byState.set(state, [call]);
  }
  return byState;
}

/// All calls by the state's name, in the order in which they were made.
export function callsOf(events: readonly HistoryEvent[]): Map<string, Call[]> {
  const byState = new Map<string, Call[]>();
  const stateAt: string[] = [];
  const open = new Map<number, { call: Call; since: number }>();
  for (const event of events) {
    const details = detailsOf(event);
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
    const held = openBefore(event, events, open);
    if (!held || !/^(Task|LambdaFunction|Activity)/.test(event.type)) continue;
    const { call, since } = held;
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

/// The call that an event belongs to: the one its chain of previous events leads to first.
function openBefore(event: HistoryEvent, events: readonly HistoryEvent[], open: ReadonlyMap<number, { call: Call; since: number }>) {
  for (let id = event.previousEventId, steps = 0; id > 0 && steps < 8; steps++) {
    const held = open.get(id);
    if (held) return held;
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
