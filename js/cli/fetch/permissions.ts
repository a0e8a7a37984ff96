// The permissions that `stepglass fetch` needs.

import type { ExecutionPolicy } from "../../core/api/integrations.d.ts";
import type { Action } from "./account.ts";

/** The location of the state machines. An absent member matches any. */
interface Where {
  partition?: string | undefined;
  region?: string | undefined;
  account?: string | undefined;
  /** The name of the state machine. */
  name?: string | undefined;
}

/** The kind of the resource that each action is allowed on, by the Service Authorization Reference of AWS Step Functions. */
const RESOURCES: Record<Action, readonly ("execution" | "stateMachine" | "mapRun")[]> = {
  DescribeExecution: ["execution"],
  DescribeStateMachineForExecution: ["execution"],
  GetExecutionHistory: ["execution"],
  ListMapRuns: ["execution"],
  DescribeMapRun: ["mapRun"],
  ListExecutions: ["stateMachine", "mapRun"],
};

/** Returns the smallest policy for the user. */
export function fetchPolicy({ partition = "aws", region = "*", account = "*", name = "*" }: Where): ExecutionPolicy["policy"] {
  // The names of child executions and Map Runs consist of the machine's name and a label: `Orders/Each:…`.
  const patterns = {
    execution: name === "*" ? ["execution:*"] : [`execution:${name}:*`, `execution:${name}/*`],
    stateMachine: [`stateMachine:${name}`],
    mapRun: [`mapRun:${name === "*" ? "*" : `${name}/*`}`],
  };
  const byResources = new Map<string, { actions: string[]; resources: string[] }>();
  for (const [action, kinds] of Object.entries(RESOURCES)) {
    const resources = kinds.flatMap((kind) => patterns[kind]).map((end) => `arn:${partition}:states:${region}:${account}:${end}`);
    const key = resources.join(" ");
    const statement = byResources.get(key) ?? { actions: [], resources };
    statement.actions.push(`states:${action}`);
    byResources.set(key, statement);
  }
  return {
    Version: "2012-10-17",
    Statement: [...byResources.values()].map(({ actions, resources }) => ({ Effect: "Allow", Action: actions, Resource: resources })),
  };
}
