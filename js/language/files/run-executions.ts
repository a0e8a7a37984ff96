// The executions in one file of `stepglass fetch`: the execution itself, the children of its Map Runs, and those that tasks started.

import type { HistoryEvent } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import type { MachineDefinition, Scope, StateFields } from "../../core/definition/fields.ts";
import { Chains } from "../../core/history/chains.ts";
import { eventOf, type RecordedEvent } from "../../core/history/recorded.ts";
import type { FetchedExecution, FetchedMapRun, FetchedRun } from "./sfnrun.ts";

/** Returns all executions in a file; the first one is the one that was fetched. */
export function executionsOf(run: FetchedRun): FetchedExecution[] {
  return [run, ...run.mapRuns.flatMap(({ executions }) => executions), ...(run.nested ?? [])];
}

/** Returns a file's content as if another execution in it had been fetched, by its name or ARN. Undefined if there is none. */
export function executionIn(run: FetchedRun, name: string): FetchedRun | undefined {
  const isNamed = ({ execution }: FetchedExecution): boolean => execution.executionArn === name || execution.name === name;
  const { stateMachine, ...rest } = run;
  for (const mapRun of run.mapRuns) {
    const child = mapRun.executions.find(isNamed);
    if (child === undefined) continue;
    const definition = processorOf(run, mapRun);
    return {
      ...rest,
      ...child,
      ...(definition !== undefined && { stateMachine: { ...stateMachine, definition } }),
      mapRuns: [],
      nested: [],
    };
  }
  const nested = run.nested?.find(isNamed);
  return nested && { ...rest, ...nested, mapRuns: [], nested: [] };
}

/**
 * Returns what the children of a Map Run run: the ItemProcessor of its Map as a definition of its own. Undefined if the account has
 * withheld the definition or the event that started the Map Run.
 */
function processorOf(run: FetchedRun, mapRun: FetchedMapRun): string | undefined {
  const definition = run.stateMachine?.["definition"];
  const map = typeof definition === "string" ? mapOf(run, mapRun) : undefined;
  return map === undefined ? undefined : processorIn(JSON.parse(String(definition)), map)?.definition;
}

/** Returns the name of the Map that has started a Map Run. Undefined if the account has withheld the event that started it. */
export function mapOf({ history }: FetchedExecution, { mapRun }: FetchedMapRun): string | undefined {
  const chains = new Chains(() => ({}));
  const events = history.map(eventOf);
  for (const event of events) chains.add(event as unknown as HistoryEvent);
  return stateOfMapRun(chains, events, (arn) => arn === mapRun["mapRunArn"]);
}

/** Returns what the child executions of a Distributed Map run, as a definition of its own with its type. Undefined if there is no such Map. */
export function processorIn(definition: MachineDefinition, map: string): { definition: string; type: "STANDARD" | "EXPRESS" } | undefined {
  const state = stateIn(definition, map);
  const processor = state?.ItemProcessor ?? state?.Iterator;
  if (processor === undefined) return undefined;
  const language = state?.QueryLanguage ?? definition.QueryLanguage;
  const { ProcessorConfig: config, ...scope } = processor as Scope & { ProcessorConfig?: { ExecutionType?: unknown } };
  return {
    definition: JSON.stringify({ ...(language !== undefined && { QueryLanguage: language }), ...scope }, null, 2),
    type: config?.ExecutionType === "EXPRESS" ? "EXPRESS" : "STANDARD",
  };
}

/** Returns the Map that has started a Map Run. `chains` must have all of the events. */
export function stateOfMapRun(
  chains: Chains,
  events: readonly RecordedEvent[],
  isSought: (mapRunArn: unknown) => boolean,
): string | undefined {
  const start = events.find(({ mapRunStartedEventDetails: details }) => isObject(details) && isSought(details["mapRunArn"]));
  return start && chains.visitOf(start.id)?.state;
}

/** Returns a state by its name, which is unique in a definition. */
function stateIn(scope: Scope, name: string): StateFields | undefined {
  if (Object.hasOwn(scope.States, name)) return scope.States[name];
  for (const state of Object.values(scope.States))
    for (const inner of [...(state.Branches ?? []), state.ItemProcessor, state.Iterator]) {
      const found = inner && stateIn(inner, name);
      if (found !== undefined) return found;
    }
  return undefined;
}
