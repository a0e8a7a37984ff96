// Servers that share a store: the methods that one calls on another, and the machines and activities that another one has
// registered.

import type { RemoteMethods } from "../runtime/durable/host.ts";
import { act, ownSignals } from "./actions.ts";
import { RegisteredActivity } from "./activities.ts";
import { waitingTask } from "./activity-tasks.ts";
import { loadMachine } from "./machine.ts";
import type { StoredExecution } from "./records.ts";
import type { Service } from "./service.ts";

/** The methods that other processes can call. */
export function remoteMethodsOf(service: Service): RemoteMethods {
  return {
    signals: (arn: string) => ownSignals(service, arn),
    activityTask: (_: string, arn: string, workerName?: string) => waitingTask(service, arn, workerName),
    act: async (arn: string, action: string, input: unknown) =>
      act(service, (await service.store.get(arn)) as StoredExecution, action, input),
  };
}

/** Reads a machine or an activity from the store again, or removes it if it is gone. Without a key, all of a collection. */
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
      // The queue and its waiting tasks stay.
      if (known === undefined) activities.set(arn, new RegisteredActivity(about));
      else Object.assign(known.about, about);
    }
  }
}

/** Reads the resources that a request names and this server does not have: another server may have registered them just now. */
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
