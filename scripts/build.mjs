// Builds the package: the crate as WebAssembly with its glue, then the JavaScript entries around it.
//
//   npm run build                the published package
//   npm run build:dev            a quick build of the WebAssembly, for work on the JavaScript side
//   npm run build -- --js        the JavaScript alone, around the WebAssembly that is there
//   npm run build -- --names     keeps the names of functions, for readable stack traces
//   npm run build -- --if-stale  does nothing where dist is made of the present sources
//
// The sources in js reach `../../dist/glue.js` and `../../dist/stepglass.wasm`; in dist these are neighbours.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { thirdParty } from "./licences.mjs";
import { filesOf, fingerprint, root, runOrExit } from "./steps.mjs";

const dist = join(root, "dist");
const stamp = join(dist, ".built.json");

/** What the WebAssembly is made of: all files of these, and whatever they include from elsewhere. */
const rustPlaces = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "src", "xtask"];
/** What the JavaScript is made of, besides. */
const scriptSources = ["js", "www/src", "scripts/build.mjs", "scripts/licences.mjs", "package-lock.json"];

/**
 * Builds the package; with `ifStale` only what is not made of the present sources. A release build also counts where a
 * quick one would do, and with `anyProfile` every one.
 */
export async function build({ dev = false, names = false, jsOnly = false, ifStale = false, anyProfile = false } = {}) {
  const last = existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")) : {};
  const rust = fingerprint(rustSources());
  const script = fingerprint(scriptSources);
  const profile = names ? "names" : dev ? "dev" : "release";
  const sameProfile = anyProfile || last.profile === profile || (dev && last.profile === "release");
  const wasmStands = last.rust === rust && sameProfile && existsSync(join(dist, "stepglass.wasm")) && existsSync(join(dist, "glue.js"));
  if (ifStale && wasmStands && last.script === script) return false;

  if (!jsOnly && !(ifStale && wasmStands)) {
    rmSync(stamp, { force: true });
    runOrExit("cargo", ["xtask", "build", ...(dev ? ["--dev"] : []), ...(names ? ["--names"] : [])]);
  }
  await bundle();
  writeFileSync(stamp, `${JSON.stringify(jsOnly ? { ...last, script } : { profile: ifStale && wasmStands ? last.profile : profile, rust, script })}\n`);
  return true;
}

/** The files that the WebAssembly is made of, by their paths in the repository. */
export function rustSources() {
  const own = rustPlaces.flatMap((place) => filesOf(place));
  const included = own.filter((path) => path.endsWith(".rs")).flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(/\binclude(?:_str|_bytes)?!\s*\(\s*"([^"]+)"/g)].map(([, named]) => posix.join(posix.dirname(path), named));
  });
  return [...new Set([...own, ...included])].sort();
}

async function bundle() {
  const esbuild = await import("esbuild");
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) {
    if (/\.(js|cjs|d\.c?ts)$/.test(name) && !name.startsWith("glue.")) rmSync(join(dist, name));
  }
  const entry = (name) => join(root, "js/entries", `${name}.ts`);
  const options = {
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    loader: { ".wasm": "binary" },
    external: ["node:*"],
    metafile: true,
    logLevel: "warning",
    plugins: [neighbours],
  };
  // For browsers, and for bundlers whatever they build for: ES modules. What is for Node holds the WebAssembly, because no
  // file stays beside what is bundled.
  const modules = await esbuild.build({
    ...options,
    entryPoints: [
      ...["web", "slim", "inline", "workerd", "debug"].map((name) => ({ in: entry(name), out: name })),
      { in: join(root, "js/border/parts.ts"), out: "parts" },
      ...NODE_ENTRIES.map(([name, out = name]) => ({ in: entry(name), out: `bundled-${out}` })),
    ],
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    // One copy of the machinery for all entries: `stepglass` and `stepglass/slim` in one program share their classes.
    splitting: true,
    chunkNames: "shared-[hash]",
    plugins: [wasm, holding, neighbours],
  });
  await bundleForNode(esbuild, options);
  // The component and its worker, whole and small: pages take these files as they lie.
  const component = await esbuild.build({
    ...options,
    entryPoints: { debugger: join(root, "www/src/embed/element.ts"), "debugger-worker": join(root, "www/src/embed/worker.ts") },
    format: "esm",
    platform: "browser",
    minify: true,
    splitting: true,
    chunkNames: "debugger-[hash]",
    alias: { stepglass: entry("slim"), "stepglass/debug": entry("debug") },
    plugins: [raw, debugging, neighbours],
  });
  chmodSync(join(dist, "cli.js"), 0o755);

  for (const name of ["index", "folder", "debug", "debugger", "server", "testing"]) {
    const types = readFileSync(join(root, `js/api/${name}.d.ts`), "utf8");
    writeFileSync(join(dist, `${name}.d.ts`), types);
    writeFileSync(join(dist, `${name}.d.cts`), types.replaceAll(/"(\.\/(?:index|testing))\.js"/g, '"$1.cjs"'));
  }
  copyFileSync(join(root, "js/testing/test-file.schema.json"), join(dist, "test-file.schema.json"));
  writeFileSync(join(dist, "THIRD-PARTY.txt"), thirdParty([...new Set([modules, component].flatMap(({ metafile }) => Object.keys(metafile.inputs)))]));
}

/**
 * What Node itself runs: CommonJS, in parts that all entries share, and for `import` an ES module that hands its exports on.
 * So a program that has the package by `import` here and by `require()` there has it once, with one set of classes.
 */
async function bundleForNode(esbuild, options) {
  const entries = [...NODE_ENTRIES, ["slim"], ["../cli/main", "command"]];
  const split = await esbuild.build({
    ...options,
    entryPoints: entries.map(([name, out = name]) => ({ in: join(root, "js/entries", `${name}.ts`), out })),
    format: "esm",
    platform: "node",
    splitting: true,
    chunkNames: "shared-[hash]",
    write: false,
  });
  const texts = new Map(split.outputFiles.map(({ path, text }) => [path, text]));
  const parts = {
    name: "parts",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ path }) => ({ path: path.replace(/\.js$/, ".cjs"), external: true }));
      build.onResolve({ filter: /.*/ }, ({ path, kind }) => (kind === "entry-point" ? { path } : undefined));
      build.onLoad({ filter: /.*/ }, ({ path }) => ({ contents: texts.get(path).replace('createRequire(import.meta.url)("./held.cjs")', 'require("./held.cjs")'), loader: "ts" }));
    },
  };
  await esbuild.build({
    ...options,
    entryPoints: [...texts.keys()],
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
    define: { "import.meta.url": "__moduleUrl" },
    banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [parts],
  });
  await esbuild.build({ ...options, entryPoints: [join(root, "js/entries/held.ts")], outExtension: { ".js": ".cjs" }, format: "cjs", platform: "node", minify: true, plugins: [wasm] });
  if (!readdirSync(dist).some((file) => file.endsWith(".cjs") && readFileSync(join(dist, file), "utf8").includes('require("./held.cjs")'))) {
    throw new Error("nothing in dist requires held.cjs: bundles would be without the WebAssembly");
  }
  for (const [path, { exports }] of Object.entries(split.metafile.outputs)) {
    const name = entries.map(([name, out = name]) => out).find((out) => path === `dist/${out}.js`);
    if (name === undefined || name === "command") continue;
    // `slim.js` is the one of bundlers and browsers.
    const file = existsSync(join(dist, `${name}.js`)) ? `${name}-node.js` : `${name}.js`;
    writeFileSync(join(dist, file), `export { ${[...exports].sort().join(", ")} } from "./${name}.cjs";\n`);
  }
  const { code } = await esbuild.transform(readFileSync(join(root, "js/entries/cli.ts"), "utf8"), { loader: "ts", target: "es2022" });
  writeFileSync(join(dist, "cli.js"), code.replace("../cli/main.ts", "./command.cjs"));
}

/** Entries that are for Node, with their names in dist. */
const NODE_ENTRIES = [["node"], ["folder"], ["debug-node"], ["server"], ["testing"]];

/** In bundles the WebAssembly is in the code, and no file is looked for beside it. */
const holding = {
  name: "holding",
  setup(build) {
    build.onResolve({ filter: /^\.\/(?:\.\.\/)*beside\.ts$/ }, () => ({ path: join(root, "js/entries/held.ts") }));
  },
};

/** What comes out of `….wasm?module` stays an import, of the compiled module, which workerd has; `….wasm?gzip` is packed bytes. */
const wasm = {
  name: "wasm",
  setup(build) {
    build.onResolve({ filter: /\.wasm\?module$/ }, () => ({ path: "./stepglass.wasm", external: true }));
    build.onResolve({ filter: /\.wasm\?gzip$/ }, () => ({ path: "stepglass.wasm", namespace: "gzip" }));
    build.onLoad({ filter: /.*/, namespace: "gzip" }, ({ path }) => ({ contents: gzipSync(readFileSync(join(dist, path)), { level: 9 }), loader: "binary" }));
  },
};

/** `new URL("../../dist/x", import.meta.url)` in js is `new URL("./x", import.meta.url)` in dist. */
const neighbours = {
  name: "neighbours",
  setup(build) {
    build.onLoad({ filter: /[\\/]js[\\/]\w+[\\/][\w-]+\.ts$|[\\/]src[\\/]embed[\\/]worker\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      return { contents: text.replaceAll(/new URL\((["'`])(?:\.\.\/)+dist\//g, "new URL($1./"), loader: "ts" };
    });
  },
};

/** The component's worker debugs machines and never starts an execution: what drives those stays out of it. */
const debugging = {
  name: "debugging",
  setup(build) {
    const without = (names, contents) => build.onLoad({ filter: new RegExp(`[\\\\/]js[\\\\/](${names})\\.ts$`) }, () => ({ contents, loader: "ts" }));
    without("driver[\\\\/]driver|nested", "export class Driver {}\nexport class Machines {}\nexport class Family {}\nexport const rejoin = () => {};\n");
    without("driver[\\\\/]clock|execution", "export class Execution {}\nexport class VirtualClock {}\nexport const clockOf = () => {}, release = clockOf, driverOf = clockOf;\n");
    without("execution[\\\\/]start", "export const startProblem = () => {}, isTooDeep = startProblem, DEPTH_LIMIT = 0;\n");
    // What has a computed name cannot be left out by who bundles.
    without("execution[\\\\/]engine", "export class Engine {}\n");
    without("base[\\\\/]dispose", "export const dispose = Symbol(), asyncDispose = dispose;\n");
    // Its payloads have come through a page, which holds less.
    // Its engines keep their history to themselves, and the debugger reads their answers.
    const archived = /^( {2}(?:history|historyText|\*pages|snapshot|#page|get events|get #archived)\(.*\) \{)\n[^]*?^ {2}\}\n/gm;
    const archive = /^( +)if \(this\.#archive !== undefined\) \{\n[^]*?^\1\}\n/gm;
    without("border[\\\\/]archive", "export class Archive {}\nexport const PAGE = 0, checkAtOnce = () => {}, eventsOf = checkAtOnce;\n");
    const sized = (text) => text.replace(archived, "$1}\n").replace(archive, "").replace(/^const NEEDS = .*$/m, "const NEEDS = {};").replace(/^ +.*\bcheckSize\(.*\n/gm, "").replace(/^export function checkSize[^]*?^}\n/m, "export const checkSize = () => {};\n").replace("memoryOf(thrown)", "undefined");
    build.onLoad({ filter: /[\\/]js[\\/]border[\\/]instance\.ts$/ }, ({ path }) => ({ contents: sized(readFileSync(path, "utf8")), loader: "ts" }));
    // It asks in languages that there are.
    const asked = (text) => text.replace(/^ +if \(.*\) throw misuse\("INVALID_ARGUMENT".*\n/gm, "");
    build.onLoad({ filter: /[\\/]js[\\/]debug[\\/]expressions\.ts$/ }, ({ path }) => ({ contents: asked(readFileSync(path, "utf8")), loader: "ts" }));
    // No error comes to it from another copy of the package.
    build.onLoad({ filter: /[\\/]js[\\/]base[\\/]errors\.ts$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(/^for \(const \[name, Class\] .*$/m, "").replace(/^ +const ranOut = .*$/m, "    const ranOut = undefined;").replace(/^export class ExecutionError [^]*?^}$/m, "export class ExecutionError extends Error {}"), loader: "ts" }));
    // Its options are those of the component, which makes no mistakes in them.
    without("base[\\\\/]options", "export const checkOptions = () => {}, isInstant = () => true, shown = String, LAST = 8.64e15;\n");
    without("debug[\\\\/]given", "export const guard = () => {}, checkBreakpoint = guard, must = guard, span = [];\n");
    // Its mocks are JSON, and checked by name.
    build.onLoad({ filter: /[\\/]js[\\/]debug[\\/]mocks\.ts$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(/^ +if \((?:usable|typeof mocks).*\n/gm, ""), loader: "ts" }));
    // It saves none of its runs, and has no way to ask for what these methods do.
    const unused = /^ {2}(?:static|(?:frames|calls|reverseContinue|gotoPlace|setVariable|setValue|applyDefinition|compare|coverage|removeRun|children|childHistory|executions|definitionOf|selectExecution|childSteps|childVisits|historyOf|visitsInOrder|#threadName|threads|stackTrace|scopes|evaluate|values|runs|runTo|selectRun|stop|#hits|take)\(.*\)) \{\n[^]*?^ {2}\}\n/gm;
    // What may not be started it asks before, in words of its own.
    const checks = /^ +(?:checkStart|if \(isTooDeep)\(.*\n/gm;
    build.onLoad({ filter: /[\\/]js[\\/]debug[\\/]session\.ts$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(unused, "").replace(checks, ""), loader: "ts" }));
    // Its machines are never started either: the debugger feeds the engine itself.
    const starting = /^ {2}(?:async )?(?:static launch|run|start|restore|redrive|#start|#surroundings|#resume|#restored|#execution)\(.*\) \{\n[^]*?^ {2}\}\n/gm;
    build.onLoad({ filter: /[\\/]js[\\/]execution[\\/]machine\.ts$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(starting, ""), loader: "ts" }));
    // Its definitions are JSON that is filled in.
    without("definition[\\\\/]placeholders", "export const isMarked = () => false, unmarked = (text) => text, solid = unmarked;\n");
    const asIs = "export const filledIn = () => {}, looksLikeYaml = filledIn, YAML_HELP = '', problemsOf = (text, _, settings) => call(module.validate, text, settings), renderProblems = (text, _, settings, __, name, color) => call(module.renderDiagnostics, text, name, settings, color);\n";
    without("definition[\\\\/]diagnose", `import * as module from "../../dist/glue.js";\nimport { call } from "../border/instance.ts";\n${asIs}`);
    // It shows one run, and does not compare.
    without("debug[\\\\/](?:coverage|difference)", "export const hitsOf = () => {}, outlineOf = hitsOf, differenceOf = hitsOf;\n");
    // Its tasks are functions, and start nothing.
    without("tasks[\\\\/]activity", "export class Activity {}\nexport const isTaker = () => false;\n");
    without("debug[\\\\/]children", "export class Relatives {\n  left() {}\n}\nexport const machinesOf = () => {}, listOf = machinesOf, startedIn = machinesOf;\n");
    without("debug[\\\\/]borders", "export const leaves = () => () => false, startsExecution = () => false, isAboutToEnter = startsExecution;\n");
    // It changes nothing by hand, and draws no time line.
    without("debug[\\\\/](?:editing|visits)", "export const changeOf = () => {}, answered = changeOf, madeAgain = changeOf, visitsOf = changeOf, childVisits = changeOf;\n");
  },
};

/** `x.css?raw` is the text of the file, as Vite has it too. */
const raw = {
  name: "raw",
  setup(build) {
    build.onResolve({ filter: /\.css\?raw$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.slice(0, -4)), namespace: "raw" }));
    build.onLoad({ filter: /.*/, namespace: "raw" }, async ({ path }) => {
      const esbuild = await import("esbuild");
      const { code } = await esbuild.transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.slice(2);
  const unknown = given.filter((option) => !["--dev", "--names", "--js", "--if-stale"].includes(option));
  if (unknown.length > 0) {
    console.error(`build: unknown option ${unknown.join(" ")}; known: --dev --names --js --if-stale`);
    process.exit(2);
  }
  const built = await build({
    dev: given.includes("--dev"),
    names: given.includes("--names"),
    jsOnly: given.includes("--js"),
    ifStale: given.includes("--if-stale"),
  });
  console.log(built ? `built ${relative(process.cwd(), dist) || "."}` : `${relative(process.cwd(), dist)} is up to date`);
}
