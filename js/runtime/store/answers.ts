// Answers of tasks that commit together with the changes of their handlers in the same database. A task that is called again, because
// the process ended before its execution had the answer, gets that answer, and its handler is not called.

import type { Task } from "../../core/api/index.d.ts";
import { TaskError, messageOf } from "../../core/base/errors.ts";

/** Returns the ARN of the execution whose record a task belongs to. The key of a child of a Map Run continues that of its execution. */
export function executionOf({ idempotencyKey: key }: Task): string {
  const end = key.indexOf("/");
  return end < 0 ? key : key.slice(0, end);
}

/** Returns the JSON text of an answer. Throws for a value that JSON cannot represent. */
export function answerText(answer: unknown): string {
  try {
    return (JSON.stringify(answer) as string | undefined) ?? "null";
  } catch (error) {
    throw new TaskError("States.TaskFailed", `the answer of the handler cannot be written as JSON: ${messageOf(error)}`);
  }
}

/** Returns the error of a task whose execution the database does not have, so that nothing of its handler was committed. */
export function withoutExecution(task: Task): Error {
  return new TaskError(
    "States.TaskFailed",
    `the database does not have ${executionOf(task)}: a transactional handler needs a Runtime with this store`,
  );
}
