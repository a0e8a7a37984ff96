// Projects that have the package installed, and `require()` for the tests themselves.
import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { folderWith } from "../api/command.mjs";

export const root = resolve(import.meta.dirname, "../..");
/** `require()` of the repository's own files, for which `stepglass` is the package in dist. */
export const own = createRequire(join(root, "package.json"));
/** `require()` of the packages that are installed in pkg-tests/pipelines. */
export const installed = createRequire(import.meta.url);

/** Creates a folder with these files and with the package as npm installs it. */
export function projectWith(files) {
  const { folder } = folderWith(files);
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/stepglass"), "junction");
  // On Windows, npm writes a script instead of a link.
  if (process.platform === "win32")
    writeFileSync(join(folder, "node_modules/.bin/stepglass.cmd"), `@node "${join(root, "dist/cli.js")}" %*\r\n`);
  else symlinkSync("../stepglass/dist/cli.js", join(folder, "node_modules/.bin/stepglass"));
  if (files["package.json"] === undefined) writeFileSync(join(folder, "package.json"), '{ "private": true, "name": "project" }\n');
  return folder;
}

/** Runs a program. npm is offline, so it finds only installed packages. */
export function run(program, args, { cwd, env = {} }) {
  const { FORCE_COLOR, NO_COLOR, ...rest } = process.env;
  const PATH = `${dirname(process.execPath)}${delimiter}${rest.PATH}`;
  const all = { ...rest, PATH, npm_config_offline: "true", npm_config_update_notifier: "false", ...env };
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd, env: all, stdio: ["ignore", "pipe", "pipe"] });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (data) => (out[name] += data));
    child.on("error", reject);
    child.on("close", (code) => done({ code, ...out }));
  });
}
