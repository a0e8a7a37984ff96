// The permissions that `stepglass fetch` needs.

import type { ExecutionPolicy } from "../../core/api/integrations.d.ts";
import { permissionOf, type Action } from "./account.ts";

/** The location of the state machines. An absent member matches any. */
interface Where {
  partition?: string | undefined;
  region?: string | undefined;
  account?: string | undefined;
  /** The name of the state machine. */
  name?: string | undefined;
}

/** The kind of the resource that each action is allowed on, by the Service Authorization References of both services. */
const RESOURCES: Record<Action, readonly ("execution" | "stateMachine" | "mapRun" | "logGroup")[]> = {
  DescribeExecution: ["execution"],
  DescribeStateMachine: ["stateMachine"],
  DescribeStateMachineForExecution: ["execution"],
  GetExecutionHistory: ["execution"],
  ListMapRuns: ["execution"],
  DescribeMapRun: ["mapRun"],
  ListExecutions: ["stateMachine", "mapRun"],
  FilterLogEvents: ["logGroup"],
};

/** Returns the smallest policy for the user. */
export function fetchPolicy({ partition = "aws", region = "*", account = "*", name = "*" }: Where): ExecutionPolicy["policy"] {
  // The names of child executions and Map Runs consist of the machine's name and a label: `Orders/Each:…`.
  const patterns = {
    execution: name === "*" ? ["states:execution:*"] : [`states:execution:${name}:*`, `states:execution:${name}/*`],
    stateMachine: [`states:stateMachine:${name}`],
    mapRun: [`states:mapRun:${name === "*" ? "*" : `${name}/*`}`],
    // The console names log groups after the machine, but any name is possible.
    logGroup: [`logs:log-group:/aws/vendedlogs/states/${name === "*" ? "*" : `${name}-*`}`],
  };
  const byResources = new Map<string, { actions: string[]; resources: string[] }>();
  for (const [action, kinds] of Object.entries(RESOURCES) as [Action, (typeof RESOURCES)[Action]][]) {
    const resources = kinds
      .flatMap((kind) => patterns[kind])
      .map((pattern) => pattern.replace(":", `:${region}:${account}:`))
      .map((rest) => `arn:${partition}:${rest}`);
    const key = resources.join(" ");
    const statement = byResources.get(key) ?? { actions: [], resources };
    statement.actions.push(permissionOf(action));
    byResources.set(key, statement);
  }
  return {
    Version: "2012-10-17",
    Statement: [...byResources.values()].map(({ actions, resources }) => ({ Effect: "Allow", Action: actions, Resource: resources })),
  };
}
