// @ts-nocheck: has no types yet.
// TestState: one state by itself, with a mock, or with whoever does its task here.

import { stateTested } from "../definition/definition.ts";
import { seedOf } from "../execution/machine.ts";
import { answeredFailure, failure, resultText, taskInput } from "../tasks/integration.ts";
import { ApiError } from "./errors.ts";
import { jsonProblem } from "./json.ts";

// As long as AWS lets a test run.
const LONGEST = 300_000;

/** The operation. */
export async function testStateOperation(service, input) {
  const problem = input.input === undefined ? undefined : jsonProblem(input.input);
  if (problem !== undefined) throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${problem}'`);
  // Both passes are one execution: the same names, the same random numbers, the same time.
  const test = { ...input, seed: seedOf(undefined), startTime: service.now() };
  return ask((await performed(service, test)) ?? test);
}

function ask(request) {
  try {
    return stateTested(request);
  } catch (error) {
    if (typeof error?.code !== "string") throw error;
    throw new ApiError(error.code, error.message);
  }
}

/** The request with what the handler of its task has answered as the mock; undefined where no handler is called. */
async function performed(service, input) {
  const state = input.mock === undefined && input.roleArn !== undefined ? stateOf(input) : undefined;
  if (state?.Type !== "Task" || typeof state.Resource !== "string") return undefined;
  const resource = service.router.resource(state.Resource);
  if (resource.kind === "activity" || resource.pattern !== "") return undefined;
  const { revealSecrets, ...rest } = input;
  // A first pass tells what the task would be called with, if it comes to that.
  const { inspectionData = {} } = ask({ ...rest, inspectionLevel: "DEBUG", mock: { result: "{}", fieldValidationMode: "NONE" } });
  const text = inspectionData.afterArguments ?? inspectionData.afterParameters ?? (inspectionData.result && inspectionData.afterInputPath);
  if (text === undefined) return { ...rest, mock: { result: "{}", fieldValidationMode: "NONE" } };
  const parameters = JSON.parse(text);
  const stateName = input.stateName ?? "StateName";
  const handler = service.router.find(state.Resource, stateName, parameters);
  if (typeof handler !== "function") return undefined;
  return { ...rest, mock: await mockOf(handler, { service, resource, stateName, text: state.Resource, parameters }) };
}

async function mockOf(handler, { service, resource, stateName, text, parameters }) {
  const command = { task: 1, input: parameters };
  const signal = AbortSignal.timeout(LONGEST);
  const execution = { arn: service.arn("express", "TestState:test:1"), name: "test", status: "RUNNING" };
  const task = { id: 1, stateName, resource: text, parameters, attempt: 0, iterations: [], purpose: "Task", execution, signal, heartbeat() {} };
  const stopped = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  try {
    const value = await Promise.race([handler(taskInput(resource, parameters), task), stopped]);
    const errorOutput = answeredFailure(resource, value);
    if (errorOutput !== undefined) return { errorOutput };
    return { result: resultText(resource, command, value, service.now()), fieldValidationMode: "NONE" };
  } catch (thrown) {
    const { error, cause } = failure(resource, command, thrown, service.now());
    return { errorOutput: { error, cause } };
  }
}

/** The state that is tested: the definition itself, or the one that is named, at any depth. */
function stateOf({ definition, stateName }) {
  try {
    const value = JSON.parse(definition);
    return stateName === undefined ? value : named(value.States, stateName);
  } catch {
    // What is wrong with it is said by the test itself.
    return undefined;
  }
}

function named(states, name) {
  if (Object.hasOwn(states ?? {}, name)) return states[name];
  for (const { ItemProcessor, Iterator: iterator = ItemProcessor, Branches = [] } of Object.values(states ?? {})) {
    for (const inner of [iterator, ...Branches]) {
      const found = inner && named(inner.States, name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
