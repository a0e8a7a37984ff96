// Functions about history events that all readers of a history use.

import type { HistoryEvent } from "../api/index.d.ts";

type DetailsOf<Event> = Event extends HistoryEvent ? Event[Extract<keyof Event, `${string}EventDetails`>] : never;
type Names<Union> = Union extends unknown ? keyof Union : never;
type Member<Union, Name extends PropertyKey> = Union extends { [name in Name]?: infer Value } ? Value : never;

/** The members of the details of all event types together. An event has those of its own type. */
export type EventDetails = { [Name in Names<DetailsOf<HistoryEvent>>]?: Member<DetailsOf<HistoryEvent>, Name> };

/** Returns the details of an event. Empty for an event without details. */
export function detailsOf(event: object): EventDetails {
  // Only the member with the details of the event's type has this suffix.
  for (const key in event) if (key.endsWith("EventDetails")) return (event as unknown as Record<string, EventDetails>)[key] ?? {};
  return {};
}

/** Returns whether an event enters a state. */
export function isStateEntered({ type }: { readonly type: string }): boolean {
  return type.endsWith("StateEntered");
}

/** Returns whether an event leaves a state. */
export function isStateExited({ type }: { readonly type: string }): boolean {
  return type.endsWith("StateExited");
}

/** Returns whether an event is the last one of an execution, however it ended. */
export function isExecutionEnd({ type }: { readonly type: string }): boolean {
  return /^Execution(?:Succeeded|Failed|Aborted|TimedOut)$/.test(type);
}
