// The records of an execution's Map Runs: those under way are with what it stands at, those that have ended have a place each in its state.

import type { ExecutionRecord } from "../api/durable.d.ts";
import type { Frame, MapRunChange } from "../api/index.d.ts";
import type { HistoryEngine } from "../border/history.ts";
import { type KeptChains, RunChains, type RunNews, type RunRecord, counted, limited, mayHaveRuns } from "../execution/mapruns.ts";
import { MAP_RUN, type ObjectContext, type ReadingContext } from "./context.ts";

/** What an execution keeps of its Map Runs from slice to slice. */
export interface KeptRuns {
  chains: KeptChains;
  open: RunRecord[];
}

/** A Map Run, and how its engine has it as long as it is under way. */
export interface RunStanding {
  record: RunRecord;
  now?: Frame["mapRun"];
}

/** The places of runs that have ended. */
const PLACE = "run:";
/** What the Map Run is told of a child begins with this; an end of a batch says how many items it has. */
const END = /^\{"index":\d+,"redrive":(\d+),"status":"([A-Z_]+)"(?:,"items":(\d+))?/;

export class RunRecords {
  readonly #ctx: ObjectContext;
  readonly #record: ExecutionRecord;
  readonly #chains: RunChains;
  readonly #runs = new Map<string, RunRecord>();
  /** How many events were read. */
  #told: number;

  private constructor(ctx: ObjectContext, record: ExecutionRecord, definition: string, { chains, open }: KeptRuns, told: number) {
    this.#ctx = ctx;
    this.#record = record;
    this.#chains = new RunChains(definition);
    this.#chains.restore(chains);
    for (const run of open) this.#runs.set(run.id, run);
    this.#told = told;
  }

  /** The records of an execution with so many events; undefined where its definition has no Distributed Map. */
  static of(
    ctx: ObjectContext,
    record: ExecutionRecord,
    definition: string,
    kept: KeptRuns = { chains: [], open: [] },
    told = 0,
  ): RunRecords | undefined {
    return mayHaveRuns(definition, record.mapRunArn !== undefined) ? new RunRecords(ctx, record, definition, kept, told) : undefined;
  }

  /** Takes up the runs that a redrive may go on with. */
  async load(): Promise<void> {
    for (const run of await endedRuns(this.#ctx)) if (run.status !== "SUCCEEDED") this.#runs.set(run.id, run);
  }

  /** Reads what has happened since. */
  read(engine: HistoryEngine): void {
    const from = this.#told;
    this.#told = engine.events;
    for (const event of from < this.#told ? engine.history(from, this.#told) : []) {
      const news = this.#chains.follow(event);
      if (news !== undefined) this.#tell(news);
    }
  }

  #tell(news: RunNews): void {
    const known = this.#runs.get(news.run);
    if (news.type === "begun") {
      const { id } = this.#record;
      this.#runs.set(news.run, this.#chains.begun(news, id));
      // Its ARN does not say which execution it belongs to.
      this.#ctx.send({ service: MAP_RUN, handler: "put", key: news.run }, id);
    } else if (known === undefined) return;
    else if (news.type === "ended") this.#runs.set(news.run, { ...known, status: news.status, stopDate: news.at });
    else {
      const { stopDate: _, ...record } = known;
      const { redriveCount, at: redriveDate } = news;
      // What has not succeeded is taken up again, and tells its end once more.
      const [items, executions] = [known.run.items, known.run.executions].map((all) => ({ ...all, failed: 0, timedOut: 0, aborted: 0 }));
      const run = { ...known.run, items: items as typeof known.run.items, executions: executions as typeof known.run.items };
      this.#runs.set(news.run, { ...record, status: "RUNNING", run: { ...run, redriveCount, redriveDate } });
    }
  }

  /** Whether the slice knows a run: then the execution's record says that there are some. */
  get any(): boolean {
    return this.#runs.size > 0;
  }

  /** Whether children of a run may have several items. */
  isBatched(id: string): boolean {
    return this.#runs.get(id)?.run.batched ?? false;
  }

  /** Children have ended; what is not of this redrive does not count. */
  heard(id: string, ends: readonly string[]): void {
    const record = this.#runs.get(id);
    if (record?.status !== "RUNNING") return;
    let { run } = record;
    for (const end of ends) {
      const [, redrive, status, items = 1] = END.exec(end) ?? [];
      if (status !== undefined && Number(redrive) === run.redriveCount) run = counted(run, status, Number(items));
    }
    this.#runs.set(id, { ...record, run });
  }

  /** Gives a run other limits. False if it is not under way. */
  update(id: string, limits: MapRunChange): boolean {
    const record = this.#runs.get(id);
    if (record?.status !== "RUNNING") return false;
    this.#runs.set(id, { ...record, run: limited(record.run, limits) });
    return true;
  }

  /** The execution has ended: so have its runs. */
  finish(status: ExecutionRecord["status"], stopDate: number): void {
    const ended = status === "SUCCEEDED" || status === "FAILED" ? status : "ABORTED";
    for (const [id, run] of this.#runs) if (run.status === "RUNNING") this.#runs.set(id, { ...run, status: ended, stopDate });
  }

  /** Puts what has ended in its place, and returns what is to be kept besides. */
  keep(): KeptRuns {
    const all = [...this.#runs.values()];
    for (const run of all) if (run.status !== "RUNNING") this.#ctx.set(PLACE + run.id, run);
    return { chains: this.#chains.kept, open: all.filter(({ status }) => status === "RUNNING") };
  }
}

/** The runs of an execution that have ended. */
export async function endedRuns(ctx: ReadingContext): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  for (const name of (await ctx.names()).filter((one) => one.startsWith(PLACE))) {
    const run = await ctx.get<RunRecord>(name);
    if (run !== null) runs.push(run);
  }
  return runs;
}

/** Has the ARNs of all runs forgotten. */
export async function forgetRuns(ctx: ObjectContext): Promise<void> {
  for (const name of await ctx.names())
    if (name.startsWith(PLACE)) ctx.send({ service: MAP_RUN, handler: "forget", key: name.slice(PLACE.length) }, null);
}

/** The virtual object of a Map Run, which knows the execution that it is of. Its key is the run's ARN. */
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
