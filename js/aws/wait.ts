// Waits for a job of a service, as `.sync` does.

import { TaskError } from "../core/base/errors.ts";
import { jsonText } from "../core/tasks/integration.ts";
import { type Job, type Members, valueAt } from "./jobs.ts";
import type { CallApi } from "./integrations.ts";

/** The interval at which a job is polled, in milliseconds. It is short at first, because emulators are fast. */
const FIRST = 100;
const LONGEST = 5_000;

/** A job that has been started. */
interface StartedJob {
  job: Job;
  answer: Members;
  request: Members;
}

/** Waits for the end of a job, and returns its result. Throws the error of a failed job. */
export async function jobResult({ job, answer, request }: StartedJob, call: CallApi, next: () => Promise<void>): Promise<Members> {
  const described = await until(next, async () => {
    try {
      const description = await call(job.describe, withoutAbsent(job.ask(answer, request)));
      const found = valueAt(description, job.at ?? "");
      const status = valueAt(found, job.status);
      if (job.succeeded.includes(String(status)) || job.failed?.includes(String(status))) return { found, status: String(status) };
      return undefined;
    } catch (thrown) {
      if (job.vanishes && thrown instanceof TaskError && /NotFoundException$/.test(thrown.error ?? ""))
        return { found: {}, status: undefined };
      throw thrown;
    }
  });
  const { found, status } = described;
  const result = (job.as === undefined ? found : { [job.as]: found }) as Members;
  if (status === undefined || (job.succeeded.includes(status) && job.holds?.(found) !== false)) return result;
  throw new TaskError("States.TaskFailed", jsonText(result));
}

/** Repeats `ask` until it returns a value. */
export async function until<T>(next: () => Promise<void>, ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    await next();
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
}

/** The members of a task that its pauses need. */
interface Waiting {
  signal: AbortSignal;
  heartbeatSeconds?: number | undefined;
  heartbeat(): void;
}

/**
 * Waits longer each time, and sends a heartbeat, because the job was alive when it was last polled. Rejects with the reason of the
 * signal. Waits in real time, because the job runs in real time.
 */
export function pauses({ signal, heartbeatSeconds = Infinity, heartbeat }: Waiting): () => Promise<void> {
  const longest = Math.min(LONGEST, heartbeatSeconds * 500);
  let delay = Math.min(FIRST, longest);
  return () => {
    if (heartbeatSeconds !== Infinity) heartbeat();
    const now = delay;
    delay = Math.min(delay * 2, longest);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const end = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", end);
        resolve();
      }, now);
      signal.addEventListener("abort", end, { once: true });
    });
  };
}

function withoutAbsent(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
