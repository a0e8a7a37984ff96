// An execution on Restate continues with another definition than it began with.

import type { ExecutionRecord } from "../api/durable.d.ts";
import { messageOf } from "../base/errors.ts";
import { Change, problemsOf } from "../durable/migration.ts";
import type { StateMachine } from "../execution/machine.ts";
import { DEFINITION, SHARD, type ObjectContext } from "./context.ts";
import type { EventAnswer } from "./events.ts";
import { type Kept, keepRecord } from "./keeping.ts";

/**
 * Moves what stands between two slices to another definition. Tasks that are called outside of slices go on, and their answers count. The
 * children of its Map Runs follow, each for itself.
 */
export async function migrate(
  ctx: ObjectContext,
  { record, ...kept }: Kept,
  [from, to]: readonly [StateMachine, StateMachine],
  now: number,
): Promise<EventAnswer> {
  const change = new Change(from, to);
  if (change.isNone) return { known: true, counts: false };
  try {
    const engine = change.migrate(record.id, kept.engine);
    // Children ask for it.
    await ctx.call({ service: DEFINITION, handler: "put", key: to.digest }, to.definition);
    const moved: ExecutionRecord = { ...record, definition: to.digest, migratedDate: now };
    keepRecord(ctx, moved, undefined, false);
    ctx.set("standing", { ...kept, record: moved, engine });
    for (const [mapRun, shards, open] of kept.notes.runs ?? [])
      for (let i = 0; open > 0 && i < shards; i += 1) ctx.send({ service: SHARD, handler: "migrate", key: `${mapRun}/${i}` }, to.digest);
    return { known: true, counts: true };
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems === undefined) throw thrown;
    return { known: true, counts: false, refused: ["NOT_MIGRATABLE", messageOf(thrown)], problems };
  }
}
