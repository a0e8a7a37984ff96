// Schedules that start executions. They are documents in the store, so they survive a restart of the process, as executions do.

import type { Clock } from "../../core/api/index.d.ts";
import type { ExecutionRecord, ScheduleDescription, ScheduleOptions, Store } from "../../core/api/durable.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { milliseconds } from "../../core/base/duration.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { Alarm } from "../../core/driver/clock.ts";
import { Cron } from "./cron.ts";

const OPTIONS = ["machine", "input", "cron", "every", "timezone", "overlap", "catchUp", "tags", "attributes"];
const OVERLAPS = ["skip", "allow", "buffer"];
const POLICIES = ["one", "all", "none"];
// A start that is more than this many milliseconds late counts as missed: the process was not running, or the machine was
// suspended.
const LATE = 60_000;
// Maximum number of missed starts that are made up for.
const MOST = 1000;
// The last part of the missed time, in milliseconds, that is searched first for missed starts.
const FIRST_LOOK = 3_600_000;
const COLLECTION = "schedule";
/** The id of the schedules in a shared store. The process that owns this id runs the schedules. */
export const SCHEDULES = "stepglass:schedules";

/** A schedule as it is stored. */
export interface Document extends Omit<ScheduleOptions, "every"> {
  /** The interval, in milliseconds. */
  every?: number;
  created: number;
  /** The time of the next start; null if there is none. */
  next: number | null;
  /** The last execution that the schedule has started, and the time for which it was started. */
  last?: { arn: string; at: number };
  /** The time of a start that waits until the last execution has ended. */
  buffered?: number;
  /** Why the last start failed. */
  problem?: string;
}

/** Returns the options of a start by which lists filter. */
export function listedAs({ tags, attributes }: Pick<Document, "tags" | "attributes">): Pick<Document, "tags" | "attributes"> {
  return { ...(tags !== undefined && { tags }), ...(attributes !== undefined && { attributes }) };
}

/** When a schedule starts executions, and of which machine. */
type Rules = Omit<Document, "created" | "next">;

/** The parts of the runtime that schedules use. */
export interface Starter {
  readonly store: Store;
  readonly clock: Clock;
  /** Starts an execution, and resolves to its ARN. If an execution of this name exists, that one's ARN is returned. */
  start(machine: string, options: { name: string; input: unknown } & Pick<ScheduleOptions, "tags" | "attributes">): Promise<string>;
  /** Whether this process runs the schedules. Only one of the processes that share a store does. */
  isMine(): boolean;
  record(arn: string): Promise<ExecutionRecord | undefined>;
  failed(error: unknown): void;
}

export class Schedules {
  readonly #starter: Starter;
  readonly #alarm: Alarm;
  readonly #all = new Map<string, Document>();
  #isOpen = false;
  #isMine = false;
  #working: Promise<void> = Promise.resolve();

  constructor(starter: Starter) {
    this.#starter = starter;
    this.#alarm = new Alarm(starter.clock, { ring: () => void this.#later(() => this.#ring()) });
  }

  /** Reads all schedules, and starts the executions that are due. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.share();
  }

  /** Checks whether this process now runs the schedules, and starts or stops running them. */
  share(): Promise<void> {
    return this.#later(async () => {
      if (!this.#isOpen || this.#isMine === this.#starter.isMine()) return;
      this.#isMine = !this.#isMine;
      this.#all.clear();
      if (this.#isMine) for (const [name, document] of await this.#stored()) this.#all.set(name, document);
      await this.#ring();
    });
  }

  async #stored(): Promise<[string, Document][]> {
    const all: [string, Document][] = [];
    for await (const [name, document] of this.#starter.store.all(COLLECTION)) all.push([name, document as Document]);
    return all;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#alarm.set(null);
    await this.#working;
  }

  /** Creates a schedule, or changes the existing one of that name. */
  async put(name: string, options: ScheduleOptions): Promise<ScheduleDescription> {
    const rules = checked(name, options);
    let document!: Document;
    await this.#later(async () => {
      const known = this.#all.get(name);
      document = withRules(name, rules, known, this.#starter.clock.now());
      await this.#store(name, document);
    });
    return described(name, document);
  }

  async remove(name: string): Promise<boolean> {
    const known = this.#all.delete(name);
    this.#set();
    await this.#later(() => this.#starter.store.remove(COLLECTION, name));
    return known;
  }

  async list(): Promise<ScheduleDescription[]> {
    const all = this.#isMine ? [...this.#all] : await this.#stored();
    return all.map(([name, document]) => described(name, document));
  }

  /** Called when an execution has ended. A buffered start may wait for this end. */
  ended(arn: string): void {
    for (const [name, { last, buffered }] of this.#all)
      if (last?.arn === arn && buffered !== undefined) void this.#later(() => this.#flush(name));
  }

  /** Runs the work after all earlier work has ended, so that only one change is under way at a time. */
  #later(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work);
    this.#working = done.catch((error: unknown) => this.#starter.failed(error));
    return done;
  }

  async #store(name: string, document: Document): Promise<void> {
    await this.#starter.store.put(COLLECTION, name, document);
    this.#all.set(name, document);
    this.#set();
  }

  #set(): void {
    if (!this.#isOpen) return;
    let first: number | null = null;
    for (const { next } of this.#all.values()) if (next !== null && (first === null || next < first)) first = next;
    this.#alarm.set(first);
  }

  async #ring(): Promise<void> {
    const now = this.#starter.clock.now();
    for (const name of [...this.#all.keys()]) {
      await this.#flush(name);
      await this.#due(name, now);
    }
    this.#set();
  }

  /**
   * Starts the due executions of a schedule, then stores the next time. If a crash repeats a start, the execution has the same
   * name, so it is not started twice.
   */
  async #due(name: string, now: number): Promise<void> {
    const document = this.#all.get(name);
    if (document === undefined || document.next === null || document.next > now || !this.#isOpen) return;
    const chosen = chosenUntil(document, document.next, now);
    let changed: Document = document;
    for (const at of chosen) changed = await this.#begin(name, changed, at);
    if (this.#all.has(name)) await this.#store(name, { ...changed, next: nextOf(document, now) });
  }

  /**
   * Starts the execution for one time. If the last execution is still running, `overlap` decides whether the start is skipped or
   * buffered.
   */
  async #begin(name: string, document: Document, at: number): Promise<Document> {
    const { overlap = "skip", last } = document;
    if (overlap !== "allow" && last !== undefined && last.at !== at && (await this.#starter.record(last.arn))?.status === "RUNNING")
      return overlap === "buffer" ? { ...document, buffered: at } : document;
    return this.#start(name, document, at);
  }

  async #start(name: string, { buffered, problem, ...document }: Document, at: number): Promise<Document> {
    const execution = executionOf(name, document, at);
    try {
      const arn = await this.#starter.start(document.machine, { ...execution, ...listedAs(document) });
      return { ...document, last: { arn, at } };
    } catch (thrown) {
      this.#starter.failed(thrown);
      return { ...document, problem: messageOf(thrown) };
    }
  }

  /** Starts the buffered execution if the last one has ended. */
  async #flush(name: string): Promise<void> {
    const document = this.#all.get(name);
    if (document?.buffered === undefined || document.last === undefined || !this.#isOpen) return;
    if ((await this.#starter.record(document.last.arn))?.status === "RUNNING") return;
    const started = await this.#start(name, document, document.buffered);
    if (this.#all.has(name)) await this.#store(name, started);
  }
}

/** Returns a schedule with new rules. If the times are unchanged, the next start stays as it was. */
export function withRules(name: string, rules: Rules, known: Document | undefined, now: number): Document {
  const same = known !== undefined && known.cron === rules.cron && known.every === rules.every && known.timezone === rules.timezone;
  const created = same ? known.created : now;
  const next = same ? known.next : nextOf({ ...rules, created }, now);
  if (next === null) throw misuse("INVALID_OPTION", `the schedule ${shown(name)} never starts anything: ${shown(rules.cron)}`);
  return { ...rules, created, next, ...(known?.last !== undefined && { last: known.last }) };
}

/** Returns the times from `first` to `now` for which executions are started, as `catchUp` says. */
export function chosenUntil(document: Document, first: number, now: number): number[] {
  const { catchUp = "one" } = document;
  const due = dueUntil(document, first, now, catchUp === "all" ? MOST : 1);
  return due.filter((at) => catchUp !== "none" || now - at <= LATE);
}

/** Returns the name and the input of the execution that a schedule starts for a time. */
export function executionOf(name: string, { input = {} }: Document, at: number): { name: string; input: unknown } {
  const time = new Date(at).toISOString();
  return { name: `${name}-${time.slice(0, 19).replace(/[-:]/g, "")}Z`, input: timed(input, time) };
}

/** Returns the first time after `after` at which a schedule is due. */
export function nextOf(
  { cron, every, timezone, created }: Pick<Document, "cron" | "every" | "timezone" | "created">,
  after: number,
): number | null {
  if (cron !== undefined) return new Cron(cron, timezone).next(after) ?? null;
  const interval = every ?? 1;
  return created + (Math.floor((after - created) / interval) + 1) * interval;
}

/** Returns the last `count` due times from `first` to `now`. Long periods are searched from their end, in growing steps. */
function dueUntil(document: Document, first: number, now: number, count: number): number[] {
  for (let span = FIRST_LOOK; ; span *= 4) {
    const due: number[] = [];
    const from = Math.max(first, now - span);
    for (let at = from === first ? first : nextOf(document, from); at !== null && at <= now; at = nextOf(document, at)) due.push(at);
    if (from === first || due.length >= count) return due.slice(-count);
  }
}

/** Returns the input with `<aws.scheduler.scheduled-time>` replaced by the time, as EventBridge Scheduler does. */
function timed(input: unknown, time: string): unknown {
  return JSON.parse(JSON.stringify(input).replaceAll("<aws.scheduler.scheduled-time>", time));
}

export function checked(name: string, options: ScheduleOptions): Rules {
  checkOptions(options, OPTIONS, "schedule()");
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(name))
    throw misuse("INVALID_ARGUMENT", `the name of a schedule must be 1 to 60 letters, digits, - and _, not ${shown(name)}`);
  const { machine, cron, every, timezone, overlap = "skip", catchUp = "one", ...rest } = options;
  if (typeof machine !== "string") throw misuse("INVALID_OPTION", `machine must be the name of a machine, not ${shown(machine)}`);
  if ((cron === undefined) === (every === undefined)) throw misuse("INVALID_OPTION", "a schedule has either cron or every");
  const interval = every === undefined ? undefined : milliseconds(every);
  if (every !== undefined && !(interval !== undefined && interval >= 1000))
    throw misuse("INVALID_OPTION", `every must be a duration of a second or more, such as "15 min", not ${shown(every)}`);
  if (cron !== undefined) new Cron(cron, timezone);
  if (!OVERLAPS.includes(overlap)) throw misuse("INVALID_OPTION", `overlap must be one of ${OVERLAPS.join(", ")}, not ${shown(overlap)}`);
  if (!POLICIES.includes(catchUp)) throw misuse("INVALID_OPTION", `catchUp must be one of ${POLICIES.join(", ")}, not ${shown(catchUp)}`);
  return {
    ...rest,
    machine,
    overlap,
    catchUp,
    ...(cron !== undefined && { cron }),
    ...(interval !== undefined && { every: interval }),
    ...(timezone !== undefined && { timezone }),
  };
}

export function described(name: string, { every, ...document }: Document): ScheduleDescription {
  return { name, ...structuredClone(document), ...(every !== undefined && { every }) };
}
