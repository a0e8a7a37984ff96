// The handlers that a module exports.

import type { TaskHandler } from "../api/index.d.ts";
import { type Taker, isTaker } from "./call.ts";
import type { NamedHandlers } from "./resource.ts";

/**
 * Returns the handlers of a module: its default export (a function for all tasks, an object or a Map), and all functions that it
 * exports by name.
 */
export function exportedHandlers(module: { readonly [name: string]: unknown }): TaskHandler | Map<string, TaskHandler | Taker> {
  const named = Object.entries(module)
    .filter(([name]) => name !== "default" && name !== "module.exports")
    .filter(isUsable);
  const { default: main } = module;
  if (isFunction(main) && named.length === 0) return main;
  const listed: [string, unknown][] =
    main instanceof Map ? [...main] : typeof main === "object" && main !== null ? Object.entries(main) : [];
  return new Map([...listed.filter(isUsable), ...named]);
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
