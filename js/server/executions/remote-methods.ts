// The methods that servers that share a store call on each other.

import type { RemoteMethods } from "../../runtime/durable/host.ts";
import { act, actionsOf } from "./actions.ts";
import { waitingTask } from "./activity-tasks.ts";
import type { Context } from "./context.ts";
import type { StoredExecution } from "../storage/records.ts";

/** The methods that other processes can call. */
export function remoteMethodsOf(service: Context): RemoteMethods {
  return {
    activityTask: (_: string, arn: string, workerName?: string) => waitingTask(service, arn, workerName),
    act: async (arn: string, action: string, input: unknown) =>
      act(actionsOf(service), (await service.store.get(arn)) as StoredExecution, action, input),
  };
}
