// Reads AWS's model of a service, as its own SDKs contain it, and the shape of a response in it.

import type { ServiceShape } from "../api/index.d.ts";
import { serviceName } from "./names.ts";
import { OPTIMIZED } from "./optimized.ts";

/** A model: `service-2.json` of botocore, `….min.json` of aws-sdk. */
export interface ServiceModel {
  operations: Record<string, { output?: ServiceShape }>;
  shapes: Record<string, ServiceShape>;
  metadata?: { serviceId?: string };
}

/** Returns the service of a model, under its name in a Resource. */
export function serviceOf({ metadata }: ServiceModel): string {
  return serviceName(metadata?.serviceId ?? "");
}

/** Returns the service of the AWS SDK integrations that a Resource's service calls: `emr` for `elasticmapreduce`. */
export function sdkServiceOf(service: string): string {
  return Object.hasOwn(OPTIMIZED, service) ? (OPTIMIZED[service]?.sdk ?? service) : service;
}

/**
 * Returns the shape of the response of an action, under the names of a Resource, from the model of the SDK's service. For a job
 * with `.sync`, such as `startJobRun.sync`, it is the response of the API that is polled; AWS checks mocks against that.
 */
export function responseOf(service: string, action: string, modelOf: (sdk: string) => ServiceModel | undefined): ServiceShape | undefined {
  const optimized = Object.hasOwn(OPTIMIZED, service) ? OPTIMIZED[service] : undefined;
  const [name = "", suffix] = action.split(".");
  const polled = suffix?.startsWith("sync") ? optimized?.actions[name]?.polls : name;
  // An API that Step Functions has named has a response of its own, too.
  if (polled === undefined || optimized?.actions[polled]?.operation !== undefined) return undefined;
  const model = modelOf(sdkServiceOf(service));
  const operation = polled.charAt(0).toUpperCase() + polled.slice(1);
  const output = model !== undefined && Object.hasOwn(model.operations, operation) ? model.operations[operation]?.output : undefined;
  return output && model && withShapes(output, model.shapes);
}

/** Returns a shape with those to which it refers, with only the members that a check needs. */
function withShapes(output: ServiceShape, all: Record<string, ServiceShape>): ServiceShape {
  const shapes: Record<string, ServiceShape> = Object.create(null);
  const waiting: string[] = [];
  const bare = (shape: ServiceShape & { document?: boolean }): ServiceShape => {
    if (shape.shape !== undefined) {
      waiting.push(shape.shape);
      return { shape: shape.shape };
    }
    // aws-sdk leaves out the type of a string.
    const { type = "string", members, member, value, required, enum: words, min, max, document } = shape;
    return {
      type,
      ...(members && { members: Object.fromEntries(Object.entries(members).map(([name, inner]) => [name, bare(inner)])) }),
      ...(member && { member: bare(member) }),
      ...(value && { value: bare(value) }),
      ...(required && { required }),
      ...(words && { enum: words }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(document && { document }),
    };
  };
  const top = bare(output);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const shape = Object.hasOwn(all, name) ? all[name] : undefined;
    if (shape !== undefined && !(name in shapes)) shapes[name] = bare(shape);
  }
  return { ...top, shapes };
}
