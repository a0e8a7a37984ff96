// The details of an event of a history: apart, because who reads them needs nothing else of recordings.

import { detailsOf as detailsOfEvent } from "stepglass/events";
import type { HistoryEvent } from "./recorded.ts";

/// The details of an event, whatever its type calls them. Recordings have members that the package does not know, so these have any
/// name.
export const detailsOf = (event: HistoryEvent): Record<string, unknown> => detailsOfEvent(event as unknown as PackageEvent);
type PackageEvent = Parameters<typeof detailsOfEvent>[0];
