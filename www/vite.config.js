// The build of the page. The page imports "stepglass" from the built package in dist, as any user does.
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { compressedJsonInPage } from "../scripts/compressed-json.mjs";
import { textSize } from "./textSize.js";
import { besideEntry, developmentPolicy, interpreterParts, pageAtOnce, serviceWorker, thumbnails } from "./plugins.js";

const www = dirname(fileURLToPath(import.meta.url));
const root = resolve(www, "..");

/** The modules that the first view needs and later chunks share. */
const atOnce =
  /\/www\/src\/(?:store\/(?!recordings|insideLayout)|keys\/keymap|debugger\/(?:onGraph|clocks|model|session)\.|editor\/place|graph\/(?:viewport|menuOpen)|ui\/(?:signs|Icon|lazy))|\/js\/core\/(?:base\/pointer|history\/events)\.ts$/;

/** The chunks that the markup links. Later chunks that need them find them loaded. */
const first = /\/(?:rolldown-runtime|start|store|page)-[^/]*\.js$/;

export default defineConfig({
  root: www,
  // Relative addresses work under any path of a static host.
  base: "./",
  resolve: {
    alias: [
      // This entry loads no WebAssembly. The interpreter's worker loads it, in two parts.
      { find: /^stepglass$/, replacement: resolve(root, "dist/slim.js") },
      { find: /^stepglass\/(debug|parts|integrations)$/, replacement: resolve(root, "dist/$1.js") },
      { find: /^stepglass\/jsonata-edits$/, replacement: resolve(root, "js/language/convert/edits.ts") },
      { find: /^stepglass\/jsonata$/, replacement: resolve(root, "js/language/convert/jsonata.ts") },
      { find: /^.*\/expression-syntax\.ts$/, replacement: resolve(www, "src/worker/syntax.ts") },
      { find: /^stepglass\/search$/, replacement: resolve(root, "js/core/base/search.ts") },
      { find: /^stepglass\/pointer$/, replacement: resolve(root, "js/core/base/pointer.ts") },
      { find: /^stepglass\/(calls|chains|events|profile|recorded)$/, replacement: resolve(root, "js/core/history/$1.ts") },
      { find: "stepglass/yaml-like", replacement: resolve(root, "js/core/definition/yaml-like.ts") },
      { find: "stepglass/known-text", replacement: resolve(root, "js/core/tasks/known-text.ts") },
      { find: "stepglass/start", replacement: resolve(root, "js/core/execution/start.ts") },
      { find: /^stepglass\/requests$/, replacement: resolve(root, "js/runtime/store/requests.ts") },
      { find: /^stepglass\/yaml$/, replacement: resolve(root, "js/entries/yaml.ts") },
      { find: /^stepglass\/mock-config$/, replacement: resolve(root, "js/testing/mocks/config.ts") },
      { find: /^stepglass\/service-model$/, replacement: resolve(root, "js/core/integrations/model.ts") },
      { find: /^stepglass\/integrations$/, replacement: resolve(root, "js/entries/integrations.ts") },
      { find: /^stepglass\/example$/, replacement: resolve(root, "js/language/types/example.ts") },
      { find: /^stepglass\/sources\/([\w-]+)$/, replacement: resolve(root, "js/language/sources/$1.ts") },
      { find: /^stepglass\/files\/([\w-]+)$/, replacement: resolve(root, "js/language/files/$1.ts") },
      { find: /^stepglass\/(tags|yaml-document|yaml-proposals|yaml-source)$/, replacement: resolve(root, "js/core/definition/$1.ts") },
    ],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  css: { postcss: { plugins: [textSize()] } },
  plugins: [compressedJsonInPage, interpreterParts(), thumbnails(), pageAtOnce(), serviceWorker(), developmentPolicy()],
  // The package and the examples are outside the page's folder.
  server: { fs: { allow: [root] } },
  // `npm start` serves the build. The page has its policy in its markup; the host adds the headers that markup cannot express.
  preview: { headers: { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } },
  worker: { format: "es", rolldownOptions: { output: { codeSplitting: { groups: [{ name: besideEntry, debugName: "thread" }] } } } },
  build: {
    outDir: resolve(www, "dist"),
    emptyOutDir: true,
    target: "es2022",
    manifest: true,
    // The markup links the page's own chunks.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // The modules of the first view are in one chunk, even if a later one shares a part of it, because separate chunks compress
      // worse. The first script stays separate, because it starts the interpreter's worker.
      output: {
        // The page contains the names of its later chunks, and the letters of a hash do not compress. Hashes shorter than
        // seven letters are refused.
        chunkFileNames: "assets/[name]-[hash:7].js",
        codeSplitting: {
          groups: [
            { name: "start", test: /\/www\/src\/start\.ts$|preload-helper/, priority: 1 },
            { name: "store", test: atOnce },
            // The modules that the graph needs right after it is drawn are in one chunk as well.
            { name: "marks", test: /\/www\/src\/(?:graph\/(?:Marks|Parts|Transitions|Tools|gliding)|debugger\/stops)\./ },
          ],
        },
      },
    },
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, needed) => (file.includes("/page-") ? [] : needed.filter((name) => !first.test(name))),
    },
  },
});
