// Checks requests to start executions.

import { PAYLOAD_LIMIT, inputProblem } from "../../core/execution/start.ts";
import { checkName } from "../protocol/arn.ts";
import type { Context } from "./context.ts";
import { ApiError, invalid } from "../protocol/errors.ts";
import { jsonProblem } from "../protocol/json.ts";
import { type MachineRegistry, type Target, refuseDeleting, resolve } from "../storage/registered-machine.ts";
import type { Parent, StoredExecution } from "../storage/records.ts";
import type { StartRequest } from "./runner.ts";
import type { Input } from "../protocol/shapes.ts";

/** Checks a request to start an execution, and returns its machine with the request for the runner. */
export function startOf(
  registry: MachineRegistry,
  { stateMachineArn, name, input = "{}", traceHeader }: Input<"StartExecution">,
  passed?: string,
): [target: Target, request: StartRequest] {
  const target = resolve(registry, stateMachineArn);
  refuseDeleting(target.machine);
  if (name !== undefined) checkName(name);
  if (input.trim() === "") throw new ApiError("InvalidExecutionInput", "Invalid State Machine Execution Input: 'Invalid execution input.'");
  const problem = jsonProblem(input);
  if (problem !== undefined) throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${problem}'`);
  if (Buffer.byteLength(input) > PAYLOAD_LIMIT) {
    throw invalid(
      `1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${PAYLOAD_LIMIT}`,
    );
  }
  const unread = inputProblem(input);
  if (unread !== undefined) throw new ApiError(...unread);
  return [target, { name, input, traceHeader: traceHeader ?? passed }];
}

/** Starts an execution for a task. */
export function startNamed(service: Context, input: Input<"StartExecution">, parent: Parent): Promise<StoredExecution> {
  const [target, request] = startOf(service, input);
  return service.runner.start(target, { ...request, parent });
}
