// Small machines that the tests share.
import { after } from "node:test";
import assert from "node:assert/strict";
import { StateMachine } from "stepglass";

export const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:Add";

/** One Lambda task "T" with handler "Add". */
export function lambda(fields = {}) {
  return new StateMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, End: true, ...fields } } });
}

/** One task "T" of any resource. */
export function task(Resource, Parameters, fields = {}) {
  const state = { Type: "Task", Resource, End: true, ...fields };
  if (Parameters !== undefined) state.Parameters = Parameters;
  return new StateMachine({ StartAt: "T", States: { T: state } });
}

/** A promise with its ends. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

export const turn = () => new Promise((resolve) => setImmediate(resolve));
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The file fails if any promise was rejected without anyone to hear it. */
export function watchRejections() {
  const unheard = [];
  process.on("unhandledRejection", (reason) => unheard.push(reason));
  after(async () => {
    await turn();
    await turn();
    assert.deepEqual(unheard, []);
  });
}
