// The virtual object of an execution: its handlers. Its key is the execution's ARN.

import type { ExecutionRecord } from "../api/durable.d.ts";
import type { Frame, HistoryEvent, RunningProblem } from "../api/index.d.ts";
import { messageOf } from "../base/errors.ts";
import { randomKey, seedOf } from "../base/random.ts";
import type { Fact } from "../border/facts.ts";
import type { ExecutionInfo } from "../execution/execution.ts";
import { DEFINITION, EXECUTION, NEWS, type ObjectContext, type ReadingContext } from "./context.ts";
import type { ChildAnswer, ChildOf, ChildStart, EventAnswer, ExecutionEvent, News, StartAnswer, StartRequest, Standing } from "./events.ts";
import { type Kept, historyOf, keepRecord, newNotes, recordOf, sliceOf } from "./keeping.ts";
import type { Program } from "./machines.ts";
import { endOfChild, engineOf, forgetChildren, seedOfChild, tellShard } from "./mapruns.ts";
import { Change } from "../durable/migration.ts";
import { type FirstAnswer, type FirstCall, briefly, callFirst } from "./first.ts";
import { gather } from "./gathering.ts";
import { migrate } from "./migration.ts";
import { Refused } from "./refused.ts";
import { type RunStanding, endedRuns, forgetRuns } from "./runs.ts";
import { Slice, type SliceHost } from "./slice.ts";
import { type Watcher, standingOf, tellEnd } from "./watchers.ts";

/** What an execution shows of its inside. */
export interface Inside {
  status: ExecutionRecord["status"];
  state?: string;
  frames: Frame[];
  signals: Record<string, number>;
}

/** The beginning of an execution, as Restate remembers it. */
interface Beginning {
  at: number;
  /** Decimal digits. */
  seed: string;
  tokenKey?: string;
  /** Whether Restate may not have the definition. */
  isNew: boolean;
  first?: FirstAnswer;
}

// How long it waits for the answer of a slice before that is told once more, in milliseconds.
const FIRST_DELAY = 250;
const LONGEST_DELAY = 30_000;
// How often a child that has not begun is told again to continue with another definition.
const TRIES = 8;

export class ExecutionObject {
  readonly #host: SliceHost;

  constructor(host: SliceHost) {
    this.#host = host;
  }

  // ---------------------------------------------------------------------------------------------- has it for itself

  /** Begins the execution, and does its first slice. */
  async start(ctx: ObjectContext, request: StartRequest): Promise<StartAnswer> {
    const known = await recordOf(ctx);
    if (known !== undefined) return this.#exists(ctx, known, request);
    const { machines } = this.#host;
    const program = machines.registered(request.machine);
    if (program === undefined) {
      const names = machines.all.map(({ name }) => JSON.stringify(name)).join(", ") || "none";
      throw new Refused("UNKNOWN_MACHINE", `there is no machine ${JSON.stringify(request.machine)}; the machines are: ${names}`);
    }
    const { digest } = program.machine;
    let call: FirstCall | undefined;
    const begun = await ctx.run("start", async () => {
      const beginning = this.#begin(request, program);
      // One that brings its own chance begins the same once more: its first task is called with it.
      if (request.seed !== undefined) {
        const fact = this.#fact(ctx.key, request, beginning);
        call = callFirst(this.#host, program, engineOf(program), fact, beginning.at, this.#info(ctx.key, request), ctx.ended);
      }
      const first = call && (await briefly(call));
      return { ...beginning, ...(first !== undefined && { first }) };
    });
    if (begun.isNew) ctx.send({ service: DEFINITION, handler: "put", key: digest }, program.machine.definition);
    machines.given(digest);
    const record = this.#record(ctx.key, request, program, begun.at);
    const { input } = request;
    keepRecord(ctx, record, ctx.invocation, true);
    const answer = { outcome: "created" as const, input, startDate: begun.at };
    tellStarted(ctx, request, { ...answer, status: "RUNNING" });
    const kept = { record, at: begun.at, events: 0, notes: newNotes(this.#info(ctx.key, request)) };
    const slice = new Slice(ctx, this.#host, program, kept, begun.at);
    return { ...answer, ...(await slice.start(this.#fact(ctx.key, request, begun), begun.first, call)) };
  }

  /** Begins a child execution of a Map Run, or takes it up again. */
  async child(ctx: ObjectContext, request: ChildStart): Promise<ChildAnswer> {
    const known = await recordOf(ctx);
    if (known !== undefined) return this.#childAgain(ctx, known, request);
    const { machine, definition, of, engine } = request;
    if (engine === undefined) {
      // Its start is on its way still.
      ctx.send({ service: EXECUTION, handler: "child", key: ctx.key }, { ...request, sent: true }, FIRST_DELAY);
      return null;
    }
    const { machines } = this.#host;
    const { type, info } = seedOfChild(engine);
    const record: ExecutionRecord = {
      ...{ id: ctx.key, name: info.name, machine, machineArn: info.stateMachineArn ?? "", definition, type },
      ...{ status: "RUNNING", startDate: 0, order: 0, input: "", mapRunArn: of.mapRun, child: of },
    };
    const stopped = ((await ctx.get<number>("stopped")) ?? -1) >= of.redrive;
    const fact: Fact = stopped ? ["stop"] : ["tick"];
    let call: FirstCall | undefined;
    const begun = await ctx.run("start", async () => {
      const [at, known] = [this.#host.now(), machines.of(record)];
      // It begins the same once more, as one that brings its own chance.
      call = known && callFirst(this.#host, known, engineOf(known, { text: engine, events: 0 }), fact, at, info, ctx.ended);
      const first = call && (await briefly(call));
      return { at, has: known !== undefined, ...(first !== undefined && { first }) };
    });
    const program = await this.#program(ctx, record, begun.has);
    const kept = { record, at: begun.at, events: 0, engine, notes: newNotes(info) };
    return new Slice(ctx, this.#host, program, kept, begun.at).startChild(request, fact, begun.first, call);
  }

  /** The Map Run was redriven: what has not succeeded goes on, and what has says so once more. */
  async #childAgain(ctx: ObjectContext, known: ExecutionRecord, request: ChildStart): Promise<ChildAnswer> {
    const { of } = request;
    if ((known.child as ChildOf).redrive >= of.redrive) return null;
    // Its stop may be on its way still.
    if (known.status === "RUNNING") await this.event(ctx, { type: "stop" });
    const kept = await ctx.get<Kept>("standing");
    const record = { ...((await recordOf(ctx)) ?? known), child: of };
    if (kept === null || record.status === "SUCCEEDED" || record.status === "RUNNING") {
      keepRecord(ctx, record, undefined, false);
      if (request.sent) tellShard(ctx, record);
      return endOfChild(record);
    }
    const begun = await ctx.run("now", () => ({ at: this.#host.now(), has: this.#host.machines.of(record) !== undefined }));
    const program = await this.#program(ctx, record, begun.has);
    return new Slice(ctx, this.#host, program, { ...kept, record }, begun.at).redriveChild(request);
  }

  /** What of a beginning Restate remembers. */
  #begin(request: StartRequest, { machine }: Program): Beginning {
    // Without a seed nobody can work the task tokens out from what the execution shows.
    const tokenKey = request.tokenKey ?? (request.seed === undefined ? randomKey() : undefined);
    const { seed = `${seedOf(undefined)}` } = request;
    return { at: this.#host.now(), seed, ...(tokenKey !== undefined && { tokenKey }), isNew: this.#host.machines.isNew(machine.digest) };
  }

  #info(arn: string, { name, machine }: StartRequest): ExecutionInfo & { arn: string } {
    return { name, arn, stateMachineName: machine, stateMachineArn: this.#host.machines.names.machine(machine) };
  }

  #fact(arn: string, request: StartRequest, { seed, tokenKey }: Beginning): Fact & { 0: "start" } {
    const info = this.#info(arn, request);
    return ["start", request.input, tokenKey === undefined ? info : { ...info, tokenKey }, BigInt(seed)];
  }

  #record(id: string, { machine, name, input, tags, parent, continued }: StartRequest, { machine: { digest, type } }: Program, at: number) {
    const record: ExecutionRecord = {
      ...{ id, name, machine, machineArn: this.#host.machines.names.machine(machine), definition: digest, type },
      ...{ status: "RUNNING", startDate: at, order: at, input },
      ...(tags !== undefined && { tags }),
      ...(parent !== undefined && { parent }),
      ...(continued !== undefined && { continued }),
    };
    return record;
  }

  #exists(ctx: ObjectContext, record: ExecutionRecord, request: StartRequest): StartAnswer {
    const { status, input, startDate, output, error, cause } = record;
    const asker = askerOf(request);
    const own = askerOf(record as Pick<StartRequest, "parent" | "continued">);
    const isOwn = asker !== undefined && own?.arn === asker.arn && own.task === asker.task;
    const answer: StartAnswer = { outcome: isOwn ? "created" : "exists", status, input, startDate };
    if (!isOwn) tellStarted(ctx, request, answer);
    const end = { ...(output !== undefined && { output }), ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
    return { ...answer, ...end };
  }

  /** Tells the execution something, and does the slice that follows from it. */
  async event(ctx: ObjectContext, event: ExecutionEvent): Promise<EventAnswer> {
    if (event.type === "watch") return this.#watch(ctx, event.awakeable);
    if (event.type === "follow") return this.#watch(ctx, event.watcher);
    if (event.type === "children" || event.type === "gathered") {
      const ended = await gather(ctx, event);
      return ended === undefined ? { known: true, counts: true } : this.#told(ctx, { type: "children", ended });
    }
    if (event.type === "forget") return this.#forget(ctx, event.stopDate);
    return this.#told(ctx, event);
  }

  /** The slice that follows from an event. */
  async #told(ctx: ObjectContext, event: ExecutionEvent): Promise<EventAnswer> {
    const kept = await ctx.get<Kept>("standing");
    const record = kept?.record ?? (await recordOf(ctx));
    if (record === undefined) {
      // A child that is stopped before it begins.
      if (event.type === "stop" && event.redrive !== undefined) ctx.set("stopped", event.redrive);
      if (event.type === "migrate") comeAgain(ctx, event);
      return { known: false, counts: false };
    }
    const refused = refusal(record, kept !== null, event);
    if (refused !== undefined) return { known: true, counts: false, refused };
    if (kept === null || (record.status !== "RUNNING" && event.type !== "redrive")) return { known: true, counts: false };
    // The slice before has heard of it while it was under way.
    const heard = kept.notes.heard.find(([told]) => told === (event as Partial<News>).told);
    if (heard !== undefined) return { known: true, counts: heard[1] };
    const begun = await ctx.run("now", () => ({
      at: this.#host.now(),
      has: this.#host.machines.of(record) !== undefined,
      ...(event.type === "migrate" && {
        to: event.definition ?? this.#host.machines.registered(String(record.machine))?.machine.definition,
      }),
    }));
    const program = await this.#program(ctx, record, begun.has);
    if (event.type === "migrate") {
      const to = event.digest === undefined ? begun.to : await definitionOf(ctx, event.digest);
      const answer = await this.#migrate(ctx, { ...kept, record }, program, { at: begun.at, to });
      if ((event as Partial<News>).told !== undefined) ctx.resolveAwakeable((event as News).told, answer);
      return answer;
    }
    const slice = new Slice(ctx, this.#host, program, { ...kept, record }, begun.at);
    if (event.type !== "redrive") return { known: true, counts: await slice.tell(event) };
    try {
      await slice.redrive((event as Partial<News>).told);
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== "NOT_REDRIVABLE") throw thrown;
      return { known: true, counts: false, refused: ["NOT_REDRIVABLE", messageOf(thrown)] };
    }
    return { known: true, counts: true };
  }

  async #migrate(ctx: ObjectContext, kept: Kept, { machine }: Program, { at, to }: { at: number; to?: string | undefined }) {
    const { machine: name, id } = kept.record;
    if (to !== undefined) return migrate(ctx, kept, [machine, this.#host.machines.another(kept.record, to)], at);
    const refused: EventAnswer["refused"] = ["UNKNOWN_MACHINE", `the machine ${JSON.stringify(name)} of ${id} is not registered`];
    return { known: true, counts: false, refused };
  }

  /** What the execution runs: this process may have it, or Restate keeps it. */
  async #program(ctx: ReadingContext, record: ExecutionRecord, has: boolean): Promise<Program> {
    const { machines } = this.#host;
    if (has) {
      const program = machines.of(record);
      if (program !== undefined) return program;
      // The slice was begun by a worker that had it, which this one has taken the place of.
      throw new Error(`the worker no longer has the definition ${record.definition}, with which a slice of ${record.id} began`);
    }
    const text = await definitionOf(ctx, record.definition ?? "");
    if (text === undefined) throw new Error(`Restate does not have the definition ${record.definition} of ${record.id}`);
    return machines.of(record) ?? machines.remember(record, text);
  }

  async #watch(ctx: ObjectContext, watcher: Watcher): Promise<EventAnswer> {
    const record = await recordOf(ctx);
    if (record === undefined) {
      if (typeof watcher === "string") ctx.resolveAwakeable(watcher, null);
      return { known: false, counts: false };
    }
    if (record.status === "RUNNING") {
      const watchers = (await ctx.get<Watcher[]>("watchers")) ?? [];
      ctx.set("watchers", [...watchers, watcher]);
    } else tellEnd(ctx, [watcher], record);
    return { known: true, counts: true };
  }

  /** Forgets an execution whose time is over. One that runs again, or has ended once more, stays. */
  async #forget(ctx: ObjectContext, stopDate: number | undefined): Promise<EventAnswer> {
    const record = await ctx.get<ExecutionRecord>("record");
    const counts = record !== null && record.status !== "RUNNING" && (stopDate === undefined || record.stopDate === stopDate);
    if (counts) {
      forgetChildren(ctx, (await ctx.get<NonNullable<Kept["notes"]["runs"]>>("runs")) ?? []);
      if (record.hasRuns === true) await forgetRuns(ctx);
      ctx.clearAll();
    }
    return { known: record !== null, counts };
  }

  // ------------------------------------------------------------------------------------------------------ only reads

  /** Stops the execution: a slice that runs now hears of it at once. */
  stop(ctx: ReadingContext, about: { error?: string; cause?: string; redrive?: number }): Promise<EventAnswer> {
    return this.tell(ctx, { type: "stop", ...about });
  }

  /**
   * Tells the execution something, and answers when that is kept, although the slice that follows from it may take long. A slice that is
   * under way hears of it at once; if it ends before it does, the next one does. Restate keeps the last of what an invocation is told by
   * one name, so what gets no answer is told again.
   */
  async tell(ctx: ReadingContext, event: ExecutionEvent): Promise<EventAnswer> {
    const { id: told, promise } = ctx.awakeable<EventAnswer>();
    const news: News = { ...event, told, at: await ctx.run("now", () => this.#host.now()) };
    const queued = ctx.call<EventAnswer>({ service: EXECUTION, handler: "event", key: ctx.key }, news);
    await this.ring(ctx, news);
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      const late = ctx.sleep(delay).map((): EventAnswer | undefined => undefined);
      const answer = await ctx.race<EventAnswer | undefined>([promise, queued, late]);
      if (answer !== undefined) return answer;
      // Another call sees the state as it is now.
      ctx.send({ service: EXECUTION, handler: "ring", key: ctx.key }, news);
    }
  }

  /** Tells the slice that is under way, if there is one. */
  async ring(ctx: ReadingContext, news: News): Promise<void> {
    const slice = await sliceOf(ctx);
    if (slice !== undefined) ctx.tell(slice, NEWS, news);
  }

  async describe(ctx: ReadingContext): Promise<ExecutionRecord | null> {
    return (await recordOf(ctx)) ?? null;
  }

  history(ctx: ReadingContext, page: { from?: number; limit?: number; reverse?: boolean } | undefined): Promise<HistoryEvent[]> {
    return historyOf(ctx, page ?? {});
  }

  /** Resolves to how the execution ends; to null if there is none. */
  async result(ctx: ReadingContext): Promise<Standing | null> {
    const record = await recordOf(ctx);
    if (record === undefined) return null;
    if (record.status !== "RUNNING") return standingOf(record);
    const { id, promise } = ctx.awakeable<Standing | null>();
    ctx.send({ service: EXECUTION, handler: "event", key: ctx.key }, { type: "watch", awakeable: id });
    return promise;
  }

  /** The execution's Map Runs, as the last slice has left them; null if there is no such execution. */
  async mapRuns(ctx: ReadingContext): Promise<RunStanding[] | null> {
    const record = await recordOf(ctx);
    if (record === undefined) return null;
    if (record.hasRuns !== true) return [];
    const kept = await ctx.get<Kept>("standing");
    const open = kept?.notes.mapRuns?.open ?? [];
    const ended = (await endedRuns(ctx)).filter(({ id }) => !open.some((run) => run.id === id));
    const frames = kept === null || open.length === 0 ? [] : await this.#frames(ctx, record, kept);
    return [
      ...ended.map((run) => ({ record: run })),
      ...open.map((run) => {
        const now = frames.find(({ mapRun }) => mapRun?.mapRunArn === run.id)?.mapRun;
        return { record: run, ...(now !== undefined && { now }) };
      }),
    ];
  }

  /** What stands in the way of another definition (default: the registered one); null if there is none or it has that one. */
  async problems(ctx: ReadingContext, definition: string | null): Promise<RunningProblem[] | null> {
    const kept = await ctx.get<Kept>("standing");
    const record = await recordOf(ctx);
    if (kept === null || record?.status !== "RUNNING") return null;
    const { machines } = this.#host;
    const asked = await ctx.run("has", () => {
      const to = definition ?? machines.registered(String(record.machine))?.machine.definition;
      return { has: machines.of(record) !== undefined, ...(to !== undefined && { to }) };
    });
    if (asked.to === undefined)
      throw new Refused("UNKNOWN_MACHINE", `the machine ${String(record.machine)} of ${record.id} is not registered`);
    const { machine } = await this.#program(ctx, record, asked.has);
    const change = new Change(machine, machines.another(record, asked.to));
    return change.isNone ? null : change.problems(kept.engine);
  }

  /** What the execution shows and where it is. */
  async inside(ctx: ReadingContext): Promise<Inside | null> {
    const record = await recordOf(ctx);
    if (record === undefined) return null;
    const { status, state } = record;
    const shown = typeof state === "string" ? { state } : {};
    const kept = status === "RUNNING" ? await ctx.get<Kept>("standing") : null;
    if (kept === null) return { status, ...shown, frames: [], signals: {} };
    const signals: Record<string, number> = {};
    for (const [name] of kept.notes.signals) signals[name] = (signals[name] ?? 0) + 1;
    return { status, ...shown, frames: await this.#frames(ctx, record, kept), signals };
  }

  async #frames(ctx: ReadingContext, record: ExecutionRecord, kept: Kept): Promise<Frame[]> {
    const program = await this.#program(ctx, record, await ctx.run("has", () => this.#host.machines.of(record) !== undefined));
    const engine = engineOf(program, { text: kept.engine, events: kept.events });
    try {
      return JSON.parse(engine.ask("frames"));
    } finally {
      engine.discard();
    }
  }
}

/** The text of a definition that Restate keeps. */
async function definitionOf(ctx: ReadingContext, digest: string): Promise<string | undefined> {
  return (await ctx.call<string | null>({ service: DEFINITION, handler: "get", key: digest }, null)) ?? undefined;
}

/** What a child is told that has not begun is told later: its start is on its way, or it was forgotten. */
function comeAgain(ctx: ObjectContext, event: ExecutionEvent & { type: "migrate" }): void {
  const { tries = 0, digest } = event;
  if (digest === undefined || tries >= TRIES) return;
  ctx.send({ service: EXECUTION, handler: "event", key: ctx.key }, { ...event, tries: tries + 1 }, FIRST_DELAY * 2 ** tries);
}

/** Why an event is refused, if it is. */
function refusal({ id, status }: ExecutionRecord, stands: boolean, { type }: ExecutionEvent): EventAnswer["refused"] {
  if (type === "migrate" && status !== "RUNNING")
    return ["NOT_MIGRATABLE", `${id} is not running any more: only running executions can be migrated`];
  if (type === "signal" && status !== "RUNNING") return ["NOT_RUNNING", `the execution ${id} has ended: it takes no signals`];
  if (type !== "redrive") return undefined;
  if (status === "RUNNING" || status === "SUCCEEDED") return ["NOT_REDRIVABLE", `Execution is ${status} and cannot be redriven`];
  if (!stands) return ["NOT_REDRIVABLE", "Execution history event limit exceeded, the execution cannot be redriven"];
  return undefined;
}

/** The task that has started an execution, if one has. */
function askerOf({ parent, continued }: Pick<StartRequest, "parent" | "continued">): { arn: string; task: number } | undefined {
  return parent ?? (continued && { arn: continued.from, task: continued.task });
}

function tellStarted(ctx: ObjectContext, request: StartRequest, answer: StartAnswer): void {
  const asker = askerOf(request);
  if (asker === undefined) return;
  const { arn, task } = asker;
  ctx.send({ service: EXECUTION, handler: "event", key: arn }, { type: "started", task, arn: ctx.key, answer });
}
