// The entry `stepglass/aws`: tasks that call AWS, or an emulator of it.

import type { AwsCall, AwsTaskOptions } from "../core/api/aws.d.ts";
import type { TaskHandler, TaskHandlers } from "../core/api/index.d.ts";
import { callsOf } from "../aws/plan.ts";
import { fromProject } from "../aws/project.ts";
import { settingsOf } from "../aws/settings.ts";
import { awsHandlers, clientsOf } from "../aws/tasks.ts";
import type { MachineDefinition } from "../core/definition/fields.ts";
import { Handlers } from "../core/tasks/resource.ts";

/** Returns the handlers of AWS's services. */
export function awsTasks(options: AwsTaskOptions = {}): Record<string, TaskHandler> {
  return awsHandlers(settingsOf(options, fromProject));
}

/** Returns the calls of AWS that the tasks of a definition would make. */
export async function awsCalls(definition: object | string, tasks: TaskHandlers): Promise<AwsCall[]> {
  const parsed = typeof definition === "string" ? (JSON.parse(definition) as MachineDefinition) : (definition as MachineDefinition);
  const handlers = new Handlers(tasks);
  return callsOf(parsed, (resource, state, parameters) => {
    const handler = handlers.find(resource, state, parameters);
    return handler && clientsOf(handler);
  });
}
