// Queues of tasks. Workers of this process take tasks from them.

import type { Clock, Task as PublicTask, TaskHandler, TaskHandlers } from "../../core/api/index.d.ts";
import type { QueueDescription, QueueOptions, Worker as PublicWorker, WorkerOptions } from "../../core/api/durable.d.ts";
import { TaskError, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { Alarm } from "../../core/driver/clock.ts";
import { Handlers } from "../../core/tasks/resource.ts";

/** A task that waits for a worker. */
interface Offer {
  priority: number;
  /** The value of the attribute by which the queue is fair. */
  key: unknown;
  /** Its position among the tasks of its priority. The position is stored with the execution. */
  place: number;
  resource: string;
  state: string;
  input: unknown;
  task: PublicTask;
  /** The time at which the task fails if no worker has taken it; Infinity if it never does. */
  until: number;
  /** Whether the task waits for a worker that has a handler for it. If not, a worker without one fails the task. */
  waits: boolean;
  /** Returns a handler with the interceptors around it. */
  intercepted: (handler: TaskHandler) => TaskHandler;
  /** Is called when a worker has taken the task, before its handler. If it rejects, the task fails. */
  isTaken: ((task: PublicTask) => Promise<void>) | undefined;
  answer(value: unknown): void;
  refuse(thrown: unknown): void;
}

/** Limits how many tasks run at once, and how many start per second. */
class Limit {
  readonly #most: number;
  /** Minimum time between the starts of two tasks, in milliseconds. */
  readonly #interval: number;
  /** The earliest time at which the next task may start. */
  #next = -Infinity;
  active = 0;

  constructor(where: string, { concurrency = Infinity, rate = Infinity }: { concurrency?: number; rate?: number }) {
    if (!(concurrency > 0)) throw misuse("INVALID_OPTION", `${where}: concurrency must be a number above 0, not ${shown(concurrency)}`);
    if (!(rate > 0)) throw misuse("INVALID_OPTION", `${where}: rate must be a number of tasks a second above 0, not ${shown(rate)}`);
    this.#most = concurrency;
    this.#interval = 1000 / rate;
  }

  /** Returns the earliest time at which a task may start; Infinity if a running task must end first. */
  at(now: number): number {
    return this.active < this.#most ? Math.max(now, this.#next) : Infinity;
  }

  begin(now: number): void {
    this.active += 1;
    this.#next = Math.max(now, this.#next) + this.#interval;
  }
}

/** A worker that takes tasks of a queue. */
class Worker {
  readonly limit: Limit;
  readonly handlers: Handlers;
  stopped = false;
  idle: (() => void) | undefined;

  constructor({ concurrency = 1, rate = Infinity }: WorkerOptions, handlers: Handlers) {
    this.limit = new Limit("worker", { concurrency, rate });
    this.handlers = handlers;
  }
}

/** One queue: the waiting tasks, and the workers that take them. */
class Queue {
  readonly #clock: Clock;
  readonly #limit: Limit;
  readonly scheduleToStart: number;
  readonly fairBy: string | undefined;
  readonly #mostPerKey: number;
  /** With `fairBy`: how many tasks are running, by the value of the attribute. Values without a running task are not in it. */
  readonly #running = new Map<unknown, number>();
  #offers: Offer[] = [];
  #workers: Worker[] = [];
  #isHeld = true;
  readonly #alarm: Alarm;

  constructor(clock: Clock, name: string, options: QueueOptions) {
    const where = `queues[${JSON.stringify(name)}]`;
    checkOptions(options, ["concurrency", "rate", "scheduleToStartSeconds", "fairBy", "concurrencyPerKey"], where);
    const { fairBy, concurrencyPerKey = Infinity } = options;
    if (fairBy !== undefined && typeof fairBy !== "string")
      throw misuse("INVALID_OPTION", `${where}.fairBy must be the name of an attribute, not ${shown(fairBy)}`);
    if (!(concurrencyPerKey > 0) || (fairBy === undefined && concurrencyPerKey < Infinity))
      throw misuse("INVALID_OPTION", `${where}.concurrencyPerKey must be a number above 0, beside fairBy`);
    this.fairBy = fairBy;
    this.#mostPerKey = concurrencyPerKey;
    this.#clock = clock;
    this.#limit = new Limit(where, options);
    this.scheduleToStart = seconds(options.scheduleToStartSeconds, where);
    this.#alarm = new Alarm(clock, { ring: () => this.match() });
  }

  get waiting(): number {
    return this.#offers.length;
  }

  get active(): number {
    return this.#limit.active;
  }

  get workers(): number {
    return this.#workers.length;
  }

  add(offer: Offer): void {
    // The highest priority comes first, and within a priority the lowest position. After a restart, tasks are not added in the
    // order of their positions.
    const before = ({ priority, place }: Offer): boolean =>
      priority > offer.priority || (priority === offer.priority && place <= offer.place);
    const at = this.#offers.findLastIndex(before);
    this.#offers.splice(at + 1, 0, offer);
    this.match();
  }

  remove(offer: Offer): void {
    const at = this.#offers.indexOf(offer);
    if (at >= 0) this.#offers.splice(at, 1);
  }

  enter(worker: Worker): void {
    this.#workers.push(worker);
    this.match();
  }

  /** Stops giving tasks to the worker. Resolves when the tasks that it has taken have ended. */
  leave(worker: Worker): Promise<void> {
    worker.stopped = true;
    this.#workers = this.#workers.filter((other) => other !== worker);
    if (worker.limit.active === 0) return Promise.resolve();
    return new Promise((resolve) => (worker.idle = resolve));
  }

  close(): void {
    this.#workers = [];
    this.#offers = [];
    this.#alarm.set(null);
  }

  /** Starts to assign tasks to workers. */
  release(): void {
    this.#isHeld = false;
    this.match();
  }

  /** Assigns tasks to workers, as far as the limits of both the workers and the queue allow. */
  match(): void {
    if (this.#isHeld) return;
    const now = this.#clock.now();
    let next = Infinity;
    while (this.#offers.length > 0) {
      this.#expire(now);
      const free = Math.min(...this.#workers.map(({ limit }) => limit.at(now)));
      next = Math.max(free, this.#limit.at(now));
      if (next > now) break;
      const taken = this.#taken(now);
      if (taken === undefined) {
        // The end of a task, another worker or another task makes the next match.
        next = Infinity;
        break;
      }
      const { worker, offer } = taken;
      // Workers take turns, so this one is moved to the end of the list.
      this.#workers = [...this.#workers.filter((other) => other !== worker), worker];
      this.#begin(worker, offer, now);
    }
    for (const { until } of this.#offers) next = Math.min(next, until);
    this.#alarm.set(this.#offers.length > 0 && next < Infinity ? next : null);
  }

  /**
   * Removes and returns the first task for which a free worker has a handler, with that worker. Tasks without such a worker stay in
   * the queue.
   */
  #taken(now: number): { worker: Worker; offer: Offer } | undefined {
    const free = this.#workers.filter(({ limit }) => limit.at(now) <= now);
    const workerOf = (offer: Offer) => free.find(({ handlers }) => !offer.waits || handlerOf(handlers, offer) !== undefined);
    let best: { worker: Worker; offer: Offer; running: number } | undefined;
    for (const offer of this.#offers) {
      if (best !== undefined && offer.priority < best.offer.priority) break;
      const running = this.fairBy === undefined ? 0 : (this.#running.get(offer.key) ?? 0);
      if (running >= Math.min(best?.running ?? Infinity, this.#mostPerKey)) continue;
      const worker = workerOf(offer);
      if (worker === undefined) continue;
      best = { worker, offer, running };
      if (running === 0) break;
    }
    if (best !== undefined) this.remove(best.offer);
    return best;
  }

  /** Counts the tasks that are running for each value of the attribute. */
  #count(key: unknown, by: 1 | -1): void {
    if (this.fairBy === undefined) return;
    const running = (this.#running.get(key) ?? 0) + by;
    if (running === 0) this.#running.delete(key);
    else this.#running.set(key, running);
  }

  /** Fails the tasks that no worker has taken in time. AWS and Temporal call this the schedule-to-start timeout. */
  #expire(now: number): void {
    const late = this.#offers.filter(({ until }) => until <= now);
    if (late.length === 0) return;
    this.#offers = this.#offers.filter(({ until }) => until > now);
    for (const { refuse, state } of late)
      refuse(new TaskError("States.Timeout", `no worker has taken the task of state ${shown(state)} in time`));
  }

  #begin(worker: Worker, offer: Offer, now: number): void {
    worker.limit.begin(now);
    this.#limit.begin(now);
    this.#count(offer.key, 1);
    const end = (): void => {
      this.#count(offer.key, -1);
      worker.limit.active -= 1;
      this.#limit.active -= 1;
      if (worker.stopped && worker.limit.active === 0) worker.idle?.();
      this.match();
    };
    const work = called(worker.handlers, offer);
    work.then(offer.answer, offer.refuse);
    work.then(end, end);
  }
}

function handlerOf(handlers: Handlers, { resource, state, task }: Offer): ReturnType<Handlers["find"]> {
  return handlers.find(resource, state, task.parameters);
}

/** Runs a task with the handler of a worker. */
async function called(handlers: Handlers, offer: Offer): Promise<unknown> {
  const { resource, state, input, task } = offer;
  const handler = handlerOf(handlers, offer);
  if (typeof handler === "function") {
    await offer.isTaken?.(task);
    return offer.intercepted(handler)(input, task);
  }
  const { error, cause } = handlers.missing(resource, state, task.parameters);
  throw new TaskError(error, `the worker of the queue has no handler that is a function: ${cause}`);
}

/** The queues of a runtime. */
export class Queues {
  readonly #clock: Clock;
  readonly #given: Readonly<Record<string, QueueOptions>>;
  readonly #handlers: TaskHandlers | undefined;
  readonly #all = new Map<string, Queue>();
  #isHeld = true;
  #last = 0;

  constructor(clock: Clock, given: Readonly<Record<string, QueueOptions>> = {}, handlers?: TaskHandlers) {
    this.#clock = clock;
    this.#given = given;
    this.#handlers = handlers;
    for (const name of Object.keys(given)) this.#queue(name);
  }

  /** Returns a handler that puts its task into a queue, and answers when a worker has run it. */
  handler(
    name: string,
    scheduleToStartSeconds: number | undefined,
    {
      priorityOf,
      attributeOf,
      placeOf,
      waitsOf,
      isOffered,
      isTaken,
      intercepted,
    }: {
      priorityOf: (arn: string) => number;
      /** Returns an attribute of an execution. */
      attributeOf: (arn: string, name: string) => unknown;
      placeOf: (task: PublicTask, next: () => number) => number;
      waitsOf: (task: PublicTask) => boolean;
      /** Returns a handler with the interceptors around it. */
      intercepted: (handler: TaskHandler) => TaskHandler;
      /** Is called before a task is put into the queue. If it throws, the task fails. */
      isOffered?: (task: PublicTask) => void;
      /** Is called when a worker has taken a task, before its handler. If it rejects, the task fails. */
      isTaken?: (task: PublicTask) => Promise<void>;
    },
  ): TaskHandler {
    const queue = this.#queue(name);
    const own = seconds(scheduleToStartSeconds, "taskOptions");
    const wait = own < Infinity ? own : queue.scheduleToStart;
    return (input: unknown, task: PublicTask) =>
      new Promise((answer, refuse) => {
        isOffered?.(task);
        const { resource, stateName: state, execution, signal } = task;
        const until = this.#clock.now() + wait;
        const leave = (): void => queue.remove(offer);
        const settled =
          (then: (value: unknown) => void) =>
          (value: unknown): void => (signal.removeEventListener("abort", leave), then(value));
        const place = placeOf(task, () => this.#next());
        // New positions must be higher than those that were restored.
        this.#last = Math.max(this.#last, place);
        const offer: Offer = {
          ...{
            priority: priorityOf(execution.arn),
            key: queue.fairBy === undefined ? undefined : attributeOf(execution.arn, queue.fairBy),
            place,
            resource,
            state,
            input,
            task,
            until,
            waits: waitsOf(task),
            isTaken,
            intercepted,
          },
          answer: settled(answer),
          refuse: settled(refuse),
        };
        // The signal is aborted when the task has timed out, or when its execution has ended.
        signal.addEventListener("abort", leave, { once: true });
        if (!signal.aborted) queue.add(offer);
      });
  }

  /** Adds a worker that takes tasks of a queue. */
  worker(options: WorkerOptions): PublicWorker {
    checkOptions(options, ["queue", "tasks", "concurrency", "rate"], "runtime.worker()");
    const { queue: name, tasks = this.#handlers } = options;
    if (typeof name !== "string") throw misuse("INVALID_OPTION", `queue must be the name of a queue, not ${shown(name)}`);
    const queue = this.#queue(name);
    const worker = new Worker(options, new Handlers<TaskHandler>(tasks));
    queue.enter(worker);
    let stopped: Promise<void> | undefined;
    return {
      queue: name,
      get active() {
        return worker.limit.active;
      },
      stop: () => (stopped ??= queue.leave(worker)),
    };
  }

  /**
   * Returns the next position. It is at least the current time in microseconds, so it is also higher than the positions that earlier
   * processes have assigned.
   */
  #next(): number {
    return (this.#last = Math.max(this.#last + 1, this.#clock.now() * 1000));
  }

  /**
   * Starts to assign tasks to workers. Called when all executions that ran when the store was opened are loaded, so that tasks are
   * assigned in the order of their positions.
   */
  release(): void {
    this.#isHeld = false;
    for (const queue of this.#all.values()) queue.release();
  }

  list(): QueueDescription[] {
    return [...this.#all].map(([name, { waiting, active, workers }]) => ({ name, waiting, active, workers }));
  }

  close(): void {
    for (const queue of this.#all.values()) queue.close();
  }

  #queue(name: string): Queue {
    let queue = this.#all.get(name);
    if (queue === undefined) {
      this.#all.set(name, (queue = new Queue(this.#clock, name, this.#given[name] ?? {})));
      if (!this.#isHeld) queue.release();
    }
    return queue;
  }
}

function seconds(given: number | undefined, where: string): number {
  if (given === undefined) return Infinity;
  if (!(given > 0)) throw misuse("INVALID_OPTION", `${where}: scheduleToStartSeconds must be a number above 0, not ${shown(given)}`);
  return given * 1000;
}
