// The state machine that a task starts.

import { pointerSteps } from "../../../js/core/base/pointer.ts";

interface Started {
  name: string;
  arn: string;
}

/** Returns the machine that a task starts, or undefined if it is known only at run time or if the task starts none. */
export function startedAt(json: string, pointer: string): Started | undefined {
  let at: unknown = JSON.parse(json);
  for (const step of pointerSteps(pointer)) at = (at as Record<string, unknown> | undefined)?.[step];
  const { Parameters, Arguments } = (at ?? {}) as { Parameters?: { StateMachineArn?: unknown }; Arguments?: { StateMachineArn?: unknown } };
  const arn = (Parameters ?? Arguments)?.StateMachineArn;
  return typeof arn === "string" ? { arn, name: arn.slice(arn.lastIndexOf(":") + 1) } : undefined;
}

/** Returns whether a task starts another machine. Its caption can be truncated. */
export const startsMachine = ({ type, detail }: { type: string; detail?: string }): boolean =>
  type === "Task" && /startExecution/i.test(detail ?? "");
