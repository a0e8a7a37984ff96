// Queues of tasks, from which workers of this process take.

import type { Clock, Task as PublicTask, TaskHandler, TaskHandlers } from "../api/index.d.ts";
import type { QueueDescription, QueueOptions, Worker as PublicWorker, WorkerOptions } from "../api/durable.d.ts";
import { TaskError, misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { Alarm } from "../driver/clock.ts";
import { Handlers } from "../tasks/resource.ts";

/** A task that waits for a worker. */
interface Offer {
  priority: number;
  /** Its place among those of its priority, which is kept with its execution. */
  place: number;
  resource: string;
  state: string;
  input: unknown;
  task: PublicTask;
  /** When it fails if nobody has taken it; Infinity for never. */
  until: number;
  /** Whether it waits for a worker that has a handler; else a worker without one fails it. */
  waits: boolean;
  answer(value: unknown): void;
  refuse(thrown: unknown): void;
}

/** How many tasks may be at work at once, and how many may begin in a second. */
class Limit {
  readonly #most: number;
  /** Milliseconds between two tasks. */
  readonly #interval: number;
  /** When the next one may begin. */
  #next = -Infinity;
  active = 0;

  constructor(where: string, { concurrency = Infinity, rate = Infinity }: { concurrency?: number; rate?: number }) {
    if (!(concurrency > 0)) throw misuse("INVALID_OPTION", `${where}: concurrency must be a number above 0, not ${shown(concurrency)}`);
    if (!(rate > 0)) throw misuse("INVALID_OPTION", `${where}: rate must be a number of tasks a second above 0, not ${shown(rate)}`);
    this.#most = concurrency;
    this.#interval = 1000 / rate;
  }

  /** When a task may begin: now or later, Infinity when another one has to end first. */
  at(now: number): number {
    return this.active < this.#most ? Math.max(now, this.#next) : Infinity;
  }

  begin(now: number): void {
    this.active += 1;
    this.#next = Math.max(now, this.#next) + this.#interval;
  }
}

/** Takes tasks of a queue. */
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

/** One queue: the tasks that wait, and the workers that take them. */
class Queue {
  readonly #clock: Clock;
  readonly #limit: Limit;
  readonly scheduleToStart: number;
  #offers: Offer[] = [];
  #workers: Worker[] = [];
  #isHeld = true;
  readonly #alarm: Alarm;

  constructor(clock: Clock, name: string, options: QueueOptions) {
    checkOptions(options, ["concurrency", "rate", "scheduleToStartSeconds"], `queues[${JSON.stringify(name)}]`);
    this.#clock = clock;
    this.#limit = new Limit(`queues[${JSON.stringify(name)}]`, options);
    this.scheduleToStart = seconds(options.scheduleToStartSeconds, `queues[${JSON.stringify(name)}]`);
    this.#alarm = new Alarm(clock, () => this.match());
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
    // The first of the highest priority comes first. After a restart they come in another order than that of their places.
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

  /** Resolves when what the worker has taken is done. */
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

  /** From now on tasks are given out. */
  release(): void {
    this.#isHeld = false;
    this.match();
  }

  /** Gives out tasks, as far as workers and limits have room for them. */
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
      if (taken === undefined) break;
      const { worker, offer } = taken;
      // Workers take turns.
      this.#workers = [...this.#workers.filter((other) => other !== worker), worker];
      this.#begin(worker, offer, now);
    }
    for (const { until } of this.#offers) next = Math.min(next, until);
    this.#alarm.set(this.#offers.length > 0 && next < Infinity ? next : null);
  }

  /** The first task for which a free worker has a handler, and that worker. The others wait for a worker that has one. */
  #taken(now: number): { worker: Worker; offer: Offer } | undefined {
    const free = this.#workers.filter(({ limit }) => limit.at(now) <= now);
    for (const [i, offer] of this.#offers.entries()) {
      const worker = free.find(({ handlers }) => !offer.waits || handlerOf(handlers, offer) !== undefined);
      if (worker === undefined) continue;
      this.#offers.splice(i, 1);
      return { worker, offer };
    }
    return undefined;
  }

  /** Tasks that nobody has taken in time fail: ScheduleToStart. */
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
    const end = (): void => {
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

/** Has the handler of a worker do a task. */
async function called(handlers: Handlers, offer: Offer): Promise<unknown> {
  const { resource, state, input, task } = offer;
  const handler = handlerOf(handlers, offer);
  if (typeof handler === "function") return handler(input, task);
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

  /** A handler that has a task wait for a worker of a queue. */
  handler(
    name: string,
    scheduleToStartSeconds: number | undefined,
    {
      priorityOf,
      placeOf,
      waitsOf,
    }: {
      priorityOf: (arn: string) => number;
      placeOf: (task: PublicTask, next: () => number) => number;
      waitsOf: (task: PublicTask) => boolean;
    },
  ): TaskHandler {
    const queue = this.#queue(name);
    const own = seconds(scheduleToStartSeconds, "taskOptions");
    const wait = own < Infinity ? own : queue.scheduleToStart;
    return (input: unknown, task: PublicTask) =>
      new Promise((answer, refuse) => {
        const { resource, stateName: state, execution, signal } = task;
        const until = this.#clock.now() + wait;
        const leave = (): void => queue.remove(offer);
        const settled =
          (then: (value: unknown) => void) =>
          (value: unknown): void => (signal.removeEventListener("abort", leave), then(value));
        const place = placeOf(task, () => this.#next());
        // The next one comes after those that are known again.
        this.#last = Math.max(this.#last, place);
        const offer: Offer = {
          ...{ priority: priorityOf(execution.arn), place, resource, state, input, task, until, waits: waitsOf(task) },
          answer: settled(answer),
          refuse: settled(refuse),
        };
        // It has timed out, or its execution has ended.
        signal.addEventListener("abort", leave, { once: true });
        if (!signal.aborted) queue.add(offer);
      });
  }

  /** Takes tasks of a queue. */
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

  /** The next place: later than all before, also than those that processes before this one have given. */
  #next(): number {
    return (this.#last = Math.max(this.#last + 1, this.#clock.now() * 1000));
  }

  /** All that has waited when the store was opened is there: tasks are given out from now on, the first come first. */
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
