// Activities on Restate. Each is a virtual object with a queue of tasks and a queue of waiting workers. Its key is the activity's
// ARN.

import type { TaskCall } from "../../core/tasks/call.ts";
import { jsonText } from "../../core/tasks/integration.ts";
import { ACTIVITY, EXECUTION, type ObjectContext, type ReadingContext } from "./context.ts";
import type { EventAnswer } from "./events.ts";
import type { SliceDriver } from "./slice-host.ts";

/** A task that waits for a worker. */
export interface Offered {
  arn: string;
  task: number;
  token: string;
  /** JSON text. */
  input: string;
}

/** The task that a worker has taken. */
export interface TakenTask {
  taskToken: string;
  input: string;
}

/** A worker's request for a task. */
export interface Poll {
  worker?: string;
  /** How long the worker waits. */
  milliseconds: number;
}

/** The state with the queue of tasks: the names of their entries, the oldest first. */
const TASKS = "tasks";
/** The state with the awakeables of waiting workers. At most one of the two queues is not empty. */
const POLLS = "polls";
const nameOf = ({ arn, task }: Pick<Offered, "arn" | "task">): string => `task:${task}:${arn}`;

export class ActivityObject {
  // ------------------------------------------------------------------------------------------ exclusive handlers

  /** Gives a new task to the first waiting worker, or queues it. */
  async offer(ctx: ObjectContext, offered: Offered): Promise<void> {
    const [first, ...others] = (await ctx.get<string[]>(POLLS)) ?? [];
    if (first !== undefined) {
      setOrClear(ctx, POLLS, others);
      return ctx.resolveAwakeable(first, offered);
    }
    const name = nameOf(offered);
    ctx.set(name, offered);
    setOrClear(ctx, TASKS, [...((await ctx.get<string[]>(TASKS)) ?? []), name]);
  }

  /** Gives a worker the first queued task, or queues the worker. */
  async take(ctx: ObjectContext, poll: string): Promise<void> {
    const [first, ...others] = (await ctx.get<string[]>(TASKS)) ?? [];
    if (first === undefined) return setOrClear(ctx, POLLS, [...((await ctx.get<string[]>(POLLS)) ?? []), poll]);
    const offered = await ctx.get<Offered>(first);
    setOrClear(ctx, TASKS, others);
    ctx.clear(first);
    ctx.resolveAwakeable(poll, offered);
  }

  /** Removes a worker whose poll has ended. Returns false if it was given a task in the meantime. */
  async leave(ctx: ObjectContext, poll: string): Promise<boolean> {
    const polls = (await ctx.get<string[]>(POLLS)) ?? [];
    if (!polls.includes(poll)) return false;
    setOrClear(
      ctx,
      POLLS,
      polls.filter((other) => other !== poll),
    );
    return true;
  }

  /** Removes a task that was cancelled. */
  async withdraw(ctx: ObjectContext, task: Pick<Offered, "arn" | "task">): Promise<void> {
    const name = nameOf(task);
    const names = (await ctx.get<string[]>(TASKS)) ?? [];
    if (!names.includes(name)) return;
    ctx.clear(name);
    setOrClear(
      ctx,
      TASKS,
      names.filter((other) => other !== name),
    );
  }

  // --------------------------------------------------------------------------------------------- shared handlers

  /** Waits for a task; null if none came in time. The execution records that the task was taken before the worker gets it. */
  async poll(ctx: ReadingContext, { worker, milliseconds }: Poll): Promise<TakenTask | null> {
    const late = ctx.sleep(milliseconds).map((): undefined => undefined);
    for (;;) {
      const { id, promise } = ctx.awakeable<Offered>();
      ctx.send({ service: ACTIVITY, handler: "take", key: ctx.key }, id);
      let offered = await ctx.race<Offered | undefined>([promise, late]);
      if (offered === undefined) {
        if (await ctx.call<boolean>({ service: ACTIVITY, handler: "leave", key: ctx.key }, id)) return null;
        offered = await promise;
      }
      const { arn, task, token, input } = offered;
      const event = { type: "taken", task, ...(worker !== undefined && { worker }) };
      const { counts } = await ctx.call<EventAnswer>({ service: EXECUTION, handler: "tell", key: arn }, event);
      // The worker does not get a task that has timed out or was stopped in the meantime.
      if (counts) return { taskToken: token, input };
    }
  }
}

/** Stores a list; clears the state if the list is empty. */
function setOrClear(ctx: ObjectContext, name: string, list: readonly string[]): void {
  if (list.length > 0) ctx.set(name, list);
  else ctx.clear(name);
}

// ------------------------------------------------------------------------------------------- calls of executions

/** Offers a task to the workers of its activity. */
export function offer({ command }: TaskCall, slice: SliceDriver): void {
  const { ctx, notes, record } = slice;
  const { task, token, resource, input } = command;
  const offered: Offered = { arn: record.id, task, token: token ?? "", input: slice.inputOf?.(task) ?? jsonText(input) };
  ctx.send({ service: ACTIVITY, handler: "offer", key: resource }, offered);
  notes.offers = [...(notes.offers ?? []), [task, resource]];
}

/** Applies that a worker has taken a task. Returns whether the execution still waits for a worker to take it. */
export function hasTaken(slice: SliceDriver, { task, worker }: { task: number; worker?: string }): boolean {
  if (!forget(slice, task)) return false;
  slice.post("started", task, worker);
  return true;
}

/** Withdraws a task that no worker has taken. */
export function withdrawn(slice: SliceDriver, task: number): void {
  const resource = slice.notes.offers?.find(([other]) => other === task)?.[1];
  if (resource === undefined) return;
  forget(slice, task);
  slice.ctx.send({ service: ACTIVITY, handler: "withdraw", key: resource }, { arn: slice.record.id, task });
}

function forget({ notes }: SliceDriver, task: number): boolean {
  const others = notes.offers?.filter(([other]) => other !== task);
  const was = others !== undefined && others.length < (notes.offers?.length ?? 0);
  if (others === undefined || others.length === 0) delete notes.offers;
  else notes.offers = others;
  return was;
}
