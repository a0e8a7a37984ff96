// Activities on Restate: each is a virtual object with the tasks that wait for a worker, and the workers that wait for a task. Its key is the
// activity's ARN.

import type { TaskCall } from "../tasks/call.ts";
import { jsonText } from "../tasks/integration.ts";
import { ACTIVITY, EXECUTION, type ObjectContext, type ReadingContext } from "./context.ts";
import type { EventAnswer } from "./events.ts";
import type { SliceDriver } from "./own.ts";

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

/** A worker that asks for a task. */
export interface Poll {
  worker?: string;
  /** How long it waits. */
  milliseconds: number;
}

/** The tasks that wait, by the names of what is kept of them, the first first. */
const TASKS = "tasks";
/** The awakeables of workers that wait. There are never both. */
const POLLS = "polls";
const nameOf = ({ arn, task }: Pick<Offered, "arn" | "task">): string => `task:${task}:${arn}`;

export class ActivityObject {
  // ---------------------------------------------------------------------------------------------- has it for itself

  /** A task is there. */
  async offer(ctx: ObjectContext, offered: Offered): Promise<void> {
    const [first, ...others] = (await ctx.get<string[]>(POLLS)) ?? [];
    if (first !== undefined) {
      keep(ctx, POLLS, others);
      return ctx.resolveAwakeable(first, offered);
    }
    const name = nameOf(offered);
    ctx.set(name, offered);
    keep(ctx, TASKS, [...((await ctx.get<string[]>(TASKS)) ?? []), name]);
  }

  /** A worker is there. */
  async take(ctx: ObjectContext, poll: string): Promise<void> {
    const [first, ...others] = (await ctx.get<string[]>(TASKS)) ?? [];
    if (first === undefined) return keep(ctx, POLLS, [...((await ctx.get<string[]>(POLLS)) ?? []), poll]);
    const offered = await ctx.get<Offered>(first);
    keep(ctx, TASKS, others);
    ctx.clear(first);
    ctx.resolveAwakeable(poll, offered);
  }

  /** A worker waits no longer. False if it was given a task. */
  async leave(ctx: ObjectContext, poll: string): Promise<boolean> {
    const polls = (await ctx.get<string[]>(POLLS)) ?? [];
    if (!polls.includes(poll)) return false;
    keep(
      ctx,
      POLLS,
      polls.filter((other) => other !== poll),
    );
    return true;
  }

  /** A task is needed no longer. */
  async withdraw(ctx: ObjectContext, task: Pick<Offered, "arn" | "task">): Promise<void> {
    const name = nameOf(task);
    const names = (await ctx.get<string[]>(TASKS)) ?? [];
    if (!names.includes(name)) return;
    ctx.clear(name);
    keep(
      ctx,
      TASKS,
      names.filter((other) => other !== name),
    );
  }

  // ------------------------------------------------------------------------------------------------------ only reads

  /** Waits for a task. Its execution knows that it was taken before the worker does; null if none came in time. */
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
      // Of one that has timed out or was stopped meanwhile the worker hears nothing.
      if (counts) return { taskToken: token, input };
    }
  }
}

/** Keeps a list; nothing of one that is empty. */
function keep(ctx: ObjectContext, name: string, list: readonly string[]): void {
  if (list.length > 0) ctx.set(name, list);
  else ctx.clear(name);
}

// --------------------------------------------------------------------------------------------- what executions do

/** Offers a task to the workers of its activity. */
export function offer({ command }: TaskCall, slice: SliceDriver): void {
  const { ctx, notes, record } = slice;
  const { task, token, resource, input } = command;
  const offered: Offered = { arn: record.id, task, token: token ?? "", input: slice.inputOf?.(task) ?? jsonText(input) };
  ctx.send({ service: ACTIVITY, handler: "offer", key: resource }, offered);
  notes.offers = [...(notes.offers ?? []), [task, resource]];
}

/** A worker has taken a task. Whether the execution waits for that. */
export function hasTaken(slice: SliceDriver, { task, worker }: { task: number; worker?: string }): boolean {
  if (!forget(slice, task)) return false;
  slice.post("started", task, worker);
  return true;
}

/** Withdraws a task that nobody has taken. */
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
