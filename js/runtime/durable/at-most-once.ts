// Tasks that are called at most once: each call is in the store before it is made.

import type { Task as PublicTask, TaskHandler } from "../../core/api/index.d.ts";
import { TaskError } from "../../core/base/errors.ts";
import type { Host } from "./host.ts";
import type { Live } from "./live.ts";

/** Returns a handler that calls another one at most once for each attempt, also after a restart. */
export function calledOnce(handler: TaskHandler, host: Host): TaskHandler {
  return async (input: unknown, task: PublicTask) => {
    checkNotCalled(task, host);
    await markCall(task, host);
    return handler(input, task);
  };
}

/** Fails a task whose call is in the store: its handler may have had its effect in a process that has ended. */
export function checkNotCalled(task: PublicTask, host: Host): void {
  const live = host.find(task.execution.arn);
  if (live === undefined || !callsOf(live.state).includes(task.id)) return;
  throw new TaskError(
    "Stepglass.Unknown",
    `the process ended while attempt ${task.attempt + 1} of state ${JSON.stringify(task.stateName)} was running, so its outcome is unknown, and the task is not called again`,
  );
}

/** Stores that a task is called. Rejects if the task is not needed any more, or if another process has its execution. */
export async function markCall(task: PublicTask, host: Host): Promise<void> {
  const live = host.find(task.execution.arn);
  if (live === undefined) throw new TaskError("Stepglass.Unknown", "another process has the execution");
  live.note("called", task.id);
  noteCall(live.state, [task.id]);
  await live.journal.flushed();
  if (task.signal.aborted) throw task.signal.reason;
}

/** Called by the host. Applies a recorded call to the state of an execution. */
export function noteCall(state: Record<string, unknown>, [task]: unknown[]): void {
  state.calls = [...callsOf(state), Number(task)];
}

/** Called by the host before a snapshot. Removes the calls of tasks that have ended. */
export function forgetCalls(live: Live): void {
  if (live.state.calls === undefined) return;
  const open = new Set((JSON.parse(live.engine.ask("pending")) as { task: number }[]).map(({ task }) => task));
  live.state.calls = callsOf(live.state).filter((task) => open.has(task));
}

function callsOf({ calls }: Record<string, unknown>): number[] {
  return (calls as number[] | undefined) ?? [];
}
