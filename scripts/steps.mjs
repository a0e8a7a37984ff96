// Functions that the scripts of this repository share: the root, running a command, a fingerprint of sources. Only Node's own
// modules: these scripts run before anything is installed.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

export const windows = process.platform === "win32";

// rustup installs cargo in a folder that is not in the PATH of a shell that was opened before.
const cargoHome = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
if (existsSync(cargoHome) && !(process.env.PATH ?? "").split(delimiter).includes(cargoHome)) {
  process.env.PATH = `${process.env.PATH ?? ""}${delimiter}${cargoHome}`;
}

/** Runs a command in the root with its output shown; returns whether it succeeded. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: windows && needsShell(command), ...options });
  return result.status === 0;
}

/** Runs a command with its output shown, and exits this process if it fails. */
export function runOrExit(command, args, options) {
  if (!run(command, args, options)) {
    console.error(`failed: ${[command, ...args].join(" ")}`);
    process.exit(1);
  }
}

/**
 * Runs a task of xtask. Throws if it fails. A program that is newer than its sources runs directly, because cargo would wait for
 * any compilation that is running.
 */
export function xtask(...task) {
  const program = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", windows ? "xtask.exe" : "xtask");
  const changed = Math.max(...["Cargo.lock", ...filesOf("xtask")].map((path) => statSync(join(root, path)).mtimeMs));
  const stands = existsSync(program) && statSync(program).mtimeMs > changed;
  execFileSync(...(stands ? [program, task] : ["cargo", ["xtask", ...task]]), { cwd: root, stdio: "inherit" });
}

/** Returns the trimmed output of a command; `undefined` if it cannot be run or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", shell: windows && needsShell(command), ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

function needsShell(command) {
  return command === "npm" || command === "npx";
}

/** Returns one hash over the contents of files and folders of the repository. */
export function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesOf))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

/** Returns the files of a folder of the repository, or the file itself, or none. */
export function filesOf(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesOf(`${path}/${name}`));
}
