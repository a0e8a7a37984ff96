// The package as browsers have it, in a copy of its own: what is loaded there is loaded nowhere else.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const dist = resolve(import.meta.dirname, "../dist");

/** A folder with `dist/web.js` and what it needs; `wasm` are the files of the module. */
export function folderForBrowsers(wasm = ["stepglass-first.wasm", "stepglass-rest.wasm"]) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-web-"));
  const scripts = readdirSync(dist).filter((name) => name === "web.js" || /^shared-.*\.js$/.test(name));
  for (const name of [...scripts, ...wasm]) cpSync(join(dist, name), join(folder, name));
  return folder;
}

/** The exports of such a copy, and `remove()`. */
export async function copyForBrowsers(wasm) {
  const folder = folderForBrowsers(wasm);
  const exports = await import(pathToFileURL(join(folder, "web.js")).href);
  return { ...exports, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
