// A definition that is reconstructed from a history alone: the states that the execution entered, and the transitions that it
// took.

import type { HistoryEvent } from "./recorded.ts";
import { detailsOf } from "./details.ts";
import { text } from "./recorded.ts";

interface Scope {
  start?: string;
  states: Map<string, Drawn>;
}

/** The facts that are known about a state. */
interface Drawn {
  type: string;
  next: Set<string>;
  /** The target of the catcher for each error name. */
  caught: Map<string, string>;
  retried: Set<string>;
  branches: Scope[];
  body?: Scope;
  distributed: boolean;
  resource?: string;
  functionName?: string;
  seconds?: number;
  error?: string;
  cause?: string;
}

/** A visit of a state. */
interface Visit {
  name: string;
  scope: Scope;
  around: Visit | undefined;
  since: number;
  open: boolean;
  /** The name of the last error. */
  failed?: string;
  /** The error that a catcher handled. */
  caught?: string;
}

/**
 * Returns the JSON of a definition whose graph shows the events. A history does not have rules, parameters or states that were
 * not entered.
 */
export function sketchOf(events: readonly HistoryEvent[], title: string): string | undefined {
  const root: Scope = { states: new Map() };
  const at: (Visit | undefined)[] = [];
  const drawn = (visit: Visit): Drawn => visit.scope.states.get(visit.name)!;
  for (const event of events) {
    const { id, type, previousEventId } = event;
    const details = detailsOf(event);
    const before = events[previousEventId - 1];
    let visit = at[previousEventId];
    const climb = (fits: (one: Visit) => boolean): Visit | undefined => {
      for (let one = visit; one; one = one.around) if (fits(one)) return one;
      return visit;
    };
    if (type.endsWith("StateEntered")) {
      const name = text(details["name"]) ?? "";
      const entered = enter(root, before?.type ?? "", visit, name);
      visit = { name, ...entered, since: Date.parse(event.timestamp), open: true };
      if (!visit.scope.states.has(name))
        visit.scope.states.set(name, {
          type: type.slice(0, -"StateEntered".length),
          next: new Set(),
          caught: new Map(),
          retried: new Set(),
          branches: [],
          distributed: false,
        });
    } else if (type.endsWith("StateExited")) {
      visit = climb((one) => one.open && one.name === text(details["name"]));
      if (visit) {
        visit.open = false;
        if (visit.failed !== undefined && /(Failed|TimedOut)$/.test(before?.type ?? "")) visit.caught = visit.failed;
        if (drawn(visit).type === "Wait")
          drawn(visit).seconds = Math.max(0, Math.round((Date.parse(event.timestamp) - visit.since) / 1000));
      }
    } else if (/^(Parallel|Map)State(Succeeded|Failed|Aborted)|^MapIteration|^MapRun/.test(type)) {
      const kind = type.startsWith("Parallel") ? "Parallel" : "Map";
      visit = climb((one) => one.open && drawn(one).type === kind);
    }
    at[id] = visit;
    if (!visit) continue;
    const state = drawn(visit);
    if (type === "MapRunStarted") state.distributed = true;
    if (/Scheduled$/.test(type)) {
      if (visit.failed !== undefined) state.retried.add(visit.failed);
      Object.assign(state, called(details));
    }
    if (/(Failed|TimedOut)$/.test(type)) {
      visit.failed = text(details["error"]) ?? visit.failed ?? (type.endsWith("TimedOut") ? "States.Timeout" : "States.TaskFailed");
      if (type === "ExecutionFailed" && state.type === "Fail")
        Object.assign(state, { error: text(details["error"]), cause: text(details["cause"]) });
    }
  }
  if (root.start === undefined) return undefined;
  return `${JSON.stringify({ Comment: `Drawn from a history (${title}): the states that this execution entered. A history has no rules, no parameters and no other states.`, ...written(root) }, null, 2)}\n`;
}

/** Returns the scope of a state that is entered, which the event before it determines. It records the transition. */
function enter(root: Scope, before: string, last: Visit | undefined, name: string): { scope: Scope; around: Visit | undefined } {
  if (!last) {
    root.start ??= name;
    return { scope: root, around: undefined };
  }
  const state = last.scope.states.get(last.name)!;
  if (before === "ParallelStateStarted") {
    let scope = state.branches.find(({ start }) => start === name);
    if (!scope) state.branches.push((scope = { start: name, states: new Map() }));
    return { scope, around: last };
  }
  if (before === "MapIterationStarted" || before === "MapStateStarted") {
    state.body ??= { start: name, states: new Map() };
    return { scope: state.body, around: last };
  }
  if (last.caught === undefined) state.next.add(name);
  else state.caught.set(last.caught, name);
  return { scope: last.scope, around: last.around };
}

/** Returns the resource in the details of an event. */
function called(details: Record<string, unknown>): Pick<Drawn, "resource" | "functionName"> {
  const [resource, service] = [text(details["resource"]), text(details["resourceType"])];
  if (resource === undefined) return {};
  if (service === undefined) return { resource };
  let functionName: unknown;
  try {
    functionName =
      service === "lambda" ? (JSON.parse(text(details["parameters"]) ?? "{}") as Record<string, unknown>)["FunctionName"] : undefined;
  } catch {
    // The parameters are masked or truncated.
  }
  return { resource: `arn:aws:states:::${service}:${resource}`, ...(typeof functionName === "string" && { functionName }) };
}

function written(scope: Scope): Record<string, unknown> {
  return { StartAt: scope.start, States: Object.fromEntries([...scope.states].map(([name, state]) => [name, stateOf(name, state)])) };
}

/** A placeholder scope for states that have no events. */
const unseen = (of: string): Scope => ({
  start: `Inside of ${of}`,
  states: new Map([
    [`Inside of ${of}`, { type: "Pass", next: new Set(), caught: new Map(), retried: new Set(), branches: [], distributed: false }],
  ]),
});

function stateOf(
  name: string,
  { type, next, caught, retried, branches, body, distributed, resource, functionName, seconds, error, cause }: Drawn,
): Record<string, unknown> {
  const ways = [...next];
  const on = ways.length === 0 ? { End: true } : { Next: ways[0] };
  const errors = {
    ...(retried.size > 0 && { Retry: [{ ErrorEquals: [...retried] }] }),
    ...(caught.size > 0 && { Catch: [...caught].map(([name, to]) => ({ ErrorEquals: [name], Next: to })) }),
  };
  switch (type) {
    case "Choice":
      // The rules are not known, so each transition gets a rule whose condition says so.
      return {
        Type: type,
        QueryLanguage: "JSONata",
        Choices: (ways.length > 0 ? ways : [name]).map((to) => ({ Condition: "{% true /* not in the history */ %}", Next: to })),
      };
    case "Succeed":
      return { Type: type };
    case "Fail":
      return { Type: type, ...(error !== undefined && { Error: error }), ...(cause !== undefined && { Cause: cause }) };
    case "Wait":
      return { Type: type, Seconds: seconds ?? 0, ...on };
    case "Parallel":
      return { Type: type, Branches: (branches.length > 0 ? branches : [unseen(name)]).map(written), ...errors, ...on };
    case "Map":
      return {
        Type: type,
        ItemProcessor: {
          ...(distributed && { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" } }),
          ...written(body ?? unseen(name)),
        },
        ...errors,
        ...on,
      };
    case "Task":
      return {
        Type: type,
        Resource: resource ?? "arn:aws:states:::lambda:invoke",
        ...(functionName !== undefined && { Parameters: { FunctionName: functionName } }),
        ...errors,
        ...on,
      };
    default:
      return { Type: "Pass", ...on };
  }
}
