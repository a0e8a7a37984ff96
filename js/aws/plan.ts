// What a machine would call, without calling it.

import type { AwsCall } from "../api/aws.d.ts";
import type { TaskHandlers } from "../api/index.d.ts";
import { Outline } from "../coverage/outline.ts";
import type { MachineDefinition, StateFields } from "../definition/fields.ts";
import { isObject } from "../base/json.ts";
import { Handlers, parseResource } from "../tasks/resource.ts";
import type { Clients } from "./clients.ts";
import { INTEGRATIONS } from "./integrations.ts";
import { clientOf } from "./services.ts";
import { clientsOf } from "./tasks.ts";

/** The calls of a definition's tasks whose handlers are of `awsTasks()`. */
export async function callsOf(definition: MachineDefinition, tasks: TaskHandlers): Promise<AwsCall[]> {
  const handlers = new Handlers(tasks);
  const calls: AwsCall[] = [];
  for (const { name: state, type, fields } of new Outline(definition).states) {
    for (const [resource, parameters] of resourcesOf(type, fields)) {
      const handler = handlers.find(resource, state, parameters);
      const clients = handler === undefined ? undefined : clientsOf(handler);
      if (clients !== undefined) calls.push({ state, resource, ...(await aboutCall(resource, parameters, clients)) });
    }
  }
  return calls;
}

function resourcesOf(type: StateFields["Type"], fields: StateFields): [resource: string, parameters: unknown][] {
  const { Resource, ItemReader, ResultWriter } = fields;
  const all = type === "Task" ? [[Resource, given(fields)]] : [ItemReader, ResultWriter].map((one) => [one?.Resource, one && given(one)]);
  return all.filter((one): one is [string, unknown] => typeof one[0] === "string");
}

function given(fields: { Parameters?: unknown; Arguments?: unknown }): unknown {
  return fields.Parameters ?? fields.Arguments;
}

async function aboutCall(resource: string, parameters: unknown, clients: Clients): Promise<Omit<AwsCall, "state" | "resource">> {
  const { kind, name = "" } = parseResource(resource);
  if (kind === "lambda") return { call: "lambda:invoke", ...(await aboutClient("lambda", clients)) };
  const [service = "", api = ""] = name.split(":");
  if (service === "http" || service === "apigateway") {
    const endpoint = isObject(parameters) && typeof parameters.ApiEndpoint === "string" ? parameters.ApiEndpoint : undefined;
    return { call: name, ...(endpoint !== undefined && { endpoint }) };
  }
  const client = INTEGRATIONS.get(name)?.client ?? clientOf(service === "aws-sdk" ? api : service);
  return { call: name, ...(client !== undefined && (await aboutClient(client, clients))) };
}

async function aboutClient(client: string, clients: Clients): Promise<Omit<AwsCall, "state" | "resource" | "call">> {
  const name = `@aws-sdk/client-${client}`;
  const endpoint = clients.endpointOf(client);
  const region = clients.regionOf(client);
  const installed = await clients.load(name).then(
    () => true,
    () => false,
  );
  return { package: name, installed, ...(endpoint !== undefined && { endpoint }), ...(region !== undefined && { region }) };
}
