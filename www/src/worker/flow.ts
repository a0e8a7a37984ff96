// The data of one visit on its way through a state, with the state's own fields.

import type { DebugSession } from "stepglass/debug";
import { detailsOf } from "../model/details.ts";
import type { Flow, LargePayload } from "../model/protocol.ts";

const sizes = new TextEncoder();
/// Attempts before the one that is looked at whose retries are counted.
const MOST_RETRIES = 200;

/// Null where the state was not visited yet. Without a visit, the last one before where one looks.
/// `child` is a visit in a child execution; `item` the item of the stages that a Map has for each.
export function flowOf(
  session: DebugSession,
  definition: string,
  state: string,
  enter?: number,
  attempt?: number,
  child?: { id: number; enter: number; iterations: number[] },
  item?: number,
): Flow | null {
  const known = child ? [] : session.visits(state);
  const { event } = session;
  const chosen =
    child ??
    (enter === undefined ? known.findLast((visit) => visit.enter <= event) : known.find((visit) => visit.enter === enter)) ??
    known[0];
  if (!chosen) return null;
  const found = session.stages(chosen.id, attempt, { all: true, ...(item !== undefined && { item }) });
  const { fields, language } = fieldsOf(definition, state);
  const nth = Math.min(attempt ?? found.attempts - 1, found.attempts - 1);
  const retries: Flow["retries"] = [];
  for (let i = Math.max(0, nth - MOST_RETRIES); i <= nth; i++) {
    for (const { stage, value } of i === nth ? found.stages : session.stages(chosen.id, i, { all: true }).stages)
      if (stage === "retry") retries.push(value as Flow["retries"][number]);
  }
  return {
    visit: chosen.id,
    enter: enter ?? chosen.enter,
    state,
    type: String(member(fields, "Type") ?? ""),
    iterations: chosen.iterations,
    attempt: nth,
    attempts: found.attempts,
    input: found.input,
    stages: found.stages.map(({ place, stage, value, index, failure }) => ({
      place,
      stage,
      value,
      size: bytes(value),
      ...(index !== undefined && { index, of: found.items[stage]! }),
      ...(failure && { failure }),
    })),
    retries,
    fields,
    language,
    place: session.position,
    item,
  };
}

function bytes(value: unknown): number {
  return sizes.encode(JSON.stringify(value) ?? "").length;
}

/// A state's object in a definition, wherever it stands, and the language that it is written in.
export function fieldsOf(definition: string, state: string): { fields: Record<string, unknown>; language: "JSONPath" | "JSONata" } {
  try {
    const whole = JSON.parse(definition) as Record<string, unknown>;
    const queue: unknown[] = [whole];
    for (let scope = queue.shift(); scope !== undefined; scope = queue.shift()) {
      const states = member(scope, "States");
      for (const [name, body] of entries(states)) {
        if (name === state && typeof body === "object" && body !== null) {
          const language = member(body, "QueryLanguage") ?? member(whole, "QueryLanguage");
          return { fields: body as Record<string, unknown>, language: language === "JSONata" ? "JSONata" : "JSONPath" };
        }
        const branches = member(body, "Branches");
        if (Array.isArray(branches)) queue.push(...(branches as unknown[]));
        for (const key of ["ItemProcessor", "Iterator"]) if (member(body, key) !== undefined) queue.push(member(body, key));
      }
    }
  } catch {
    // A definition that ran can be read.
  }
  return { fields: {}, language: "JSONPath" };
}

export function member(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/// From where on a payload is close to the 256 KiB that AWS takes.
const CLOSE = 262_144 * 0.8;

/// Payloads of an event that are close to AWS's limit, or beyond it.
export function largeIn(event: { id: number; type: string; [details: string]: unknown }): LargePayload[] {
  if (!/State(?:Entered|Exited)$/.test(event.type)) return [];
  const { name: state, output, input } = detailsOf(event);
  const text = output ?? input;
  // A character takes three bytes at most.
  if (typeof text !== "string" || typeof state !== "string" || text.length * 3 < CLOSE) return [];
  const size = sizes.encode(text).length;
  return size < CLOSE ? [] : [{ event: event.id, state, size }];
}
