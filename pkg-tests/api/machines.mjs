// Small machines that the tests share.
import { after } from "node:test";
import assert from "node:assert/strict";
import { StateMachine } from "stepglass";

export const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:Add";

/** A machine with one Lambda task "T" and the handler "Add". */
export function lambda(fields = {}) {
  return new StateMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, End: true, ...fields } } });
}

/** A machine with one task "T" with any resource. */
export function task(Resource, Parameters, fields = {}) {
  const state = { Type: "Task", Resource, End: true, ...fields };
  if (Parameters !== undefined) state.Parameters = Parameters;
  return new StateMachine({ StartAt: "T", States: { T: state } });
}

/** A promise with its resolve and reject functions. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

/** Waits long enough for everything that is ready, including work that was put off to the next turn of the event loop. */
export async function turn() {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
}
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A clock that the test advances. It refuses delays that setTimeout does not support. */
export class HandClock {
  time = Date.UTC(2025, 0, 1);
  timers = new Map();
  next = 1;
  set = 0;

  now = () => this.time;
  setTimeout = (run, delay) => {
    assert.ok(delay >= 0 && delay <= 2 ** 31 - 1, `a delay of ${delay}`);
    this.set += 1;
    this.timers.set(this.next, { at: this.time + delay, run });
    return this.next++;
  };
  clearTimeout = (id) => this.timers.delete(id);

  /** Fires the next timer at its time. Returns false if there is none. */
  ring(early = 0) {
    const [first] = [...this.timers].sort((a, b) => a[1].at - b[1].at);
    if (!first) return false;
    this.timers.delete(first[0]);
    this.time = Math.max(this.time, first[1].at - early);
    first[1].run();
    return true;
  }
}

/** A promise rejection that nobody handles fails the file. */
export function watchRejections() {
  const unheard = [];
  process.on("unhandledRejection", (reason) => unheard.push(reason));
  after(async () => {
    await turn();
    await turn();
    assert.deepEqual(unheard, []);
  });
}
