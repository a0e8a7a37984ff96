// Compiled, but never run: an execution has the same methods on Restate as in a Runtime, and so have the two objects that start
// executions.

import type { DurableExecution, DurableStartOptions, Runtime, RuntimeFilter } from "stepglass/durable";
import type { RestateClient, RestateExecution, RestateFilter, RestateStart } from "stepglass/restate";

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** The parameters and results of each method. They are properties, so that parameters are compared strictly. */
type Methods<T> = { [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result ? { args: Args; result: Result } : T[Name] };

// Members that only a Runtime and its executions have; docs/restate.md says why.
type OfRuntime =
  | "open"
  | "close"
  | "resident"
  | "prune"
  | "verify"
  | "worker"
  | "queues"
  | "metrics"
  | "metricsText"
  | "ownerOf"
  | "counts";
type OfExecution = "mapRuns" | "cancelScope";

// Code that takes one handle also takes the other, unless it needs what only a Runtime has.
export const sameHandles: Equal<Methods<Omit<DurableExecution<number>, OfExecution>>, Methods<RestateExecution<number>>> = true;

export const allNamed: Equal<Exclude<Extract<keyof Runtime, string>, keyof RestateClient>, OfRuntime> = true;

// Starting returns a handle of the host's own type, and takes the host's options.
type Handles = "start" | "run" | "get";
// A Runtime has the definitions of its machines; a client asks Restate for their names.
type Shared = Exclude<Extract<keyof Runtime, keyof RestateClient>, Handles | "machines">;
export const sameMethods: Equal<Methods<Pick<Runtime, Shared>>, Methods<Pick<RestateClient, Shared>>> = true;
export const sameFilters: Equal<RuntimeFilter, RestateFilter> = true;
export const sameStarts: Equal<Omit<DurableStartOptions, "priority">, RestateStart> = true;
export const sameUse: { [Name in Handles]: (...args: Parameters<Runtime[Name]>) => unknown } = {} as RestateClient;
