// The division of executions among the processes that share a store.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";

/** The number of shards. One process owns a shard at a time. */
export const SHARDS = 64;

/** Returns the shard of a key, which is what `keyOf` returns or any other text. */
export function shardOf(key: string): number {
  // This is FNV-1a. ARNs differ in their last characters, so the upper bits are mixed into the lower ones, which determine the
  // shard.
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % SHARDS;
}

/** Returns the key that determines the shard of an execution. */
export function keyOf({ id, near }: Pick<ExecutionRecord, "id" | "near">): string {
  return near ?? id;
}
