// The virtual object of a shard: a group of a Map Run's children. It starts and stops them for the Map Run, and reports many ends
// at once, so that one slice of the Map Run handles dozens of them. Its key is the Map Run's ARN and a number.

import { messageOf } from "../../core/base/errors.ts";
import { type Durable, EXECUTION, SHARD, TASKS, type ObjectContext, type ServiceContext } from "./context.ts";
import { GATHERING } from "./gathering.ts";
import type { ChildAnswer, ChildEnded, ChildStart, ChildrenRequest, ShardStart } from "./events.ts";

/** Maximum size of the ends in one message to the Map Run, in characters. */
const MESSAGE_SIZE = 2 ** 20;

/** The state of a shard. */
interface Shard {
  /** The execution that the Map Run belongs to. */
  parent: string;
  mapRun: string;
  /** The redrive count of the Map Run. Messages of earlier redrives are refused. */
  redrive: number;
  /** Children that are running, and children whose ends are stored here. */
  open: number[];
  ended: number[];
  /** The delayed call that reports the stored ends. A call with another number has no effect. */
  timer?: number;
  last: number;
}

/** The ARNs of the children by their indexes. */
type Children = Record<string, string>;

const END = "end:";

export class ShardObject {
  /** Starts or redrives children. */
  async start(ctx: ObjectContext, request: ShardStart): Promise<void> {
    const { parent, mapRun, redrive } = request;
    let shard = await ctx.get<Shard>("shard");
    if (shard !== null && shard.redrive > redrive) return;
    if (shard === null || shard.redrive < redrive) {
      for (const index of shard?.ended ?? []) ctx.clear(END + index);
      shard = { parent, mapRun, redrive, open: [], ended: [], last: shard?.last ?? 0 };
    }
    const children = (await ctx.get<Children>("children")) ?? {};
    const { machine, definition } = request;
    const begun: ChildrenRequest = { parent, mapRun, redrive, shard: ctx.key, children: [] };
    for (const { index, arn, engine, recorded, items } of request.children) {
      if (arn !== undefined) children[index] = arn;
      const of = { shard: ctx.key, mapRun, index, redrive, recorded, ...(items !== undefined && { items }) };
      const start: ChildStart = { machine, definition, of, ...(engine !== undefined && { engine }) };
      shard.open.push(index);
      begun.children.push({ arn: children[index] as string, start });
    }
    ctx.send({ service: TASKS, handler: "children" }, begun);
    if (request.children.some(({ arn }) => arn !== undefined)) ctx.set("children", children);
    ctx.set("shard", shard);
  }

  /** Removes children that ended in their first slices. The Map Run has been notified of them already. */
  async settled(ctx: ObjectContext, { redrive, indexes }: { redrive: number; indexes: number[] }): Promise<void> {
    const shard = await ctx.get<Shard>("shard");
    if (shard === null || shard.redrive !== redrive) return;
    const settled = new Set(indexes);
    shard.open = shard.open.filter((index) => !settled.has(index));
    ctx.set("shard", shard);
  }

  /** Stores the end of a child that ended in a later slice than its first. */
  async ended(ctx: ObjectContext, { index, redrive, end }: ChildEnded): Promise<void> {
    const shard = await ctx.get<Shard>("shard");
    const at = shard?.open.indexOf(index) ?? -1;
    if (shard === null || shard.redrive !== redrive || at < 0) return;
    shard.open.splice(at, 1);
    if (shard.open.length === 0) {
      await this.#report(ctx, shard, [end]);
      return;
    }
    shard.ended.push(index);
    ctx.set(END + index, end);
    if (shard.timer === undefined) {
      shard.timer = shard.last += 1;
      ctx.send({ service: SHARD, handler: "tell", key: ctx.key }, shard.timer, GATHERING);
    }
    ctx.set("shard", shard);
  }

  /** Reports the stored ends to the Map Run. */
  async tell(ctx: ObjectContext, timer: number): Promise<void> {
    const shard = await ctx.get<Shard>("shard");
    if (shard?.timer === timer) await this.#report(ctx, shard, []);
  }

  async #report(ctx: ObjectContext, shard: Shard, last: string[]): Promise<void> {
    const ends: string[] = [];
    for (const index of shard.ended) {
      const end = await ctx.get<string>(END + index);
      if (end !== null) ends.push(end);
      ctx.clear(END + index);
    }
    tellMapRun(ctx, shard, [...ends, ...last]);
    shard.ended = [];
    delete shard.timer;
    ctx.set("shard", shard);
  }

  /** Stops the running children, because the Map Run no longer waits for them. */
  async stop(ctx: ObjectContext, redrive: number): Promise<void> {
    const shard = await ctx.get<Shard>("shard");
    if (shard === null || shard.redrive !== redrive) return;
    const children = (await ctx.get<Children>("children")) ?? {};
    for (const index of shard.open) ctx.send({ service: EXECUTION, handler: "stop", key: children[index] as string }, { redrive });
    for (const index of shard.ended) ctx.clear(END + index);
    const { parent, mapRun, last } = shard;
    ctx.set("shard", { parent, mapRun, redrive, open: [], ended: [], last });
  }

  /** Asks the running children to continue with another definition. A child that cannot do so continues with its old one. */
  async migrate(ctx: ObjectContext, digest: string): Promise<void> {
    const shard = await ctx.get<Shard>("shard");
    const children = (await ctx.get<Children>("children")) ?? {};
    for (const index of shard?.open ?? [])
      ctx.send({ service: EXECUTION, handler: "event", key: children[index] as string }, { type: "migrate", digest });
  }

  /** Makes all children forget their data, together with the execution of the Map Run. */
  async forget(ctx: ObjectContext): Promise<void> {
    const children = (await ctx.get<Children>("children")) ?? {};
    for (const arn of Object.values(children)) ctx.send({ service: EXECUTION, handler: "event", key: arn }, { type: "forget" });
    ctx.clearAll();
  }
}

/** Starts or redrives children, and reports to the Map Run those that end in their first slice. */
export async function callChildren(ctx: ServiceContext, request: ChildrenRequest): Promise<void> {
  const { shard, redrive, children } = request;
  const open = new Map<number, Durable<Came>>();
  for (const [i, { arn, start }] of children.entries()) {
    const called = ctx.call<ChildAnswer>({ service: EXECUTION, handler: "child", key: arn }, start);
    open.set(
      i,
      called.map((end, failure): Came => ({ i, end: failure === undefined ? (end ?? null) : failedEnd(start.of, failure) })),
    );
  }
  const indexes: number[] = [];
  let ends: string[] = [];
  let late: Durable<Came> | undefined;
  while (open.size > 0) {
    const { i, end } = await ctx.race(late === undefined ? [...open.values()] : [...open.values(), late]);
    if (i === LATE) late = undefined;
    else open.delete(i);
    const index = children[i]?.start.of.index;
    if (end !== null && index !== undefined) {
      ends.push(end);
      indexes.push(index);
    }
    if (ends.length === 0) continue;
    if (i === LATE || open.size === 0) {
      tellMapRun(ctx, request, ends);
      ends = [];
    } else late ??= ctx.sleep(GATHERING).map((): Came => ({ i: LATE, end: null }));
  }
  if (indexes.length > 0) ctx.send({ service: SHARD, handler: "settled", key: shard }, { redrive, indexes });
}

/** The answer of a child's first slice. Without an index, the time to report the collected ends has come. */
interface Came {
  i: number;
  end: ChildAnswer;
}

const LATE = -1;

/** Returns the end of a child whose call was ended from outside, by an operator. */
function failedEnd({ index, redrive }: ChildStart["of"], failure: Error): string {
  return JSON.stringify({ index, redrive, status: "FAILED", error: "States.Runtime", cause: messageOf(failure) });
}

function tellMapRun(ctx: ServiceContext, { parent, mapRun }: { parent: string; mapRun: string }, ends: readonly string[]): void {
  for (const part of parts(ends))
    ctx.send({ service: EXECUTION, handler: "event", key: parent }, { type: "children", ended: [[mapRun, part]] });
}

/** Divides texts into lists of limited size. */
function parts(texts: readonly string[]): string[][] {
  const lists: string[][] = [];
  let length = Infinity;
  for (const text of texts) {
    if (length + text.length > MESSAGE_SIZE) {
      lists.push([]);
      length = 0;
    }
    lists.at(-1)?.push(text);
    length += text.length;
  }
  return lists;
}
