// This table has all operations by name. `perform()` checks a request and calls its operation.

import { type ActivityResponses, activityOperations } from "./activities.ts";
import type { Caller } from "../protocol/caller.ts";
import { type ExecutionResponses, executionOperations } from "./executions.ts";
import { type MachineResponses, machineOperations } from "./state-machines.ts";
import { type MapRunResponses, mapRunOperations } from "./mapruns.ts";
import type { OperationContext, OperationsOf } from "./operation.ts";
import { type Operation, checkRequest } from "../protocol/shapes.ts";
import { type TagResponses, tagOperations } from "./tags.ts";
import { type VersionResponses, aliasOperations, versionOperations } from "./versions.ts";

/** The responses of all operations, by the names of the API's model. The file of an operation has the type of its response. */
interface Responses extends ActivityResponses, ExecutionResponses, MachineResponses, MapRunResponses, TagResponses, VersionResponses {}

/** The response of an operation: `Output<"StartExecution">` is StartExecutionOutput. */
type Output<Name extends Operation> = Responses[Name];

const OPERATIONS: OperationsOf<Responses> = {
  ...machineOperations,
  ...versionOperations,
  ...aliasOperations,
  ...executionOperations,
  ...activityOperations,
  ...tagOperations,
  ...mapRunOperations,
};

/** Checks a request and performs its operation. Throws ApiError. */
export function perform<Name extends Operation>(
  name: Name,
  context: OperationContext,
  input: unknown,
  caller: Caller,
): Promise<Output<Name>> {
  return OPERATIONS[name](context, checkRequest(name, input), caller);
}
