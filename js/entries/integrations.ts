// stepglass/integrations: the service integrations of Step Functions, their patterns and parameters.

export { integrationOf, searchIntegrations } from "../integrations/search.ts";
export { taskState } from "../integrations/task.ts";
