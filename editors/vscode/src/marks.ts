// Where a run is, as the debug adapter reports it after every stop.

/** The body of the adapter's event `stepglass/graph`, as far as the graph needs it. */
export interface GraphEvent {
  /** The states on the stack, the innermost first. */
  current: string[];
  /** The position: just after this event, of those that were reached. */
  event: number;
  events: number;
  states: Record<string, { status: "running" | "succeeded" | "failed"; visits: number }>;
}

/** The status of a state on the graph. */
export interface Mark {
  status: "running" | "waiting" | "succeeded" | "failed";
  visits: number;
}

/** Returns the marks of a graph. Of the running states, only those on the stack of the stopped thread are shown as running. */
export function marksOf({ current, states }: GraphEvent): Record<string, Mark> {
  const isCurrent = new Set(current);
  return Object.fromEntries(
    Object.entries(states).map(([name, { status, visits }]) => [
      name,
      { status: status === "running" && !isCurrent.has(name) ? "waiting" : status, visits },
    ]),
  );
}
