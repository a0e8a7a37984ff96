// AWS's models of services that somebody has dropped on the page: the results of mocks are checked against them.

import { signal } from "@preact/signals";
import type { ServiceModel } from "stepglass/service-model";
import { query } from "../store/interpreter.ts";

const models = new Map<string, ServiceModel>();

/// How many models have been taken: a check is made again when another one comes.
export const taken = signal(0);

/// Takes a model; gives the name of its service for people.
export async function takeModel(model: ServiceModel): Promise<string> {
  const { serviceOf } = await import("stepglass/service-model");
  models.set(serviceOf(model), model);
  taken.value += 1;
  return model.metadata?.serviceId ?? "";
}

/// What is wrong with a result of a service; empty where it fits, or where there is no model of the service.
export async function refusalOf(resource: string, result: unknown): Promise<string> {
  const [, service = "", action = ""] = /^arn:[^:]*:states:[^:]*:[^:]*:(?:aws-sdk:)?([\w-]+):([\w.:]+)$/.exec(resource) ?? [];
  if (models.size === 0 || service === "") return "";
  const { responseOf, sdkServiceOf } = await import("stepglass/service-model");
  const model = models.get(sdkServiceOf(service));
  const shape = model && responseOf(service, action, () => model);
  if (shape === undefined) return "";
  const problem = await query("checkResult", { resource, result, shape });
  return problem && `${model?.metadata?.serviceId} does not answer so: ${problem}. TestState refuses this mock.`;
}
