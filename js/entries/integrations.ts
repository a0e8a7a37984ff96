// The entry `stepglass/integrations`: the service integrations of Step Functions, their patterns and parameters.

export { completeIntegrations } from "../core/integrations/complete.ts";
export { integrationOf, searchIntegrations } from "../core/integrations/search.ts";
export { policyOf } from "../language/policy/policy.ts";
export { withServiceSigns } from "../core/integrations/signs.ts";
export { taskState } from "../core/integrations/task.ts";
