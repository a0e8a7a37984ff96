// Packs the extension, and publishes it:
//
//   npm run package --prefix editors/vscode                 writes stepglass-VERSION.vsix, and checks it. Needs no network
//   npm run package --prefix editors/vscode -- --publish    also publishes it, to the Marketplace with VSCE_PAT
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
const { createVSIX, listFiles } = createRequire(import.meta.url)("@vscode/vsce");

/** The largest size of the package, in bytes. */
const LARGEST = 2.5 * 1024 * 1024;

const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const file = join(folder, `${name}-${version}.vsix`);
await createVSIX({ cwd: folder, packagePath: file, dependencies: false, allowMissingRepository: true });
const { size } = statSync(file);
const files = await listFiles({ cwd: folder, dependencies: false });
const native = files.filter((path) => path.endsWith(".node"));
if (native.length > 0) fail(`native modules are not allowed: ${native.join(", ")}`);
if (size > LARGEST) fail(`${size} bytes are more than ${LARGEST}`);
for (const wanted of ["dist/LICENSE-MIT", "dist/LICENSE-APACHE", "dist/THIRD-PARTY.txt", "dist/stepglass.wasm"])
  if (!files.includes(wanted)) fail(`${wanted} is missing`);
console.log(`${relative(process.cwd(), file)}: ${files.length} files, ${(size / 1024 / 1024).toFixed(2)} MiB`);

if (process.argv.includes("--publish")) {
  if (!process.env.VSCE_PAT) fail("set VSCE_PAT to a token of the Marketplace");
  const vsce = createRequire(import.meta.url).resolve("@vscode/vsce/vsce");
  execFileSync(process.execPath, [vsce, "publish", "--packagePath", file], { cwd: folder, stdio: "inherit" });
}

function fail(problem) {
  console.error(`package: ${problem}`);
  process.exit(1);
}
