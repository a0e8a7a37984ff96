// Task handlers from a module.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exportedHandlers } from "../handlers.js";
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
  const handlers = exportedHandlers(module);
  if (handlers.size === 0) throw new Unusable(`${file} exports no functions`);
  return handlers;
}
