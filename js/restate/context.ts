// What the executions ask of Restate: the part of its SDK's context that they use, so that they are tested without a server.

/** A promise whose outcome Restate remembers: after a crash it has the same one, and a race has the same winner. */
export interface Durable<T> extends Promise<T> {
  map<U>(change: (value?: T, failure?: Error) => U): Durable<U>;
}

/** What is called: a handler of a service, or with a key of a virtual object. */
export interface Target {
  service: string;
  handler: string;
  key?: string;
}

/** A call whose answer is waited for. */
export interface Called<T> extends Durable<T> {
  readonly invocationId: Promise<string>;
}

/** What a handler of a service can do. */
export interface ServiceContext {
  /** The id of the invocation. */
  readonly invocation: string;
  /** Aborts when this attempt of the invocation is over: another worker may have it. */
  readonly ended: AbortSignal;
  /** Does something once: what it resolves to is remembered. It may begin again as long as that is not kept. */
  run<T>(name: string, action: () => T | Promise<T>): Durable<T>;
  sleep(milliseconds: number): Durable<void>;
  /** What somebody tells this invocation by a name. */
  signal<T>(name: string): Durable<T>;
  /** The first of these. */
  race<T>(promises: readonly Durable<T>[]): Promise<T>;
  call<T>(target: Target, parameter: unknown): Called<T>;
  /** Calls without waiting for the answer, after `delay` milliseconds. */
  send(target: Target, parameter: unknown, delay?: number): { readonly invocationId: Promise<string> };
  cancel(invocation: string): void;
  /** Tells a running invocation something by a name. */
  tell(invocation: string, name: string, value: unknown): void;
  /** A promise that is resolved from outside by its id. */
  awakeable<T>(): { id: string; promise: Durable<T> };
  resolveAwakeable(id: string, value: unknown): void;
}

/** What a handler of a virtual object can do that only reads its state. */
export interface ReadingContext extends ServiceContext {
  /** The key of the object. */
  readonly key: string;
  get<T>(name: string): Promise<T | null>;
  names(): Promise<string[]>;
}

/** What a handler of a virtual object can do that has it for itself. */
export interface ObjectContext extends ReadingContext {
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
}

/** What a slice that is under way is told by this name. */
export const NEWS = "news";

/** The names of the services. */
export const EXECUTION = "StepglassExecution";
export const TASKS = "StepglassTasks";
export const SHARD = "StepglassShard";
export const MAP_RUN = "StepglassMapRun";
export const DEFINITION = "StepglassDefinition";
export const ACTIVITY = "StepglassActivity";
export const SCHEDULE = "StepglassSchedule";
export const MACHINES = "StepglassMachines";
