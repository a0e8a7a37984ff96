// The drawing of an execution: its graph, coloured by the status of each state.

import type { ServerResponse } from "node:http";
import type { HistoryEvent, StateStatus } from "../../core/api/index.d.ts";
import { renderSvg } from "../../core/definition/definition.ts";
import { Chains } from "../../core/history/chains.ts";
import { isStateEntered, isStateExited } from "../../core/history/events.ts";
import { withServiceSigns } from "../../core/integrations/signs.ts";
import { content } from "./content.ts";

// A drawing contains its style.
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/** Sends the drawing of an execution. */
export function drawing(response: ServerResponse, definition: string, events: HistoryEvent[]): void {
  response.setHeader("content-security-policy", PICTURE_POLICY);
  content(response, 200, "image/svg+xml", withServiceSigns(renderSvg(definition, { status: statusOf(events) })));
}

/** Returns the status of each state after its last event, by name. */
function statusOf(events: HistoryEvent[]): Map<string, StateStatus> {
  const states = new Map<string, StateStatus>();
  const chains = new Chains(() => ({}));
  for (const event of events) {
    chains.add(event);
    const state = chains.visitOf(event.id)?.state;
    const status = statusAfter(event);
    if (state !== undefined && status !== undefined) states.set(state, status);
  }
  return states;
}

/** Returns the status that an event gives to its state; undefined if it does not change the status. */
function statusAfter(event: HistoryEvent): StateStatus | undefined {
  const { type } = event;
  // The Map may tolerate the failure of an iteration.
  if (type.startsWith("MapIteration")) return undefined;
  if (isStateEntered(event)) return type.startsWith("Fail") ? "failed" : "running";
  if (isStateExited(event)) return "succeeded";
  if (/Failed$|TimedOut$/.test(type)) return "failed";
  return type.endsWith("Aborted") ? "cancelled" : undefined;
}
