// The virtual object of an execution: its handlers. Its key is the execution's ARN.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { Frame, HistoryEvent, RunningProblem } from "../../core/api/index.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { randomKey, seedOf } from "../../core/base/random.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { ExecutionInfo } from "../../core/execution/execution.ts";
import { DEFINITION, EXECUTION, NEWS, type ObjectContext, type ReadingContext } from "./context.ts";
import type {
  ChildAnswer,
  ChildOf,
  ChildStart,
  EventAnswer,
  ExecutionEvent,
  News,
  StartAnswer,
  StartRequest,
  Standing,
  Watcher,
} from "./events.ts";
import { type StoredExecution, historyOf, storeRecord, newNotes, recordOf, sliceOf } from "./persistence.ts";
import type { Program } from "./registered-machines.ts";
import { endOfChild, engineOf, forgetChildren, seedOfChild, notifyShard } from "./mapruns.ts";
import { Change } from "../durable/migration.ts";
import { type FirstAnswer, type FirstCall, briefly, callFirst } from "./first.ts";
import { gather } from "./gathering.ts";
import { migrate } from "./migration.ts";
import { Refused } from "./refused.ts";
import { type RunStanding, endedRuns, forgetRuns } from "./runs.ts";
import { Slice } from "./slice.ts";
import type { SliceHost } from "./slice-host.ts";
import { standingOf, notifyWatchers } from "./watchers.ts";

/** The published state of an execution and its position. */
export interface Inside {
  status: ExecutionRecord["status"];
  state?: string;
  frames: Frame[];
  signals: Record<string, number>;
}

/** The start of an execution, as Restate recorded it. */
interface Beginning {
  at: number;
  /** Decimal digits. */
  seed: string;
  tokenKey?: string;
  /** Whether Restate may lack the definition. */
  isNew: boolean;
  first?: FirstAnswer;
}

// Delay before a message to a slice is sent again, in milliseconds. It doubles from the first value to the second.
const FIRST_DELAY = 250;
const LONGEST_DELAY = 30_000;
// How often the request to move to another definition is repeated for a child that has not begun.
const TRIES = 8;

export class ExecutionObject {
  readonly #host: SliceHost;

  constructor(host: SliceHost) {
    this.#host = host;
  }

  // ------------------------------------------------------------------------------------------ exclusive handlers

  /** Starts the execution and runs its first slice. */
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
      // With a given seed, a repeated start leads to the same first task, so the task can be called together with the start.
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
    storeRecord(ctx, record, ctx.invocation, true);
    const answer = { outcome: "created" as const, input, startDate: begun.at };
    tellStarted(ctx, request, { ...answer, status: "RUNNING" });
    const stored = { record, at: begun.at, events: 0, notes: newNotes(this.#info(ctx.key, request)) };
    const slice = new Slice(ctx, this.#host, program, stored, begun.at);
    return { ...answer, ...(await slice.start(this.#fact(ctx.key, request, begun), begun.first, call)) };
  }

  /** Starts or redrives a child execution of a Map Run. */
  async child(ctx: ObjectContext, request: ChildStart): Promise<ChildAnswer> {
    const known = await recordOf(ctx);
    if (known !== undefined) return this.#redriveChild(ctx, known, request);
    const { machine, definition, of, engine } = request;
    if (engine === undefined) {
      // The start of the child has not arrived yet.
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
      // A repeated start leads to the same first task, as with a given seed.
      call = known && callFirst(this.#host, known, engineOf(known, { text: engine, events: 0 }), fact, at, info, ctx.ended);
      const first = call && (await briefly(call));
      return { at, has: known !== undefined, ...(first !== undefined && { first }) };
    });
    const program = await this.#program(ctx, record, begun.has);
    const stored = { record, at: begun.at, events: 0, engine, notes: newNotes(info) };
    return new Slice(ctx, this.#host, program, stored, begun.at).startChild(request, fact, begun.first, call);
  }

  /** After a redrive of the Map Run: a child that has not succeeded continues, and one that has succeeded reports its end again. */
  async #redriveChild(ctx: ObjectContext, known: ExecutionRecord, request: ChildStart): Promise<ChildAnswer> {
    const { of } = request;
    if ((known.child as ChildOf).redrive >= of.redrive) return null;
    // The stop of the child may not have arrived yet.
    if (known.status === "RUNNING") await this.event(ctx, { type: "stop" });
    const stored = await ctx.get<StoredExecution>("standing");
    const record = { ...((await recordOf(ctx)) ?? known), child: of };
    if (stored === null || record.status === "SUCCEEDED" || record.status === "RUNNING") {
      storeRecord(ctx, record, undefined, false);
      if (request.sent) notifyShard(ctx, record);
      return endOfChild(record);
    }
    const begun = await ctx.run("now", () => ({ at: this.#host.now(), has: this.#host.machines.of(record) !== undefined }));
    const program = await this.#program(ctx, record, begun.has);
    return new Slice(ctx, this.#host, program, { ...stored, record }, begun.at).redriveChild(request);
  }

  /** Determines the values of a start that Restate records. */
  #begin(request: StartRequest, { machine }: Program): Beginning {
    // Without a seed the token key is random, so task tokens cannot be derived from the visible data of the execution.
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

  #record(
    id: string,
    { machine, name, input, tags, attributes, parent, continued }: StartRequest,
    { machine: { digest, type } }: Program,
    at: number,
  ) {
    const record: ExecutionRecord = {
      ...{ id, name, machine, machineArn: this.#host.machines.names.machine(machine), definition: digest, type },
      ...{ status: "RUNNING", startDate: at, order: at, input },
      ...(tags !== undefined && { tags }),
      ...(attributes !== undefined && { attributes }),
      ...(parent !== undefined && { parent }),
      ...(continued !== undefined && { continued }),
    };
    return record;
  }

  #exists(ctx: ObjectContext, record: ExecutionRecord, request: StartRequest): StartAnswer {
    const { status, input, startDate, output, error, cause } = record;
    const asker = startingTask(request);
    const own = startingTask(record as Pick<StartRequest, "parent" | "continued">);
    const isOwn = asker !== undefined && own?.arn === asker.arn && own.task === asker.task;
    const answer: StartAnswer = { outcome: isOwn ? "created" : "exists", status, input, startDate };
    if (!isOwn) tellStarted(ctx, request, answer);
    const end = { ...(output !== undefined && { output }), ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
    return { ...answer, ...end };
  }

  /** Applies a message to the execution, and runs the slice that follows from it. */
  async event(ctx: ObjectContext, event: ExecutionEvent): Promise<EventAnswer> {
    if (event.type === "watch") return this.#watch(ctx, event.awakeable);
    if (event.type === "follow") return this.#watch(ctx, event.watcher);
    if (event.type === "children" || event.type === "gathered") {
      const ended = await gather(ctx, event);
      return ended === undefined ? { known: true, counts: true } : this.#deliver(ctx, { type: "children", ended });
    }
    if (event.type === "forget") return this.#forget(ctx, event.stopDate);
    return this.#deliver(ctx, event);
  }

  /** Runs the slice that follows from a message. */
  async #deliver(ctx: ObjectContext, event: ExecutionEvent): Promise<EventAnswer> {
    const stored = await ctx.get<StoredExecution>("standing");
    const record = stored?.record ?? (await recordOf(ctx));
    if (record === undefined) {
      // The stop of a child can arrive before its start.
      if (event.type === "stop" && event.redrive !== undefined) ctx.set("stopped", event.redrive);
      if (event.type === "migrate") sendLater(ctx, event);
      return { known: false, counts: false };
    }
    const refused = refusal(record, stored !== null, event);
    if (refused !== undefined) return { known: true, counts: false, refused };
    if (stored === null || (record.status !== "RUNNING" && event.type !== "redrive")) return { known: true, counts: false };
    // The slice that was running has handled this message already.
    const heard = stored.notes.heard.find(([told]) => told === (event as Partial<News>).told);
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
      const answer = await this.#migrate(ctx, { ...stored, record }, program, { at: begun.at, to });
      if ((event as Partial<News>).told !== undefined) ctx.resolveAwakeable((event as News).told, answer);
      return answer;
    }
    const slice = new Slice(ctx, this.#host, program, { ...stored, record }, begun.at);
    if (event.type !== "redrive") return { known: true, counts: await slice.handleEvent(event) };
    try {
      await slice.redrive((event as Partial<News>).told);
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== "NOT_REDRIVABLE") throw thrown;
      return { known: true, counts: false, refused: ["NOT_REDRIVABLE", messageOf(thrown)] };
    }
    return { known: true, counts: true };
  }

  async #migrate(ctx: ObjectContext, stored: StoredExecution, { machine }: Program, { at, to }: { at: number; to?: string | undefined }) {
    const { machine: name, id } = stored.record;
    if (to !== undefined) return migrate(ctx, stored, [machine, this.#host.machines.another(stored.record, to)], at);
    const refused: EventAnswer["refused"] = ["UNKNOWN_MACHINE", `the machine ${JSON.stringify(name)} of ${id} is not registered`];
    return { known: true, counts: false, refused };
  }

  /** Returns the program of an execution: from this process or, with a definition that Restate stores. */
  async #program(ctx: ReadingContext, record: ExecutionRecord, has: boolean): Promise<Program> {
    const { machines } = this.#host;
    if (has) {
      const program = machines.of(record);
      if (program !== undefined) return program;
      // Another worker began the slice, and had the definition. This worker has replaced it.
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
    } else notifyWatchers(ctx, [watcher], record);
    return { known: true, counts: true };
  }

  /** Forgets an execution whose retention has ended. An execution that runs again, or has ended again, stays. */
  async #forget(ctx: ObjectContext, stopDate: number | undefined): Promise<EventAnswer> {
    const record = await ctx.get<ExecutionRecord>("record");
    const counts = record !== null && record.status !== "RUNNING" && (stopDate === undefined || record.stopDate === stopDate);
    if (counts) {
      forgetChildren(ctx, (await ctx.get<NonNullable<StoredExecution["notes"]["runs"]>>("runs")) ?? []);
      if (record.hasRuns === true) await forgetRuns(ctx);
      ctx.clearAll();
    }
    return { known: record !== null, counts };
  }

  // --------------------------------------------------------------------------------------------- shared handlers

  /** Stops the execution. A running slice is notified at once. */
  stop(ctx: ReadingContext, about: { error?: string; cause?: string; redrive?: number }): Promise<EventAnswer> {
    return this.tell(ctx, { type: "stop", ...about });
  }

  /**
   * Sends a message to the execution, and answers when the message is stored, although the slice that follows may take long. A
   * running slice
   * gets it as a signal. If that slice ends first, the next one gets it as a call. Restate keeps only the last signal of a name, so
   * a message
   * without an answer is sent again.
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
      // The signal is sent by another call, because this one sees the state as of its start.
      ctx.send({ service: EXECUTION, handler: "ring", key: ctx.key }, news);
    }
  }

  /** Sends a message to the running slice, if there is one. */
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

  /** Resolves to the outcome of the execution; to null if there is no such execution. */
  async result(ctx: ReadingContext): Promise<Standing | null> {
    const record = await recordOf(ctx);
    if (record === undefined) return null;
    if (record.status !== "RUNNING") return standingOf(record);
    const { id, promise } = ctx.awakeable<Standing | null>();
    ctx.send({ service: EXECUTION, handler: "event", key: ctx.key }, { type: "watch", awakeable: id });
    return promise;
  }

  /** Returns the execution's Map Runs as of the last slice; null if there is no such execution. */
  async mapRuns(ctx: ReadingContext): Promise<RunStanding[] | null> {
    const record = await recordOf(ctx);
    if (record === undefined) return null;
    if (record.hasRuns !== true) return [];
    const stored = await ctx.get<StoredExecution>("standing");
    const open = stored?.notes.mapRuns?.open ?? [];
    const ended = (await endedRuns(ctx)).filter(({ id }) => !open.some((run) => run.id === id));
    const frames = stored === null || open.length === 0 ? [] : await this.#frames(ctx, record, stored);
    return [
      ...ended.map((run) => ({ record: run })),
      ...open.map((run) => {
        const now = frames.find(({ mapRun }) => mapRun?.mapRunArn === run.id)?.mapRun;
        return { record: run, ...(now !== undefined && { now }) };
      }),
    ];
  }

  /**
   * Returns the problems with another definition (default: the registered one); null if there is no such execution, or it has that
   * definition.
   */
  async problems(ctx: ReadingContext, definition: string | null): Promise<RunningProblem[] | null> {
    const stored = await ctx.get<StoredExecution>("standing");
    const record = await recordOf(ctx);
    if (stored === null || record?.status !== "RUNNING") return null;
    const { machines } = this.#host;
    const asked = await ctx.run("has", () => {
      const to = definition ?? machines.registered(String(record.machine))?.machine.definition;
      return { has: machines.of(record) !== undefined, ...(to !== undefined && { to }) };
    });
    if (asked.to === undefined)
      throw new Refused("UNKNOWN_MACHINE", `the machine ${String(record.machine)} of ${record.id} is not registered`);
    const { machine } = await this.#program(ctx, record, asked.has);
    const change = new Change(machine, machines.another(record, asked.to));
    return change.isNone ? null : change.problems(stored.engine);
  }

  /** Returns the published state of the execution and its position. */
  async inside(ctx: ReadingContext): Promise<Inside | null> {
    const record = await recordOf(ctx);
    if (record === undefined) return null;
    const { status, state } = record;
    const shown = typeof state === "string" ? { state } : {};
    const stored = status === "RUNNING" ? await ctx.get<StoredExecution>("standing") : null;
    if (stored === null) return { status, ...shown, frames: [], signals: {} };
    const signals: Record<string, number> = {};
    for (const [name] of stored.notes.signals) signals[name] = (signals[name] ?? 0) + 1;
    return { status, ...shown, frames: await this.#frames(ctx, record, stored), signals };
  }

  async #frames(ctx: ReadingContext, record: ExecutionRecord, stored: StoredExecution): Promise<Frame[]> {
    const program = await this.#program(ctx, record, await ctx.run("has", () => this.#host.machines.of(record) !== undefined));
    const engine = engineOf(program, { text: stored.engine, events: stored.events });
    try {
      return JSON.parse(engine.ask("frames"));
    } finally {
      engine.discard();
    }
  }
}

/** Returns the text of a definition that Restate stores. */
async function definitionOf(ctx: ReadingContext, digest: string): Promise<string | undefined> {
  return (await ctx.call<string | null>({ service: DEFINITION, handler: "get", key: digest }, null)) ?? undefined;
}

/** Sends the message to a child again later: its start may not have arrived yet, or the child was forgotten. */
function sendLater(ctx: ObjectContext, event: ExecutionEvent & { type: "migrate" }): void {
  const { tries = 0, digest } = event;
  if (digest === undefined || tries >= TRIES) return;
  ctx.send({ service: EXECUTION, handler: "event", key: ctx.key }, { ...event, tries: tries + 1 }, FIRST_DELAY * 2 ** tries);
}

/** Returns why a message is refused; undefined if it is accepted. */
function refusal({ id, status }: ExecutionRecord, stands: boolean, { type }: ExecutionEvent): EventAnswer["refused"] {
  if (type === "migrate" && status !== "RUNNING")
    return ["NOT_MIGRATABLE", `${id} is not running any more: only running executions can be migrated`];
  if (type === "signal" && status !== "RUNNING") return ["NOT_RUNNING", `the execution ${id} has ended: it takes no signals`];
  if (type !== "redrive") return undefined;
  if (status === "RUNNING" || status === "SUCCEEDED") return ["NOT_REDRIVABLE", `Execution is ${status} and cannot be redriven`];
  if (!stands) return ["NOT_REDRIVABLE", "Execution history event limit exceeded, the execution cannot be redriven"];
  return undefined;
}

/** Returns the task that started an execution, if one did. */
function startingTask({ parent, continued }: Pick<StartRequest, "parent" | "continued">): { arn: string; task: number } | undefined {
  return parent ?? (continued && { arn: continued.from, task: continued.task });
}

function tellStarted(ctx: ObjectContext, request: StartRequest, answer: StartAnswer): void {
  const asker = startingTask(request);
  if (asker === undefined) return;
  const { arn, task } = asker;
  ctx.send({ service: EXECUTION, handler: "event", key: arn }, { type: "started", task, arn: ctx.key, answer });
}
