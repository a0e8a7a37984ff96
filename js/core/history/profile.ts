// Where an execution spends its time: percentiles and the critical path, for `stepglass profile` and for the page.

import type { Chains, Visit } from "./chains.ts";

/** Values that 50, 95 and 99 % of a list do not exceed. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** Returns percentiles by the nearest rank: each is one of the values. They are 0 for an empty list. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * Returns the visits that the end of an execution waited for. Of a Parallel or Map, which is not among them, these are the visits of
 * the branch or iteration that ended last. `endOf` returns the time at which a visit ended.
 */
export function criticalPath<Stay extends Visit>(
  visits: readonly Stay[],
  threads: Chains["threads"],
  endOf: (visit: Stay) => number,
): Stay[] {
  const inThread = groups(visits, ({ thread }) => thread);
  const threadsIn = groups(threads, ({ around }) => around);
  const ends = new Map([...inThread].map(([thread, all]) => [thread, all.reduce((last, visit) => Math.max(last, endOf(visit)), 0)]));
  const path: Stay[] = [];
  // The chains are as deep as the definition, and the list of open threads replaces recursion.
  const open = [0];
  for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
    for (const visit of inThread.get(thread) ?? []) {
      let last: number | undefined;
      for (const { id } of threadsIn.get(visit.id) ?? [])
        if (inThread.has(id) && (last === undefined || ends.get(id)! > ends.get(last)!)) last = id;
      if (last === undefined) path.push(visit);
      else open.push(last);
    }
  }
  return path;
}

/** Returns the members of a list by a number that each has. Map.groupBy() needs Node 21. */
export function groups<Member>(list: readonly Member[], numberOf: (member: Member) => number): Map<number, Member[]> {
  const found = new Map<number, Member[]>();
  for (const member of list) {
    const group = found.get(numberOf(member));
    if (group === undefined) found.set(numberOf(member), [member]);
    else group.push(member);
  }
  return found;
}
