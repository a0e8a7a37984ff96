// Which mock is meant for which task.

import { type Mock, mockFor } from "stepglass/debug";
import type { TaskInfo } from "../model/protocol.ts";

/// For each task the name that its mock stands under, if there is one.
export function ruled(names: string[], tasks: TaskInfo[]): (string | null)[] {
  const mocks = Object.fromEntries(names.map((name): [string, Mock] => [name, { mode: "echo" }]));
  return tasks.map(
    ({ state, resource, functionName }) =>
      mockFor(mocks, { state, resource, ...(functionName !== undefined && { input: { FunctionName: functionName } }) }) ?? null,
  );
}
