// What a console shows: the executions of a server, of a Runtime, or of a store that another process writes.

import type { Runtime, Store } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import type { Host } from "../../runtime/durable/host.ts";
import { OPERATED, type OperatedRuntime } from "../../runtime/durable/operated.ts";
import type { PendingSignals } from "../../runtime/durable/signals.ts";
import { ACTIONS, type ActionName, type ExecutionActions, actionsOf } from "../executions/actions.ts";
import type { Context } from "../executions/context.ts";
import type { Quotas } from "../protocol/quotas.ts";

/** What a console reads of the host of the executions. */
type ConsoleHost = Pick<Host, "at" | "find" | "take" | "has" | "ended">;

/** The executions that a console shows, and what it can do with them. */
export interface ConsoleSource {
  /** `store` if another process runs the executions. */
  readonly kind: "server" | "runtime" | "store";
  readonly store: Store;
  readonly host: ConsoleHost;
  /** AWS's quotas, which limit redrives. */
  readonly quotas: Quotas | undefined;
  /** Performs actions; undefined if the console only reads. */
  readonly actions: ExecutionActions | undefined;
  /** The registered machines. A store may have executions of others. */
  machines(): { arn: string; name: string }[];
  signals(arn: string): Promise<PendingSignals>;
}

/** Returns the executions of a server. */
export function serverSource(service: Context): ConsoleSource {
  return { kind: "server", actions: actionsOf(service), ...readsOf(service) };
}

/** Returns the executions of a service that only reads a store. */
export function storeSource(service: Context): ConsoleSource {
  return { kind: "store", actions: undefined, ...readsOf(service) };
}

function readsOf(service: Context): Omit<ConsoleSource, "kind" | "actions"> {
  const { store, runner, quotas, machines } = service;
  return {
    store,
    host: runner.host,
    quotas,
    machines: () => [...machines.values()].map(({ arn, name }) => ({ arn, name })),
    signals: (arn) => runner.at(arn, "signals", [arn]),
  };
}

/** Returns the executions of a Runtime. */
export function runtimeSource(runtime: Runtime): ConsoleSource {
  const operated = (runtime as { [OPERATED]?: () => OperatedRuntime })?.[OPERATED]?.();
  if (operated === undefined) throw misuse("INVALID_ARGUMENT", "serveConsole() needs a Runtime of stepglass/durable");
  const { host, cancellation, sendSignal, migrate } = operated;
  return {
    kind: "runtime",
    store: host.store,
    host,
    quotas: undefined,
    actions: {
      signal: sendSignal,
      cancel: (arn, cause) => cancellation.cancel(arn, cause),
      stop: async (arn, error, cause) => {
        await host.at(arn, "stop", [arn, error, cause]);
        await host.ended(arn);
      },
      redrive: (arn) => host.at(arn, "redrive", [arn]),
      resume: (arn) => host.at(arn, "resume", [arn]),
      migrate,
    },
    machines: operated.machines,
    signals: (arn) => host.at(arn, "signals", [arn]),
  };
}

/** Returns the names of the actions that a source can perform. */
export function actionNames({ actions }: ConsoleSource): ActionName[] {
  return actions === undefined ? [] : ACTIONS.filter((name) => actions[name] !== undefined);
}
