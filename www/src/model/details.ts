// The details of an event of a history and the values in them, in a module of their own because its users need nothing else of
// recorded executions.

import { detailsOf as detailsOfEvent } from "stepglass/events";

/**
 * Returns the details of an event, under whatever name its type gives them. Recorded events can have members that the package
 * does not know, so the members have any name.
 */
export const detailsOf = (event: object): Record<string, unknown> => detailsOfEvent(event);

/** Parses a payload or a variable of an event, which is JSON text or already a value. A text that is not JSON stays as it is. */
export function parsed(payload: unknown): unknown {
  if (typeof payload !== "string") return payload;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
