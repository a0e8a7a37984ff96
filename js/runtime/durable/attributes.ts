// Attributes of executions: those of a start, and those that a state sets with `urn:stepglass:setAttributes`.

import type { AttributeValue, ExecutionFilter, ExecutionRecord } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import type { Taker, TaskCall, TaskFailure } from "../../core/tasks/call.ts";
import { type Attributes, attributeProblem, filterProblem, withAttributes } from "../store/attributes.ts";
import type { Host } from "./host.ts";
import { membersOf, refuse } from "./requests.ts";

/** Returns the attributes of a start as members of its record. Throws INVALID_ARGUMENT for others. */
export function startAttributes(given: unknown): Pick<ExecutionRecord, "attributes"> {
  const problem = given === undefined ? undefined : attributeProblem(given);
  if (problem !== undefined) throw misuse("INVALID_ARGUMENT", problem);
  return given === undefined || Object.keys(given as Attributes).length === 0 ? {} : { attributes: given as Attributes };
}

/** Throws INVALID_ARGUMENT for a filter that no store understands. */
export function checkFilter({ attributes }: ExecutionFilter): void {
  const problem = filterProblem(attributes);
  if (problem !== undefined) throw misuse("INVALID_ARGUMENT", problem);
}

/** Returns the attributes of an execution after a task that changes them, or why the task fails. */
export function changedAttributes(
  call: TaskCall,
  { attributes: before }: ExecutionRecord,
): { attributes: Attributes | undefined } | { failure: TaskFailure } {
  const { Attributes: change } = membersOf(call);
  const after = attributeProblem(change, { changes: true }) ?? withAttributes(before, change as Record<string, AttributeValue | null>);
  const problem = typeof after === "string" ? after : attributeProblem(after ?? {});
  return problem === undefined
    ? { attributes: after as Attributes | undefined }
    : { failure: { error: "Stepglass.InvalidRequest", cause: problem } };
}

/** Returns the handler that changes the attributes. They and the task's result are stored together. The result is all attributes. */
export function attributesTask(host: () => Host): Taker {
  return {
    take(call, driver) {
      const live = host().find(driver.execution.arn);
      if (live === undefined) return;
      const after = changedAttributes(call, live.record);
      if ("failure" in after) return refuse(driver, call, after.failure);
      void live.change(after);
      driver.complete(call, "succeed", JSON.stringify(after.attributes ?? {}));
    },
  };
}
