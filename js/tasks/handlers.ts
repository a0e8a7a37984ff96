// @ts-nocheck: has no types yet.
// The handlers that a module exports.

import { isTaker } from "./activity.ts";

/** The default export of a module, a function for all tasks, an object or a Map; and every function that it exports by name. */
export function exportedHandlers(module) {
  const usable = (value) => typeof value === "function" || isTaker(value);
  const named = Object.entries(module).filter(([name, value]) => name !== "default" && name !== "module.exports" && usable(value));
  const { default: main } = module;
  if (typeof main === "function" && named.length === 0) return main;
  const listed = main instanceof Map ? [...main] : typeof main === "object" && main !== null ? Object.entries(main) : [];
  return new Map([...listed, ...named].filter(([, value]) => usable(value)));
}
