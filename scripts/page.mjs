// Builds the page into www/dist:   node scripts/page.mjs [--if-stale]     (npm run build:page)
//
// The package in dist must have been built before, because the page imports it as any user does.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fingerprint, root, runOrExit } from "./steps.mjs";

export const viteConfig = join(root, "www/vite.config.js");
const built = join(root, "www/dist");
/** The fingerprint of the sources of the present build. Its folder is the one in which Vite keeps its manifest. */
const stamp = join(built, ".vite/sources.txt");

/** The files that decide what the page's build contains. `dist/.built.json` stands for the package. */
function sources() {
  const page = readdirSync(join(root, "www")).filter((name) => name !== "dist");
  return [...page.map((name) => `www/${name}`), "js", "scripts/parts.mjs", "scripts/parts", "package-lock.json", "dist/.built.json"];
}

/**
 * Returns why `www/dist` cannot be served, with the command that builds it; `undefined` if it was built from the present sources.
 */
function stalePage() {
  const advice = "run `npm run build:page` (`npm run build` makes the package and the page)";
  if (!existsSync(join(built, "index.html"))) return `www/dist is missing: ${advice}`;
  const present = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  return present === fingerprint(sources()) ? undefined : `www/dist is older than its sources: ${advice}`;
}

/** Returns the folder of the built page. Throws if it is missing or out of date. */
export function builtPage() {
  const problem = stalePage();
  if (problem !== undefined) throw new Error(problem);
  return built;
}

/** Builds the page; with `ifStale` only if `www/dist` was not built from the present sources. */
export function buildPage({ ifStale = false } = {}) {
  if (ifStale && stalePage() === undefined) return;
  // The fingerprint is taken before the build, so that a file which is saved during the build makes it out of date.
  const now = fingerprint(sources());
  runOrExit(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--config", viteConfig, "--logLevel", "warn"]);
  writeFileSync(stamp, now);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  buildPage({ ifStale: process.argv.includes("--if-stale") });
}
