// Runs the executions of a store: starts them, unloads them from memory while they wait, and loads them again.

import type { Clock, Frame, MapRunChange } from "../../core/api/index.d.ts";
import type { BatchResult, ExecutionOwner, ExecutionRecord, Store, StoredExecution } from "../../core/api/durable.d.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import { codeOf, messageOf, misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";
import { randomKey, randomUuid, seedOf } from "../../core/base/random.ts";
import type { Driver, Outcome } from "../../core/driver/driver.ts";
import type { Unhandled } from "../../core/driver/journal.ts";
import { later, untilLater } from "../../core/driver/scheduler.ts";
import type { ExecutionInfo } from "../../core/execution/execution.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { StoreConflict } from "../store/errors.ts";
import { keyOf } from "../store/shards.ts";
import { Committer, type WriteFailure } from "./committer.ts";
import { type HistoryPage, ownHistory } from "./history-pages.ts";
import { ExecutionJournal, type JournalStart } from "./journal.ts";
import { Live, type LiveEvents, changeOf, settle } from "./live.ts";
import { type Diverged, type Remade, divergence, factsOf, isNote, remade } from "./replay.ts";
import type { Metrics } from "./metrics.ts";
import { RUN_BY, type RunBy, runBy } from "./ownership.ts";
import type { Program } from "./programs.ts";
import { Waker } from "./waker.ts";

// LOADS is the number of executions that are loaded at a time. AGAIN is the delay, in milliseconds, before a failed load is
// repeated.
const LOADS = 32;
const AGAIN = 1000;

/** Remote methods that change no execution. They may also be called for executions that another kind of host runs. */
const READS: ReadonlySet<string> = new Set(["history", "frames", "signals"]);

/** The dependencies and callbacks of a host. */
export interface HostOptions {
  store: Store;
  clock: Clock;
  /** The kind of this host. It does not change executions that another kind of host runs. */
  kind: RunBy;
  /** Returns the program of an execution. If this rejects, the execution is suspended. */
  program(record: ExecutionRecord): Promise<Program> | Program;
  /** Maximum number of waiting executions that stay in memory. */
  resident: number;
  /** Applies a note to `live.state`: after the note was stored, and again when a restart reads it. */
  onNote?(live: Noted, name: string, details: unknown[], at: number): void;
  /** A task was cancelled before it ended. */
  onCancelled?(live: Live, task: number): void;
  /** Called before a snapshot of `live.state` is made. */
  onSnapshot?(live: Live): void;
  /** A new execution is in the store, together with its first steps. Their callbacks come after this one. */
  onBegun?(record: ExecutionRecord): void;
  /** An execution has ended, and its end is in the store. */
  onEnd?(record: ExecutionRecord): void;
  /** An execution was suspended. Its record has the reason. */
  onSuspended?(record: ExecutionRecord, why: string): void;
  /** A write has failed and will be retried. */
  onWriteFailure?(failure: WriteFailure): void;
  /** Returns further remote methods. `at` calls them by name, in this process or in the one that owns the execution. */
  remoteMethods?(): RemoteMethods;
  /** In a shared store, the set of executions that this process owns has changed. */
  onShared?(): void;
  /** Executions have ended in other processes. */
  onEndedElsewhere?(ids: readonly string[]): void;
  /** Another process has changed a document. */
  onChanged?(collection: string, key?: string): void;
}

/** Options of {@link Host.open}. */
export interface OpenOptions {
  /** No execution is resumed by itself. */
  standby?: boolean;
  /** The store is only read. Another process may write to it. */
  reads?: boolean;
}

/** Methods on executions that another process can call, by name. */
export type RemoteMethods = Readonly<Record<string, (...args: any[]) => Promise<unknown>>>;

/** The state that notes are applied to: that of an execution in memory, or of one that is only read. */
export interface Noted {
  state: Record<string, unknown>;
}

/** The arguments of {@link Host.start}. */
interface NewExecution {
  record: ExecutionRecord;
  program: Program;
  /** The names in the execution's Context Object. */
  info: ExecutionInfo;
  /** A seed makes everything random repeatable. */
  seed?: number | bigint | undefined;
  continues?: Continues | undefined;
}

/** The execution that a new one continues. The new one starts in the same write in which that one ends. */
export interface Continues {
  live: Live;
  /** The new execution is ready to be written, so the previous one has to end now. */
  ready(record: ExecutionRecord): void;
}

/** The result of a start. If `outcome` is `exists`, `record` is the one that existed before. */
export interface Started {
  outcome: "created" | "exists";
  record: ExecutionRecord;
  live?: Live;
}

/** The result of {@link Host.peek}. */
interface Peek {
  record: ExecutionRecord;
  frames: Frame[];
  state: Record<string, unknown>;
}

export class Host {
  readonly #options: HostOptions;
  readonly store: Store;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly #waker: Waker;
  readonly #live = new Map<string, Live>();
  /** Executions that are being created. The store may already have one with the same name. */
  readonly #creating = new Map<string, Live>();
  readonly #loading = new Map<string, Promise<Live | undefined>>();
  /** Executions that are being suspended because this process lacks a handler that they need. */
  readonly #leaving = new Map<string, { live: Live; left: Promise<void> }>();
  /** Rejects the promises of {@link Host.settled}, by execution, when the execution is suspended or the host is closed. */
  readonly #impatient = new Map<string, Set<(reason: Error) => void>>();
  /** Waiting executions in memory. The first one has waited the longest. */
  readonly #resting = new Set<Live>();
  /** Resolves the promises of {@link Host.ended}, by execution. */
  readonly #ends = new Map<string, ((record: ExecutionRecord) => void)[]>();
  // Executions that are due, how many of them were taken from the list, and how many loops are loading them.
  #wakes: string[] = [];
  #woken = 0;
  #waking = 0;
  #restored!: () => void;
  /** Resolves when all executions that were due when the store was opened have been loaded. */
  readonly restored = new Promise<void>((resolve) => (this.#restored = resolve));
  #isOpen = false;
  /** Whether no execution is resumed by itself. Then executions of every kind of host can be changed. */
  #isStandby = false;
  /** Whether the store is only read. Then no execution is loaded into memory. */
  #isReader = false;
  #openedAt = -Infinity;
  /** The name of this process. */
  #owner = "";
  /** In a shared store: running executions that were in memory here since this process last lost a share of the store. */
  readonly #mine = new Set<string>();

  constructor(options: HostOptions) {
    this.#options = options;
    this.store = options.store;
    this.clock = options.clock;
    this.committer = new Committer(options.store, (failure) => options.onWriteFailure?.(failure));
    this.#waker = new Waker(options.clock, options.store, {
      wake: (id) => this.#wake(id),
      failed: (error) => options.onWriteFailure?.(thrownOf(error)),
    });
  }

  get metrics(): Metrics {
    return this.committer.metrics;
  }

  /** The number of executions in memory. */
  get resident(): number {
    return this.#live.size;
  }

  /**
   * Opens the store and resumes its executions. Resolves when those that were due have been scheduled to load (see `restored`).
   * With `standby`, no execution is resumed by itself: this is for callers that inspect, stop or redrive executions and leave the
   * rest to another process.
   */
  async open(owner = `stepglass-${randomUuid()}`, { standby = false, reads = false }: OpenOptions = {}): Promise<void> {
    const begun = performance.now();
    this.#owner = owner;
    await this.store.open({ owner });
    this.#isOpen = true;
    this.#isStandby = standby;
    this.#isReader = reads;
    this.#openedAt = this.clock.now();
    if (!standby) await this.#waker.open();
    if (this.#waking === 0) this.#restored();
    this.#share();
    this.metrics.recoverySeconds = (performance.now() - begun) / 1000;
  }

  /** Gives running handlers `grace` milliseconds to answer, writes what is not stored yet, and closes the store. No execution ends. */
  async close(grace = 0): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#waker.close();
    await Promise.all(this.#loading.values());
    const until = this.clock.now() + grace;
    while (grace > 0 && [...this.#live.values()].some((live) => live.driver.atWork) && this.clock.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const live of this.#live.values()) live.journal.compact();
    this.committer.close();
    await this.committer.idle();
    for (const live of [...this.#live.values(), ...this.#creating.values()]) this.#drop(live, closed());
    for (const { live } of this.#leaving.values()) live.journal.abandon(closed());
    for (const id of [...this.#impatient.keys()]) this.#quit(id, closed());
    await this.store.close();
  }

  /**
   * Starts an execution. Resolves when its record is in the store. A start with the name and the input of an execution returns that
   * one.
   */
  async start({ record: given, program, info, seed, continues }: NewExecution): Promise<Started> {
    this.#checkOpen();
    const record = { ...given, ...this.#near(given) };
    // A continuation is written with the end of the previous execution and cannot be refused then, so its name is checked first.
    const there = continues && (await this.record(record.id));
    if (there !== undefined) return { outcome: "exists", record: there };
    const known = this.#live.get(record.id) ?? this.#creating.get(record.id);
    if (known !== undefined) return this.#known(known);
    const at = this.clock.now();
    const start = { id: record.id, at, version: 0, create: record, events: 0, factsLength: 0, snapshotLength: 0, wakeAt: null };
    const engine = StateMachine.engine(program.machine, program.options);
    const live = this.#enter(record, program, engine, info, start);
    // Without a seed, the task tokens get a random key, so that nobody can compute them from what the execution shows.
    const names = seed === undefined ? { ...info, tokenKey: randomKey() } : info;
    if (continues !== undefined) {
      live.journal.hold(continues.live.id);
      continues.live.next = live;
    }
    live.driver.begin([["start", record.input, names, seedOf(seed)]]);
    continues?.ready(record);
    const refused = await live.created;
    return refused === undefined ? { outcome: "created", record: live.record, live } : refusal(refused);
  }

  /** Answers the start of an execution that is in memory. That one may still be being created, and the store may refuse it. */
  async #known(live: Live): Promise<Started> {
    const refused = live.journal.version === 0 ? await live.created : undefined;
    if (refused !== undefined) return refusal(refused);
    await live.journal.flushed();
    return { outcome: "exists", record: live.record };
  }

  /**
   * Calls a remote method on an execution, in the process that owns it. The arguments and the answer are JSON. If that process ends
   * during the call, the next owner is called again.
   */
  async at(id: string, name: string, args: readonly unknown[]): Promise<any> {
    const { sharing } = this.store;
    if (!READS.has(name) && !this.#live.has(id)) await this.#checkOurs(id);
    const here = this.#remoteMethod(name);
    if (sharing === undefined) return here(...args);
    const key = await this.#keyOf(id);
    if (sharing.has(key)) {
      try {
        return await here(...args);
      } catch (thrown) {
        // Another process has taken over the execution, and nothing of this call was written.
        if (!(thrown instanceof StoreConflict)) throw thrown;
      }
    }
    return sharing.ask(key, name, args);
  }

  #remoteMethod(name: string): (...args: readonly any[]) => Promise<unknown> {
    const builtin: RemoteMethods = {
      stop: (id: string, error?: string, cause?: string) => this.stop(id, error, cause),
      redrive: async (id: string) => void (await this.redrive(id)),
      resume: (id: string) => this.resume(id),
      history: (id: string, page: HistoryPage) => ownHistory(this, id, page),
      updateMapRun: async (id: string, arn: string, limits: MapRunChange) => {
        const live = await this.take(id);
        if (live === undefined) return;
        live.execution.updateMapRun(arn, limits);
        live.watcher?.limited(arn, limits);
        await settle(live);
      },
      frames: async (id: string) => (await this.take(id))?.driver.frames() ?? [],
    };
    const method = this.#options.remoteMethods?.()[name] ?? builtin[name];
    if (method === undefined) throw new TypeError(`there is no remote method ${name}`);
    return method;
  }

  /** The time at which this process opened the store. Executions from before may need a handler that this process does not have. */
  get openedAt(): number {
    return this.#openedAt;
  }

  /** Checks again whether executions that lack a handler can continue. */
  retry(): void {
    void this.#waker.again();
  }

  /** Returns whether another kind of host runs an execution. */
  isForeign(record: ExecutionRecord): boolean {
    return !this.#isStandby && runBy(record) !== this.#options.kind;
  }

  async #checkOurs(id: string): Promise<void> {
    const record = await this.record(id);
    if (record === undefined || !this.isForeign(record)) return;
    const why = `${id} is run by ${RUN_BY[runBy(record)]}, which shares this store: only that can change it`;
    throw misuse("EXECUTION_ELSEWHERE", why, Error);
  }

  /** Returns the key that decides which process of a shared store owns `id`. If `id` is no execution, it is the key itself. */
  async #keyOf(id: string): Promise<string> {
    return keyOf(this.#live.get(id)?.record ?? (await this.record(id)) ?? { id });
  }

  /** Returns the process that runs an execution. */
  async ownerOf(id: string): Promise<ExecutionOwner> {
    this.#checkOpen();
    const record = await this.record(id);
    if (record === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${id}`, RangeError);
    const isHere = this.has(record) && !this.isForeign(record);
    const owner = isHere ? this.#owner : await this.store.sharing?.ownerOf?.(keyOf(record));
    return { ...(owner !== undefined && { owner }), isHere };
  }

  /** Returns whether this process owns an execution. */
  has(record: Pick<ExecutionRecord, "id" | "near">): boolean {
    return this.store.sharing?.has(keyOf(record)) ?? true;
  }

  /** Subscribes to the other processes of a shared store. */
  #share(): void {
    this.store.sharing?.listen({
      gained: () => {
        void this.#waker.again();
        for (const id of this.#ends.keys()) void this.#endedElsewhere(id);
        this.#options.onShared?.();
      },
      lost: (has) => {
        for (const live of [...this.#live.values()])
          if (!has(keyOf(live.record))) this.#drop(live, new StoreConflict(`another process continues ${live.id}`));
        this.#mine.clear();
        for (const id of this.#live.keys()) this.#mine.add(id);
        this.#options.onShared?.();
      },
      due: (id, wakeAt) => this.#waker.add(id, wakeAt),
      ended: (ids) => {
        for (const id of ids) if (this.#ends.has(id)) void this.#endedElsewhere(id);
        this.#options.onEndedElsewhere?.(ids);
      },
      changed: (collection, key) => this.#options.onChanged?.(collection, key),
      isBusy: (of) => [...this.#live.values()].some((live) => of(keyOf(live.record)) && live.driver.atWork),
      asked: async (name, args) => this.#remoteMethod(name)(...args.map((arg: unknown) => arg ?? undefined)),
    });
  }

  /** Resolves the waiters for the end of an execution if it has ended in another process. */
  async #endedElsewhere(id: string): Promise<void> {
    if (this.#live.has(id)) return;
    const record = await this.record(id).catch(() => undefined);
    if (record !== undefined && record.status !== "RUNNING") this.#settleEnds(record);
  }

  /** Returns the execution with this id if it is in memory. */
  find(id: string): Live | undefined {
    return this.#live.get(id);
  }

  /** All executions in memory. */
  get all(): Iterable<Live> {
    return this.#live.values();
  }

  /** Returns the running execution with this id and loads it if necessary. `isDue`: it is loaded by its timer and not by a request. */
  async take(id: string, isDue = false): Promise<Live | undefined> {
    await (this.#creating.get(id)?.created ?? this.#leaving.get(id)?.left);
    const live = this.#live.get(id);
    if (live !== undefined) {
      // It stays in memory while the caller uses it.
      this.#resting.delete(live);
      later(() => this.#rest(live));
      return live;
    }
    this.#checkOpen();
    if (this.#isReader) return undefined;
    const known = this.#loading.get(id);
    if (known !== undefined) return known;
    const loading = this.#load(id, isDue).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /**
   * Returns the call of a task token and its execution, which is loaded if necessary. An execution that resumes after a crash calls
   * its tasks again in a later turn. This waits for those calls, so tokens from before the crash stay valid.
   */
  async callOf(id: string, token: string): Promise<{ live?: Live | undefined; call?: ReturnType<Driver["findCall"]> }> {
    for (;;) {
      const live = await this.take(id);
      const call = live?.driver.findCall(token);
      if (call !== undefined || !live?.driver.hasCallsToMake) return { live, call };
      await untilLater();
    }
  }

  /** Resolves to the record of an execution when it has ended, or to undefined if the execution does not exist. */
  async ended(id: string): Promise<ExecutionRecord | undefined> {
    const waiting = this.#ends.get(id) ?? [];
    this.#ends.set(id, waiting);
    let resolveEnd!: (record: ExecutionRecord) => void;
    const end = new Promise<ExecutionRecord>((resolve) => (resolveEnd = resolve));
    waiting.push(resolveEnd);
    if (this.#live.has(id)) return end;
    const record = await this.record(id);
    if (record?.status === "RUNNING") return end;
    waiting.splice(waiting.indexOf(resolveEnd), 1);
    if (waiting.length === 0 && this.#ends.get(id) === waiting) this.#ends.delete(id);
    return record;
  }

  /**
   * As `ended`, but rejects with RUNTIME_CLOSED when the host is closed and, unless `patient`, with EXECUTION_SUSPENDED when the
   * execution is suspended.
   */
  async settled(id: string, { patient = false }: { patient?: boolean } = {}): Promise<ExecutionRecord | undefined> {
    if (!this.#isOpen) throw closed();
    const waiting = this.#impatient.get(id) ?? new Set();
    this.#impatient.set(id, waiting);
    let quit!: (reason: Error) => void;
    const quitting = new Promise<never>((_, reject) => {
      quit = (reason) => {
        if (!patient || codeOf(reason) !== "EXECUTION_SUSPENDED") reject(reason);
      };
    });
    waiting.add(quit);
    const looking = this.record(id).then((record) => {
      if (record?.status === "RUNNING" && record.suspended !== undefined) quit(suspension(record));
    });
    try {
      return await Promise.race([this.ended(id), quitting, looking.then(() => quitting)]);
    } finally {
      waiting.delete(quit);
      if (waiting.size === 0 && this.#impatient.get(id) === waiting) this.#impatient.delete(id);
    }
  }

  #quit(id: string, reason: Error): void {
    for (const quit of [...(this.#impatient.get(id) ?? [])]) quit(reason);
  }

  /** Returns the stored record of an execution. The id comes from the callers of a runtime, so it may be anything. */
  async record(id: string): Promise<ExecutionRecord | undefined> {
    if (typeof id !== "string") throw misuse("INVALID_ARGUMENT", `an execution is named by its ARN, which is a text, not ${shown(id)}`);
    return this.store.get(id);
  }

  /** Stops an execution. Resolves when its end is in the store. */
  async stop(id: string, error?: string, cause?: string): Promise<void> {
    const live = await this.take(id);
    if (live === undefined) return this.abortSuspended(id, error, cause);
    live.post("stop", error, cause);
    await settle(live);
  }

  /** Ends a suspended execution as ABORTED, without an event in its history. */
  async abortSuspended(id: string, error?: string, cause?: string): Promise<void> {
    const record = await this.record(id);
    if (record?.status !== "RUNNING" || record.suspended === undefined) return;
    const change = { status: "ABORTED" as const, stopDate: this.clock.now(), error, cause };
    const [result] = await this.store.write([changeOf(record, change)]);
    if (result?.ok === false) throw result.error;
    this.#tellEnd({ ...record, ...change });
  }

  /** Resumes a suspended execution. Throws EXECUTION_SUSPENDED if it still cannot continue. */
  async resume(id: string): Promise<void> {
    this.#checkOpen();
    const record = await this.record(id);
    if (record === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${id}`, RangeError);
    if (record.status !== "RUNNING" || record.suspended === undefined) return;
    const [result] = await this.store.write([{ ...changeOf(record, { suspended: undefined }), wakeAt: 0 }]);
    if (result?.ok === false) throw result.error;
    await this.take(id);
    const { suspended } = ((await this.record(id)) ?? {}) as { suspended?: { reason: string } };
    if (suspended !== undefined) throw misuse("EXECUTION_SUSPENDED", `${id} still cannot continue: ${suspended.reason}`, Error);
  }

  /**
   * Makes a running execution continue from another snapshot of its engine. `make` is called when the engine has been fed all
   * facts. If it throws, nothing has changed. Returns false if the execution has ended.
   */
  async move(id: string, make: (live: Live) => { engine: string; change: Partial<ExecutionRecord> }): Promise<boolean> {
    let live = await this.take(id);
    while (live !== undefined && this.#live.get(id) !== live) live = await this.take(id);
    if (live === undefined) return false;
    // From here on, other callers wait for the execution as if it were being loaded.
    this.#live.delete(id);
    this.#resting.delete(live);
    const moving = this.#move(live, make);
    const loading = moving.catch(() => this.#back(live)).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return (await moving) !== undefined;
  }

  async #move(live: Live, make: Parameters<Host["move"]>[1]): Promise<Live | undefined> {
    // Callers that took the execution in this turn can still post to it.
    do await untilLater();
    while (!live.driver.isFed && !live.hasLeft);
    const { engine, change } = make(live);
    live.journal.move(engine, change);
    live.quit(new Error("the execution continues with another definition"));
    await live.journal.flushed();
    return this.#load(live.id);
  }

  /** Puts an execution back into memory after its move has failed. */
  #back(live: Live): Live | undefined {
    if (live.hasLeft || live.status !== "RUNNING") return undefined;
    this.#live.set(live.id, live);
    this.#rest(live);
    return live;
  }

  /**
   * Restores the engine of an execution outside of the host's memory, with the facts it was restored from. Throws if that is
   * impossible.
   */
  async examine(id: string): Promise<Remade> {
    const stored = await this.store.load(id);
    if (stored === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${id}`, RangeError);
    return this.remake(stored);
  }

  /** As `examine`, for an execution that was read from the store already. */
  async remake(stored: StoredExecution): Promise<Remade> {
    return remade(stored, await this.#options.program(stored.record));
  }

  /** Redrives an execution that has not succeeded, and changes its record further. Throws NOT_REDRIVABLE. */
  async redrive(id: string, more: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
    this.#checkOpen();
    for (let busy; (busy = this.#loading.get(id) ?? this.#ending(id)) !== undefined;) await busy.catch(() => undefined);
    // Of two concurrent requests, the second one finds the execution of the first.
    if (this.#live.has(id)) throw misuse("NOT_REDRIVABLE", "Execution is RUNNING and cannot be redriven");
    const redriving = this.#redrive(id, more).finally(() => this.#loading.delete(id));
    this.#loading.set(
      id,
      redriving.catch(() => undefined),
    );
    const live = await redriving;
    await live.journal.flushed();
    return live.record;
  }

  /** Resolves when an execution that is ending has left memory. Its record may already say that it has ended. */
  #ending(id: string): Promise<unknown> | undefined {
    const live = this.#live.get(id);
    // The driver finishes in the turn after the write.
    return live?.journal.isEnding === true ? live.journal.flushed().then(untilLater, untilLater) : undefined;
  }

  /** Returns the frames of an execution and the state that its notes make, without loading it into memory. */
  async peek(id: string): Promise<Peek | undefined> {
    const live = this.#live.get(id);
    if (live !== undefined) {
      await live.journal.flushed();
      return { record: (await this.record(id)) ?? live.record, frames: live.driver.frames(), state: live.state };
    }
    const stored = await this.store.load(id);
    if (stored === undefined) return undefined;
    const { record } = stored;
    const { standing, facts } = factsOf(stored);
    const noted: Noted = { state: (standing?.notes ?? {}) as Record<string, unknown> };
    for (const { fact, at } of facts) if (isNote(fact)) this.#options.onNote?.(noted, fact[1], fact.slice(2), at);
    if (record.status !== "RUNNING" || record.suspended !== undefined) return { record, frames: [], state: noted.state };
    const { engine } = await this.remake(stored);
    try {
      return { record, frames: JSON.parse(engine.ask("frames")), state: noted.state };
    } finally {
      engine.discard();
    }
  }

  async #redrive(id: string, more: Partial<ExecutionRecord>): Promise<Live> {
    const stored = await this.store.load(id);
    if (stored === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${id}`);
    const { record } = stored;
    if (record.mapRunArn !== undefined)
      throw misuse("NOT_REDRIVABLE", `${id} is a child execution of a Map Run: redrive the execution that the Map Run is part of`);
    if (record.status === "RUNNING" || record.status === "SUCCEEDED")
      throw misuse("NOT_REDRIVABLE", `Execution is ${record.status} and cannot be redriven`);
    if (stored.snapshot === undefined)
      throw misuse("NOT_REDRIVABLE", "Execution history event limit exceeded, the execution cannot be redriven");
    const { live } = await this.#restore(stored);
    const change = {
      status: "RUNNING" as const,
      redriveCount: Number(record.redriveCount ?? 0) + 1,
      redriveDate: this.clock.now(),
      ...{ stopDate: undefined, output: undefined, error: undefined, cause: undefined, redrivable: undefined, cancelRequested: undefined },
      ...more,
    };
    live.record = { ...live.record, ...change };
    live.journal.change(change);
    try {
      live.driver.redrive();
    } catch (thrown) {
      this.#drop(live, thrown);
      throw thrown;
    }
    return live;
  }

  /** Removes executions from the store. Running ones are dropped from memory without an end. */
  async prune(what: Parameters<Store["prune"]>[0]): Promise<string[]> {
    for (const id of what.ids ?? []) {
      const live = this.#live.get(id);
      if (live !== undefined) this.#drop(live, new Error("the execution was removed"));
    }
    return this.store.prune(what);
  }

  // ------------------------------------------------------------------------------------------------------ private

  #checkOpen(): void {
    if (!this.#isOpen) throw misuse("NOT_OPEN", "the runtime is not open: await runtime.open() first");
  }

  async #load(id: string, isDue = false): Promise<Live | undefined> {
    const stored = await this.store.load(id).catch((thrown: unknown) => this.#damaged(id, thrown));
    if (stored === undefined || stored.record.status !== "RUNNING") return undefined;
    const suspended = stored.record.suspended as Suspended | undefined;
    if (suspended !== undefined && suspended.missing === undefined) return undefined;
    if (!this.has(stored.record) || this.isForeign(stored.record)) return undefined;
    const away = this.store.sharing !== undefined && !this.#mine.has(id);
    try {
      const { live, lastAt } = await this.#restore(stored);
      const unhandled = live.driver.unhandled();
      if (unhandled !== undefined) return void (await this.#unhandled(live, unhandled, isDue));
      if (suspended !== undefined) void live.change({ suspended: undefined });
      // An execution that was only unloaded has missed nothing, so its timers get no extra time.
      live.driver.recover(away || suspended !== undefined || lastAt < this.#openedAt);
      return live;
    } catch (thrown) {
      if (isFailure(thrown)) throw thrown;
      await this.#suspend(stored.record, messageOf(thrown), divergence(thrown));
      return undefined;
    }
  }

  /** Suspends a damaged execution, so that the others can continue. */
  async #damaged(id: string, thrown: unknown): Promise<undefined> {
    if (isFailure(thrown)) throw thrown;
    const record = await this.store.get(id).catch(() => undefined);
    if (record !== undefined) await this.#suspend(record, messageOf(thrown));
    return undefined;
  }

  /** Suspends an execution: its record gets `suspended`. Removing that member lets it continue. */
  async #suspend(record: ExecutionRecord, why: string, diverged?: Diverged): Promise<void> {
    const suspended: Suspended = { reason: why, at: this.clock.now(), ...(diverged !== undefined && { diverged }) };
    const [result] = await this.store.write([{ ...changeOf(record, { suspended }), wakeAt: null }]).catch(() => []);
    if (result?.ok !== false) this.#tellSuspended({ ...record, suspended });
  }

  #tellSuspended(record: ExecutionRecord): void {
    this.metrics.suspended += 1;
    this.#options.onSuspended?.(record, (record.suspended as Suspended).reason);
    this.#quit(record.id, suspension(record));
  }

  /**
   * Suspends an execution that lacks a handler. It stays due, so that the next process that opens the store checks whether it has
   * the handler. An execution that was suspended for this handler already keeps its record; if it was loaded by its timer
   * (`isDue`), the suspension is reported again.
   */
  async #unhandled(live: Live, { state, resource, cause }: Unhandled, isDue: boolean): Promise<void> {
    const { id, record } = live;
    const before = record.suspended as Suspended | undefined;
    const missing = { state, resource };
    const isKnown = before?.missing?.state === state && before.missing.resource === resource;
    const suspended: Suspended = { reason: cause, at: isKnown ? before.at : this.clock.now(), missing };
    live.record = { ...record, suspended };
    if (isKnown) {
      this.#drop(live, suspension(live.record));
      if (isDue) this.#tellSuspended(live.record);
      return;
    }
    this.#forget(live);
    live.journal.suspend({ suspended });
    live.quit(suspension(live.record));
    // A refused write means that another process owns the execution, which was reported already.
    const left = live.journal.flushed().then(
      () => this.#tellSuspended(live.record),
      () => {},
    );
    this.#leaving.set(id, { live, left });
    await left.finally(() => this.#leaving.delete(id));
  }

  /** Restores an execution from its snapshot and its facts. Throws if the replay diverges. */
  async #restore(stored: StoredExecution): Promise<{ live: Live; lastAt: number }> {
    const { record, snapshot, journal, events, wakeAt } = stored;
    const program = await this.#options.program(record);
    const { engine, facts, names, standing, lastAt } = remade(stored, program);
    // If there is a snapshot, the engine has the other names from it.
    const info = names ?? { name: record.name, arn: record.id };
    const length = journal.reduce((sum, text) => sum + text.length, 0);
    const live = this.#enter(record, program, engine, info, {
      id: record.id,
      at: lastAt,
      version: record.version ?? 0,
      events,
      factsLength: length,
      snapshotLength: snapshot?.length ?? 0,
      wakeAt,
    });
    live.before = standing?.events ?? 0;
    if (standing !== undefined) live.state = standing.notes as Record<string, unknown>;
    for (const { fact, at } of facts) if (isNote(fact)) this.#options.onNote?.(live, fact[1], fact.slice(2), at);
    program.watcher?.restored(live);
    return { live, lastAt };
  }

  /** Adds an execution to those in memory. */
  #enter(record: ExecutionRecord, program: Program, engine: HistoryEngine, info: ExecutionInfo, start: JournalStart): Live {
    const { machine, handlers, options } = program;
    const events: LiveEvents = {
      onLost: (lost, why) => this.#lost(lost, why),
      onUnhandled: (waits, task) => void this.#unhandled(waits, task, false),
      onBegun: (begun) => this.#begun(begun),
      onStored: (live) => this.#rest(live),
      onCancelled: this.#options.onCancelled,
      onSnapshot: this.#options.onSnapshot,
    };
    const live = new Live(record, engine, machine.type === "EXPRESS", () => this.clock.now(), events, program.watcher);
    live.journal = new ExecutionJournal(this.committer, live, start);
    live.execution = StateMachine.durable(machine, engine, {
      handlers,
      clock: this.clock,
      options,
      info,
      seed: 0n,
      journal: live.journal,
      onFinish: (outcome) => this.#finished(live, outcome),
    });
    live.machine = machine;
    live.driver.beats = live.beats;
    (start.create === undefined ? this.#live : this.#creating).set(record.id, live);
    if (this.store.sharing !== undefined) this.#mine.add(record.id);
    return live;
  }

  #begun(live: Live): void {
    this.#creating.delete(live.id);
    this.#options.onBegun?.(live.record);
    // If another process owns it and it has not ended at once, that process loads it.
    if (!this.has(live.record) && !live.journal.isEnding) this.#drop(live, new StoreConflict(`another process has ${live.id}`));
    else this.#live.set(live.id, live);
  }

  /** Removes an execution from memory. */
  #forget(live: Live): void {
    for (const lives of [this.#live, this.#creating]) if (lives.get(live.id) === live) lives.delete(live.id);
    this.#resting.delete(live);
  }

  /**
   * Returns where a shared store places an execution: with its parent or predecessor, or, for an Express execution, with this
   * process.
   */
  #near({ parent, continued, type }: ExecutionRecord): { near?: string } {
    const { sharing } = this.store;
    if (sharing === undefined) return {};
    const before = (parent as { arn?: string } | undefined)?.arn ?? (continued as { from?: string } | undefined)?.from;
    const near = before === undefined ? type === "EXPRESS" && sharing.ownKey() : keyOf(this.#live.get(before)?.record ?? { id: before });
    return typeof near === "string" ? { near } : {};
  }

  #finished(live: Live, _outcome: Outcome): void {
    this.#forget(live);
    live.engine.discard();
    this.#tellEnd(live.record);
  }

  #tellEnd(record: ExecutionRecord): void {
    this.metrics.hasEnded(record.status);
    this.#mine.delete(record.id);
    this.#options.onEnd?.(record);
    this.#settleEnds(record);
  }

  #settleEnds(record: ExecutionRecord): void {
    const waiting = this.#ends.get(record.id) ?? [];
    this.#ends.delete(record.id);
    for (const resolve of waiting) resolve(record);
  }

  #lost(live: Live, why: BatchResult | string): void {
    this.#forget(live);
    const { version } = live.journal;
    if (typeof why === "string") void this.#suspend({ ...live.record, version }, why);
    else if (version > 0 && !why.ok) {
      // Another process has written to the execution, so it is loaded again from the store.
      if (why.error instanceof StoreConflict) this.#waker.add(live.id, this.clock.now() + AGAIN);
      else void this.#suspend({ ...live.record, version }, messageOf(why.error));
    }
  }

  #drop(live: Live, reason: unknown): void {
    this.#forget(live);
    live.leave(reason);
  }

  /** Called when all facts of an execution are stored. Unloads the longest-waiting executions if more than `resident` of them wait. */
  #rest(live: Live): void {
    if (this.#live.get(live.id) !== live || !live.driver.isAtRest) return void this.#resting.delete(live);
    this.#resting.delete(live);
    this.#resting.add(live);
    for (const longest of this.#resting) {
      if (this.#resting.size <= this.#options.resident) break;
      this.#resting.delete(longest);
      if (!longest.driver.isAtRest) continue;
      const wakeAt = longest.driver.restsUntil;
      this.#drop(longest, new Error("the execution has left the memory"));
      if (wakeAt !== null) this.#waker.add(longest.id, wakeAt);
    }
  }

  /** Loads an execution that is due. At most LOADS are loaded at a time, because a long pause can make very many due at once. */
  #wake(id: string): void {
    this.#wakes.push(id);
    if (this.#waking < LOADS) void this.#wakeNext();
  }

  async #wakeNext(): Promise<void> {
    this.#waking += 1;
    while (this.#isOpen && this.#woken < this.#wakes.length) {
      const id = this.#wakes[this.#woken++] as string;
      if (this.#live.has(id)) continue;
      await this.take(id, true).catch((thrown: unknown) => {
        this.#options.onWriteFailure?.({ error: thrown, failures: 1, retriesIn: AGAIN });
        this.#waker.add(id, this.clock.now() + AGAIN);
      });
      // Its first steps are made before the next execution is loaded.
      await untilLater();
    }
    this.#waking -= 1;
    if (this.#waking > 0) return;
    this.#restored();
    this.#wakes = [];
    this.#woken = 0;
  }
}

/** Why an execution is suspended: the member `suspended` of its record. */
export interface Suspended {
  reason: string;
  /** The time of the suspension, in milliseconds since 1970. */
  at: number;
  diverged?: Diverged;
  /** The task whose handler is missing. */
  missing?: { state: string; resource: string };
}

function suspension({ id, suspended }: ExecutionRecord): Error {
  return misuse("EXECUTION_SUSPENDED", `${id} is suspended: ${(suspended as Suspended).reason}`, Error);
}

/** The error with which pending calls reject when the host is closed. */
function closed(): Error {
  return misuse("RUNTIME_CLOSED", "the runtime was closed", Error);
}

/** Turns a refused start into its result: the execution that exists, or a thrown error. */
function refusal(refused: BatchResult): Started {
  if (!refused.ok && refused.record !== undefined) return { outcome: "exists", record: refused.record };
  throw refused.ok ? new StoreConflict("the execution was not created") : refused.error;
}

/** Returns whether the store itself has failed, and not the stored data. Another attempt may succeed. */
function isFailure(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === "StoreError" && code !== "STORE_DAMAGED";
}

function thrownOf(error: unknown): WriteFailure {
  return { error, failures: 1, retriesIn: 0 };
}
