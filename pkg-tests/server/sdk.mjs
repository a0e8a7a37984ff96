// A client of @aws-sdk/client-sfn for tests, and short forms of its calls.
import assert from "node:assert/strict";
import * as sfn from "@aws-sdk/client-sfn";
import { eventually, region, role } from "./endpoint.mjs";

/** Returns a client of a server, and short forms of common calls. */
export function sdkOf(server) {
  const client = new sfn.SFNClient({
    endpoint: server.url,
    region,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    disableHostPrefix: true,
  });
  const send = (name, input) => client.send(new sfn[`${name}Command`](input));

  async function create(name, definition, more = {}) {
    return (await send("CreateStateMachine", { name, definition, roleArn: role, ...more })).stateMachineArn;
  }

  /** Starts an execution and waits for its end. */
  async function run(stateMachineArn, input = {}, more = {}) {
    const { executionArn } = await send("StartExecution", { stateMachineArn, input: JSON.stringify(input), ...more });
    return eventually(async () => {
      const about = await send("DescribeExecution", { executionArn });
      return about.status === "RUNNING" ? undefined : about;
    });
  }

  /** Fails unless the operation is refused with this error as an instance of the SDK's class. */
  async function refused(promise, name, message) {
    await assert.rejects(promise, (error) => {
      assert.equal(error.name, name);
      assert.ok(sfn[name] === undefined || error instanceof sfn[name]);
      assert.ok(error.$metadata.requestId.length > 30);
      if (message instanceof RegExp) assert.match(error.message, message);
      else if (message !== undefined) assert.equal(error.message, message);
      return true;
    });
  }

  /** All items of a paginator, and the number of its pages. */
  async function all(pages, name) {
    const found = [];
    let count = 0;
    for await (const page of pages) {
      found.push(...page[name]);
      count += 1;
    }
    return { found, count };
  }
  return { client, send, create, run, refused, all };
}
