// Map Runs: the runs of Distributed Maps and the executions of their items.

import type { ChildExecution, ExecutionStatus, Frame, HistoryEvent, MachineType, MapRunChange, MapRunCounts } from "../api/index.d.ts";
import { isObject } from "../base/json.ts";
import { driverOf } from "../execution/execution.ts";
import { executionArn, mapRunArn } from "./arn.ts";
import { invalid, noExecution, noResource } from "./errors.ts";
import type { Operations } from "./operations.ts";
import { pageOf } from "./paging.ts";
import { seconds } from "./responses.ts";
import type { Empty, Paged } from "./responses.ts";
import type { Live } from "./runner.ts";
import type { Service } from "./service.ts";

interface ListMapRunsOutput extends Paged {
  mapRuns: { executionArn: string; mapRunArn: string; stateMachineArn: string; startDate: number; stopDate?: number }[];
}

/** The items or child executions of a Map Run, by status. */
interface MapRunItemCounts extends MapRunCounts {
  resultsWritten: number;
  failuresNotRedrivable: number;
}

interface DescribeMapRunOutput {
  mapRunArn: string;
  executionArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  startDate: number;
  stopDate?: number;
  maxConcurrency: number;
  toleratedFailurePercentage: number;
  toleratedFailureCount: number;
  itemCounts: MapRunItemCounts;
  executionCounts: MapRunItemCounts;
  redriveCount: number;
  redriveDate?: number;
}

/** The responses of the operations of Map Runs. */
export interface MapRunResponses {
  ListMapRuns: ListMapRunsOutput;
  DescribeMapRun: DescribeMapRunOutput;
  UpdateMapRun: Empty;
}

/** How many items or child executions of a run have each status. */
type Counts = Omit<MapRunItemCounts, "resultsWritten" | "failuresNotRedrivable" | "pendingRedrive">;

/** The run of a Distributed Map. Times are milliseconds since 1970. */
export interface MapRun extends Required<MapRunChange> {
  arn: string;
  executionArn: string;
  machineArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  startDate: number;
  stopDate?: number;
  /** Whether a child execution may have several items. */
  batched: boolean;
  childType: MachineType;
  items: Counts;
  executions: Counts;
  redriveCount: number;
  redriveDate?: number;
}

/** The Map state of a chain of events, the number of its items, and its run. */
interface Chain {
  map?: DistributedMap;
  items?: number;
  run?: MapRun;
}

/** The properties of a Map Run that are in the definition of its state. */
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

/** The Map Runs of one execution, from its events and its children. */
export class MapRuns {
  readonly #service: Service;
  readonly #live: Live;
  readonly #maps: Map<string, DistributedMap>;
  // Chains of events by the id of their last event.
  readonly #chains = new Map<number, Chain>();
  readonly #runs: MapRun[] = [];

  constructor(service: Service, live: Live, definition: string) {
    this.#service = service;
    this.#live = live;
    this.#maps = distributedMaps(JSON.parse(definition).States);
  }

  /** Reads the next event of the execution. */
  event(event: HistoryEvent): void {
    const chain = { ...this.#chains.get(event.previousEventId) };
    const time = Date.parse(event.timestamp);
    switch (event.type) {
      case "MapStateEntered":
        chain.map = this.#maps.get(event.stateEnteredEventDetails.name);
        break;
      case "MapStateStarted":
        chain.items = event.mapStateStartedEventDetails.length;
        break;
      case "MapRunStarted":
        chain.run = this.#begin(event.mapRunStartedEventDetails.mapRunArn, time, chain);
        break;
      case "MapRunRedriven":
        chain.run = this.#again(event.mapRunRedrivenEventDetails, time);
        break;
      case "MapRunSucceeded":
      case "MapRunFailed":
      case "MapRunAborted":
        if (chain.run === undefined) return;
        end(chain.run, ENDS[event.type], time);
        break;
      default:
        return;
    }
    this.#chains.delete(event.previousEventId);
    this.#chains.set(event.id, chain);
  }

  #begin(arn: string, startDate: number, { map = UNKNOWN, items = 0 }: Chain): MapRun {
    const { about } = this.#live;
    const label = labelOf(arn);
    const run: MapRun = {
      ...map,
      arn,
      executionArn: about.id,
      machineArn: `${about.machineArn}/${label.slice(label.indexOf("/") + 1)}`,
      status: "RUNNING",
      startDate,
      items: { ...NONE, total: items },
      executions: { ...NONE },
      redriveCount: 0,
    };
    this.#runs.push(run);
    this.#service.mapRuns.set(arn, run);
    const { mapRunsOf } = this.#service;
    mapRunsOf.set(about.id, [...(mapRunsOf.get(about.id) ?? []), run]);
    return run;
  }

  /** Continues a run after a redrive: aborted items and executions run again. */
  #again({ mapRunArn, redriveCount }: { mapRunArn: string; redriveCount: number }, redriveDate: number): MapRun | undefined {
    const run = this.#service.mapRuns.get(mapRunArn);
    if (run === undefined) return undefined;
    Object.assign(run, { status: "RUNNING", stopDate: undefined, redriveCount, redriveDate });
    for (const counts of [run.items, run.executions]) counts.aborted = 0;
    this.#runs.push(run);
    return run;
  }

  /** Records a child execution that has ended. A child that was redriven has a record already, which is continued. */
  async child({ name, arn, status, input, output, error, cause, history }: ChildExecution): Promise<void> {
    const { store } = this.#service;
    const { about } = this.#live;
    const label = labelOf(arn);
    const run = this.#runs.findLast((one) => one.machineArn.endsWith(`:${label}`)) ?? this.#runs.at(-1);
    const itemCount = run?.batched && Array.isArray(input?.Items) ? input.Items.length : 1;
    const [first, last = first] = [history[0], history.at(-1)];
    const timeOf = (event: HistoryEvent | undefined): number => (event === undefined ? this.#service.now() : Date.parse(event.timestamp));
    const { outcome, about: known } = await store.create({
      id: arn,
      name,
      type: run?.childType ?? "STANDARD",
      machineArn: run?.machineArn ?? about.machineArn,
      machineName: about.machineName,
      mapRunArn: run?.arn,
      itemCount,
      revision: about.revision,
      status: "RUNNING",
      startDate: timeOf(first),
      input: JSON.stringify(input ?? null),
      redriveCount: 0,
    });
    const again = outcome === "exists";
    if (run !== undefined) {
      if (again && known.status !== "RUNNING" && known.status !== "ABORTED") count(run, known.status, -itemCount);
      count(run, status, itemCount);
    }
    const told = again ? (known.events ?? 0) : 0;
    const fresh = history.slice(told);
    await store.append(arn, {
      expectedSeq: 0,
      about: {
        status,
        stopDate: timeOf(last),
        events: history.length,
        output: output === undefined ? undefined : JSON.stringify(output),
        error,
        cause,
        ...(again && { redriveCount: known.redriveCount + 1, redriveDate: run?.redriveDate }),
      },
      history: { text: JSON.stringify(fresh), count: fresh.length },
    });
  }

  /** Ends the runs in progress, because the execution has ended. */
  finish(status: ExecutionStatus, stopDate: number): void {
    const ended = status === "SUCCEEDED" || status === "FAILED" ? status : "ABORTED";
    for (const run of this.#runs) if (run.status === "RUNNING") end(run, ended, stopDate);
  }
}

/** The part of a Map Run's or a child's ARN with the names of the machine and of the Map: `Machine/Label`. */
function labelOf(arn: string): string {
  return arn.split(":")[6] ?? "";
}

/** Adds the items of an ended child, or with a negative number takes them away. */
function count(run: MapRun, status: keyof typeof KINDS, items: number): void {
  run.executions[KINDS[status]] += Math.sign(items);
  run.items[KINDS[status]] += items;
}

function end(run: MapRun, status: MapRun["status"], stopDate: number): void {
  run.status = status;
  run.stopDate = stopDate;
}

/** The counts of an ended run. Items that never began count as aborted; for batches that never began, no executions are counted. */
function ended({ items, executions, batched }: MapRun): { itemCounts: Counts; executionCounts: Counts } {
  const sum = ({ succeeded, failed, timedOut, aborted }: Counts): number => succeeded + failed + timedOut + aborted;
  const total = Math.max(items.total, sum(items));
  const all = { ...items, total, aborted: items.aborted + total - sum(items) };
  return { itemCounts: all, executionCounts: batched ? { ...executions, total: sum(executions) } : all };
}

/** The Distributed Maps among states, at any depth, by name. */
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

/** A limit that is a number in the definition; 0, the default, for a limit that an expression computes. */
function plain(value: unknown): number {
  const number = Number(value);
  return value !== undefined && Number.isFinite(number) ? number : 0;
}

/** The Map Run of an ARN; throws ResourceNotFound. */
function find(service: Service, arn: string): MapRun {
  const run = service.mapRuns.get(mapRunArn(arn));
  if (run === undefined) throw noResource(arn);
  return run;
}

/** Sets the limits that are given. */
function update(run: MapRun, { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage }: MapRunChange): void {
  run.maxConcurrency = maxConcurrency ?? run.maxConcurrency;
  run.toleratedFailureCount = toleratedFailureCount ?? run.toleratedFailureCount;
  run.toleratedFailurePercentage = toleratedFailurePercentage ?? run.toleratedFailurePercentage;
}

/** Counts as DescribeMapRun returns them. */
function counts({ pending, running, succeeded, failed, timedOut, aborted, total }: Counts, written: boolean): MapRunItemCounts {
  const resultsWritten = written ? succeeded + failed + timedOut : 0;
  return { pending, running, succeeded, failed, timedOut, aborted, total, resultsWritten, failuresNotRedrivable: 0, pendingRedrive: 0 };
}

/** The operations of this file, by name. */
export const mapRunOperations = {
  async ListMapRuns(service, { executionArn: arn, maxResults, nextToken }) {
    executionArn(arn);
    if ((await service.store.get(arn)) === undefined) throw noExecution(arn);
    const sorted = [...(service.mapRunsOf.get(arn) ?? [])].sort((a, b) => (a.arn < b.arn ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["runs", arn], key: ({ arn }) => arn, maxResults, nextToken });
    return {
      mapRuns: items.map(({ arn, executionArn, machineArn, startDate, stopDate }) => ({
        executionArn,
        mapRunArn: arn,
        stateMachineArn: machineArn,
        startDate: seconds(startDate),
        ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
      })),
      ...more,
    };
  },

  async DescribeMapRun(service, { mapRunArn: arn }) {
    const run = find(service, arn);
    const execution = run.status === "RUNNING" ? service.runner.find(run.executionArn)?.execution : undefined;
    const frames: Frame[] = execution === undefined ? [] : driverOf(execution).frames();
    const now = frames.find(({ mapRun }) => mapRun?.mapRunArn === arn)?.mapRun;
    const done = run.status === "SUCCEEDED";
    // The engine has the limits that expressions have computed.
    if (now !== undefined) update(run, now);
    const { itemCounts, executionCounts } = now ?? ended(run);
    return {
      mapRunArn: arn,
      executionArn: run.executionArn,
      status: run.status,
      startDate: seconds(run.startDate),
      ...(run.stopDate !== undefined && { stopDate: seconds(run.stopDate) }),
      maxConcurrency: run.maxConcurrency,
      toleratedFailurePercentage: run.toleratedFailurePercentage,
      toleratedFailureCount: run.toleratedFailureCount,
      itemCounts: counts(itemCounts, done),
      executionCounts: counts(executionCounts, done),
      redriveCount: run.redriveCount,
      ...(run.redriveDate !== undefined && { redriveDate: seconds(run.redriveDate) }),
    };
  },

  async UpdateMapRun(service, { mapRunArn: arn, maxConcurrency, toleratedFailurePercentage, toleratedFailureCount }) {
    const run = find(service, arn);
    if (maxConcurrency === undefined && toleratedFailurePercentage === undefined && toleratedFailureCount === undefined) {
      throw invalid(
        "At least one of maxConcurrency, toleratedFailurePercentage and toleratedFailureCount must be specified",
        "MISSING_REQUIRED_PARAMETER",
      );
    }
    if (run.status !== "RUNNING") throw invalid(`Map Run already completed: '${arn}'`, "CANNOT_UPDATE_COMPLETED_MAP_RUN");
    const limits = { maxConcurrency, toleratedFailurePercentage, toleratedFailureCount };
    service.runner.find(run.executionArn)?.execution?.updateMapRun(arn, limits);
    update(run, limits);
    return {};
  },
} satisfies Partial<Operations>;
