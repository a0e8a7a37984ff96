// Gives the tasks of activities to workers. A task can come from another server that shares the store.

import { Task } from "../../core/driver/task.ts";
import type { RegisteredActivity } from "../storage/activity.ts";
import type { Context } from "./context.ts";

/** Polling interval for the tasks of other servers, in milliseconds. */
const POLL_MS = 500;

/** A task that a worker takes. */
export interface TakenTask {
  taskToken: string;
  input: string;
}

/** Takes a task of an activity that waits in this server. Resolves to null if none waits. */
export async function waitingTask(service: Context, arn: string, workerName: string | undefined): Promise<TakenTask | null> {
  const activity = service.activities.get(arn);
  if (activity === undefined || activity.queue.waiting === 0) return null;
  return takeTask(service, activity, { workerName });
}

/** Waits for the next task of an activity in this server, and takes it. */
export async function takeTask(
  { runner }: Context,
  { queue }: RegisteredActivity,
  { workerName, signal }: { workerName: string | undefined; signal?: AbortSignal },
): Promise<TakenTask> {
  const { taskToken, input, task } = await queue.getTask({ ...(workerName !== undefined && { workerName }), ...(signal && { signal }) });
  // The worker may see the task only when the store has the task's facts; after that the task is not offered again.
  await runner.whenStored(task.execution.arn);
  return { taskToken, input: (task instanceof Task ? Task.inputText(task) : undefined) ?? JSON.stringify(input) };
}

/**
 * Waits for the next task of an activity in any of the servers that share a store. The servers are asked one after the other, so
 * that no task is taken that the worker does not get.
 */
export async function taskAnywhere(
  service: Context,
  activity: RegisteredActivity,
  { workerName, signal }: { workerName: string | undefined; signal: AbortSignal },
): Promise<TakenTask> {
  const { runner, store } = service;
  const { arn } = activity.about;
  for (;;) {
    signal.throwIfAborted();
    const keys = activity.queue.waiting > 0 ? [] : ((await store.sharing?.otherKeys()) ?? []);
    for (const key of keys) {
      signal.throwIfAborted();
      const found = (await runner.at(key, "activityTask", [key, arn, workerName])) as TakenTask | null;
      if (found !== null) return found;
    }
    const turn = new AbortController();
    const end = (): void => turn.abort();
    const timer = setTimeout(end, POLL_MS);
    signal.addEventListener("abort", end, { once: true });
    try {
      return await takeTask(service, activity, { workerName, signal: turn.signal });
    } catch (thrown) {
      if (!turn.signal.aborted) throw thrown;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }
}
