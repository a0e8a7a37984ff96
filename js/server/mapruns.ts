// Map Runs: the runs of Distributed Maps and the executions of their items.

import type {
  ChildExecution,
  ExecutionStatus,
  Frame,
  HistoryEvent,
  MachineType,
  MapRunChange,
  MapRunCounts,
  Step,
} from "../api/index.d.ts";
import type { ExecutionFilter, ExecutionRecord, Store } from "../api/durable.d.ts";
import { isObject } from "../base/json.ts";
import type { HistoryEngine } from "../border/history.ts";
import { type Live, settle, type Watcher } from "../durable/live.ts";
import { keyOf } from "../store/shards.ts";
import { executionArn, mapRunArn } from "./arn.ts";
import { invalid, noExecution, noResource } from "./errors.ts";
import { KeptRecord } from "./kept.ts";
import type { Operations } from "./operations.ts";
import { pageOf } from "./paging.ts";
import type { StoredExecution } from "./records.ts";
import { seconds } from "./responses.ts";
import type { Empty, Paged } from "./responses.ts";
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

/** What is known of the run of a Distributed Map besides its record's own members. */
interface MapRun extends Required<MapRunChange> {
  /** Whether a child execution may have several items. */
  batched: boolean;
  childType: MachineType;
  items: Counts;
  executions: Counts;
  redriveCount: number;
  /** Milliseconds since 1970. */
  redriveDate?: number;
}

/** The record of a Map Run. Its id is the run's ARN, and `mapRunArn` that of its execution: lists of that ARN have its Map Runs. */
interface MapRunRecord extends ExecutionRecord {
  mapRunArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  run: MapRun;
}

/** The Map state of a chain of events, the number of its items, and the ARN of its run. */
interface Chain {
  map?: string;
  items?: number;
  run?: string;
}

/** What a snapshot of the execution has of its Map Runs. */
interface Standing {
  /** How many events were read. */
  told: number;
  chains: [last: number, chain: Chain][];
}

/** The properties of a Map Run that are in the definition of its state. */
interface DistributedMap extends Required<MapRunChange> {
  batched: boolean;
  childType: MachineType;
}

const KINDS = { SUCCEEDED: "succeeded", FAILED: "failed", TIMED_OUT: "timedOut", ABORTED: "aborted" } as const;
const ENDS = { MapRunSucceeded: "SUCCEEDED", MapRunFailed: "FAILED", MapRunAborted: "ABORTED" } as const;
/** The member of an execution's state in which its Map Runs are. */
const STANDING = "mapRuns";
const UNKNOWN: DistributedMap = {
  maxConcurrency: 0,
  toleratedFailureCount: 0,
  toleratedFailurePercentage: 0,
  batched: false,
  childType: "STANDARD",
};
const NONE: Counts = { pending: 0, running: 0, succeeded: 0, failed: 0, timedOut: 0, aborted: 0, total: 0 };

/**
 * The Map Runs of one execution, from its events and its children. Their records are written with the facts that they follow from. After
 * a restart the same facts lead to the same events, of which the records tell already.
 */
export class MapRuns implements Watcher {
  readonly #service: Service;
  readonly #record: StoredExecution;
  readonly #maps: Map<string, DistributedMap>;
  #engine: HistoryEngine | undefined;
  #told = 0;
  // Chains of events by the id of their last event.
  readonly #chains = new Map<number, Chain>();
  readonly #runs = new Map<string, KeptRecord<MapRunRecord>>();
  // Children that a redrive may run again.
  readonly #failed = new Map<string, KeptRecord<StoredExecution>>();

  private constructor(service: Service, record: StoredExecution, definition: string) {
    this.#service = service;
    this.#record = record;
    this.#maps = distributedMaps(JSON.parse(definition).States);
  }

  /** What watches a new execution; undefined where it has no Distributed Map. */
  static of(service: Service, record: StoredExecution, definition: string): MapRuns | undefined {
    return definition.includes('"DISTRIBUTED"') ? new MapRuns(service, record, definition) : undefined;
  }

  /** What watches an execution of the store. */
  static async load(service: Service, record: StoredExecution, definition: string): Promise<MapRuns | undefined> {
    const runs = MapRuns.of(service, record, definition);
    if (runs !== undefined) for await (const run of listed<MapRunRecord>(service.store, { mapRunArn: record.id })) await runs.#know(run);
    return runs;
  }

  async #know(run: MapRunRecord): Promise<void> {
    const { committer } = this.#service.runner.host;
    this.#runs.set(run.id, new KeptRecord(committer, run));
    if (run.status === "SUCCEEDED") return;
    const status = ["FAILED", "TIMED_OUT", "ABORTED"] as const;
    for await (const child of listed<StoredExecution>(this.#service.store, { mapRunArn: run.id, status }))
      this.#failed.set(child.id, new KeptRecord(committer, child));
  }

  restored(live: Live): void {
    const { told = 0, chains = [] } = (live.state[STANDING] ?? {}) as Partial<Standing>;
    this.#told = told;
    for (const [last, chain] of chains) this.#chains.set(last, chain);
    this.#watch(live);
    // The records have these events already.
    for (const event of this.#fresh()) this.#follow(event);
  }

  stepped(live: Live, { commands }: Step): void {
    if (this.#engine === undefined) this.#watch(live);
    this.#read();
    for (const command of commands) {
      if (command.type === "ChildFinished") this.#child(command);
      else if (command.type === "Finish") this.#finish(command.status);
    }
  }

  #watch(live: Live): void {
    this.#engine = live.engine;
    live.state[STANDING] = this;
  }

  toJSON(): Standing {
    // The snapshot has all events so far.
    this.#read();
    return { told: this.#told, chains: [...this.#chains] };
  }

  #read(): void {
    for (const event of this.#fresh()) {
      const chain = this.#follow(event);
      if (chain !== undefined) this.#tell(event, chain);
    }
  }

  /** The events that were not read yet. */
  #fresh(): HistoryEvent[] {
    const from = this.#told;
    const to = this.#engine?.events ?? from;
    this.#told = to;
    return from < to ? (this.#engine?.history(from, to) ?? []) : [];
  }

  /** Follows the chain of an event, if it is one of a Distributed Map. */
  #follow(event: HistoryEvent): Chain | undefined {
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
    return chain;
  }

  /** Writes what an event says of the run of its chain. */
  #tell(event: HistoryEvent, chain: Chain): void {
    const time = Date.parse(event.timestamp);
    switch (event.type) {
      case "MapRunStarted":
        return this.#begin(event.mapRunStartedEventDetails.mapRunArn, time, chain);
      case "MapRunRedriven":
        return this.#again(event.mapRunRedrivenEventDetails, time);
      case "MapRunSucceeded":
      case "MapRunFailed":
      case "MapRunAborted":
        this.#runs.get(chain.run ?? "")?.write({ status: ENDS[event.type], stopDate: time });
    }
  }

  /** A shared store has these records where it has the execution. */
  #near(): { near?: string } {
    return this.#service.store.sharing === undefined ? {} : { near: keyOf(this.#record) };
  }

  #begin(arn: string, startDate: number, { map = "", items = 0 }: Chain): void {
    const label = labelOf(arn);
    const { id, machineArn } = this.#record;
    const run = new KeptRecord<MapRunRecord>(this.#service.runner.host.committer, {
      id: arn,
      ...this.#near(),
      name: label,
      machineArn: `${machineArn}/${label.slice(label.indexOf("/") + 1)}`,
      mapRunArn: id,
      status: "RUNNING",
      startDate,
      input: "{}",
      run: { ...(this.#maps.get(map) ?? UNKNOWN), items: { ...NONE, total: items }, executions: { ...NONE }, redriveCount: 0 },
    });
    this.#runs.set(arn, run);
    run.write();
  }

  /** Continues a run after a redrive: aborted items and executions run again. */
  #again({ mapRunArn, redriveCount }: { mapRunArn: string; redriveCount: number }, redriveDate: number): void {
    const kept = this.#runs.get(mapRunArn);
    if (kept === undefined) return;
    const { run } = kept.record;
    const [items, executions] = [run.items, run.executions].map((counts) => ({ ...counts, aborted: 0 })) as [Counts, Counts];
    kept.write({ status: "RUNNING", stopDate: undefined, run: { ...run, items, executions, redriveCount, redriveDate } });
  }

  /** Gives a run other limits. */
  update(arn: string, limits: MapRunChange): void {
    const kept = this.#runs.get(arn);
    kept?.write({ run: limited(kept.record.run, limits) });
  }

  /** Records a child execution that has ended. A child that was redriven has a record already, which is continued. */
  #child({ name, arn, status, input, output, error, cause, history }: ChildExecution): void {
    const label = labelOf(arn);
    const runs = [...this.#runs.values()];
    const kept = runs.findLast(({ record }) => record.machineArn.endsWith(`:${label}`)) ?? runs.at(-1);
    const run = kept?.record.run;
    const itemCount = run?.batched && Array.isArray(input?.Items) ? input.Items.length : 1;
    const known = this.#failed.get(arn);
    const [first, last = first] = [history[0], history.at(-1)];
    const timeOf = (event: HistoryEvent | undefined): number => (event === undefined ? this.#service.now() : Date.parse(event.timestamp));
    const told = known?.record.events ?? 0;
    const fresh = history.slice(told);
    const ended = {
      status,
      stopDate: timeOf(last),
      events: history.length,
      output: output === undefined ? undefined : JSON.stringify(output),
      error,
      cause,
    };
    if (kept !== undefined && run !== undefined) {
      const before = known === undefined || known.record.status === "ABORTED" ? run : counted(run, known.record.status, -itemCount);
      kept.write({ run: counted(before, status, itemCount) });
    }
    const events = { text: JSON.stringify(fresh), count: fresh.length };
    if (known !== undefined) {
      known.write({ ...ended, redriveCount: known.record.redriveCount + 1, redriveDate: run?.redriveDate }, events);
      return;
    }
    const { machine, machineArn, definition, revision } = this.#record;
    const child = new KeptRecord<StoredExecution>(this.#service.runner.host.committer, {
      id: arn,
      ...this.#near(),
      name,
      type: run?.childType ?? "STANDARD",
      machineArn: kept?.record.machineArn ?? machineArn,
      machine,
      ...(kept !== undefined && { mapRunArn: kept.record.id }),
      itemCount,
      ...(definition !== undefined && { definition }),
      revision,
      startDate: timeOf(first),
      input: JSON.stringify(input ?? null),
      redriveCount: 0,
      ...ended,
    });
    if (status !== "SUCCEEDED") this.#failed.set(arn, child);
    child.write({}, events);
  }

  /** Ends the runs in progress, because the execution has ended. */
  #finish(status: ExecutionStatus): void {
    const ended = status === "SUCCEEDED" || status === "FAILED" ? status : "ABORTED";
    for (const kept of this.#runs.values())
      if (kept.record.status === "RUNNING") kept.write({ status: ended, stopDate: this.#service.now() });
  }
}

/** All records of a list, without their payloads. */
async function* listed<Kind extends ExecutionRecord>(store: Store, filter: ExecutionFilter): AsyncGenerator<Kind> {
  for (let before: number | undefined; ;) {
    const page = await store.list(filter, { limit: 1000, ...(before !== undefined && { before }) });
    // A store keeps the members that this server has written.
    yield* page.items as unknown as Kind[];
    if (page.before === undefined) return;
    before = page.before;
  }
}

/** The part of a Map Run's or a child's ARN with the names of the machine and of the Map: `Machine/Label`. */
function labelOf(arn: string): string {
  return arn.split(":")[6] ?? "";
}

/** A run with the items of an ended child, or with a negative number without them. */
function counted(run: MapRun, status: ExecutionStatus, items: number): MapRun {
  if (status === "RUNNING") return run;
  const kind = KINDS[status];
  return {
    ...run,
    executions: { ...run.executions, [kind]: run.executions[kind] + Math.sign(items) },
    items: { ...run.items, [kind]: run.items[kind] + items },
  };
}

/** The counts of an ended run. Items that never began count as aborted; for batches that never began, no executions are counted. */
function countsOf({ items, executions, batched }: MapRun): { itemCounts: Counts; executionCounts: Counts } {
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
async function find(service: Service, arn: string): Promise<MapRunRecord> {
  const record = await service.store.get(mapRunArn(arn));
  if (record === undefined) throw noResource(arn);
  return record as MapRunRecord;
}

/** A run with the limits that are given. */
function limited(run: MapRun, { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage }: MapRunChange): MapRun {
  return {
    ...run,
    maxConcurrency: maxConcurrency ?? run.maxConcurrency,
    toleratedFailureCount: toleratedFailureCount ?? run.toleratedFailureCount,
    toleratedFailurePercentage: toleratedFailurePercentage ?? run.toleratedFailurePercentage,
  };
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
    const runs: MapRunRecord[] = [];
    for await (const run of listed<MapRunRecord>(service.store, { mapRunArn: arn })) runs.push(run);
    const sorted = runs.sort((a, b) => (a.id < b.id ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["runs", arn], key: ({ id }) => id, maxResults, nextToken });
    return {
      mapRuns: items.map(({ id, machineArn, startDate, stopDate }) => ({
        executionArn: arn,
        mapRunArn: id,
        stateMachineArn: machineArn,
        startDate: seconds(startDate),
        ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
      })),
      ...more,
    };
  },

  async DescribeMapRun(service, { mapRunArn: arn }) {
    const { mapRunArn: execution, status, startDate, stopDate, run: known } = await find(service, arn);
    const frames: Frame[] = status === "RUNNING" ? await service.runner.at(execution, "frames", [execution]) : [];
    const now = frames.find(({ mapRun }) => mapRun?.mapRunArn === arn)?.mapRun;
    const done = status === "SUCCEEDED";
    // The engine has the limits that expressions have computed.
    const run = now === undefined ? known : limited(known, now);
    const { itemCounts, executionCounts } = now ?? countsOf(run);
    return {
      mapRunArn: arn,
      executionArn: execution,
      status,
      startDate: seconds(startDate),
      ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
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
    const { status, mapRunArn: execution } = await find(service, arn);
    if (maxConcurrency === undefined && toleratedFailurePercentage === undefined && toleratedFailureCount === undefined) {
      throw invalid(
        "At least one of maxConcurrency, toleratedFailurePercentage and toleratedFailureCount must be specified",
        "MISSING_REQUIRED_PARAMETER",
      );
    }
    if (status !== "RUNNING") throw invalid(`Map Run already completed: '${arn}'`, "CANNOT_UPDATE_COMPLETED_MAP_RUN");
    const limits = { maxConcurrency, toleratedFailurePercentage, toleratedFailureCount };
    await service.runner.at(arn, "updateMapRun", [execution, arn, limits]);
    return {};
  },
} satisfies Partial<Operations>;

/** Gives a Map Run other limits, whose execution is this process's. */
export async function updateMapRun({ runner }: Service, execution: string, arn: string, limits: MapRunChange): Promise<void> {
  const live = await runner.host.take(execution);
  if (live === undefined) return;
  live.execution.updateMapRun(arn, limits);
  if (live.watcher instanceof MapRuns) live.watcher.update(arn, limits);
  await settle(live);
}
