// Removes ended executions in the background, in small batches, so that nothing else waits for it.

import type { EndedExecution, RetentionRule, RuntimeOptions, Store } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { untilLater } from "../../core/driver/scheduler.ts";
import type { Host } from "./host.ts";

const DAY = 86_400_000;
// The number of executions that have to end, or the time in milliseconds that has to pass, before the store is looked through again.
const PRUNE_AFTER = 1000;
const PRUNE_EVERY = 60_000;
// The numbers of ended executions that are read and removed at once.
const READ = 500;
const REMOVED = 50;

const RULE = ["machine", "status", "days", "executions", "bytes"];
const STATUSES = ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"];

/** What a pass over the ended executions has seen of those that a rule selects, from the latest on. */
interface Seen {
  rule: Pick<RetentionRule, "machine" | "executions" | "bytes">;
  statuses: ReadonlySet<string> | undefined;
  /** Those that ended before are removed. */
  endedBefore: number;
  count: number;
  size: number;
}

export class Retention {
  readonly #rules: readonly RetentionRule[];
  readonly #host: Host;
  readonly #machineArn: (name: string) => string;
  readonly #failed: (error: unknown, retriesIn: number) => void;
  #endedSince = 0;
  #prunedAt = 0;
  #isClosed = false;
  #passing: Promise<unknown> = Promise.resolve();

  constructor(
    given: RuntimeOptions["retention"],
    host: Host,
    { machineArn, failed }: { machineArn: (name: string) => string; failed: (error: unknown, retriesIn: number) => void },
  ) {
    const list: unknown = given ?? [];
    this.#rules = (Array.isArray(list) ? list : [list]) as RetentionRule[];
    for (const [i, rule] of this.#rules.entries()) check(rule, Array.isArray(list) ? `retention[${i}]` : "retention");
    this.#host = host;
    this.#machineArn = machineArn;
    this.#failed = failed;
    if (this.#rules.some(isSelective) && host.store.ended === undefined)
      throw misuse("INVALID_OPTION", "retention by machine or status needs a store with the method ended(), which this one lacks");
  }

  /** An execution has ended. From time to time the store is looked through. */
  ended(): void {
    if (this.#rules.length === 0) return;
    this.#endedSince += 1;
    const now = this.#host.clock.now();
    if (this.#endedSince >= PRUNE_AFTER || now >= this.#prunedAt + PRUNE_EVERY) this.begin();
  }

  /** Looks through the store in the background. */
  begin(): void {
    if (this.#rules.length === 0) return;
    this.#endedSince = 0;
    this.#prunedAt = this.#host.clock.now();
    this.prune().catch((error: unknown) => {
      if (!this.#isClosed) this.#failed(error, PRUNE_EVERY);
    });
  }

  /** Removes the executions that the rules do not keep. Resolves to the ARNs of those that this call has removed. */
  prune(): Promise<string[]> {
    const pass = this.#passing.then(() => this.#prune());
    this.#passing = pass.catch(() => undefined);
    return pass;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #prune(): Promise<string[]> {
    const now = this.#host.clock.now();
    const gone: string[] = [];
    for (const { days, executions, bytes } of this.#rules.filter((rule) => !isSelective(rule)))
      gone.push(
        ...(await this.#host.prune({
          ...(days !== undefined && { endedBefore: now - days * DAY }),
          ...(executions !== undefined && { executions }),
          ...(bytes !== undefined && { bytes }),
        })),
      );
    const selective = this.#rules.filter(isSelective);
    if (selective.length > 0) await this.#pass(selective, now, gone);
    return gone;
  }

  /** Goes through all ended executions, from the latest on, and removes those that a rule does not keep. */
  async #pass(rules: readonly RetentionRule[], now: number, gone: string[]): Promise<void> {
    const isMachine = (name: string, arn: string): boolean => this.#machineArn(name) === arn;
    for await (const page of expired(this.#host.store, rules, { now, isMachine })) {
      for (let from = 0; from < page.length && !this.#isClosed; from += REMOVED) {
        gone.push(...(await this.#host.prune({ ids: page.slice(from, from + REMOVED).map(({ id }) => id) })));
        await untilLater();
      }
      if (this.#isClosed) return;
    }
  }
}

/** What a search for expired executions needs to know. */
interface Search {
  now: number;
  /** Returns whether an ARN belongs to the machine with a name. */
  isMachine(name: string, arn: string): boolean;
}

/** Yields, page by page, the ended executions that the rules do not keep, the latest first. They may be removed meanwhile. */
export async function* expired(
  store: Store,
  rules: readonly RetentionRule[],
  { now, isMachine }: Search,
): AsyncGenerator<EndedExecution[]> {
  const seen = rules.map(({ days, status, ...rule }): Seen => ({
    rule,
    statuses: status === undefined ? undefined : new Set([status].flat()),
    endedBefore: days === undefined ? -Infinity : now - days * DAY,
    count: 0,
    size: 0,
  }));
  for (let before: [endedAt: number, order: number] | undefined; ;) {
    const page: EndedExecution[] = (await store.ended?.({ limit: READ, ...(before !== undefined && { before }) })) ?? [];
    // Every rule counts every execution that it selects, so the first rule that removes it does not end the search.
    yield page.filter((one) => seen.filter((rule) => expires(rule, one, isMachine)).length > 0);
    const last = page.at(-1);
    if (last === undefined || page.length < READ) return;
    before = [last.endedAt, last.order];
    await untilLater();
  }
}

/** Counts an execution if a rule selects it. Returns whether the rule removes it. */
function expires(seen: Seen, { machineArn, status, endedAt, size }: EndedExecution, isMachine: Search["isMachine"]): boolean {
  const { rule, statuses } = seen;
  if (rule.machine !== undefined && !isMachine(rule.machine, machineArn)) return false;
  if (statuses !== undefined && !statuses.has(status)) return false;
  seen.count += 1;
  seen.size += size;
  return endedAt < seen.endedBefore || seen.count > (rule.executions ?? Infinity) || seen.size > (rule.bytes ?? Infinity);
}

function isSelective({ machine, status }: RetentionRule): boolean {
  return machine !== undefined || status !== undefined;
}

function check(rule: RetentionRule, where: string): void {
  checkOptions(rule, RULE, where);
  const { machine, status, ...limits } = rule;
  if (machine !== undefined && typeof machine !== "string")
    throw misuse("INVALID_OPTION", `${where}.machine must be the name of a machine, not ${shown(machine)}`);
  const unknown = [status ?? []].flat().find((one) => !STATUSES.includes(one));
  if (unknown !== undefined) throw misuse("INVALID_OPTION", `${where}.status must be one of ${STATUSES.join(", ")}, not ${shown(unknown)}`);
  const all = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of all)
    if (!(typeof limit === "number" && limit >= 0))
      throw misuse("INVALID_OPTION", `${where}.${name} must be a number of at least 0, not ${shown(limit)}`);
  if (all.length === 0) throw misuse("INVALID_OPTION", `${where} needs days, executions or bytes`);
}
