// Records of Map Runs and of their child executions, written in the same write as the facts that they follow from.

import type { ChildExecution, ExecutionStatus, Frame, HistoryEvent, MapRunChange, Step } from "../../core/api/index.d.ts";
import type { ExecutionFilter, ExecutionRecord, MapRunDescription, Store } from "../../core/api/durable.d.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import {
  type Counts,
  type StoredChains,
  RunChains,
  type RunNews,
  type RunRecord,
  counted,
  labelOf,
  limited,
  mayHaveRuns,
  standingOf,
} from "../../core/execution/mapruns.ts";
import { keyOf } from "../store/shards.ts";
import { AttachedRecord } from "./attached-record.ts";
import type { Committer } from "./committer.ts";
import type { Program } from "./programs.ts";
import type { Live, Watcher } from "./live.ts";
import { runBy } from "./ownership.ts";

/** The host that writes the records. */
interface RecordingHost {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: { now(): number };
}

/** Which child executions get a record: all of them, or those that have not succeeded. */
type ChildRecords = "all" | "failed";

/** The record of a Map Run. Its `mapRunArn` is the ARN of its execution, so a list with that has the Map Runs of an execution. */
export interface MapRunRecord extends ExecutionRecord, RunRecord {
  mapRunArn: string;
  status: RunRecord["status"];
  machineArn: string;
}

/** The record of a child execution. */
interface ChildRecord extends ExecutionRecord {
  events?: number;
  redriveCount: number;
}

/** The part of a snapshot that is about Map Runs. */
interface Standing {
  /** The number of events that were read. */
  told: number;
  chains: StoredChains;
}

/** The member of an execution's state that has its {@link Standing}. */
const STANDING = "mapRuns";

/** Members of an execution's record that its children share. */
const SHARED = ["machine", "definition", "revision"] as const;

/**
 * Records the Map Runs of one execution, from its events and the ends of its children. After a restart the same facts lead to the same
 * events, which the records include already.
 */
export class MapRunRecorder implements Watcher {
  readonly #host: RecordingHost;
  readonly #record: ExecutionRecord;
  readonly #children: ChildRecords;
  readonly #chains: RunChains;
  #engine: HistoryEngine | undefined;
  #readEvents = 0;
  readonly #runs = new Map<string, AttachedRecord<MapRunRecord>>();
  /** Children that have not succeeded: a redrive may run them again. */
  readonly #failed = new Map<string, AttachedRecord<ChildRecord>>();

  private constructor(host: RecordingHost, record: ExecutionRecord, definition: string, children: ChildRecords) {
    this.#host = host;
    this.#record = record;
    this.#children = children;
    this.#chains = new RunChains(definition);
  }

  /** Returns the recorder of a new execution; undefined if its Map Runs are not recorded. */
  static of(host: RecordingHost, record: ExecutionRecord, definition: string): MapRunRecorder | undefined {
    const children = recordedChildren(record);
    return children !== undefined && mayHaveRuns(definition) ? new MapRunRecorder(host, record, definition, children) : undefined;
  }

  /** Returns the recorder of an execution of the store. */
  static async load(host: RecordingHost, record: ExecutionRecord, definition: string): Promise<MapRunRecorder | undefined> {
    const runs = MapRunRecorder.of(host, record, definition);
    if (runs !== undefined) for await (const run of recordsOf<MapRunRecord>(host.store, { mapRunArn: record.id })) await runs.#know(run);
    return runs;
  }

  async #know(run: MapRunRecord): Promise<void> {
    const { committer, store } = this.#host;
    this.#runs.set(run.id, new AttachedRecord(committer, this.#record.id, run));
    if (run.status === "SUCCEEDED") return;
    const status = ["FAILED", "TIMED_OUT", "ABORTED"] as const;
    for await (const child of recordsOf<ChildRecord>(store, { mapRunArn: run.id, status }))
      this.#failed.set(child.id, new AttachedRecord(committer, this.#record.id, child));
  }

  restored(live: Live): void {
    const { told = 0, chains = [] } = (live.state[STANDING] ?? {}) as Partial<Standing>;
    this.#readEvents = told;
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
    return { told: this.#readEvents, chains: this.#chains.stored };
  }

  #read(): void {
    for (const event of this.#fresh()) {
      const news = this.#chains.follow(event);
      if (news !== undefined) this.#apply(news);
    }
  }

  /** Returns the events that were not read yet. */
  #fresh(): HistoryEvent[] {
    const from = this.#readEvents;
    const to = this.#engine?.events ?? from;
    this.#readEvents = to;
    return from < to ? (this.#engine?.history(from, to) ?? []) : [];
  }

  /** Applies an event of a Map Run to its record. */
  #apply(news: RunNews): void {
    if (news.type === "begun") this.#begin(news);
    else if (news.type === "redriven") this.#again(news);
    else this.#runs.get(news.run)?.write({ status: news.status, stopDate: news.at });
  }

  /** In a shared store, these records belong to the process that has the execution. */
  #near(): { near?: string } {
    return this.#host.store.sharing === undefined ? {} : { near: keyOf(this.#record) };
  }

  #begin(news: RunNews & { type: "begun" }): void {
    const run = new AttachedRecord<MapRunRecord>(this.#host.committer, this.#record.id, {
      ...this.#chains.begun(news, this.#record.id),
      runBy: runBy(this.#record),
      ...this.#near(),
      name: labelOf(news.run),
      input: "{}",
    });
    this.#runs.set(news.run, run);
    run.write();
  }

  /** Continues a run after a redrive: aborted items and executions run again. */
  #again({ run: arn, redriveCount, at: redriveDate }: RunNews & { type: "redriven" }): void {
    const entry = this.#runs.get(arn);
    if (entry === undefined) return;
    const { failure, ...run } = entry.record.run;
    const [items, executions] = [run.items, run.executions].map((counts) => ({ ...counts, aborted: 0 })) as [Counts, Counts];
    entry.write({ status: "RUNNING", stopDate: undefined, run: { ...run, items, executions, redriveCount, redriveDate } });
  }

  limited(arn: string, limits: MapRunChange): void {
    const entry = this.#runs.get(arn);
    entry?.write({ run: limited(entry.record.run, limits) });
  }

  /** Records a child execution that has ended. A child that was redriven has a record already, which is continued. */
  #child(ended: ChildExecution): void {
    const { name, arn, status, index, input, error, cause, history } = ended;
    const label = labelOf(arn);
    const runs = [...this.#runs.values()];
    const entry = runs.findLast(({ record }) => record.machineArn.endsWith(`:${label}`)) ?? runs.at(-1);
    if (entry === undefined) return;
    const { run } = entry.record;
    const itemCount = run.batched && Array.isArray(input?.Items) ? input.Items.length : 1;
    const known = this.#failed.get(arn);
    const before = known === undefined || known.record.status === "ABORTED" ? run : counted(run, known.record.status, -itemCount);
    const failure = status === "FAILED" || status === "TIMED_OUT" ? { index, name, arn, error, cause } : undefined;
    entry.write({ run: { ...counted(before, status, itemCount), ...(run.failure === undefined && failure && { failure }) } });
    if (known === undefined && status === "SUCCEEDED" && this.#children === "failed") return;
    const change = { status, stopDate: this.#timeOf(history.at(-1)), events: history.length, output: outputText(ended), error, cause };
    const fresh = history.slice(known?.record.events ?? 0);
    const events = { text: JSON.stringify(fresh), count: fresh.length };
    if (known !== undefined) {
      known.write({ ...change, redriveCount: known.record.redriveCount + 1, redriveDate: run.redriveDate }, events);
      return;
    }
    const child = new AttachedRecord<ChildRecord>(this.#host.committer, this.#record.id, {
      ...Object.fromEntries(SHARED.filter((member) => this.#record[member] !== undefined).map((member) => [member, this.#record[member]])),
      id: arn,
      ...this.#near(),
      name,
      type: run.childType,
      machineArn: entry.record.machineArn,
      mapRunArn: entry.record.id,
      itemCount,
      index,
      startDate: this.#timeOf(history[0]),
      input: JSON.stringify(input ?? null),
      redriveCount: 0,
      ...change,
    });
    if (status !== "SUCCEEDED") this.#failed.set(arn, child);
    child.write({}, events);
  }

  #timeOf(event: HistoryEvent | undefined): number {
    return event === undefined ? this.#host.clock.now() : Date.parse(event.timestamp);
  }

  /** Ends the runs in progress, because the execution has ended. */
  #finish(status: ExecutionStatus): void {
    const ended = status === "SUCCEEDED" || status === "FAILED" ? status : "ABORTED";
    for (const entry of this.#runs.values())
      if (entry.record.status === "RUNNING") entry.write({ status: ended, stopDate: this.#host.clock.now() });
  }
}

/**
 * Which children of an execution are recorded: all children of a server's execution. A Runtime's record says it; without that, the
 * execution was started by a version that recorded none, and its facts were stored without their ends.
 */
function recordedChildren(record: ExecutionRecord): ChildRecords | undefined {
  return runBy(record) === "server" ? "all" : (record.childRecords as ChildRecords | undefined);
}

function outputText({ output }: ChildExecution): string | undefined {
  return output === undefined ? undefined : JSON.stringify(output);
}

/** Returns a program whose Map Runs are recorded. Without a recorder, the engine does not report the ends of children. */
export function recordingMapRuns(program: Program, watcher: MapRunRecorder | undefined): Program {
  if (watcher === undefined) return program;
  return { ...program, options: { onChild: () => {}, ...program.options }, watcher };
}

/** Yields all records of a list, without their payloads. */
export async function* recordsOf<Kind extends ExecutionRecord>(store: Store, filter: ExecutionFilter): AsyncGenerator<Kind> {
  for (let before: number | undefined; ;) {
    const page = await store.list(filter, { limit: 1000, ...(before !== undefined && { before }) });
    // A store returns all members that were written.
    yield* page.items as unknown as Kind[];
    if (page.before === undefined) return;
    before = page.before;
  }
}

/** Returns the Map Runs of an execution, the earliest first. `now` has the frames of one that is running. */
export async function mapRunsOf(store: Store, execution: string, now: readonly Frame[] = []): Promise<MapRunDescription[]> {
  const runs: MapRunDescription[] = [];
  for await (const record of recordsOf<MapRunRecord>(store, { mapRunArn: execution }))
    runs.push(describedMapRun(record, now.find(({ mapRun }) => mapRun?.mapRunArn === record.id)?.mapRun));
  return runs.reverse();
}

function describedMapRun(record: MapRunRecord, now: Frame["mapRun"]): MapRunDescription {
  const { id, mapRunArn, status, startDate, stopDate } = record;
  const { itemCounts, executionCounts, redriveCount, failure } = standingOf(record, now);
  return {
    mapRunArn: id,
    executionArn: mapRunArn,
    status,
    startDate,
    ...(stopDate !== undefined && { stopDate }),
    itemCounts,
    executionCounts,
    redriveCount,
    ...(failure !== undefined && { firstFailure: failure }),
  };
}
