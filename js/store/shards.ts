// How executions are divided among the processes that share a store.

import type { ExecutionRecord } from "../api/durable.d.ts";

/** How many parts there are; each is of one process at a time. */
export const SHARDS = 64;

/** The shard of a key: what `keyOf` returns, or any other text. */
export function shardOf(key: string): number {
  // FNV-1a, and the bits above are mixed into those that count: ARNs differ in their last characters.
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % SHARDS;
}

/** What decides on the shard of an execution. */
export function keyOf({ id, near }: Pick<ExecutionRecord, "id" | "near">): string {
  return near ?? id;
}
