// Collects data about an execution's Map Runs from its events: a record of each run of a Distributed Map.

import type { MapRunFailure } from "../api/durable.d.ts";
import type { Frame, HistoryEvent, MachineType, MapRunChange, MapRunCounts } from "../api/index.d.ts";
import { isObject } from "../base/json.ts";

/** The number of a run's items or child executions with each status. */
export type Counts = Omit<MapRunCounts, "pendingRedrive">;

/** The data of a Map Run that is not a member of the record itself. */
export interface MapRun extends Required<MapRunChange> {
  /** Whether a child execution may have several items. */
  batched: boolean;
  childType: MachineType;
  items: Counts;
  executions: Counts;
  redriveCount: number;
  /** The time of the last redrive, in milliseconds since 1970. */
  redriveDate?: number;
  /** The first child that has failed since the run was last redriven. */
  failure?: MapRunFailure;
}

/** The record of a Map Run. Its id is the ARN of the run, and `mapRunArn` is the ARN of the run's execution. */
export interface RunRecord {
  id: string;
  /** The ARN of the machine, with the label of the Map. */
  machineArn: string;
  mapRunArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  /** The time of the start, in milliseconds since 1970. */
  startDate: number;
  stopDate?: number;
  run: MapRun;
}

/** The Map state of a chain of events, the number of its items, and the ARN of its run. */
export interface Chain {
  map?: string;
  items?: number;
  run?: string;
}

/** Chains, with the ids of their last events. */
export type StoredChains = [last: number, chain: Chain][];

/** A change of a Map Run that an event reports. */
export type RunNews =
  | { type: "begun"; run: string; chain: Chain; at: number }
  | { type: "redriven"; run: string; redriveCount: number; at: number }
  | { type: "ended"; run: string; status: RunRecord["status"]; at: number };

/** The settings of a Distributed Map in the definition. */
interface DistributedMap extends Required<MapRunChange> {
  batched: boolean;
  childType: MachineType;
}

const KINDS = { SUCCEEDED: "succeeded", FAILED: "failed", TIMED_OUT: "timedOut", ABORTED: "aborted" } as const;
const ENDS = { MapRunSucceeded: "SUCCEEDED", MapRunFailed: "FAILED", MapRunAborted: "ABORTED" } as const;
const UNKNOWN: DistributedMap = {
  maxConcurrency: 0,
  toleratedFailureCount: 0,
  toleratedFailurePercentage: 0,
  batched: false,
  childType: "STANDARD",
};
const NONE: Counts = { pending: 0, running: 0, succeeded: 0, failed: 0, timedOut: 0, aborted: 0, total: 0 };

/**
 * Returns whether an execution may have Map Runs; otherwise its events need not be read. A child of a Map Run needs a second
 * Distributed Map, inside the first.
 */
export function mayHaveRuns(definition: string, isChild = false): boolean {
  const first = definition.indexOf('"DISTRIBUTED"');
  return isChild ? first >= 0 && definition.includes('"DISTRIBUTED"', first + 1) : first >= 0;
}

/** Derives an execution's Map Runs from its events, in their order. */
export class RunChains {
  readonly #definition: string;
  readonly #chains = new Map<number, Chain>();
  #maps: Map<string, DistributedMap> | undefined;

  constructor(definition: string) {
    this.#definition = definition;
  }

  /** Restores the chains of another instance, to continue after its last event. */
  restore(chains: StoredChains): void {
    for (const [last, chain] of chains) this.#chains.set(last, chain);
  }

  get stored(): StoredChains {
    return [...this.#chains];
  }

  /** Extends the chain to which an event belongs, if it is a Distributed Map's. Returns the change of a run that the event reports. */
  follow(event: HistoryEvent): RunNews | undefined {
    const chain = { ...this.#chains.get(event.previousEventId) };
    switch (event.type) {
      case "MapStateEntered":
        chain.map = event.stateEnteredEventDetails.name;
        break;
      case "MapStateStarted":
        chain.items = event.mapStateStartedEventDetails.length;
        break;
      case "MapRunStarted":
        chain.run = event.mapRunStartedEventDetails.mapRunArn;
        break;
      case "MapRunRedriven":
        chain.run = event.mapRunRedrivenEventDetails.mapRunArn;
        break;
      case "MapRunSucceeded":
      case "MapRunFailed":
      case "MapRunAborted":
        break;
      default:
        return undefined;
    }
    this.#chains.delete(event.previousEventId);
    this.#chains.set(event.id, chain);
    return newsOf(event, chain);
  }

  /** Returns the record of a run that has begun. */
  begun({ run: id, chain: { map = "", items = 0 }, at }: RunNews & { type: "begun" }, execution: string): RunRecord {
    this.#maps ??= distributedMaps(JSON.parse(this.#definition).States);
    const run = { ...(this.#maps.get(map) ?? UNKNOWN), items: { ...NONE, total: items }, executions: { ...NONE }, redriveCount: 0 };
    const machineArn = id.slice(0, id.lastIndexOf(":")).replace(":mapRun:", ":stateMachine:");
    return { id, machineArn, mapRunArn: execution, status: "RUNNING", startDate: at, run };
  }
}

function newsOf(event: HistoryEvent, { run = "", ...chain }: Chain): RunNews | undefined {
  const at = Date.parse(event.timestamp);
  switch (event.type) {
    case "MapRunStarted":
      return { type: "begun", run, chain, at };
    case "MapRunRedriven":
      return { type: "redriven", run, redriveCount: event.mapRunRedrivenEventDetails.redriveCount, at };
    case "MapRunSucceeded":
    case "MapRunFailed":
    case "MapRunAborted":
      return { type: "ended", run, status: ENDS[event.type], at };
    default:
      return undefined;
  }
}

/** Returns the part of a Map Run's or a child's ARN with the names of the machine and the Map: `Machine/Label`. */
export function labelOf(arn: string): string {
  return arn.split(":")[6] ?? "";
}

/** Returns a run to which the items of an ended child were added. With a negative number, they are subtracted. */
export function counted(run: MapRun, status: string, items: number): MapRun {
  const kind = KINDS[status as keyof typeof KINDS];
  if (kind === undefined) return run;
  return {
    ...run,
    executions: { ...run.executions, [kind]: run.executions[kind] + Math.sign(items) },
    items: { ...run.items, [kind]: run.items[kind] + items },
  };
}

/** Returns a run with the given limits. */
export function limited(run: MapRun, { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage }: MapRunChange): MapRun {
  return {
    ...run,
    maxConcurrency: maxConcurrency ?? run.maxConcurrency,
    toleratedFailureCount: toleratedFailureCount ?? run.toleratedFailureCount,
    toleratedFailurePercentage: toleratedFailurePercentage ?? run.toleratedFailurePercentage,
  };
}

/** Returns the limits and the counts of a Map Run. While the run is under way, they come from its engine (`now`). */
export function standingOf({ run: known }: RunRecord, now: Frame["mapRun"]): MapRun & { itemCounts: Counts; executionCounts: Counts } {
  // Expressions can compute limits, so only the engine has their values.
  const run = now === undefined ? known : limited(known, now);
  const { itemCounts, executionCounts } = now ?? countsOf(run);
  return { ...run, itemCounts, executionCounts };
}

/**
 * Returns the counts of an ended run. Items that never began count as aborted. For batches that never began, no executions are
 * counted.
 */
function countsOf({ items, executions, batched }: MapRun): { itemCounts: Counts; executionCounts: Counts } {
  const sum = ({ succeeded, failed, timedOut, aborted }: Counts): number => succeeded + failed + timedOut + aborted;
  const total = Math.max(items.total, sum(items));
  const all = { ...items, total, aborted: items.aborted + total - sum(items) };
  return { itemCounts: all, executionCounts: batched ? { ...executions, total: sum(executions) } : all };
}

/** Returns the Distributed Maps among states, at any depth, by name. */
function distributedMaps(states: unknown, found = new Map<string, DistributedMap>()): Map<string, DistributedMap> {
  for (const [name, state] of Object.entries(isObject(states) ? states : {})) {
    if (!isObject(state)) continue;
    const { Iterator: iterator, ItemProcessor: inner = iterator, Branches: branches } = state;
    const config = isObject(inner) ? inner.ProcessorConfig : undefined;
    if (isObject(config) && config.Mode === "DISTRIBUTED") found.set(name, distributedMap(state, config));
    for (const machine of [inner, ...(Array.isArray(branches) ? branches : [])])
      if (isObject(machine)) distributedMaps(machine.States, found);
  }
  return found;
}

function distributedMap(state: Record<string, unknown>, config: Record<string, unknown>): DistributedMap {
  return {
    maxConcurrency: plain(state.MaxConcurrency),
    toleratedFailureCount: plain(state.ToleratedFailureCount),
    toleratedFailurePercentage: plain(state.ToleratedFailurePercentage),
    batched: state.ItemBatcher !== undefined,
    childType: config.ExecutionType === "EXPRESS" ? "EXPRESS" : "STANDARD",
  };
}

/** Returns a limit that is a number in the definition; 0, the default, for a limit that an expression computes. */
function plain(value: unknown): number {
  const number = Number(value);
  return value !== undefined && Number.isFinite(number) ? number : 0;
}
