// A server for tests, and shared names and definitions.
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

/** The ARN of a Lambda function, for `Resource`. */
export const lambda = (name) => `arn:aws:lambda:${region}:${account}:function:${name}`;

/** The text of a definition with these states. */
export function machine(states, startAt = Object.keys(states)[0]) {
  return JSON.stringify({ StartAt: startAt, States: states });
}

/** Calls `poll` until it returns a truthy value, and returns that. Throws after a minute. */
export async function eventually(poll) {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await poll();
    if (found) return found;
    if (Date.now() > end) throw new Error("the condition was not fulfilled within a minute");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
