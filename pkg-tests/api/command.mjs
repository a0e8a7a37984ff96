// The command in a folder of files of its own.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const command = join(fileURLToPath(import.meta.resolve("stepglass")), "../cli.js");

/** A folder with these files, which goes after the tests; `stepglass(…args)` in it. */
export function folderWith(files) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return { folder, stepglass: (...args) => run(folder, args) };
}

/** The last argument may be `{input, env}`. */
export function run(folder, args) {
  const { input = "", env = {} } = typeof args.at(-1) === "object" ? args.pop() : {};
  return new Promise((resolve, reject) => {
    const { FORCE_COLOR, NO_COLOR, ...rest } = process.env;
    const child = spawn(process.execPath, [command, ...args], { cwd: folder, env: { ...rest, ...env } });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (out[name] += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...out }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
