// What the server has registered, with its store, its clock, its limits and its identity.

import type { Clock } from "../../core/api/index.d.ts";
import type { Store } from "../../core/api/durable.d.ts";
import type { ServerLimits } from "../../core/api/server.d.ts";
import type { RegisteredActivity } from "./activity.ts";
import type { Log } from "../protocol/log.ts";
import type { Machine } from "./registered-machine.ts";
import type { Quotas } from "../protocol/quotas.ts";

/** All limits of a server. */
export type AllLimits = Required<Omit<ServerLimits, "retain">> & { retain: Required<NonNullable<ServerLimits["retain"]>> };

/** The default limits. */
export const LIMITS: AllLimits = {
  registered: 10_000,
  running: 100_000,
  resident: 1000,
  retain: { executions: 10_000, bytes: 256 * 2 ** 20 },
  poll: 60_000,
};

/** The state of a server, without what runs its executions. */
export interface Registry {
  /** The machines by their ARNs. */
  readonly machines: Map<string, Machine>;
  /** The activities by their ARNs. */
  readonly activities: Map<string, RegisteredActivity>;
  readonly store: Store;
  readonly region: string;
  readonly account: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits: AllLimits;
  /** The quotas of AWS, if the server has them. */
  readonly quotas: Quotas | undefined;
  /** Returns the time of the server's clock, in milliseconds since 1970. */
  now(): number;
  /** Returns a random number from 0 to 1. */
  random(): number;
  /** Returns an ARN in this region and account. */
  arn(type: string, name: string): string;
  /** Returns how many registered resources count for a limit: all or, with quotas, those of this region and account. */
  count(registered: ReadonlyMap<string, unknown>): number;
  /** Returns whether an ARN belongs to this region and account. */
  owns(arn: string): boolean;
}
