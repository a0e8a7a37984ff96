// Reads the ARNs of executions and state machines that can be fetched.

import { Unusable } from "../../language/files/problem.ts";
import { Account } from "./account.ts";

const STATES_ARN = /^arn:[^:]+:states:([a-z0-9-]+):\d{12}:(execution|stateMachine|express|mapRun):.+$/;

/** Returns the account of an ARN, and whether it names an execution or a state machine. Throws Unusable. */
export function targetOf(arn: string): { account: Account; arn: string; kind: string } {
  const [, region, kind] = STATES_ARN.exec(arn) ?? [];
  if (region === undefined || kind === undefined)
    throw new Unusable(`${arn} is not the ARN of an execution or a state machine`, { usage: true });
  if (kind === "mapRun") throw new Unusable(`${arn} is a Map Run: fetch the execution that started it`);
  return { account: new Account(region, process.env), arn, kind };
}
