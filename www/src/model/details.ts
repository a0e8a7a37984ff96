// The details of an event of a history, in a module of their own because its users need nothing else of recorded executions.

import { detailsOf as detailsOfEvent } from "stepglass/events";
import type { HistoryEvent } from "./recorded.ts";

/**
 * Returns the details of an event, under whatever name its type gives them. Recorded events can have members that the package
 * does not know, so the members have any name.
 */
export const detailsOf = (event: HistoryEvent): Record<string, unknown> => detailsOfEvent(event as unknown as PackageEvent);
type PackageEvent = Parameters<typeof detailsOfEvent>[0];
