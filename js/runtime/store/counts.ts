// Counts of executions by machine, status and time.

import type { ExecutionCount, ExecutionFilter, ExecutionSummary, Store } from "../../core/api/durable.d.ts";

/** The number of executions that are read at once. */
const PAGE = 1000;

/** The times into which counts are divided: intervals of this many milliseconds since 1970. */
export interface CountOptions {
  interval?: number;
}

type Counted = Pick<ExecutionSummary, "machineArn" | "status" | "startDate">;

/** Counts executions that are added one by one. */
export class Counting {
  readonly #interval: number | undefined;
  readonly #counts = new Map<string, ExecutionCount>();

  constructor({ interval }: CountOptions) {
    this.#interval = interval;
  }

  add({ machineArn, status, startDate }: Counted): void {
    const from = this.#interval === undefined ? undefined : Math.floor(startDate / this.#interval) * this.#interval;
    const key = JSON.stringify([machineArn, status, from]);
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += 1;
    else this.#counts.set(key, { machineArn, status, ...(from !== undefined && { from }), count: 1 });
  }

  /** The counts, in the order in which stores return them. */
  get counts(): ExecutionCount[] {
    return sorted([...this.#counts.values()]);
  }
}

/** Sorts counts by time, then by machine, then by status. */
export function sorted(counts: ExecutionCount[]): ExecutionCount[] {
  const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return counts.sort((a, b) => (a.from ?? 0) - (b.from ?? 0) || before(a.machineArn, b.machineArn) || before(a.status, b.status));
}

/** Counts the executions that a filter selects, also if the store itself cannot. */
export async function countsOf(store: Store, filter: ExecutionFilter, options: CountOptions): Promise<ExecutionCount[]> {
  if (store.counts !== undefined) return store.counts(filter, options);
  const counting = new Counting(options);
  let before: number | undefined;
  do {
    const page = await store.list(filter, { limit: PAGE, ...(before !== undefined && { before }) });
    for (const item of page.items) counting.add(item);
    before = page.before;
  } while (before !== undefined);
  return counting.counts;
}
