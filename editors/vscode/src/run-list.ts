// The list of recent runs, as plain data. It does not import the API of VS Code, so Node can test it.

import type { Configuration } from "./configuration.ts";

/** A run that was started in the editor. */
export interface RecentRun {
  /** The id of its debug session. */
  id: string;
  /** When it was started, in milliseconds since 1970. */
  started: number;
  /** Until the run has ended, it is `running`; a run whose session was stopped before is `stopped`. */
  status: "running" | "succeeded" | "failed" | "stopped";
  config: Configuration;
}

/** How many runs are kept. */
const MOST = 50;

/** Adds a run as the first. */
export function withRun(runs: readonly RecentRun[], run: RecentRun): RecentRun[] {
  return [run, ...runs.filter(({ id }) => id !== run.id)].slice(0, MOST);
}

/** Sets how a run has ended. A status that is already final stays. */
export function withStatus(runs: readonly RecentRun[], id: string, status: RecentRun["status"]): RecentRun[] {
  return runs.map((run) => (run.id === id && run.status === "running" ? { ...run, status } : run));
}

/** Returns the file of a run's definition or test, or its recorded execution. Undefined if it has none. */
export function fileOf({ config }: RecentRun): string | undefined {
  for (const name of ["definition", "test", "history"]) {
    const value: unknown = config[name];
    if (typeof value === "string") return value.split("#")[0];
  }
  return undefined;
}

/** Returns the configuration that debugs a recorded execution. A file of `stepglass fetch` contains its definition. */
export function recordedConfiguration(history: string, definition: string | undefined, type: string): Configuration {
  const name = decodeURIComponent(history.split(/[\\/]/).at(-1) ?? history);
  return { type, request: "launch", name, history, ...(definition !== undefined && { definition }), stopOnEntry: true, stopOnEnd: true };
}
