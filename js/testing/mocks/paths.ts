// Reads the files that are passed to the test kit.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Unusable } from "../../language/files/problem.ts";
import { read } from "../../language/files/reading.ts";
import { TestKitError } from "./errors.ts";

/** Returns the path of a string, file URL or URL object. The `#LogicalId` of a template stays. */
export function pathOf(given: unknown, what: string): string {
  if (given instanceof URL || (typeof given === "string" && given.startsWith("file:"))) {
    const url = new URL(given);
    return fileURLToPath(new URL(url.pathname, url)) + decodeURIComponent(url.hash);
  }
  if (typeof given === "string" && given !== "") return resolve(given);
  throw new TestKitError(`${what} must be a file's path or URL, JSON text, or an object`);
}

/** Returns a file's text. */
export function readText(file: string): string {
  return usable(() => read(file));
}

/** Returns the result of a function. A file that cannot be used is an error of the test. */
export function usable<T>(get: () => T): T {
  try {
    return get();
  } catch (error) {
    throw error instanceof Unusable ? new TestKitError(error.message) : error;
  }
}
