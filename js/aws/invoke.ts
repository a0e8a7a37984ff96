// Lambda functions and executions of Step Functions: integrations whose requests contain JSON for another program.

import { TaskError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { functionError } from "../core/tasks/functions.ts";
import { description, jsonText, membersText } from "../core/tasks/integration.ts";
import { KnownText } from "../core/tasks/known-text.ts";
import { JsonText } from "../core/tasks/json-text.ts";
import type { ExecutionDescription } from "../core/tasks/integration.ts";
import type { Resource } from "../core/tasks/resource.ts";
import { callApi, withMetadata } from "./call.ts";
import type { ApiCall } from "./call.ts";
import type { Members } from "./jobs.ts";

/** `lambda:invoke`: returns the response with the function's result as JSON. Throws the function's error. */
export async function invokeFunction(call: Omit<ApiCall, "action">): Promise<Members> {
  const answer = await callApi({ ...call, action: "invoke" });
  const { FunctionError, Payload = "", ...others } = answer.value;
  const text = String(Payload);
  if (FunctionError !== undefined) throw functionError(text);
  return withMetadata({ ...others, Payload: payloadOf(text) }, answer);
}

/** Parses a function's result. An asynchronous invocation has none. */
function payloadOf(text: string): unknown {
  if (text === "") return {};
  try {
    return new JsonText(text);
  } catch {
    throw new TaskError("Lambda.Unknown", `the response of the function is not JSON: ${text.slice(0, 1000)}`);
  }
}

/** Returns DescribeExecution's response as the task's result, and the outcome if the execution has ended. */
export function executionResult(resource: Pick<Resource, "pattern">, described: Members): { ended?: "succeeded" | "failed"; text: string } {
  const { ExecutionArn, StateMachineArn, Name, Input, Output, Status, StartDate, StopDate, Error: error, Cause } = described;
  const executionDescription: ExecutionDescription = description(resource, {
    name: String(Name),
    arn: String(ExecutionArn),
    machineArn: String(StateMachineArn),
    input: textOf(Input) ?? "{}",
    startDate: Number(StartDate),
    stopDate: StopDate === undefined ? undefined : Number(StopDate),
    status: Status as ExecutionDescription["Status"],
    output: new KnownText(textOf(Output) ?? "null"),
    error: textOf(error),
    cause: textOf(Cause),
  });
  const text = membersText(executionDescription);
  if (Status === "RUNNING" || Status === "PENDING_REDRIVE") return { text };
  return { text, ended: Status === "SUCCEEDED" ? "succeeded" : "failed" };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : value === undefined ? undefined : jsonText(value);
}

/** Returns the members of a task's parameters. */
export function membersOfParameters(parameters: unknown): Members {
  return isObject(parameters) ? parameters : {};
}
