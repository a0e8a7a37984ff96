// @ts-nocheck: has no types yet.
// Task handlers from a module.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exportedHandlers } from "../tasks/handlers.ts";
import { Unusable, placed } from "../files/problem.ts";
import { isFolder } from "../files/source.ts";

/** Node tells the place of a SyntaxError nowhere but on standard error. */
function syntaxPlace(error, file) {
  if (error?.name !== "SyntaxError") return "";
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"], timeout: 10_000 });
  const place = /^(?:file:\/\/)?(\S[^\n]*:\d+)\n/.exec(stderr ?? "")?.[1];
  return place === undefined ? "" : `\n  at ${place}`;
}

/** The default export of a module, or all its exported functions. */
export async function handlersOf(file) {
  if (file === undefined) return {};
  if (isFolder(file)) throw new Unusable(`cannot load the tasks of ${file}: it is a directory`);
  let module;
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new Unusable(`cannot load the tasks of ${file}: ${error.code === "ERR_MODULE_NOT_FOUND" && !existsSync(file) ? "no such file" : `${placed(error)}${syntaxPlace(error, file)}`}`);
  }
  const handlers = exportedHandlers(module);
  if (handlers.size === 0) throw new Unusable(`${file} exports no functions`);
  return handlers;
}
