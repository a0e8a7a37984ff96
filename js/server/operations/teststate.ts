// TestState: tests a state with a mock or with the handler of its task.

import type { Task, TaskHandler, TestStateRequest, TestStateResponse } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import { stateTested } from "../../core/definition/definition.ts";
import { randomUuid, seedOf } from "../../core/base/random.ts";
import { answeredFailure, failure, resultText, taskInput } from "../../core/tasks/integration.ts";
import type { Resource } from "../../core/tasks/resource.ts";
import { ApiError } from "../protocol/errors.ts";
import { jsonProblem } from "../protocol/json.ts";
import type { OperationContext } from "./operation.ts";
import type { Input } from "../protocol/shapes.ts";

// Maximum duration of a test on AWS, in milliseconds.
const LONGEST = 300_000;

/** A request with the seed and the start time that both passes of a test share. */
type TestRequest = Input<"TestState"> & Pick<TestStateRequest, "seed" | "startTime">;

type Mock = NonNullable<Input<"TestState">["mock"]>;

/** The parts of a server that a test uses. */
type Tester = Pick<OperationContext, "now" | "serviceModel" | "arn"> & { router: Pick<OperationContext["router"], "resource" | "find"> };

/** The operation TestState. */
export async function testStateOperation(service: Tester, input: Input<"TestState">): Promise<TestStateResponse> {
  const problem = input.input === undefined ? undefined : jsonProblem(input.input);
  if (problem !== undefined) throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${problem}'`);
  // Both passes have the same names, random numbers and times, as one execution would.
  const test = { ...input, seed: seedOf(undefined), startTime: service.now() };
  return ask((await performed(service, test)) ?? checked(service, test));
}

/** Adds the service's model to a test with a mocked result, if the server has models. */
function checked(service: Tester, test: TestRequest): TestStateRequest {
  const serviceModel = test.mock?.result === undefined ? undefined : service.serviceModel();
  return serviceModel === undefined ? test : { ...test, serviceModel };
}

/** Tests a state. Throws ApiError for a request that AWS rejects. */
function ask(request: TestStateRequest): TestStateResponse {
  try {
    return stateTested(request);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
    throw new ApiError(error.code, error.message);
  }
}

/** Calls the handler of the task and returns the request with the result as its mock; undefined if no handler is called. */
async function performed(service: Tester, input: TestRequest): Promise<TestRequest | undefined> {
  const { Type: type, Resource: text } = (input.mock === undefined && input.roleArn !== undefined ? stateOf(input) : undefined) ?? {};
  if (type !== "Task" || typeof text !== "string") return undefined;
  const resource = service.router.resource(text);
  if (resource.kind === "activity" || resource.pattern !== "") return undefined;
  const { revealSecrets, ...rest } = input;
  // The first pass determines the input of the task, if the test reaches it.
  const nothing: Mock = { result: "{}", fieldValidationMode: "NONE" };
  const { inspectionData } = ask({ ...rest, inspectionLevel: "DEBUG", mock: nothing });
  const { afterArguments, afterParameters, afterInputPath, result } = inspectionData ?? {};
  const called = afterArguments ?? afterParameters ?? (result && afterInputPath);
  if (called === undefined) return { ...rest, mock: nothing };
  const stateName = input.stateName ?? "StateName";
  const parameters: unknown = JSON.parse(called);
  const handler = service.router.find(text, stateName, parameters);
  if (typeof handler !== "function") return undefined;
  return { ...rest, mock: await mockOf(service, handler, resource, { stateName, resource: text, parameters }) };
}

/** Calls a handler and returns its result or error as the mock of the state. */
async function mockOf(
  service: Tester,
  handler: TaskHandler,
  resource: Resource,
  about: Pick<Task, "stateName" | "resource" | "parameters">,
): Promise<Mock> {
  const { parameters } = about;
  const command = { task: 1, input: parameters };
  const signal = AbortSignal.timeout(LONGEST);
  const execution = { arn: service.arn("express", "TestState:test:1"), name: "test", status: "RUNNING" };
  // There is no real execution. This one has only names and a status.
  const idempotencyKey = `${execution.arn}/${randomUuid()}`;
  const task = {
    ...about,
    idempotencyKey,
    id: 1,
    attempt: 0,
    iterations: [],
    purpose: "Task",
    execution,
    signal,
    heartbeat() {},
  } as unknown as Task;
  const stopped = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  try {
    const value: unknown = await Promise.race([handler(taskInput(resource, parameters), task), stopped]);
    const errorOutput = answeredFailure(resource, value);
    if (errorOutput !== undefined) return { errorOutput };
    return { result: resultText(resource, command, value, service.now()), fieldValidationMode: "NONE" };
  } catch (thrown) {
    const { error, cause } = failure(resource, command, thrown, service.now());
    return { errorOutput: { error, cause } };
  }
}

/** Returns the tested state: the definition itself, or the state with the requested name, at any depth. */
function stateOf({ definition, stateName }: Input<"TestState">): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(definition);
    if (!isObject(value)) return undefined;
    return stateName === undefined ? value : named(value.States, stateName);
  } catch {
    // TestState itself reports the problems of the definition.
    return undefined;
  }
}

/** Finds a state by name among states, at any depth. */
function named(states: unknown, name: string): Record<string, unknown> | undefined {
  if (!isObject(states)) return undefined;
  const own = Object.hasOwn(states, name) ? states[name] : undefined;
  if (own !== undefined) return isObject(own) ? own : undefined;
  for (const state of Object.values(states).filter(isObject)) {
    const { ItemProcessor: processor, Iterator: iterator = processor, Branches: branches } = state;
    for (const inner of [iterator, ...(Array.isArray(branches) ? branches : [])]) {
      const found = isObject(inner) ? named(inner.States, name) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
