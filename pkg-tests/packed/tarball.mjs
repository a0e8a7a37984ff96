// The package as npm publishes it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../../scripts/setup.mjs";

/** The root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The projects that install the package, and the output of each. */
export const projects = join(root, "pkg-tests/projects");
export const EXPECTED = 'stepglass: {"total":42}';

/** Returns the path of a file in the repository's own node_modules. */
export const tool = (path) => join(root, "node_modules", path);

/** Packs the package into a new folder outside of the repository: `{folder, path, files, remove()}`. */
export function pack() {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
  const [{ filename, files }] = JSON.parse(runNpm(["pack", "--json", "--pack-destination", folder], root));
  return { folder, path: join(folder, filename), files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function runNpm(args, cwd) {
  const [command, all] = npm(...args);
  return execFileSync(command, all, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    shell: command === "npm" && process.platform === "win32",
  });
}

/**
 * Copies a project and installs the tarball there, where the repository's own packages cannot be resolved unless `folder` is within
 * it.
 */
export function installIn(tarball, name, as = name, folder = join(tarball.folder, as)) {
  cpSync(join(projects, name), folder, { recursive: true });
  cpSync(join(projects, "order.json"), join(folder, "order.json"));
  runNpm(["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", tarball.path], folder);
  assert.deepEqual(
    readdirSync(join(folder, "node_modules")).filter((entry) => !entry.startsWith(".")),
    ["stepglass"],
    "the package brings no other",
  );
  if (name.startsWith("ts-")) symlinkSync(tool("@types"), join(folder, "node_modules/@types"), "junction");
  return folder;
}

/** Returns the files of the WebAssembly module that a page has requested, in order. */
export async function partsAsked(page) {
  const addresses = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  return addresses.flatMap((address) => /stepglass-(first|rest)[^/]*\.wasm$/.exec(address)?.[1] ?? []).sort();
}
