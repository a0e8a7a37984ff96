// Converts mocks of test files and of Step Functions Local to mocks of a debug session.

import type { Mock, MockStep } from "../../core/api/debug.d.ts";
import type { TaskHandler } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import { answerer, rangeOf } from "../../testing/mocks/answers.ts";
import { type MockResult, isIterations, isResult, responds, throws } from "../../testing/mocks/results.ts";

/**
 * Converts mocks by state, function or resource. A list of results becomes a script, which counts the calls of a run, so that a
 * fork gets the same answers as its parent. What a script cannot express, such as results for each iteration, becomes a function.
 */
export function sessionMocks(mocks: Readonly<Record<string, unknown>>): Record<string, Mock> {
  return Object.fromEntries(Object.entries(mocks).map(([name, mock]) => [name, sessionMock(name, mock)]));
}

function sessionMock(name: string, mock: unknown): Mock {
  const single = resultOf(mock);
  if (single !== undefined) return { mode: "script", steps: [stepOf(single)] };
  const listed = Array.isArray(mock)
    ? mock.map((one: unknown, i): [string, unknown] => [String(i), one])
    : isObject(mock) && !isIterations(mock)
      ? Object.entries(mock)
      : [];
  const steps = listed.map(([call, one]) => {
    const result = rangeOf(call) === undefined ? undefined : resultOf(one);
    return result && { call, ...stepOf(result) };
  });
  if (steps.length > 0 && steps.every((step) => step !== undefined)) return { mode: "script", steps };
  // The handler of a mock gets its own Task.
  return { mode: "function", handler: answerer(name, mock) as TaskHandler };
}

/** Returns a mock as one result, also from the form of Step Functions Local. Undefined if it is not one result. */
function resultOf(mock: unknown): MockResult | undefined {
  if (isResult(mock)) return mock;
  if (!isObject(mock) || Object.keys(mock).length !== 1) return undefined;
  if ("Return" in mock) return responds(mock.Return);
  return isObject(mock.Throw) ? throws(String(mock.Throw.Error), mock.Throw.Cause) : undefined;
}

function stepOf({ kind, value, error, cause, delay }: MockResult): MockStep {
  const after = delay > 0 ? { after: delay } : {};
  switch (kind) {
    case "never":
      return { silent: true };
    case "throw":
      return { error, ...(cause !== undefined && { cause }), ...after };
    case "respond":
      return { response: value, ...after };
    default:
      return { result: value, ...after };
  }
}
