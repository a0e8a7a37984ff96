// The package as npm publishes it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../../scripts/setup.mjs";

/** The root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Packs into a new folder outside of the repository: `{folder, path, files, remove()}`. */
export function pack() {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
  const [{ filename, files }] = JSON.parse(runNpm(["pack", "--json", "--pack-destination", folder], root));
  return { folder, path: join(folder, filename), files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function runNpm(args, cwd) {
  const [command, all] = npm(...args);
  return execFileSync(command, all, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], shell: command === "npm" && process.platform === "win32" });
}
