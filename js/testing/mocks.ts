// @ts-nocheck: has no types yet.
// From mocks as they are written to answers, call by call.

import { TaskError, TaskResponse } from "../entries/node.ts";
import { brief } from "./compare.ts";
import { MockError, TestKitError } from "./errors.ts";
import { MockResult, isIterations, isResult, responds, throws } from "./results.ts";

/**
 * A mock in one form: `pick(task)` gives the result of the next call, or undefined where they are used up. Forms: one
 * result for all calls, an array with one for each, an object of results by the number of the call (`"0"`, `"1-3"`) as in
 * Step Functions Local, results for iterations, a function.
 */
export function plan(mock, name) {
  if (typeof mock === "function") return { pick: () => mock };
  if (isResult(mock)) return { pick: () => mock };
  if (isIterations(mock)) return perIteration(mock, name);
  if (Array.isArray(mock)) return inOrder(mock.map((item, i) => one(item, `${name}[${i}]`)), `${mock.length} result${mock.length === 1 ? "" : "s"}`);
  if (typeof mock === "object" && mock !== null) {
    const single = localForm(mock, name);
    if (single !== undefined) return { pick: () => single };
    return byNumber(mock, name);
  }
  throw unusable(mock, name);
}

function one(item, name) {
  if (typeof item === "function" || isResult(item)) return item;
  const local = typeof item === "object" && item !== null ? localForm(item, name) : undefined;
  if (local === undefined) throw unusable(item, name);
  return local;
}

function unusable(mock, name) {
  return new TestKitError(`the mock of ${name} must be a result such as returns(${mock === undefined ? "…" : brief(mock)}) or throws("Error"), an array of results, an object of results by number ("0", "1-3"), or a function`);
}

/** `{Return: …}` and `{Throw: {Error, Cause}}` of Step Functions Local. */
function localForm(mock, name) {
  const keys = Object.keys(mock);
  if (keys.length !== 1) return undefined;
  if (keys[0] === "Return") return responds(mock.Return);
  if (keys[0] !== "Throw") return undefined;
  const { Error: error, Cause: cause, ...rest } = mock.Throw ?? {};
  if (typeof error !== "string" || Object.keys(rest).length > 0) throw new TestKitError(`the mock of ${name}: Throw must have an Error and can have a Cause`);
  return throws(error, cause);
}

function inOrder(results, described) {
  let calls = 0;
  return { pick: () => results[calls++], described };
}

function byNumber(mock, name) {
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
    described: `results for ${Object.keys(mock).map((key) => JSON.stringify(key)).join(", ")}`,
  };
}

/** `{from, to}` of "3" and "0-2". */
export function rangeOf(key) {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(key) ?? [];
  return from === undefined || Number(to) < Number(from) ? undefined : { from: Number(from), to: Number(to) };
}

function perIteration({ each, some }, name) {
  const ranges = some && Object.entries(some).map(([key, mock]) => {
    const range = key === "*" ? { from: -1, to: -1 } : rangeOf(key);
    if (range === undefined) throw new TestKitError(`the mock of ${name}: an iteration must be "0", "1-3" or "*", not ${JSON.stringify(key)}`);
    plan(mock, `${name} in iteration ${key}`);
    return { ...range, mock };
  });
  if (each !== undefined) plan(each, name);
  const plans = new Map();
  return {
    pick: (task) => {
      const index = task.iterations.at(-1);
      if (index === undefined) throw new TestKitError(`the mock of ${name} is for iterations, but the state ${JSON.stringify(task.stateName)} is not in a Map`);
      const mock = ranges === undefined ? each : (ranges.find(({ from, to }) => index >= from && index <= to) ?? ranges.find(({ from }) => from === -1))?.mock;
      if (mock === undefined) return undefined;
      const key = task.iterations.join();
      if (!plans.has(key)) plans.set(key, plan(mock, `${name} in iteration ${index}`));
      return plans.get(key).pick(task);
    },
    described: ranges === undefined ? "results for each iteration" : `results for the iterations ${Object.keys(some).map((key) => JSON.stringify(key)).join(", ")}`,
  };
}

/** The handler of a mock: answers, now or later, as the kind of task wants it. */
export function answerer(name, mock, tell) {
  const { pick, described } = plan(mock, name);
  let calls = 0;
  return (input, task) => {
    const number = calls++;
    const result = pick(task);
    if (result === undefined) throw exhausted(name, described, number, task);
    if (typeof result !== "function") return answer(result, task, tell);
    const value = result(input, task);
    if (typeof value?.then === "function") return value.then((settled) => (isResult(settled) ? answer(settled, task, tell) : settled));
    return isResult(value) ? answer(value, task, tell) : value;
  };
}

function exhausted(name, described, number, task) {
  const iteration = task.iterations.length > 0 ? `, in iteration ${task.iterations.join(" / ")}` : "";
  const message = `The mock of ${JSON.stringify(name)} has no result for invocation ${number} (the ${ordinal(number + 1)} call) of state ${JSON.stringify(task.stateName)}${iteration}: it has ${described ?? "none"}.`;
  return new MockError(message, { state: task.stateName, resource: task.resource, invocation: number });
}

function ordinal(n) {
  const tens = n % 100;
  return `${n}${tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")}`;
}

/** Gives an answer: by returning or throwing it, or, where it comes with a task token, by that. */
function answer(result, task, tell) {
  tell?.(result);
  if (task.resource.endsWith(".waitForTaskToken")) return throughToken(result, task);
  if (result.kind === "never") return task.sleep(Infinity);
  if (result.delay > 0) return task.sleep(result.delay).then(() => settled(result));
  return settled(result);
}

function settled({ kind, value, error, cause }) {
  if (kind === "throw") throw new TaskError(error, cause);
  return kind === "respond" ? new TaskResponse(value) : value;
}

/** The request is answered at once with nothing much, the task by its token. */
function throughToken({ kind, value, error, cause, delay }, task) {
  const { token, execution } = task;
  const complete = () => {
    if (kind === "throw") execution.fail(token, { error, cause });
    else execution.succeed(token, value);
  };
  if (kind !== "never") (delay > 0 ? task.sleep(delay) : Promise.resolve()).then(complete, () => {});
  return {};
}

/** A mock as it would be written. */
export function written(mock) {
  return mock instanceof MockResult ? String(mock) : Array.isArray(mock) ? `[${mock.map(written).join(", ")}]` : brief(mock);
}
