// Checks the store at the start of a server: running executions, and those of their tasks that no handler can do.

import { isObject } from "../../core/base/json.ts";
import type { Registry } from "../storage/registry.ts";
import type { TaskRouter } from "./router.ts";

/** Returns the number of running executions of registered machines, and the Resources of their Tasks that have no handler. */
export async function unhandled(
  service: Pick<Registry, "machines" | "store"> & { router: Pick<TaskRouter, "find"> },
): Promise<{ own: number; machines: { name: string; resources: string[] }[] }> {
  const found: { name: string; resources: string[] }[] = [];
  let own = 0;
  for (const machine of service.machines.values()) {
    const running = await service.store.count({ machineArn: machine.arn, status: "RUNNING" });
    if (running === 0) continue;
    own += running;
    const tasks = new Map<string, string>();
    for (const { definition } of machine.revisions) tasksOf(JSON.parse(definition).States, tasks);
    const resources = [...tasks].filter(([resource, state]) => service.router.find(resource, state, {}) === undefined);
    if (resources.length > 0) found.push({ name: machine.name, resources: resources.map(([resource]) => resource) });
  }
  return { own, machines: found };
}

/** Collects the Resources of all Tasks among states, at any depth, each with the name of one of its states. */
function tasksOf(states: unknown, found: Map<string, string>): void {
  for (const [name, state] of Object.entries(isObject(states) ? states : {})) {
    if (!isObject(state)) continue;
    const { Type: type, Resource: resource, Iterator: iterator, ItemProcessor: inner = iterator, Branches: branches } = state;
    if (type === "Task" && typeof resource === "string") found.set(resource, name);
    for (const machine of [inner, ...(Array.isArray(branches) ? branches : [])]) if (isObject(machine)) tasksOf(machine.States, found);
  }
}
