// Map Runs: the runs of Distributed Maps and the executions of their items.

import type { ChildExecution, ExecutionStatus, Frame, HistoryEvent, MapRunChange, MapRunCounts, Step } from "../api/index.d.ts";
import type { ExecutionFilter, ExecutionRecord, Store } from "../api/durable.d.ts";
import type { HistoryEngine } from "../border/history.ts";
import { type Live, settle, type Watcher } from "../durable/live.ts";
import {
  type Counts,
  type KeptChains,
  RunChains,
  type RunNews,
  type RunRecord,
  counted,
  labelOf,
  limited,
  mayHaveRuns,
  standingOf,
} from "../execution/mapruns.ts";
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
import type { Input } from "./shapes.ts";

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

/** The record of a Map Run; lists of its execution's ARN have its Map Runs. */
interface MapRunRecord extends ExecutionRecord, RunRecord {
  mapRunArn: string;
  status: RunRecord["status"];
  machineArn: string;
}

/** What a snapshot of the execution has of its Map Runs. */
interface Standing {
  /** How many events were read. */
  told: number;
  chains: KeptChains;
}

/** The member of an execution's state in which its Map Runs are. */
const STANDING = "mapRuns";
/**
 * The Map Runs of one execution, from its events and its children. Their records are written with the facts that they follow from. After
 * a restart the same facts lead to the same events, of which the records tell already.
 */
export class MapRuns implements Watcher {
  readonly #service: Service;
  readonly #record: StoredExecution;
  readonly #chains: RunChains;
  #engine: HistoryEngine | undefined;
  #told = 0;
  readonly #runs = new Map<string, KeptRecord<MapRunRecord>>();
  // Children that a redrive may run again.
  readonly #failed = new Map<string, KeptRecord<StoredExecution>>();

  private constructor(service: Service, record: StoredExecution, definition: string) {
    this.#service = service;
    this.#record = record;
    this.#chains = new RunChains(definition);
  }

  /** What watches a new execution; undefined where it has no Distributed Map. */
  static of(service: Service, record: StoredExecution, definition: string): MapRuns | undefined {
    return mayHaveRuns(definition) ? new MapRuns(service, record, definition) : undefined;
  }

  /** What watches an execution of the store. */
  static async load(service: Service, record: StoredExecution, definition: string): Promise<MapRuns | undefined> {
    const runs = MapRuns.of(service, record, definition);
    if (runs !== undefined) for await (const run of listed<MapRunRecord>(service.store, { mapRunArn: record.id })) await runs.#know(run);
    return runs;
  }

  async #know(run: MapRunRecord): Promise<void> {
    const { committer } = this.#service.runner.host;
    this.#runs.set(run.id, new KeptRecord(committer, this.#record.id, run));
    if (run.status === "SUCCEEDED") return;
    const status = ["FAILED", "TIMED_OUT", "ABORTED"] as const;
    for await (const child of listed<StoredExecution>(this.#service.store, { mapRunArn: run.id, status }))
      this.#failed.set(child.id, new KeptRecord(committer, this.#record.id, child));
  }

  restored(live: Live): void {
    const { told = 0, chains = [] } = (live.state[STANDING] ?? {}) as Partial<Standing>;
    this.#told = told;
    this.#chains.restore(chains);
    this.#watch(live);
    // The records have these events already.
    for (const event of this.#fresh()) this.#chains.follow(event);
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
    return { told: this.#told, chains: this.#chains.kept };
  }

  #read(): void {
    for (const event of this.#fresh()) {
      const news = this.#chains.follow(event);
      if (news !== undefined) this.#tell(news);
    }
  }

  /** The events that were not read yet. */
  #fresh(): HistoryEvent[] {
    const from = this.#told;
    const to = this.#engine?.events ?? from;
    this.#told = to;
    return from < to ? (this.#engine?.history(from, to) ?? []) : [];
  }

  /** Writes what is told of a run. */
  #tell(news: RunNews): void {
    if (news.type === "begun") this.#begin(news);
    else if (news.type === "redriven") this.#again(news);
    else this.#runs.get(news.run)?.write({ status: news.status, stopDate: news.at });
  }

  /** A shared store has these records where it has the execution. */
  #near(): { near?: string } {
    return this.#service.store.sharing === undefined ? {} : { near: keyOf(this.#record) };
  }

  #begin(news: RunNews & { type: "begun" }): void {
    const run = new KeptRecord<MapRunRecord>(this.#service.runner.host.committer, this.#record.id, {
      ...this.#chains.begun(news, this.#record.id),
      ...this.#near(),
      name: labelOf(news.run),
      input: "{}",
    });
    this.#runs.set(news.run, run);
    run.write();
  }

  /** Continues a run after a redrive: aborted items and executions run again. */
  #again({ run: arn, redriveCount, at: redriveDate }: RunNews & { type: "redriven" }): void {
    const kept = this.#runs.get(arn);
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
    const child = new KeptRecord<StoredExecution>(this.#service.runner.host.committer, this.#record.id, {
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

/** The Map Run of an ARN; throws ResourceNotFound. */
async function find(service: Service, arn: string): Promise<MapRunRecord> {
  const record = await service.store.get(mapRunArn(arn));
  if (record === undefined) throw noResource(arn);
  return record as MapRunRecord;
}

/** Counts as DescribeMapRun returns them. */
function counts({ pending, running, succeeded, failed, timedOut, aborted, total }: Counts, written: boolean): MapRunItemCounts {
  const resultsWritten = written ? succeeded + failed + timedOut : 0;
  return { pending, running, succeeded, failed, timedOut, aborted, total, resultsWritten, failuresNotRedrivable: 0, pendingRedrive: 0 };
}

/** A Map Run as ListMapRuns returns it. */
export function listedRun({ id, mapRunArn, machineArn, startDate, stopDate }: RunRecord): ListMapRunsOutput["mapRuns"][number] {
  return {
    executionArn: mapRunArn,
    mapRunArn: id,
    stateMachineArn: machineArn,
    startDate: seconds(startDate),
    ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
  };
}

/** A Map Run as DescribeMapRun returns it; `now` is how its engine has it as long as it is under way. */
export function describedRun(record: RunRecord, now: Frame["mapRun"]): DescribeMapRunOutput {
  const { id, mapRunArn, status, startDate, stopDate } = record;
  const done = status === "SUCCEEDED";
  const run = standingOf(record, now);
  return {
    mapRunArn: id,
    executionArn: mapRunArn,
    status,
    startDate: seconds(startDate),
    ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
    maxConcurrency: run.maxConcurrency,
    toleratedFailurePercentage: run.toleratedFailurePercentage,
    toleratedFailureCount: run.toleratedFailureCount,
    itemCounts: counts(run.itemCounts, done),
    executionCounts: counts(run.executionCounts, done),
    redriveCount: run.redriveCount,
    ...(run.redriveDate !== undefined && { redriveDate: seconds(run.redriveDate) }),
  };
}

/** The limits that a request gives a Map Run. Throws ValidationException where there are none, or the run has ended. */
export function limitsOf(
  { id, status }: Pick<RunRecord, "id" | "status">,
  { maxConcurrency, toleratedFailurePercentage, toleratedFailureCount }: Input<"UpdateMapRun">,
): MapRunChange {
  if (maxConcurrency === undefined && toleratedFailurePercentage === undefined && toleratedFailureCount === undefined) {
    throw invalid(
      "At least one of maxConcurrency, toleratedFailurePercentage and toleratedFailureCount must be specified",
      "MISSING_REQUIRED_PARAMETER",
    );
  }
  if (status !== "RUNNING") throw invalid(`Map Run already completed: '${id}'`, "CANNOT_UPDATE_COMPLETED_MAP_RUN");
  return {
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(toleratedFailurePercentage !== undefined && { toleratedFailurePercentage }),
    ...(toleratedFailureCount !== undefined && { toleratedFailureCount }),
  };
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
    return { mapRuns: items.map(listedRun), ...more };
  },

  async DescribeMapRun(service, { mapRunArn: arn }) {
    const record = await find(service, arn);
    const { mapRunArn: execution, status } = record;
    const frames: Frame[] = status === "RUNNING" ? await service.runner.at(execution, "frames", [execution]) : [];
    return describedRun(record, frames.find(({ mapRun }) => mapRun?.mapRunArn === arn)?.mapRun);
  },

  async UpdateMapRun(service, input) {
    const { mapRunArn: arn } = input;
    const record = await find(service, arn);
    const limits = limitsOf(record, input);
    await service.runner.at(arn, "updateMapRun", [record.mapRunArn, arn, limits]);
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
