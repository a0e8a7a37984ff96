// The quotas that AWS documents for an account in a region: the request rate of each operation, and the number of resources.

import type { MachineType } from "../../core/api/index.d.ts";
import type { Quotas as Given, RateQuota } from "../../core/api/server.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";
import { ApiError } from "./errors.ts";
import { type Operation, isOperation } from "./shapes.ts";

/** Starts of Standard and of Express executions have separate quotas. */
type Rated = Operation | "StartExecution.EXPRESS";
type Rate = readonly [bucket: number, refill: number];

/** The regions with larger quotas. */
const LARGE: ReadonlySet<string> = new Set(["us-east-1", "us-west-2", "eu-west-1"]);

const SLOW: Rate = [100, 1];
const SOME: Rate = [200, 1];

/** The rates in all regions: the size of the bucket, and the tokens that are added each second. */
const RATES: Readonly<Partial<Record<Rated, Rate>>> = {
  CreateActivity: SLOW,
  CreateStateMachine: SLOW,
  CreateStateMachineAlias: SLOW,
  DeleteActivity: SLOW,
  DeleteStateMachine: SLOW,
  DeleteStateMachineAlias: SLOW,
  DeleteStateMachineVersion: SLOW,
  DescribeActivity: SOME,
  DescribeExecution: [250, 10],
  DescribeMapRun: SOME,
  DescribeStateMachine: [200, 20],
  DescribeStateMachineAlias: SOME,
  DescribeStateMachineForExecution: SOME,
  GetActivityTask: [1500, 300],
  GetExecutionHistory: [400, 20],
  ListActivities: [100, 5],
  ListExecutions: [100, 2],
  ListMapRuns: SLOW,
  ListStateMachineAliases: SLOW,
  ListStateMachines: [100, 5],
  ListStateMachineVersions: SLOW,
  ListTagsForResource: SLOW,
  PublishStateMachineVersion: SLOW,
  RedriveExecution: [800, 150],
  SendTaskFailure: [1500, 300],
  SendTaskHeartbeat: [1500, 300],
  SendTaskSuccess: [1500, 300],
  StartExecution: [800, 150],
  "StartExecution.EXPRESS": [6000, 6000],
  StopExecution: [500, 25],
  TagResource: SOME,
  TestState: [50, 10],
  UntagResource: SOME,
  UpdateMapRun: SLOW,
  UpdateStateMachine: SLOW,
  UpdateStateMachineAlias: SLOW,
  ValidateStateMachineDefinition: SLOW,
};

/** The rates that are larger in large regions. */
const LARGE_RATES: Readonly<Partial<Record<Rated, Rate>>> = {
  DescribeExecution: [300, 15],
  GetActivityTask: [3000, 500],
  ListActivities: [100, 10],
  ListExecutions: [200, 5],
  RedriveExecution: [1300, 300],
  SendTaskFailure: [3000, 500],
  SendTaskHeartbeat: [3000, 500],
  SendTaskSuccess: [3000, 500],
  StartExecution: [1300, 300],
  StopExecution: [1000, 200],
};

// How long after its end an execution can be redriven, in milliseconds. AWS documents 14 days.
const REDRIVABLE = 14 * 86_400_000;
/** Maximum size of a request, in bytes. */
export const REQUEST = 2 ** 20;

const OPEN_EXECUTIONS = 1_000_000;
const REGISTERED = 100_000;

/** A token bucket, which is refilled over time. */
interface Bucket {
  tokens: number;
  at: number;
}

/** Enforces the quotas. */
export class Quotas {
  readonly #now: () => number;
  readonly #rates: ReadonlyMap<string, Rate>;
  readonly #openExecutions: number;
  readonly registered: number;
  /** The buckets by region, account and operation. */
  readonly #buckets = new Map<string, Bucket>();
  /** The number of running Standard executions, by region and account. */
  readonly #open = new Map<string, number>();

  /** Throws INVALID_OPTION for limits that are not valid. */
  constructor(given: Given, now: () => number) {
    const { rates = {}, openExecutions = OPEN_EXECUTIONS, registered = REGISTERED } = given;
    this.#now = now;
    this.#openExecutions = countOf(openExecutions, "openExecutions");
    this.registered = countOf(registered, "registered");
    this.#rates = new Map(Object.entries(rates).map(([name, rate]) => [name, rateOf(name, rate)]));
  }

  /** Counts a call. Throws ThrottlingException. */
  take(operation: Operation, region: string, account: string, type?: MachineType): void {
    const name: Rated = operation === "StartExecution" && type === "EXPRESS" ? "StartExecution.EXPRESS" : operation;
    const rate = this.#rates.get(name) ?? (LARGE.has(region) ? LARGE_RATES[name] : undefined) ?? RATES[name];
    if (rate === undefined) return;
    const [size, refill] = rate;
    const key = `${region} ${account} ${name}`;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: size, at: now };
    this.#buckets.set(key, bucket);
    bucket.tokens = Math.min(size, bucket.tokens + (Math.max(now - bucket.at, 0) / 1000) * refill);
    bucket.at = Math.max(now, bucket.at);
    if (bucket.tokens < 1) throw new ApiError("ThrottlingException", "Rate exceeded");
    bucket.tokens -= 1;
  }

  /** Returns whether an execution ended too long ago to be redriven. */
  isOld({ stopDate }: { stopDate?: number }): boolean {
    return stopDate !== undefined && stopDate + REDRIVABLE < this.#now();
  }

  /** Throws ExecutionLimitExceeded if no other execution may start. */
  checkOpen(arn: string): void {
    if ((this.#open.get(scopeOf(arn)) ?? 0) >= this.#openExecutions)
      throw new ApiError("ExecutionLimitExceeded", `The limit of ${this.#openExecutions} open executions is reached`);
  }

  /** Counts a started execution (1) or an ended one (-1). */
  count({ id, type }: { id: string; type?: string | undefined }, by: 1 | -1): void {
    if (type === "EXPRESS") return;
    const scope = scopeOf(id);
    this.#open.set(scope, Math.max((this.#open.get(scope) ?? 0) + by, 0));
  }
}

function scopeOf(arn: string): string {
  const [, , , region, account] = arn.split(":", 5);
  return `${region} ${account}`;
}

function countOf(value: number, name: string): number {
  if (!Number.isInteger(value) || value < 0) throw misuse("INVALID_OPTION", `quotas.${name} must be a whole number, not ${shown(value)}`);
  return value;
}

function rateOf(name: string, { bucket, refill }: RateQuota): Rate {
  if (name !== "StartExecution.EXPRESS" && !isOperation(name))
    throw misuse("INVALID_OPTION", `quotas.rates has ${shown(name)}, which is not an operation of the API`);
  if (!(bucket >= 1 && refill >= 0 && Number.isFinite(bucket) && Number.isFinite(refill)))
    throw misuse(
      "INVALID_OPTION",
      `quotas.rates.${name} must be { bucket, refill }: a bucket of at least 1, and the number that is added to it each second`,
    );
  return [bucket, refill];
}
