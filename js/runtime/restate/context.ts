// The part of the SDK's context that executions use. Tests replace it, so they need no Restate server.

/** A promise whose outcome Restate records: after a crash it has the same outcome, and a race has the same winner. */
export interface Durable<T> extends Promise<T> {
  map<U>(change: (value?: T, failure?: Error) => U): Durable<U>;
}

/** The address of a handler: a service or, with a key, a virtual object. */
export interface Target {
  service: string;
  handler: string;
  key?: string;
}

/** A call with an answer. */
export interface Called<T> extends Durable<T> {
  readonly invocationId: Promise<string>;
}

/** The context of a service's handler. */
export interface ServiceContext {
  /** The id of the invocation. */
  readonly invocation: string;
  /** Aborts when this attempt of the invocation has ended. Another worker may have taken over. */
  readonly ended: AbortSignal;
  /** Performs an action and records its result. The action can be repeated until the result is recorded. */
  run<T>(name: string, action: () => T | Promise<T>): Durable<T>;
  sleep(milliseconds: number): Durable<void>;
  /** Resolves to the value that is sent to this invocation under a name. */
  signal<T>(name: string): Durable<T>;
  /** Resolves to the outcome of the first promise that settles. */
  race<T>(promises: readonly Durable<T>[]): Promise<T>;
  call<T>(target: Target, parameter: unknown): Called<T>;
  /** Sends a call without waiting for the answer, after `delay` milliseconds. */
  send(target: Target, parameter: unknown, delay?: number): { readonly invocationId: Promise<string> };
  cancel(invocation: string): void;
  /** Sends a value to a running invocation under a name. */
  tell(invocation: string, name: string, value: unknown): void;
  /** Creates a promise that is resolved from outside by its id. */
  awakeable<T>(): { id: string; promise: Durable<T> };
  resolveAwakeable(id: string, value: unknown): void;
}

/** The context of a virtual object's shared handler, which can only read the state. */
export interface ReadingContext extends ServiceContext {
  /** The key of the object. */
  readonly key: string;
  get<T>(name: string): Promise<T | null>;
  names(): Promise<string[]>;
}

/** The context of a virtual object's exclusive handler, which can write the state. */
export interface ObjectContext extends ReadingContext {
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
}

/** The name of the signal with the messages for a running slice. */
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
