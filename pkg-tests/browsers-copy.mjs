// Copies the package's build for browsers into a folder, so that a test can load it separately from other tests.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const dist = resolve(import.meta.dirname, "../dist");

/** Creates a folder with `dist/web.js` and the files that it needs. `wasm` names the module's files. */
export function folderForBrowsers(wasm = ["stepglass-first.wasm", "stepglass-rest.wasm"]) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-web-"));
  const scripts = readdirSync(dist).filter((name) => name === "web.js" || /^shared-.*\.js$/.test(name));
  for (const name of [...scripts, ...wasm]) cpSync(join(dist, name), join(folder, name));
  return folder;
}

/** Imports such a copy: its exports, `folder`, and `remove()`. */
export async function copyForBrowsers(wasm) {
  const folder = folderForBrowsers(wasm);
  const exports = await import(pathToFileURL(join(folder, "web.js")).href);
  return { ...exports, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
