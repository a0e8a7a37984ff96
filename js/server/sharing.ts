// Servers that share a store: what one asks another, and what each knows of machines and activities that another has registered.

import type { Doings } from "../durable/host.ts";
import { act, ownSignals } from "./actions.ts";
import { RegisteredActivity } from "./activities.ts";
import { waitingTask } from "./activity-tasks.ts";
import { loadMachine } from "./machine.ts";
import type { StoredExecution } from "./records.ts";
import type { Service } from "./service.ts";

/** What is done with executions where they are. */
export function doingsOf(service: Service): Doings {
  return {
    signals: (arn: string) => ownSignals(service, arn),
    activityTask: (_: string, arn: string, workerName?: string) => waitingTask(service, arn, workerName),
    act: async (arn: string, action: string, input: unknown) =>
      act(service, (await service.store.get(arn)) as StoredExecution, action, input),
  };
}

/** Registers a machine or an activity again, or no longer, as the store has it; without a key all of them. */
export async function reload(service: Service, collection: string, key?: string): Promise<void> {
  const { store, machines, activities } = service;
  if (collection !== "machine" && collection !== "activity") return;
  const keys = key === undefined ? [] : [key];
  if (key === undefined) for await (const [one] of store.all(collection)) keys.push(one);
  for (const arn of keys) {
    const about = await store.document(collection, arn);
    if (collection === "machine") {
      if (about === undefined) machines.delete(arn);
      else machines.set(arn, await loadMachine(service, about));
    } else if (about === undefined) activities.delete(arn);
    else {
      const known = activities.get(arn);
      // The tasks that wait stay in its queue.
      if (known === undefined) activities.set(arn, new RegisteredActivity(about));
      else Object.assign(known.about, about);
    }
  }
}

/** Registers what a request names and this server does not know: another one may have registered it just now. */
export async function lookFor(service: Service, input: unknown): Promise<void> {
  const { stateMachineArn, activityArn, resourceArn } = (input ?? {}) as Record<string, unknown>;
  for (const given of [stateMachineArn, activityArn, resourceArn]) {
    if (typeof given !== "string") continue;
    const arn = given.split("#", 1)[0]!.split(":").slice(0, 7).join(":");
    if (arn.includes(":activity:")) {
      if (!service.activities.has(arn)) await reload(service, "activity", arn);
    } else if (!service.machines.has(arn)) await reload(service, "machine", arn);
  }
}
