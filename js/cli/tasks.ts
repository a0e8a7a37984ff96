// Loads task handlers from a module.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { TaskHandlers } from "../core/api/index.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { exportedHandlers } from "../core/tasks/handlers.ts";
import { Unusable, placed } from "../language/files/problem.ts";
import { isFolder } from "../language/files/reading.ts";

/** Returns the location of a SyntaxError. Node reports it only on standard error. */
function syntaxPlace(error: unknown, file: string): string {
  if (!(error instanceof Error) || error.name !== "SyntaxError") return "";
  const { stderr } = spawnSync(process.execPath, ["--check", file], {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 10_000,
  });
  const place = /^(?:file:\/\/)?(\S[^\n]*:\d+)\n/.exec(stderr ?? "")?.[1];
  return place === undefined ? "" : `\n  at ${place}`;
}

/** Returns the handlers that a module exports; none if there is no file. Throws Unusable. */
export async function handlersOf(file: string | undefined): Promise<TaskHandlers> {
  if (file === undefined) return {};
  if (isFolder(file)) throw new Unusable(`cannot load the tasks of ${file}: it is a directory`);
  let module: { readonly [name: string]: unknown };
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    const why =
      codeOf(error) === "ERR_MODULE_NOT_FOUND" && !existsSync(file) ? "no such file" : `${placed(error)}${syntaxPlace(error, file)}`;
    throw new Unusable(`cannot load the tasks of ${file}: ${why}`);
  }
  try {
    // An object with a `take` method is an Activity, of this copy of the package or of another one.
    return exportedHandlers(module, file) as TaskHandlers;
  } catch (error) {
    throw new Unusable(messageOf(error));
  }
}
