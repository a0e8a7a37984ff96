// Lists what a machine would call, without calling it.

import type { AwsCall } from "../core/api/aws.d.ts";
import { Outline } from "../core/definition/outline.ts";
import type { MachineDefinition, StateFields } from "../core/definition/fields.ts";
import { isObject } from "../core/base/json.ts";
import { parseResource } from "../core/tasks/resource.ts";
import { Clients } from "./clients.ts";
import { INTEGRATIONS } from "./integrations.ts";
import { clientOf } from "./services.ts";

/**
 * What handles a task's call: the SDK's clients, or another program at an endpoint. Undefined for a task that stays on this
 * machine.
 */
export type Caller = Clients | { endpoint: string } | undefined;

/** Returns the calls of a definition's tasks. */
export async function callsOf(
  definition: MachineDefinition,
  callerOf: (resource: string, state: string, parameters: unknown) => Caller,
): Promise<AwsCall[]> {
  const calls: AwsCall[] = [];
  for (const { name: state, type, fields } of new Outline(definition).states) {
    for (const [resource, parameters] of resourcesOf(type, fields)) {
      const caller = callerOf(resource, state, parameters);
      if (caller !== undefined) calls.push({ state, resource, ...(await aboutCall(resource, parameters, caller)) });
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

type About = Omit<AwsCall, "state" | "resource">;

async function aboutCall(resource: string, parameters: unknown, caller: NonNullable<Caller>): Promise<About> {
  const { kind, name = "" } = parseResource(resource);
  const call = kind === "lambda" ? "lambda:invoke" : name;
  if (!(caller instanceof Clients)) return { call, endpoint: caller.endpoint };
  const [service = "", api = ""] = call.split(":");
  if (service === "http" || service === "apigateway") {
    const endpoint = isObject(parameters) && typeof parameters.ApiEndpoint === "string" ? parameters.ApiEndpoint : undefined;
    return { call, ...(endpoint !== undefined && { endpoint }) };
  }
  const client = INTEGRATIONS.get(call)?.client ?? clientOf(service === "aws-sdk" ? api : service);
  return { call, ...(client !== undefined && (await aboutClient(client, caller))) };
}

async function aboutClient(client: string, clients: Clients): Promise<Omit<About, "call">> {
  const name = `@aws-sdk/client-${client}`;
  const endpoint = clients.endpointOf(client);
  const region = clients.regionOf(client);
  const installed = await clients.load(name).then(
    () => true,
    () => false,
  );
  return { package: name, installed, ...(endpoint !== undefined && { endpoint }), ...(region !== undefined && { region }) };
}
