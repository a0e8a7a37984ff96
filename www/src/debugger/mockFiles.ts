// Reads and writes mocks in other formats: the mock configuration file of Step Functions Local, and the `mock` of TestState.

import { MockConfig } from "stepglass/mock-config";
import type { Mock } from "../model/protocol.ts";

export interface TestCase {
  machine: string;
  name: string;
  mocks: Record<string, Mock>;
}

export type MockFile = { kind: "config"; cases: TestCase[] } | { kind: "testState"; mock: Mock };

/** The format cannot express "all further calls", so the last range ends at this number. */
const LAST = 999;
const ALL = `0-${LAST}`;

type Fields = Record<string, unknown>;
type Step = Extract<Mock, { mode: "script" }>["steps"][number];

/** Reads either format. Throws an Error that says what is wrong with the file. */
export function readMockFile(text: string): MockFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}`);
  }
  const fields = object(value);
  if (fields && "StateMachines" in fields) return { kind: "config", cases: casesOf(value) };
  const mock = fields && (object(fields["mock"]) ?? ("result" in fields || "errorOutput" in fields ? fields : undefined));
  if (mock) return { kind: "testState", mock: testStateMock(mock) };
  throw new Error(
    "This is neither a MockConfigFile.json, which has StateMachines and MockedResponses, nor a mock of TestState, which has a result or an errorOutput.",
  );
}

function casesOf(value: unknown): TestCase[] {
  const config = new MockConfig(value, "The file");
  const cases = config.stateMachines.flatMap((machine) =>
    config.testCases(machine).map((name): TestCase => {
      const mocks = Object.entries(config.mocks(machine, name)).map(([state, response]): [string, Mock] => [state, scriptOf(response)]);
      return { machine, name, mocks: Object.fromEntries(mocks) };
    }),
  );
  if (cases.length === 0) throw new Error("The file has no test cases.");
  return cases;
}

/** Returns a response, which is keyed by the numbers of calls, as the steps of a script. */
function scriptOf(response: ReturnType<MockConfig["mocks"]>[string]): Mock {
  const steps = Object.entries(response).map(([call, result]): Step =>
    "Return" in result ? { call, response: result.Return } : { call, error: result.Throw.Error, cause: String(result.Throw.Cause ?? "") },
  );
  return { mode: "script", steps };
}

function testStateMock(mock: Fields): Mock {
  const failed = object(mock["errorOutput"]);
  if (failed) return { mode: "error", error: String(failed["error"] ?? "States.TaskFailed"), cause: String(failed["cause"] ?? "") };
  const { result } = mock;
  // The API takes a text, but files often have the value itself.
  if (typeof result !== "string") return { mode: "result", response: result ?? null };
  try {
    return { mode: "result", response: JSON.parse(result) };
  } catch {
    throw new Error("The mock's result is a string that is not JSON.");
  }
}

/** Returns the mocks whose answers do not depend on their input, as `Return` and `Throw` by call. `left` has the other mocks. */
export function mockConfigOf(
  mocks: Record<string, Mock>,
  title: string,
  resourceOf: (state: string) => string | undefined,
): { text: string; left: string[] } {
  const responses: Fields = {};
  const states: Record<string, string> = {};
  const left: string[] = [];
  for (const [state, mock] of Object.entries(mocks)) {
    if (mock.mode === "handler") continue;
    const resource = resourceOf(state);
    const response = resource === undefined ? undefined : responseOf(mock, resource);
    if (response === undefined) {
      left.push(state);
      continue;
    }
    states[state] = `${state}Responses`;
    responses[`${state}Responses`] = response;
  }
  return { text: configText(title, "Mocked", states, responses), left };
}

/** Returns the text of a `MockConfigFile.json` with one test case. */
export function configText(title: string, testCase: string, states: Record<string, string>, responses: Fields): string {
  return `${JSON.stringify({ StateMachines: { [machineName(title)]: { TestCases: { [testCase]: states } } }, MockedResponses: responses }, null, 2)}\n`;
}

/** Returns the machine's name in the file, from the title of a workspace. */
export const machineName = (title: string): string =>
  title
    .replace(/[^\w-]/g, "-")
    .replace(/-+/g, "-")
    .slice(0, 80) || "StateMachine";

function responseOf(mock: Mock, resource: string): Fields | undefined {
  const step = ({ result = null, response, error, cause }: Step): Fields =>
    error === undefined ? { Return: response ?? wholeOf(resource, result) } : { Throw: { Error: error, Cause: cause ?? "" } };
  switch (mock.mode) {
    case "result":
      return { [ALL]: step(mock) };
    case "error":
      return { [ALL]: step(mock) };
    case "script": {
      const entries = mock.steps.map((one): [string, Fields] | undefined => {
        const number = (one.call ?? one.attempt ?? "").trim() || ALL;
        const range = number.replace(/^(\d+)\+$/, `$1-${LAST}`);
        return one.silent || (one.iteration ?? "").trim() !== "" || !/^\d+(-\d+)?$/.test(range) ? undefined : [range, step(one)];
      });
      return entries.every((entry) => entry !== undefined) ? numbered(entries) : undefined;
    }
    default:
      return undefined;
  }
}

/** Each number occurs once in a file. If ranges overlap, the first one counts. */
function numbered(entries: [string, Fields][]): Fields {
  const taken: (Fields | undefined)[] = [];
  for (const [range, answer] of entries) {
    const [from = 0, to = from] = range.split("-").map(Number);
    for (let call = from; call <= Math.min(to, LAST); call++) taken[call] ??= answer;
  }
  const found: Fields = {};
  for (let from = 0; from < taken.length;) {
    let to = from;
    while (to + 1 < taken.length && taken[to + 1] === taken[from]) to += 1;
    if (taken[from]) found[from === to ? `${from}` : `${from}-${to}`] = taken[from];
    from = to + 1;
  }
  return found;
}

/** Returns a result with the members that the service adds around it. */
export function wholeOf(resource: string, result: unknown): unknown {
  if (/:lambda:invoke$/.test(resource)) return { ExecutedVersion: "$LATEST", Payload: result, StatusCode: 200 };
  if (/:states:startExecution\.sync$/.test(resource)) return { Status: "SUCCEEDED", Output: JSON.stringify(result) };
  if (/:states:startExecution\.sync:2$/.test(resource)) return { Status: "SUCCEEDED", Output: result };
  if (/:http:invoke$/.test(resource)) return { Headers: {}, ResponseBody: result, StatusCode: 200, StatusText: "OK" };
  return result;
}

/** Returns the `mock` of TestState, if the mock can be expressed so. */
export function testStateOf(mock: Mock, resource: string): string | undefined {
  if (mock.mode === "error") return JSON.stringify({ errorOutput: { error: mock.error, cause: mock.cause ?? "" } }, null, 2);
  if (mock.mode === "result")
    return JSON.stringify({ result: JSON.stringify(mock.response ?? wholeOf(resource, mock.result ?? null)) }, null, 2);
  return undefined;
}

function object(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
