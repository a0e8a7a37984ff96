// Finds the executions that the tasks of an execution have started.

import { isObject } from "../../core/base/json.ts";
import type { Response } from "../../language/files/sfnrun.ts";

/** An execution that a task has started. */
interface Started {
  arn: string;
  /** The id of the event with its ARN, in the history of the execution that started it. */
  event: number;
}

/** The events whose output is the response to the request. `.sync` tasks have the first one, and others only the second one. */
const RESPONSES = { TaskSubmitted: "taskSubmittedEventDetails", TaskSucceeded: "taskSucceededEventDetails" } as const;

/** Returns the executions of Standard workflows that tasks have started, each once. Express workflows have no history to fetch. */
export function startedBy(history: readonly Response[]): Started[] {
  const found = new Map<string, Started>();
  for (const event of history) {
    const details = event[RESPONSES[event.type as keyof typeof RESPONSES]];
    if (!isObject(details) || (details.resourceType !== "states" && details.resourceType !== "aws-sdk:sfn")) continue;
    const arn = arnIn(details.output);
    if (arn !== undefined && !found.has(arn)) found.set(arn, { arn, event: Number(event.id) });
  }
  return [...found.values()];
}

function arnIn(output: unknown): string | undefined {
  if (typeof output !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(output);
    const arn = isObject(value) ? value.ExecutionArn : undefined;
    return typeof arn === "string" && /^arn:[^:]+:states:[^:]+:\d{12}:execution:/.test(arn) ? arn : undefined;
  } catch {
    // AWS cuts off outputs that are too long for a history.
    return undefined;
  }
}
