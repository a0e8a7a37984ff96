// Collects the ends of children, so that one slice of the execution handles many of them and then starts many others together.
// Storing an end does not need the state of the engine.

import { EXECUTION, type ObjectContext } from "./context.ts";
import type { Ended, ExecutionEvent } from "./events.ts";

/** How long the end of a child waits for others, in milliseconds, while other children run. */
export const GATHERING = 50;

interface Gathered {
  /** The number of running children, according to the slices. */
  open: number;
  /** The number of stored ends, and of the state entries that have them. */
  ended: number;
  pieces: number;
  /** The delayed call that starts a slice with the stored ends. A call with another number has no effect. */
  timer?: number;
  last: number;
}

const NAME = "gathered";
const PIECE = "ended:";

/** Stores a message to the execution, or returns all stored ends if a slice is to handle them now. */
export async function gather(ctx: ObjectContext, event: ExecutionEvent & { type: "children" | "gathered" }): Promise<Ended | undefined> {
  const stored = await ctx.get<Gathered>(NAME);
  // An execution without running children has nothing to collect.
  if (stored === null) return event.type === "gathered" ? undefined : event.ended;
  if (event.type === "gathered") return stored.timer === event.timer ? take(ctx, stored, []) : undefined;
  stored.ended += event.ended.reduce((sum, [, ends]) => sum + ends.length, 0);
  if (stored.ended >= stored.open) return take(ctx, stored, event.ended);
  ctx.set(PIECE + stored.pieces, event.ended);
  stored.pieces += 1;
  if (stored.timer === undefined) {
    stored.timer = stored.last += 1;
    ctx.send({ service: EXECUTION, handler: "event", key: ctx.key }, { type: "gathered", timer: stored.timer }, GATHERING);
  }
  ctx.set(NAME, stored);
  return undefined;
}

async function take(ctx: ObjectContext, stored: Gathered, last: Ended): Promise<Ended> {
  const all = [...(await pieces(ctx, stored)), ...last];
  const { timer: _, ...more } = stored;
  ctx.set(NAME, { ...more, ended: 0, pieces: 0 });
  return all;
}

async function pieces(ctx: ObjectContext, { pieces: count }: Gathered): Promise<Ended> {
  const all: Ended = [];
  for (let i = 0; i < count; i += 1) {
    all.push(...((await ctx.get<Ended>(PIECE + i)) ?? []));
    ctx.clear(PIECE + i);
  }
  return all;
}

/** Adds to the number of running children: those that a slice has started, less those whose ends it has handled. */
export async function count(ctx: ObjectContext, more: number): Promise<void> {
  const stored = (await ctx.get<Gathered>(NAME)) ?? { open: 0, ended: 0, pieces: 0, last: 0 };
  ctx.set(NAME, { ...stored, open: Math.max(0, stored.open + more) });
}

/** Removes the stored ends, because the execution has ended. */
export async function drop(ctx: ObjectContext): Promise<void> {
  const stored = await ctx.get<Gathered>(NAME);
  if (stored === null) return;
  await pieces(ctx, stored);
  ctx.set(NAME, { open: 0, ended: 0, pieces: 0, last: stored.last });
}
