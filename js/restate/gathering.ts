// The ends of children that an execution is told of, until it has a slice for them: many that come one after the other are one slice, which
// then starts many others together. To keep one needs nothing of what the execution stands at.

import { EXECUTION, type ObjectContext } from "./context.ts";
import type { ExecutionEvent } from "./events.ts";

/** How long ends wait for others, in milliseconds, while other children run. */
export const GATHERING = 50;

/** Ends by their Map Runs. */
export type Ended = [mapRun: string, ends: string[]][];

interface Gathered {
  /** How many children run, by what slices have started and heard. */
  open: number;
  /** How many of their ends are kept here, and in how many pieces. */
  ended: number;
  pieces: number;
  /** The delayed call that has a slice take them; one with another number changes nothing. */
  timer?: number;
  last: number;
}

const NAME = "gathered";
const PIECE = "ended:";

/** Keeps what an execution is told, or returns all that it is to be told now. */
export async function gather(ctx: ObjectContext, event: ExecutionEvent & { type: "children" | "gathered" }): Promise<Ended | undefined> {
  const kept = await ctx.get<Gathered>(NAME);
  // Who has started no children has nothing to wait for.
  if (kept === null) return event.type === "gathered" ? undefined : event.ended;
  if (event.type === "gathered") return kept.timer === event.timer ? take(ctx, kept, []) : undefined;
  kept.ended += event.ended.reduce((sum, [, ends]) => sum + ends.length, 0);
  if (kept.ended >= kept.open) return take(ctx, kept, event.ended);
  ctx.set(PIECE + kept.pieces, event.ended);
  kept.pieces += 1;
  if (kept.timer === undefined) {
    kept.timer = kept.last += 1;
    ctx.send({ service: EXECUTION, handler: "event", key: ctx.key }, { type: "gathered", timer: kept.timer }, GATHERING);
  }
  ctx.set(NAME, kept);
  return undefined;
}

async function take(ctx: ObjectContext, kept: Gathered, last: Ended): Promise<Ended> {
  const all = [...(await pieces(ctx, kept)), ...last];
  const { timer: _, ...more } = kept;
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

/** A slice has started so many children more than it has heard the ends of. */
export async function count(ctx: ObjectContext, more: number): Promise<void> {
  const kept = (await ctx.get<Gathered>(NAME)) ?? { open: 0, ended: 0, pieces: 0, last: 0 };
  ctx.set(NAME, { ...kept, open: Math.max(0, kept.open + more) });
}

/** The execution has ended: nobody takes what is kept. */
export async function drop(ctx: ObjectContext): Promise<void> {
  const kept = await ctx.get<Gathered>(NAME);
  if (kept === null) return;
  await pieces(ctx, kept);
  ctx.set(NAME, { open: 0, ended: 0, pieces: 0, last: kept.last });
}
