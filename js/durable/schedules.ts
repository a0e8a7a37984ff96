// Schedules that start executions. They are documents of the store, so they outlive the process as executions do.

import type { Clock } from "../api/index.d.ts";
import type { ExecutionRecord, ScheduleDescription, ScheduleOptions, Store } from "../api/durable.d.ts";
import { messageOf, misuse } from "../base/errors.ts";
import { milliseconds } from "../base/duration.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { Alarm } from "../driver/clock.ts";
import { Cron } from "./cron.ts";

const OPTIONS = ["machine", "input", "cron", "every", "timezone", "overlap", "catchUp", "tags"];
const OVERLAPS = ["skip", "allow", "buffer"];
const POLICIES = ["one", "all", "none"];
// A start that is later than this was missed: the process was down, or asleep.
const LATE = 60_000;
// So many missed starts are made up for at most.
const MOST = 1000;
// How far back from now times that were missed are looked for first.
const FIRST_LOOK = 3_600_000;
const COLLECTION = "schedule";
/** Whoever has this of a shared store has the schedules. */
export const SCHEDULES = "stepglass:schedules";

/** What is kept of a schedule. */
export interface Document extends Omit<ScheduleOptions, "every"> {
  /** Milliseconds. */
  every?: number;
  created: number;
  /** When it starts an execution next. */
  next: number | null;
  /** The execution that it has started last, and when that was due. */
  last?: { arn: string; at: number };
  /** A start that waits for the last execution to end. */
  buffered?: number;
  /** Why the last start was not made. */
  problem?: string;
}

/** When a schedule starts what. */
type Rules = Omit<Document, "created" | "next">;

/** What schedules need of the runtime. */
export interface Starter {
  readonly store: Store;
  readonly clock: Clock;
  /** Starts an execution; one of this name that is there already is that one. Resolves to its ARN. */
  start(machine: string, options: { name: string; input: unknown; tags?: Record<string, string> }): Promise<string>;
  /** Whether schedules are this process's: of several, one has them. */
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
    this.#alarm = new Alarm(starter.clock, () => void this.#later(() => this.#ring()));
  }

  /** Reads all schedules, and starts what is due. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.share();
  }

  /** Looks whether schedules are this process's, and goes on with them, or leaves them to another one. */
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

  /** Makes a schedule, or changes the one of that name. */
  async put(name: string, options: ScheduleOptions): Promise<ScheduleDescription> {
    const rules = checked(name, options);
    let document!: Document;
    await this.#later(async () => {
      const known = this.#all.get(name);
      document = withRules(name, rules, known, this.#starter.clock.now());
      await this.#keep(name, document);
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

  /** An execution has ended, for which a start may wait. */
  ended(arn: string): void {
    for (const [name, { last, buffered }] of this.#all)
      if (last?.arn === arn && buffered !== undefined) void this.#later(() => this.#flush(name));
  }

  /** One thing at a time. */
  #later(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work);
    this.#working = done.catch((error: unknown) => this.#starter.failed(error));
    return done;
  }

  async #keep(name: string, document: Document): Promise<void> {
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

  /** Starts what a schedule is due for, then notes when it is due again: a start that happens twice is of the same name. */
  async #due(name: string, now: number): Promise<void> {
    const document = this.#all.get(name);
    if (document === undefined || document.next === null || document.next > now || !this.#isOpen) return;
    const chosen = chosenUntil(document, document.next, now);
    let changed: Document = document;
    for (const at of chosen) changed = await this.#begin(name, changed, at);
    if (this.#all.has(name)) await this.#keep(name, { ...changed, next: nextOf(document, now) });
  }

  /** Starts the execution of one time, or leaves it, as `overlap` says. */
  async #begin(name: string, document: Document, at: number): Promise<Document> {
    const { overlap = "skip", last } = document;
    if (overlap !== "allow" && last !== undefined && last.at !== at && (await this.#starter.record(last.arn))?.status === "RUNNING")
      return overlap === "buffer" ? { ...document, buffered: at } : document;
    return this.#start(name, document, at);
  }

  async #start(name: string, { buffered, problem, ...document }: Document, at: number): Promise<Document> {
    const execution = executionOf(name, document, at);
    try {
      const arn = await this.#starter.start(document.machine, { ...execution, ...(document.tags && { tags: document.tags }) });
      return { ...document, last: { arn, at } };
    } catch (thrown) {
      this.#starter.failed(thrown);
      return { ...document, problem: messageOf(thrown) };
    }
  }

  /** Starts what has waited for the last execution to end. */
  async #flush(name: string): Promise<void> {
    const document = this.#all.get(name);
    if (document?.buffered === undefined || document.last === undefined || !this.#isOpen) return;
    if ((await this.#starter.record(document.last.arn))?.status === "RUNNING") return;
    const started = await this.#start(name, document, document.buffered);
    if (this.#all.has(name)) await this.#keep(name, started);
  }
}

/** A schedule with new rules; where they say the same times, it goes on. */
export function withRules(name: string, rules: Rules, known: Document | undefined, now: number): Document {
  const same = known !== undefined && known.cron === rules.cron && known.every === rules.every && known.timezone === rules.timezone;
  const created = same ? known.created : now;
  const next = same ? known.next : nextOf({ ...rules, created }, now);
  if (next === null) throw misuse("INVALID_OPTION", `the schedule ${shown(name)} never starts anything: ${shown(rules.cron)}`);
  return { ...rules, created, next, ...(known?.last !== undefined && { last: known.last }) };
}

/** The times until now for which a schedule that is due from `first` on starts executions. */
export function chosenUntil(document: Document, first: number, now: number): number[] {
  const { catchUp = "one" } = document;
  const due = dueUntil(document, first, now, catchUp === "all" ? MOST : 1);
  return due.filter((at) => catchUp !== "none" || now - at <= LATE);
}

/** The name and the input of the execution that a schedule starts for a time. */
export function executionOf(name: string, { input = {} }: Document, at: number): { name: string; input: unknown } {
  const time = new Date(at).toISOString();
  return { name: `${name}-${time.slice(0, 19).replace(/[-:]/g, "")}Z`, input: timed(input, time) };
}

/** When a schedule is due after a time. */
export function nextOf(
  { cron, every, timezone, created }: Pick<Document, "cron" | "every" | "timezone" | "created">,
  after: number,
): number | null {
  if (cron !== undefined) return new Cron(cron, timezone).next(after) ?? null;
  const interval = every ?? 1;
  return created + (Math.floor((after - created) / interval) + 1) * interval;
}

/** The last `count` times that a schedule was due from `first` until now. Long ones are looked for from the end. */
function dueUntil(document: Document, first: number, now: number, count: number): number[] {
  for (let span = FIRST_LOOK; ; span *= 4) {
    const due: number[] = [];
    const from = Math.max(first, now - span);
    for (let at = from === first ? first : nextOf(document, from); at !== null && at <= now; at = nextOf(document, at)) due.push(at);
    if (from === first || due.length >= count) return due.slice(-count);
  }
}

/** The input, with the time in the place of `<aws.scheduler.scheduled-time>`, as EventBridge Scheduler has it. */
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
