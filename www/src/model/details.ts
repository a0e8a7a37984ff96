// The details of an event of a history, in a module of their own because its users need nothing else of recorded executions.

import { detailsOf as detailsOfEvent } from "stepglass/events";

/**
 * Returns the details of an event, under whatever name its type gives them. Recorded events can have members that the package
 * does not know, so the members have any name.
 */
export const detailsOf = (event: object): Record<string, unknown> => detailsOfEvent(event);
