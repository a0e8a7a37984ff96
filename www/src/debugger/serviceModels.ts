// The API models of AWS services that the user has dropped on the page. Mocked results are validated against them.

import { signal } from "@preact/signals";
import type { ServiceModel } from "stepglass/service-model";
import { query } from "../store/interpreter.ts";

const models = new Map<string, ServiceModel>();

/** The number of models that were added. Results are validated again when a model is added. */
export const taken = signal(0);

/** Adds a model. Returns the display name of its service. */
export async function takeModel(model: ServiceModel): Promise<string> {
  const { serviceOf } = await import("stepglass/service-model");
  models.set(serviceOf(model), model);
  taken.value += 1;
  return model.metadata?.serviceId ?? "";
}

/**
 * Returns what is wrong with a result of a service. It is empty if the result is valid or if there is no model of the service.
 */
export async function refusalOf(resource: string, result: unknown): Promise<string> {
  const [, service = "", action = ""] = /^arn:[^:]*:states:[^:]*:[^:]*:(?:aws-sdk:)?([\w-]+):([\w.:]+)$/.exec(resource) ?? [];
  if (models.size === 0 || service === "") return "";
  const { responseOf, sdkServiceOf } = await import("stepglass/service-model");
  const model = models.get(sdkServiceOf(service));
  const shape = model && responseOf(service, action, () => model);
  if (shape === undefined) return "";
  const problem = await query("checkResult", { resource, result, shape });
  return problem && `${model?.metadata?.serviceId} cannot return this mock: ${problem}. TestState refuses it.`;
}
