// What all readers of a history ask of its events.

import type { HistoryEvent } from "../api/index.d.ts";

type DetailsOf<Event> = Event extends HistoryEvent ? Event[Extract<keyof Event, `${string}EventDetails`>] : never;
type Names<Union> = Union extends unknown ? keyof Union : never;
type Member<Union, Name extends PropertyKey> = Union extends { [name in Name]?: infer Value } ? Value : never;

/** The members that the details of events have, of all types together; an event has those of its own type. */
export type EventDetails = { [Name in Names<DetailsOf<HistoryEvent>>]?: Member<DetailsOf<HistoryEvent>, Name> };

/** The details of an event, from the member that its type names; an empty object for an event without details. */
export function detailsOf(event: HistoryEvent): EventDetails {
  // Only the member that the type names ends so.
  for (const key in event) if (key.endsWith("EventDetails")) return (event as unknown as Record<string, EventDetails>)[key] ?? {};
  return {};
}

/** Whether an event is the entering of a state. */
export function isStateEntered({ type }: { readonly type: string }): boolean {
  return type.endsWith("StateEntered");
}

/** Whether an event is the leaving of a state. */
export function isStateExited({ type }: { readonly type: string }): boolean {
  return type.endsWith("StateExited");
}

/** Whether an event is the last one of an execution, however it ended. */
export function isExecutionEnd({ type }: { readonly type: string }): boolean {
  return /^Execution(?:Succeeded|Failed|Aborted|TimedOut)$/.test(type);
}
