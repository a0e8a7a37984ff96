// Servers that share a store: reads the machines and activities that another one has registered.

import { RegisteredActivity } from "./activity.ts";
import { loadMachine } from "./registered-machine.ts";
import type { Registry } from "./registry.ts";

/** Reads a machine or an activity from the store again, or removes it if it is gone. Without a key, all of a collection. */
export async function reload(registry: Registry, collection: string, key?: string): Promise<void> {
  const { store, machines, activities } = registry;
  if (collection !== "machine" && collection !== "activity") return;
  const keys = key === undefined ? [] : [key];
  if (key === undefined) for await (const [one] of store.all(collection)) keys.push(one);
  for (const arn of keys) {
    const about = await store.document(collection, arn);
    if (collection === "machine") {
      if (about === undefined) machines.delete(arn);
      else machines.set(arn, await loadMachine(registry, about));
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
export async function lookFor(registry: Registry, input: unknown): Promise<void> {
  const { stateMachineArn, activityArn, resourceArn } = (input ?? {}) as Record<string, unknown>;
  for (const given of [stateMachineArn, activityArn, resourceArn]) {
    if (typeof given !== "string") continue;
    const arn = given.split("#", 1)[0]!.split(":").slice(0, 7).join(":");
    if (arn.includes(":activity:")) {
      if (!registry.activities.has(arn)) await reload(registry, "activity", arn);
    } else if (!registry.machines.has(arn)) await reload(registry, "machine", arn);
  }
}
