// The answers of a run's tasks, call by call, from its history. Tests and mock files are made from them.

import type { Answered } from "../model/protocol.ts";
import { detailsOf } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";

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

/** The services that wrap results. */
const WRAPPED = /^arn:[^:]*:states:::(?:lambda|states|http):/;

/** Returns the calls of a run that was made on this page. */
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

/** Returns all calls by the state's name, in the order in which they were made. */
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

/** Returns the call that an event belongs to. It is the first one in the chain of previous events. */
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
