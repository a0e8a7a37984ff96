// Finds out whether the handlers' module has a handler for a task. It reads only the text, because no code runs before a run
// does.

import type { TaskInfo } from "../model/protocol.ts";
import * as workspace from "../store/workspace.ts";

export function hasHandler({ state, resource, functionName }: TaskInfo): boolean {
  const text = workspace.tasks.value;
  if (text.trim() === "") return false;
  // The module has one function for all tasks, or the pattern for all other tasks.
  if (/export\s+default\s+(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>)/.test(text) || /["'`]\*["'`]/.test(text)) return true;
  const service = /^arn:[^:]*:states:[^:]*:[^:]*:(?!activity:)((.+?):[^.]+)/.exec(resource);
  const names = [
    state,
    resource,
    functionName,
    /:function:([^:]+)/.exec(functionName ?? resource)?.[1],
    /:activity:([^:]+)/.exec(resource)?.[1],
    service?.[1],
    service && `${service[2]}:*`,
  ];
  return names.some((name) => name != null && name !== "" && text.includes(name));
}
