// Assigns mocks to tasks.

import { type Mock, mockFor } from "stepglass/debug";
import type { TaskInfo } from "../model/protocol.ts";

/** Returns for each task the name of its mock, or null if it has none. */
export function ruled(names: string[], tasks: TaskInfo[]): (string | null)[] {
  const mocks = Object.fromEntries(names.map((name): [string, Mock] => [name, { mode: "echo" }]));
  return tasks.map(
    ({ state, resource, functionName }) =>
      mockFor(mocks, { state, resource, ...(functionName !== undefined && { input: { FunctionName: functionName } }) }) ?? null,
  );
}
