// Converts mocks in their written form to answers, call by call.

import type { Task } from "../../core/api/index.d.ts";
import { TaskError } from "../../core/base/errors.ts";
import { TaskResponse } from "../../core/tasks/integration.ts";
import { brief } from "./display.ts";
import { MockError, TestKitError } from "./errors.ts";
import { type IterationMock, type MockResult, isIterations, isResult, responds, throws } from "./results.ts";

/** A mock that computes its answer from the call: an output, or a MockResult. */
type MockFunction = (input: unknown, task: Task) => unknown;

/** The result of a mock for one call. */
type CallResult = MockResult | MockFunction;

/** A mock in a uniform form. */
interface Plan {
  /** Returns the result of the next call. Undefined if there is none left. */
  pick(task: Task): CallResult | undefined;
  /** Describes the results of the mock, for a message. Absent if they cannot run out. */
  described?: string;
}

/** A range of numbers, including both ends. */
interface NumberRange {
  from: number;
  to: number;
}

/** Called with each result that a mock gives. */
type Listener = (result: MockResult) => void;

/**
 * Returns the plan of a mock. A mock is one result for all calls, an array with one for each, an object of results by the number of
 * the call (`"0"`, `"1-3"`) as in Step Functions Local, results for iterations, or a function. Throws a TestKitError for anything
 * else.
 */
export function plan(mock: unknown, name: string): Plan {
  if (isFunction(mock) || isResult(mock)) return { pick: () => mock };
  if (isIterations(mock)) return perIteration(mock, name);
  if (Array.isArray(mock))
    return inOrder(
      mock.map((item: unknown, i) => one(item, `${name}[${i}]`)),
      `${mock.length} result${mock.length === 1 ? "" : "s"}`,
    );
  if (typeof mock === "object" && mock !== null) {
    const single = localForm(mock, name);
    if (single !== undefined) return { pick: () => single };
    return byNumber(mock, name);
  }
  throw unusable(mock, name);
}

function isFunction(value: unknown): value is MockFunction {
  return typeof value === "function";
}

function one(item: unknown, name: string): CallResult {
  if (isFunction(item) || isResult(item)) return item;
  const local = typeof item === "object" && item !== null ? localForm(item, name) : undefined;
  if (local === undefined) throw unusable(item, name);
  return local;
}

function unusable(mock: unknown, name: string): TestKitError {
  return new TestKitError(
    `the mock of ${name} must be a result such as returns(${mock === undefined ? "…" : brief(mock)}) or throws("Error"), an array of results, an object of results by number ("0", "1-3"), or a function`,
  );
}

/** Converts `{Return: …}` and `{Throw: {Error, Cause}}`, the forms of Step Functions Local. */
function localForm(mock: { Return?: unknown; Throw?: unknown }, name: string): MockResult | undefined {
  const keys = Object.keys(mock);
  if (keys.length !== 1) return undefined;
  if (keys[0] === "Return") return responds(mock.Return);
  if (keys[0] !== "Throw") return undefined;
  const { Error: error, Cause: cause, ...rest } = (mock.Throw ?? {}) as { Error?: unknown; Cause?: unknown };
  if (typeof error !== "string" || Object.keys(rest).length > 0)
    throw new TestKitError(`the mock of ${name}: Throw must have an Error and can have a Cause`);
  return throws(error, cause);
}

function inOrder(results: readonly CallResult[], described: string): Plan {
  let calls = 0;
  return { pick: () => results[calls++], described };
}

function byNumber(mock: object, name: string): Plan {
  const ranges = Object.entries(mock).map(([key, item]) => {
    const range = rangeOf(key);
    if (range === undefined) throw unusable(mock, name);
    return { ...range, result: one(item, `${name}["${key}"]`) };
  });
  let calls = 0;
  return {
    pick: () => {
      const call = calls++;
      return ranges.find(({ from, to }) => call >= from && call <= to)?.result;
    },
    described: `results for ${quoted(Object.keys(mock))}`,
  };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}

/** Parses "3" and "0-2" to `{from, to}`. */
export function rangeOf(key: string): NumberRange | undefined {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(key) ?? [];
  return from === undefined || Number(to) < Number(from) ? undefined : { from: Number(from), to: Number(to) };
}

/** Makes a plan for each iteration, in which calls are counted from 0. */
function perIteration(mock: IterationMock, name: string): Plan {
  const { each, some } = mock;
  const mockOf = some === undefined ? () => each : byIteration(some, name);
  if (each !== undefined) plan(each, name);
  const plans = new Map<string, Plan>();
  return {
    pick: (task) => {
      const index = task.iterations.at(-1);
      if (index === undefined)
        throw new TestKitError(`the mock of ${name} is for iterations, but the state ${JSON.stringify(task.stateName)} is not in a Map`);
      const own = mockOf(index);
      if (own === undefined) return undefined;
      const key = task.iterations.join();
      let found = plans.get(key);
      if (found === undefined) plans.set(key, (found = plan(own, `${name} in iteration ${index}`)));
      return found.pick(task);
    },
    described: some === undefined ? "results for each iteration" : `results for the iterations ${quoted(Object.keys(some))}`,
  };
}

/** Returns the mock of an iteration by its index: that of `"3"`, of `"0-2"`, or of `"*"` for all others. */
function byIteration(some: Readonly<Record<string, unknown>>, name: string): (index: number) => unknown {
  const ranges = Object.entries(some).map(([key, mock]) => {
    const range = key === "*" ? { from: -1, to: -1 } : rangeOf(key);
    if (range === undefined)
      throw new TestKitError(`the mock of ${name}: an iteration must be "0", "1-3" or "*", not ${JSON.stringify(key)}`);
    plan(mock, `${name} in iteration ${key}`);
    return { ...range, mock };
  });
  return (index) => (ranges.find(({ from, to }) => index >= from && index <= to) ?? ranges.find(({ from }) => from === -1))?.mock;
}

/** Returns the handler of a mock. It answers, at once or later, in the form that the kind of task needs. */
export function answerer(name: string, mock: unknown, listener?: Listener): MockFunction {
  const { pick, described } = plan(mock, name);
  let calls = 0;
  return (input, task) => {
    const number = calls++;
    const result = pick(task);
    if (result === undefined) throw exhausted(name, described, number, task);
    if (typeof result !== "function") return answer(result, task, listener);
    const value = result(input, task);
    if (isPromise(value)) return value.then((settled) => (isResult(settled) ? answer(settled, task, listener) : settled));
    return isResult(value) ? answer(value, task, listener) : value;
  };
}

/** Returns whether a value is a promise, or has another `then`. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}

function exhausted(name: string, described: string | undefined, number: number, task: Task): MockError {
  const iteration = task.iterations.length > 0 ? `, in iteration ${task.iterations.join(" / ")}` : "";
  const message = `The mock of ${JSON.stringify(name)} has no result for invocation ${number} (the ${ordinal(number + 1)} call) of state ${JSON.stringify(task.stateName)}${iteration}: it has ${described ?? "none"}.`;
  return new MockError(message, { state: task.stateName, resource: task.resource, invocation: number });
}

function ordinal(n: number): string {
  const tens = n % 100;
  return `${n}${tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")}`;
}

/** Gives an answer: returns it, throws it, or completes the task by its token. */
function answer(result: MockResult, task: Task, listener: Listener | undefined): unknown {
  listener?.(result);
  if (task.resource.endsWith(".waitForTaskToken")) return throughToken(result, task);
  if (result.kind === "never") return task.sleep(Infinity);
  if (result.delay > 0) return task.sleep(result.delay).then(() => settled(result));
  return settled(result);
}

function settled({ kind, value, error, cause }: MockResult): unknown {
  if (kind === "throw") throw new TaskError(error, cause);
  return kind === "respond" ? new TaskResponse(value) : value;
}

/** Answers the request at once with an empty object. The task is completed later by its token. */
function throughToken({ kind, value, error, cause, delay }: MockResult, task: Task): object {
  const { token, execution } = task;
  // Every task of this kind has a token.
  if (token === undefined) return {};
  const complete = () => {
    if (kind === "throw") execution.fail(token, { error, cause });
    else execution.succeed(token, value);
  };
  if (kind !== "never") (delay > 0 ? task.sleep(delay) : Promise.resolve()).then(complete, () => {});
  return {};
}
