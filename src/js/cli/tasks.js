// Task handlers from a module.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Unusable } from "./source.js";

/** The default export of a module, or all its exported functions. */
export async function handlersOf(file) {
  if (file === undefined) return {};
  let module;
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new Unusable(`cannot load the tasks of ${file}: ${error.message}`);
  }
  const functions = Object.entries(module).filter(([name, value]) => name !== "default" && typeof value === "function");
  const { default: main } = module;
  if (typeof main === "function" && functions.length === 0) return main;
  const named = main instanceof Map ? [...main] : typeof main === "object" && main !== null ? Object.entries(main) : [];
  const handlers = new Map([...named, ...functions].filter(([, value]) => typeof value === "function"));
  if (handlers.size === 0) throw new Unusable(`${file} exports no functions`);
  return handlers;
}
