// The entry `stepglass/integrations`: the service integrations of Step Functions, their patterns and parameters.

export { completeIntegrations } from "../integrations/complete.ts";
export { integrationOf, searchIntegrations } from "../integrations/search.ts";
export { policyOf } from "../policy/policy.ts";
export { withServiceSigns } from "../integrations/signs.ts";
export { taskState } from "../integrations/task.ts";
