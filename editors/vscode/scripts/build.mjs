// Builds the extension from the sources of the repository:   node editors/vscode/scripts/build.mjs
//
// It needs the package's dist (`npm run build` at the root) and this folder's npm packages (`npm ci --prefix editors/vscode`).
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { compressedJson } from "../../../scripts/compressed-json.mjs";
import { thirdParty } from "../../../scripts/licences.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
const root = join(folder, "../..");
const dist = join(folder, "dist");

/** In a worker, these modules replace those of Node. */
const SHIMS = { "node:fs": "fs.ts", "node:path": "path.ts", "node:url": "url.ts", "node:assert": "assert.ts" };

const withoutNode = {
  name: "without Node",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) =>
      SHIMS[path] ? { path: join(folder, "src/shims", SHIMS[path]) } : { path, namespace: "absent" },
    );
    // What no web editor reaches, such as child processes. A module without exports has undefined for every name.
    build.onLoad({ filter: /.*/, namespace: "absent" }, ({ path }) => ({
      contents: path === "node:perf_hooks" ? "module.exports = { performance: globalThis.performance };" : "module.exports = {};",
    }));
    build.onResolve({ filter: /^vscode-languageserver\/node$/ }, ({ resolveDir }) =>
      build.resolve("vscode-languageserver/browser", { resolveDir, kind: "import-statement" }),
    );
  },
};

/** Builds into `dist`. Without `minify`, names stay readable. Returns the files that the bundles were made of. */
export async function buildExtension({ minify = true } = {}) {
  if (!existsSync(join(root, "dist/debugger.js"))) throw new Error("the package is not built: run `npm run build` at the root");
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const common = {
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    minify,
    keepNames: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    nodePaths: [join(folder, "node_modules"), join(root, "node_modules")],
    mainFields: ["module", "main"],
    plugins: [compressedJson],
  };
  const source = (name) => join(folder, "src", name);
  const node = { ...common, platform: "node", format: "cjs", external: ["vscode"], define: { "import.meta.url": "__filename" } };
  const web = {
    ...common,
    platform: "browser",
    external: ["vscode"],
    plugins: [withoutNode, compressedJson],
    define: { setImmediate: "setTimeout" },
  };
  const built = await Promise.all([
    esbuild.build({ ...node, entryPoints: { extension: source("desktop.ts"), server: source("server/node.ts") } }),
    esbuild.build({ ...web, format: "cjs", entryPoints: { "extension-web": source("web.ts") } }),
    esbuild.build({ ...web, format: "iife", entryPoints: { "server-worker": source("server/worker.ts") } }),
    esbuild.build({
      ...common,
      platform: "browser",
      format: "esm",
      define: { "import.meta.url": "location.href" },
      entryPoints: { graph: source("webview/main.ts") },
    }),
  ]);
  copyFileSync(source("webview/graph.css"), join(dist, "graph.css"));
  for (const name of ["debugger-worker.js", "stepglass.wasm"]) copyFileSync(join(root, "dist", name), join(dist, name));
  copyFileSync(join(root, "dist/test-file.schema.json"), join(dist, "test-file.schema.json"));
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(root, name), join(dist, name));
  const inputs = [...new Set(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)))];
  writeFileSync(join(dist, "THIRD-PARTY.txt"), notices(inputs));
  return inputs;
}

/** Returns the licences of the packages in the bundles, and those of the package's own files. */
function notices(inputs) {
  const own = thirdParty(inputs);
  const component = readFileSync(join(root, "dist/THIRD-PARTY.txt"), "utf8");
  return `${own}\n${"=".repeat(80)}\n\nThe graph and the interpreter: ${component}`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildExtension({ minify: !process.argv.includes("--dev") });
  console.log("built editors/vscode/dist");
}
