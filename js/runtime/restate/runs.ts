// The records of an execution's Map Runs. Runs in progress are part of the slice's data; each ended run has an entry of its own in
// the object's state.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { Frame, MapRunChange } from "../../core/api/index.d.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import { type StoredChains, RunChains, type RunNews, type RunRecord, counted, limited, mayHaveRuns } from "../../core/execution/mapruns.ts";
import { MAP_RUN, type ObjectContext, type ReadingContext } from "./context.ts";

/** The data about Map Runs that one slice passes to the next. */
export interface StoredRuns {
  chains: StoredChains;
  open: RunRecord[];
}

/** A Map Run, with the engine's state of it while it is in progress. */
export interface RunStanding {
  record: RunRecord;
  now?: Frame["mapRun"];
}

/** The prefix of the state entries of ended runs. */
const PLACE = "run:";
/** The beginning of the JSON text about a child's end. For a batch it has the number of items. */
const END = /^\{"index":\d+,"redrive":(\d+),"status":"([A-Z_]+)"(?:,"items":(\d+))?/;

export class RunRecords {
  readonly #ctx: ObjectContext;
  readonly #record: ExecutionRecord;
  readonly #chains: RunChains;
  readonly #runs = new Map<string, RunRecord>();
  /** The number of events that were read. */
  #readEvents: number;

  private constructor(ctx: ObjectContext, record: ExecutionRecord, definition: string, { chains, open }: StoredRuns, readEvents: number) {
    this.#ctx = ctx;
    this.#record = record;
    this.#chains = new RunChains(definition);
    this.#chains.restore(chains);
    for (const run of open) this.#runs.set(run.id, run);
    this.#readEvents = readEvents;
  }

  /** Returns the records of an execution; undefined if its definition has no Distributed Map. */
  static of(
    ctx: ObjectContext,
    record: ExecutionRecord,
    definition: string,
    stored: StoredRuns = { chains: [], open: [] },
    readEvents = 0,
  ): RunRecords | undefined {
    return mayHaveRuns(definition, record.mapRunArn !== undefined)
      ? new RunRecords(ctx, record, definition, stored, readEvents)
      : undefined;
  }

  /** Loads the runs that a redrive can continue. */
  async load(): Promise<void> {
    for (const run of await endedRuns(this.#ctx)) if (run.status !== "SUCCEEDED") this.#runs.set(run.id, run);
  }

  /** Reads the new events of the engine. */
  read(engine: HistoryEngine): void {
    const from = this.#readEvents;
    this.#readEvents = engine.events;
    for (const event of from < this.#readEvents ? engine.history(from, this.#readEvents) : []) {
      const news = this.#chains.follow(event);
      if (news !== undefined) this.#apply(news);
    }
  }

  #apply(news: RunNews): void {
    const known = this.#runs.get(news.run);
    if (news.type === "begun") {
      const { id } = this.#record;
      this.#runs.set(news.run, this.#chains.begun(news, id));
      // The ARN of a Map Run does not contain the name of its execution, so an object stores it.
      this.#ctx.send({ service: MAP_RUN, handler: "put", key: news.run }, id);
    } else if (known === undefined) return;
    else if (news.type === "ended") this.#runs.set(news.run, { ...known, status: news.status, stopDate: news.at });
    else {
      const { stopDate: _, ...record } = known;
      const { redriveCount, at: redriveDate } = news;
      // Children that have not succeeded run again, and report another end.
      const [items, executions] = [known.run.items, known.run.executions].map((all) => ({ ...all, failed: 0, timedOut: 0, aborted: 0 }));
      const run = { ...known.run, items: items as typeof known.run.items, executions: executions as typeof known.run.items };
      this.#runs.set(news.run, { ...record, status: "RUNNING", run: { ...run, redriveCount, redriveDate } });
    }
  }

  /** Whether there is any run. The execution's record has this fact. */
  get any(): boolean {
    return this.#runs.size > 0;
  }

  /** Returns whether children of a run can have several items. */
  isBatched(id: string): boolean {
    return this.#runs.get(id)?.run.batched ?? false;
  }

  /** Applies the ends of children. Ends of earlier redrives are not counted. */
  childrenEnded(id: string, ends: readonly string[]): void {
    const record = this.#runs.get(id);
    if (record?.status !== "RUNNING") return;
    let { run } = record;
    for (const end of ends) {
      const [, redrive, status, items = 1] = END.exec(end) ?? [];
      if (status !== undefined && Number(redrive) === run.redriveCount) run = counted(run, status, Number(items));
    }
    this.#runs.set(id, { ...record, run });
  }

  /** Changes the limits of a run. Returns false if the run is not in progress. */
  update(id: string, limits: MapRunChange): boolean {
    const record = this.#runs.get(id);
    if (record?.status !== "RUNNING") return false;
    this.#runs.set(id, { ...record, run: limited(record.run, limits) });
    return true;
  }

  /** Ends all runs, because the execution has ended. */
  finish(status: ExecutionRecord["status"], stopDate: number): void {
    const ended = status === "SUCCEEDED" || status === "FAILED" ? status : "ABORTED";
    for (const [id, run] of this.#runs) if (run.status === "RUNNING") this.#runs.set(id, { ...run, status: ended, stopDate });
  }

  /** Stores the ended runs in entries of their own, and returns the data for the next slice. */
  state(): StoredRuns {
    const all = [...this.#runs.values()];
    for (const run of all) if (run.status !== "RUNNING") this.#ctx.set(PLACE + run.id, run);
    return { chains: this.#chains.stored, open: all.filter(({ status }) => status === "RUNNING") };
  }
}

/** Returns the ended runs of an execution. */
export async function endedRuns(ctx: ReadingContext): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  for (const name of (await ctx.names()).filter((one) => one.startsWith(PLACE))) {
    const run = await ctx.get<RunRecord>(name);
    if (run !== null) runs.push(run);
  }
  return runs;
}

/** Makes the objects of all runs forget their ARNs. */
export async function forgetRuns(ctx: ObjectContext): Promise<void> {
  for (const name of await ctx.names())
    if (name.startsWith(PLACE)) ctx.send({ service: MAP_RUN, handler: "forget", key: name.slice(PLACE.length) }, null);
}

/** The virtual object of a Map Run, which stores the ARN of its execution. Its key is the ARN of the Map Run. */
export class MapRunObject {
  async put(ctx: ObjectContext, execution: string): Promise<void> {
    ctx.set("execution", execution);
  }

  async execution(ctx: ReadingContext): Promise<string | null> {
    return ctx.get<string>("execution");
  }

  async forget(ctx: ObjectContext): Promise<void> {
    ctx.clearAll();
  }
}
