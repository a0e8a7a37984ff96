// The handlers that a module exports.

import type { TaskHandler } from "../api/index.d.ts";
import { isObject } from "../base/json.ts";
import { type Taker, isTaker } from "./call.ts";
import type { NamedHandlers } from "./resource.ts";

/** The handlers of a module: one function for all tasks, or one for each name. */
type ExportedHandlers = TaskHandler | Map<string, TaskHandler | Taker>;

/**
 * Returns the handlers that a module exports: one function for all tasks as its default export; or an object or a Map of handlers,
 * as the default export or as an export with the name `tasks`; and all functions that it exports by name. The last ones come first.
 *
 * `file` names the module in the error of one that exports no handlers.
 */
export function exportedHandlers(module: { readonly [name: string]: unknown }, file: string): ExportedHandlers {
  const { default: main } = module;
  const named = entriesOf({ ...module, default: undefined, "module.exports": undefined });
  if (isFunction(main) && named.length === 0) return main;
  const handlers = new Map([...entriesOf(main), ...named]);
  if (handlers.size === 0)
    throw new Error(
      `${file} exports no handlers: export a function for each task by name, or an object of functions as tasks or as the default`,
    );
  return handlers;
}

/** Returns the handlers in an object or a Map, after those in its member `tasks`. */
function entriesOf(value: unknown): [string, TaskHandler | Taker][] {
  const all: [string, unknown][] = value instanceof Map ? [...value] : isObject(value) ? Object.entries(value) : [];
  const tasks = all.find(([name]) => name === "tasks")?.[1];
  const inside: [string, unknown][] = tasks instanceof Map ? [...tasks] : isObject(tasks) && !isTaker(tasks) ? Object.entries(tasks) : [];
  return [...inside, ...all].filter(isUsable);
}

/**
 * Adds other handlers to the user's own. The others run the tasks for which there is no own handler, or only one with a less exact
 * name. A function for all tasks is the least exact.
 */
export function withOthers(own: NamedHandlers, others: Readonly<Record<string, TaskHandler>>): Map<string, TaskHandler | object> {
  const named = typeof own === "function" ? [["*", own] as const] : own instanceof Map ? [...own] : Object.entries(own);
  return new Map<string, TaskHandler | object>([...Object.entries(others), ...named]);
}

function isUsable(entry: [name: string, value: unknown]): entry is [name: string, handler: TaskHandler | Taker] {
  return isFunction(entry[1]) || isTaker(entry[1]);
}

function isFunction(value: unknown): value is TaskHandler {
  return typeof value === "function";
}
