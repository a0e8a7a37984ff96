// The service integrations that exist. CreateStateMachine rejects all others, as AWS does.

import { sdkServices } from "../../core/integrations/catalogue.ts";
import { OPTIMIZED } from "../../core/integrations/optimized.ts";
import type { Resource } from "../../core/tasks/resource.ts";

const SDK_SERVICES = new Set(sdkServices.map(({ name }) => name));

/** Returns whether a Resource names an API that Step Functions can call. For SDK integrations, only the service is checked. */
export function isIntegration({ kind, name = "" }: Pick<Resource, "kind" | "name">): boolean {
  if (kind !== "service") return true;
  const [service = "", api = "", operation] = name.split(":");
  if (service === "aws-sdk") return SDK_SERVICES.has(api.replace(/service$/, "")) && /^[a-z]\w*$/.test(operation ?? "");
  const optimized = Object.hasOwn(OPTIMIZED, service) ? OPTIMIZED[service]?.actions : undefined;
  return operation === undefined && optimized !== undefined && Object.hasOwn(optimized, api);
}
