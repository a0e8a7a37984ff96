// Sets up the extension for VS Code (editors/vscode), and tests it in VS Code for the Web:
//
//   node scripts/editor.mjs            installs its packages and builds it
//   node scripts/editor.mjs --build    builds it
//   npm run test:editor                also installs VS Code for the Web (600 MB), and runs pkg-tests/editor-web in Chromium
import { pathToFileURL } from "node:url";
import { installIn, main } from "./setup.mjs";
import { root, run } from "./steps.mjs";

/** Installs the packages of the extension. */
export function installExtension() {
  installIn("editors/vscode", "editor");
}

async function build() {
  const { buildExtension } = await import("../editors/vscode/scripts/build.mjs");
  await buildExtension();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.slice(2);
  await main(async () => {
    if (!given.includes("--build")) installExtension();
    await build();
    console.log("built editors/vscode/dist");
    if (!given.includes("--web")) return;
    installIn("pkg-tests/editor-web", "editor");
    process.exitCode = run(process.execPath, ["--test", "pkg-tests/editor-web/editor.test.mjs"], { cwd: root }) ? 0 : 1;
  });
}
