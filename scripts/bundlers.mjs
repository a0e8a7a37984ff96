// Installs the bundlers and runtimes with which the tests of the packed package build and run: Next, webpack, Rollup, Bun, Deno,
// workerd.
//
//   node scripts/bundlers.mjs      installs them once (700 MB, half a minute)
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Missing, main, npm } from "./setup.mjs";
import { root, run, windows } from "./steps.mjs";

/** The folder where they are installed. */
export const folder = join(root, "pkg-tests/bundlers");

/** Installs the packages of the lockfile. None of their scripts runs, because the binaries are separate packages. */
export function installBundlers() {
  const marker = join(folder, "node_modules/.installed");
  const wanted = fingerprint();
  if (isInstalled()) return;
  console.log("bundlers: installing the npm packages of pkg-tests/bundlers");
  // `npm ci` would require binaries for systems that a mirror of the registry may not have.
  const [command, args] = npm("install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund");
  if (!run(command, args, { cwd: folder })) {
    throw new Missing("The bundlers could not be installed.", [
      "node scripts/bundlers.mjs   (needs the network once; npm's message above says what failed)",
    ]);
  }
  writeFileSync(marker, wanted);
}

/** Returns whether all of them are installed. */
export function isInstalled() {
  const marker = join(folder, "node_modules/.installed");
  return existsSync(marker) && readFileSync(marker, "utf8") === fingerprint();
}

/** Returns the program of another runtime. Undefined if the registry has none for this system. */
export function program(name) {
  const [scope, path] = { bun: ["@oven", "bin/bun"], deno: ["@deno", "deno"], workerd: ["@cloudflare", "bin/workerd"] }[name];
  const packages = join(folder, "node_modules", scope);
  const found = existsSync(packages) ? readdirSync(packages).map((one) => join(packages, one, windows ? `${path}.exe` : path)) : [];
  return found.find((file) => existsSync(file));
}

function fingerprint() {
  return createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .update(process.platform + process.arch)
    .digest("hex");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    installBundlers();
    console.log("bundlers: ready");
  });
}
