// A server for a test, and what the tests say to it.
import { after } from "node:test";
import { serve } from "../../dist/server.js";

export const region = "us-east-1";
export const account = "123456789012";
export const role = `arn:aws:iam::${account}:role/StepFunctions`;

/** Starts a server that ends with the test file. */
export async function start(options = {}) {
  const server = await serve({ port: 0, ...options });
  after(() => server.close({ grace: 200 }));
  return server;
}

/** A Resource ARN of a Lambda function. */
export const lambda = (name) => `arn:aws:lambda:${region}:${account}:function:${name}`;

/** A definition with one Task state, or with the states that are given. */
export function machine(states, startAt = Object.keys(states)[0]) {
  return JSON.stringify({ StartAt: startAt, States: states });
}

/** Calls `look` until it gives something; throws with what was last seen after a minute. */
export async function eventually(look) {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error("it has not come about");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
