// Moves an execution on Restate to another definition.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { Change, problemsOf } from "../durable/migration.ts";
import type { StateMachine } from "../../core/execution/machine.ts";
import { DEFINITION, SHARD, type ObjectContext } from "./context.ts";
import type { EventAnswer } from "./events.ts";
import { type StoredExecution, storeRecord } from "./persistence.ts";

/**
 * Moves the state of an execution between two slices to another definition. Tasks that are called outside of slices continue, and
 * their
 * answers are accepted. The children of its Map Runs are asked to move too, each by itself.
 */
export async function migrate(
  ctx: ObjectContext,
  { record, ...stored }: StoredExecution,
  [from, to]: readonly [StateMachine, StateMachine],
  now: number,
): Promise<EventAnswer> {
  const change = new Change(from, to);
  if (change.isNone) return { known: true, counts: false };
  try {
    const engine = change.migrate(record.id, stored.engine);
    // Children request the definition from Restate.
    await ctx.call({ service: DEFINITION, handler: "put", key: to.digest }, to.definition);
    const moved: ExecutionRecord = { ...record, definition: to.digest, migratedDate: now };
    storeRecord(ctx, moved, undefined, false);
    ctx.set("standing", { ...stored, record: moved, engine });
    for (const [mapRun, shards, open] of stored.notes.runs ?? [])
      for (let i = 0; open > 0 && i < shards; i += 1) ctx.send({ service: SHARD, handler: "migrate", key: `${mapRun}/${i}` }, to.digest);
    return { known: true, counts: true };
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems === undefined) throw thrown;
    return { known: true, counts: false, refused: ["NOT_MIGRATABLE", messageOf(thrown)], problems };
  }
}
