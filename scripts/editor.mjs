// Sets up the extension for VS Code:
//
//   node scripts/editor.mjs            installs its packages and builds it
//   node scripts/editor.mjs --web      also installs VS Code for the Web, for `npm run test:editor`
import { pathToFileURL } from "node:url";
import { installIn, main } from "./setup.mjs";

/** Installs the packages of the extension and builds it. */
export async function setUpExtension() {
  installIn("editors/vscode", "editor");
  const { buildExtension } = await import("../editors/vscode/scripts/build.mjs");
  await buildExtension();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setUpExtension();
    if (process.argv.includes("--web")) installIn("pkg-tests/editor", "editor");
    console.log("editor: ready");
  });
}
