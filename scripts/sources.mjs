// Imports a single module of js/, for tests and scripts of private functions.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compressedJson } from "./compressed-json.mjs";
import { root } from "./steps.mjs";

/** Modules of js/ that the page imports by the names of its build. */
const OF_PAGE = {
  calls: "js/core/history/calls.ts",
  chains: "js/core/history/chains.ts",
  events: "js/core/history/events.ts",
  "jsonata-edits": "js/language/convert/edits.ts",
  "known-text": "js/core/tasks/known-text.ts",
  "mock-config": "js/testing/mocks/config.ts",
  pointer: "js/core/base/pointer.ts",
  profile: "js/core/history/profile.ts",
  recorded: "js/core/history/recorded.ts",
  search: "js/core/base/search.ts",
  "yaml-like": "js/core/definition/yaml-like.ts",
  "yaml-proposals": "js/core/definition/yaml-proposals.ts",
  "yaml-source": "js/core/definition/yaml-source.ts",
};
/** The same as a pattern of imports. */
const NAMED = new RegExp(`^stepglass/(${Object.keys(OF_PAGE).join("|")})$`);

/**
 * Imports several modules as one program, in which they share the modules that they import: `importSources(["www/src/worker/run.ts"])`
 * resolves to `{ run }`, the exports of each by the name of its file.
 */
export async function importSources(paths) {
  const names = paths.map((path) => [basename(path, ".ts"), path]);
  return importBundle({
    stdin: { contents: names.map(([name, path]) => `export * as ${name} from "./${path}";`).join("\n"), resolveDir: root },
  });
}

/**
 * Imports `path`, such as "js/language/convert/jsonata.ts", with all its imports. The WebAssembly and its glue come from dist. `edits` are
 * pairs of a text in the sources and its replacement for a test; each text must occur.
 */
export function importSource(path, edits = []) {
  return importBundle({ entryPoints: [path] }, edits);
}

async function importBundle(entry, edits = []) {
  const esbuild = await import("esbuild");
  const dist = pathToFileURL(join(root, "dist")).href;
  const built = {
    name: "built",
    setup(build) {
      build.onResolve({ filter: /[\\/]dist[\\/][\w.]+$/ }, ({ path, resolveDir }) => ({
        path: pathToFileURL(resolve(resolveDir, path)).href,
        external: true,
      }));
      // The module that parses expressions is the one of the package, which is loaded.
      build.onLoad({ filter: /[\\/]expression-syntax\.ts$/ }, () => ({
        contents: 'import { language } from "stepglass"; export const syntaxOf = (...given) => language.syntax(...given);',
        loader: "ts",
      }));
      // The imports of the page by the names of its build.
      build.onResolve({ filter: NAMED }, ({ path }) => ({ path: join(root, OF_PAGE[path.slice(10)]) }));
      build.onLoad({ filter: /[\\/]wasm-url\.ts$/ }, () => ({
        contents: `export const wasmUrl = () => new URL(${JSON.stringify(`${dist}/stepglass.wasm`)});`,
        loader: "ts",
      }));
    },
  };
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    ...entry,
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "es2022",
    packages: "external",
    plugins: [built, compressedJson],
    logLevel: "warning",
  });
  let [{ text }] = outputFiles;
  for (const [found, replaced] of edits) {
    const edited = text.replace(found, replaced);
    if (edited === text) throw new Error(`the sources have no ${found}`);
    text = edited;
  }
  const folder = join(root, "pkg-tests/.cache/sources");
  const file = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 20)}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    // Tests run concurrently, and none must find an incomplete file.
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  }
  return import(pathToFileURL(file).href);
}
