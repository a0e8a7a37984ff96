// Builds the package: the crate as WebAssembly with its glue, then the JavaScript entries around it.
//
//   npm run build                the published package, and the page
//   npm run build:dev            a quick build of the WebAssembly, for work on the JavaScript side
//   npm run build -- --js        the JavaScript alone, around the WebAssembly that is there
//   npm run build -- --names     keeps the names of functions, for readable stack traces
//   npm run build -- --if-stale  does nothing where dist is made of the present sources
//
// Where dist needs something else than a checkout, a module of js takes the place of another: no step edits the text of a module
// (but bundleForNode writes a require() that bundlers understand, which has no form in ES modules).
import { appendFileSync, chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, posix, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { compressedJson } from "./compressed-json.mjs";
import { thirdParty } from "./licences.mjs";
import { makeParts, removeParts } from "./parts.mjs";
import { filesOf, fingerprint, root, runOrExit } from "./steps.mjs";

const dist = join(root, "dist");
const stamp = join(dist, ".built.json");

/** The files that are made of the crate. */
const WASM = ["stepglass.wasm", "stepglass-fast.wasm", "glue.js"];
/** The sources of the WebAssembly: all files in these, with the files that they include from elsewhere. */
const rustPlaces = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "src", "xtask"];
/** The additional sources of the JavaScript. */
const scriptSources = [
  "js",
  "www/src",
  "www/examples",
  "www/patterns",
  "scripts/build.mjs",
  "scripts/compressed-json.mjs",
  "scripts/licences.mjs",
  "package-lock.json",
];

/**
 * Builds the package. With `ifStale`, builds only what is out of date. A release build is accepted where a quick one would do, and
 * with `anyProfile` every build is.
 */
export async function build({ dev = false, names = false, jsOnly = false, ifStale = false, anyProfile = false } = {}) {
  const last = existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")) : {};
  const rust = fingerprint(rustSources());
  const script = fingerprint(scriptSources);
  const profile = names ? "names" : dev ? "dev" : "release";
  const sameProfile = anyProfile || last.profile === profile || (dev && last.profile === "release");
  const wasmStands = last.rust === rust && sameProfile && WASM.every((file) => existsSync(join(dist, file)));
  if (ifStale && wasmStands && last.script === script) return false;

  if (!jsOnly && !(ifStale && wasmStands)) {
    rmSync(stamp, { force: true });
    removeParts();
    runOrExit("cargo", ["xtask", "build", ...(dev ? ["--dev"] : []), ...(names ? ["--names"] : [])]);
  }
  await bundle();
  makeParts("package");
  makeParts("fast");
  writeFileSync(
    stamp,
    `${JSON.stringify(jsOnly ? { ...last, script } : { profile: ifStale && wasmStands ? last.profile : profile, rust, script })}\n`,
  );
  return true;
}

/** Returns the sources of the WebAssembly by their paths in the repository. */
export function rustSources() {
  const own = rustPlaces.flatMap((place) => filesOf(place));
  const included = own
    .filter((path) => path.endsWith(".rs"))
    .flatMap((path) => {
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
    plugins: [located],
  };
  // ES modules for browsers, and for bundlers of any target. Those for Node contain the WebAssembly, because a bundle has no other
  // files beside it.
  const modules = await esbuild.build({
    ...options,
    entryPoints: [
      ...["web", "slim", "inline", "workerd", "dap", "debug", "durable", "indexeddb", "integrations", "yaml"].map((name) => ({
        in: entry(name),
        out: name,
      })),
      { in: join(root, "js/core/border/module-parts.ts"), out: "parts" },
      { in: entry("wasm-inline"), out: basename(INLINE, ".js") },
      ...NODE_ENTRIES.map(([name, out = name]) => ({ in: entry(name), out: `bundled-${out}` })),
    ],
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    // All entries share one copy of the code, so that `stepglass` and `stepglass/slim` in one program have the same classes.
    splitting: true,
    chunkNames: "shared-[hash]",
    plugins: [wasm, inlineWasm, located, compressedJson],
  });
  const node = await bundleForNode(esbuild, options);
  // The component, whose parts are loaded on demand, and its worker. The worker is one file, because bundlers that copy it do not
  // copy its imports.
  const embedded = { ...options, format: "esm", platform: "browser", minify: true, plugins: [raw, located, tabled] };
  const component = await esbuild.build({
    ...embedded,
    entryPoints: { debugger: join(root, "www/src/embed/element.ts") },
    splitting: true,
    chunkNames: "debugger-[hash]",
  });
  // The console of a server or a Runtime is one file, which only its page loads.
  const board = await esbuild.build({
    ...embedded,
    entryPoints: { console: join(root, "www/src/console/main.tsx") },
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const worker = await esbuild.build({ ...embedded, entryPoints: { "debugger-worker": join(root, "www/src/embed/worker.ts") } });
  const replayWorker = await esbuild.build({
    ...embedded,
    entryPoints: { "debugger-replay": join(root, "www/src/embed/replayWorker.ts") },
    plugins: [replaying, ...embedded.plugins],
  });
  for (const file of ["cli.cjs", "cli.js"]) chmodSync(join(dist, file), 0o755);

  for (const name of [
    "index",
    "asl-validator",
    "aws",
    "blobs",
    "folder",
    "host-tests",
    "dap",
    "debug",
    "debugger",
    "durable",
    "indexeddb",
    "integrations",
    "pool",
    "postgres",
    "restate",
    "server",
    "sqlite",
    "testing",
    "yaml",
  ]) {
    const types = readFileSync(join(root, `js/core/api/${name}.d.ts`), "utf8");
    writeFileSync(join(dist, `${name}.d.ts`), types);
    writeFileSync(join(dist, `${name}.d.cts`), commonJsTypes(types));
  }
  copyFileSync(join(root, "js/testing/kit/test-file.schema.json"), join(dist, "test-file.schema.json"));
  writeFileSync(join(dist, "examples.json"), `${JSON.stringify(gallery())}\n`);
  writeFileSync(
    join(dist, "THIRD-PARTY.txt"),
    thirdParty([
      ...new Set([modules, component, board, worker, replayWorker, ...node].flatMap(({ metafile }) => Object.keys(metafile.inputs))),
    ]),
  );
}

/**
 * Returns declarations for require(): a module with a default export is that export, and its types are in a namespace with the same
 * name.
 */
function commonJsTypes(types) {
  const text = types.replaceAll(/"(\.\/(?:index|debug|durable|testing))\.js"/g, '"$1.cjs"');
  const [, name] = /^export default function (\w+)/m.exec(text) ?? [];
  if (name === undefined) return text;
  const documented = /^(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export interface (\w+) \{[^]*?^\}\n\n?/gm;
  const own = [...text.matchAll(documented)];
  const inside = own.map(([one]) => one.trimEnd().replaceAll(/^(?=.)/gm, "  ")).join("\n\n");
  const names = new RegExp(`(?<![\\w.])(?:${own.map(([, one]) => one).join("|")})(?!\\w)`, "g");
  const outside = text.replaceAll(documented, "").replace(/^export default function .*$/m, (line) => {
    return line.replace("export default", "declare").replaceAll(names, `${name}.$&`);
  });
  return `${outside}\ndeclare namespace ${name} {\n${inside}\n}\n\nexport = ${name};\n`;
}

/**
 * Builds the files that Node itself runs: CommonJS, in parts that all entries share, and for `import` an ES module that re-exports
 * it. A program that uses both `import` and `require()` then loads the package once, with one set of classes.
 */
async function bundleForNode(esbuild, options) {
  const entries = [...NODE_ENTRIES, ["slim"], ["integrations"], ["yaml"], ...PROGRAMS];
  const split = await esbuild.build({
    ...options,
    entryPoints: entries.map(([name, out = name]) => ({ in: join(root, "js/entries", `${name}.ts`), out })),
    format: "esm",
    platform: "node",
    splitting: true,
    chunkNames: "shared-[hash]",
    write: false,
    plugins: [protocols, onDemand, located, compressedJson],
  });
  const texts = new Map(split.outputFiles.map(({ path, text }) => [path, text]));
  const core = coreParts(split.metafile.outputs);
  const nodeOptions = {
    ...options,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
    // It is not replaced in string literals, because programs that the command writes contain these words, too.
    define: { ...options.define, "import.meta.url": "__moduleUrl" },
  };
  await esbuild.build({ ...nodeOptions, entryPoints: [{ in: "core", out: "core" }], plugins: [partsInCore(texts, core)] });
  const others = [...texts.keys()].filter((path) => !core.has(basename(path)));
  await esbuild.build({ ...nodeOptions, entryPoints: others, plugins: [partsBesideCore(texts, core)] });
  if (!readdirSync(dist).some((file) => file.endsWith(".cjs") && readFileSync(join(dist, file), "utf8").includes(`require("${INLINE}")`))) {
    throw new Error(`nothing in dist requires ${INLINE}: bundles would be without the WebAssembly`);
  }
  for (const [path, { exports }] of Object.entries(split.metafile.outputs)) {
    const name = entries.map(([name, out = name]) => out).find((out) => path === `dist/${out}.js`);
    if (name === undefined || PROGRAMS.some(([program]) => program === name)) continue;
    // `slim.js` is the entry for bundlers and browsers.
    const file = existsSync(join(dist, `${name}.js`)) ? `${name}-node.js` : `${name}.js`;
    // require() of a module with only a default export returns that export.
    if (exports.join() === "default") appendFileSync(join(dist, `${name}.cjs`), "module.exports = module.exports.default;\n");
    writeFileSync(join(dist, file), `export { ${[...exports].sort().join(", ")} } from "./${name}.cjs";\n`);
  }
  await esbuild.build({
    ...options,
    entryPoints: [join(root, "js/entries/cli.ts")],
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
    define: { ...options.define, "import.meta.url": "__filename" },
  });
  // Configurations of editors refer to this file.
  writeFileSync(join(dist, "cli.js"), '#!/usr/bin/env node\nimport "./cli.cjs";\n');
  return [split, await bundleProtocols(esbuild, options), await bundleOnDemand(esbuild, options)];
}

/**
 * Returns the parts that even the smallest entry loads, by file, with their exports. They become one file, core.cjs: each file
 * costs about a millisecond at the start, and calls between files are slower.
 */
function coreParts(outputs) {
  const found = new Map();
  const visit = (path) => {
    for (const { path: next, kind } of outputs[path].imports) {
      if (kind !== "import-statement" || outputs[next] === undefined || found.has(basename(next))) continue;
      found.set(basename(next), outputs[next].exports);
      visit(next);
    }
  };
  visit("dist/slim.js");
  return found;
}

/**
 * The compressed WebAssembly, an ES module in every bundle. The files for Node require it only where a bundler has separated them
 * from the WebAssembly; the bundler has then made it a part of the bundle.
 */
const INLINE = "./wasm-inline.js";

/** Returns the file in dist of an import of a part for Node. */
const besideCore = (path) => (path === INLINE ? path : path.replace(/\.js$/, ".cjs"));

/** Returns the name in core.cjs of a part's export. */
const inCore = (part, name) => `${part.replace(/\.js$/, "").replaceAll(/\W/g, "_")}_${name}`;

/** Returns `export { a as part_a } from "./part.js"`, or the reverse. A part without exports is still evaluated. */
function handedOn(part, names, from, written) {
  return names.length === 0
    ? `import ${JSON.stringify(from)};`
    : `export { ${names.map((name) => written(name, inCore(part, name))).join(", ")} } from ${JSON.stringify(from)};`;
}

function partsInCore(texts, core) {
  const all = [...core].map(([part, names]) => handedOn(part, names, `./${part}`, (name, alias) => `${name} as ${alias}`));
  return {
    name: "parts in core",
    setup(build) {
      build.onResolve({ filter: /^core$/ }, () => ({ path: "core", namespace: "core" }));
      build.onLoad({ filter: /.*/, namespace: "core" }, () => ({ contents: all.join("\n"), resolveDir: dist }));
      build.onResolve({ filter: /^\.\.?\// }, ({ path }) =>
        core.has(basename(path)) ? { path: join(dist, basename(path)) } : { path: besideCore(path), external: true },
      );
      build.onLoad({ filter: /.*/ }, ({ path }) => ({ contents: textForNode(texts.get(path)), loader: "ts" }));
    },
  };
}

function partsBesideCore(texts, core) {
  return {
    name: "parts beside core",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ path, kind }) => {
        if (core.has(basename(path))) return { path: basename(path), namespace: "core" };
        const file = besideCore(path);
        return kind === "dynamic-import" ? { path: file, namespace: "required" } : { path: file, external: true };
      });
      // A part that is imported on demand is loaded with require(). With import(), Node would first search its text for exports,
      // and load its imports with the ES module loader.
      build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
        resolveDir: dist,
      }));
      build.onLoad({ filter: /.*/, namespace: "core" }, ({ path }) => ({
        contents: handedOn(path, core.get(path), "./core.cjs", (name, alias) => `${alias} as ${name}`),
        resolveDir: dist,
      }));
      build.onResolve({ filter: /.*/ }, ({ path, kind }) => (kind === "entry-point" ? { path } : undefined));
      build.onLoad({ filter: /.*/ }, ({ path }) => ({ contents: textForNode(texts.get(path)), loader: "ts" }));
    },
  };
}

/** Converts a part to CommonJS if it uses its own location: `__moduleUrl` replaces `import.meta.url`. */
function textForNode(text) {
  const required = text.replace(`createRequire(import.meta.url)("${INLINE}")`, `require("${INLINE}")`);
  if (!required.includes("import.meta.url")) return required;
  return `import { pathToFileURL as __toUrl } from "node:url";\nconst __moduleUrl = __toUrl(__filename).href;\n${required}`;
}

/** Returns the examples of the page's gallery, for agents: `[{name, title, lesson, features, file, definition, inputs}]`. */
function gallery() {
  const folder = join(root, "www/examples");
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.map((name) => {
    const { title, lesson, features, inputs } = JSON.parse(readFileSync(join(folder, name, "example.json"), "utf8"));
    const file = ["machine.asl.json", "machine.asl.yaml"].find((one) => existsSync(join(folder, name, one)));
    const definition = readFileSync(join(folder, name, file), "utf8");
    return { name, title, lesson, features, file, definition, inputs: inputs.map((one) => ({ name: one.name, input: one.input })) };
  });
}

/** The protocols of editors and agents, by the folders of their servers. They are separate files, which only a server loads. */
const PROTOCOLS = { lsp: "language-server-protocol.cjs", mcp: "model-context-protocol.cjs" };

function bundleProtocols(esbuild, options) {
  return esbuild.build({
    ...options,
    entryPoints: Object.entries(PROTOCOLS).map(([name, file]) => ({
      in: join(root, `js/cli/${name}/protocol.ts`),
      out: file.replace(/\.cjs$/, ""),
    })),
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
    // Packages with ES modules are used in that form, so that unused exports are left out.
    mainFields: ["module", "main"],
    minify: true,
    plugins: [withoutSchemas],
  });
}

/** The servers do not contain the protocols, which are separate files. */
const protocols = {
  name: "protocols",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/(?:.*\/)?protocol\.ts$/ }, ({ path, resolveDir }) => {
      const file = PROTOCOLS[basename(join(resolveDir, path, ".."))];
      return file && { path: `./${file}`, external: true };
    });
  },
};

/** A package that most starts do not need, in a separate file: `yaml` takes as long to load as the interpreter's own code. */
const ON_DEMAND = { name: "yaml", library: "yaml-library.cjs", stub: "yaml-on-demand.cjs" };

/**
 * Writes the package, and the stub that replaces it in all other files. The stub loads the package when one of its exports is first
 * read. It names every export, so that code which copies them copies getters.
 */
async function bundleOnDemand(esbuild, options) {
  const names = Object.keys(await import(ON_DEMAND.name)).filter((name) => name !== "default" && name !== "module.exports");
  const getters = names.map((name) => `  ${name}: { enumerable: true, get: () => library().${name} },\n`);
  // Bundlers follow a plain require().
  const load = `let loaded;\nconst library = () => (loaded ??= require("./${ON_DEMAND.library}"));\n`;
  writeFileSync(join(dist, ON_DEMAND.stub), `${load}Object.defineProperties(exports, {\n${getters.join("")}});\n`);
  return esbuild.build({
    ...options,
    entryPoints: [{ in: ON_DEMAND.name, out: ON_DEMAND.library.replace(/\.cjs$/, "") }],
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
  });
}

/** The files for Node contain the stub instead of the package. */
const onDemand = {
  name: "on demand",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${ON_DEMAND.name}$`) }, () => ({ path: `./${ON_DEMAND.stub}`, external: true }));
  },
};

/** Replaces the SDK's JSON Schema validator, which our server does not use. */
const withoutSchemas = {
  name: "without-schemas",
  setup(build) {
    build.onResolve({ filter: /[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({ path: join(root, "js/cli/mcp/no-schemas.ts") }));
  },
};

/** Programs that no module imports: the command, and a thread of a pool. */
const PROGRAMS = [["command"], ["pool-thread"]];

/** Entries for Node only, with their names in dist. */
const NODE_ENTRIES = [
  ["node"],
  ["asl-validator"],
  ["aws"],
  ["blobs"],
  ["folder"],
  ["host-tests"],
  ["pool"],
  ["dap-node"],
  ["debug-node"],
  ["durable-node"],
  ["postgres"],
  ["restate"],
  ["server"],
  ["sqlite"],
  ["testing"],
];

/** In bundles the code contains the WebAssembly, so no file is needed beside it. */
const inlineWasm = {
  name: "inline-wasm",
  setup(build) {
    build.onResolve({ filter: /^\.\/(?:\.\.\/)*wasm-file\.ts$/ }, () => ({ path: join(root, "js/entries/wasm-inline.ts") }));
  },
};

/** `….wasm?module` stays an import of the compiled module, which workerd provides; `….wasm?gzip` becomes compressed bytes. */
const wasm = {
  name: "wasm",
  setup(build) {
    build.onResolve({ filter: /\.wasm\?module$/ }, ({ path }) => ({ path: `./${moduleOf(path)}`, external: true }));
    build.onResolve({ filter: /\.wasm\?gzip$/ }, ({ path }) => ({ path: moduleOf(path), namespace: "gzip" }));
    build.onLoad({ filter: /.*/, namespace: "gzip" }, ({ path }) => ({
      contents: gzipSync(readFileSync(join(dist, path)), { level: 9 }),
      loader: "binary",
    }));
  },
};

/** Returns the file of dist for an import. */
const moduleOf = (path) => basename(path).replace(/\?.*$/, "");

/** The files of dist find the WebAssembly in the same folder. */
const located = {
  name: "located",
  setup(build) {
    build.onResolve({ filter: /[\\/](?:wasm|parts)-url\.ts$/ }, ({ path }) => ({
      path: join(root, "js/entries", basename(path).replace(/\.ts$/, "-dist.ts")),
    }));
  },
};

/** The component gets the table of integrations from the file of `stepglass/integrations` in the same folder. */
const tabled = {
  name: "tabled",
  setup(build) {
    build.onResolve({ filter: /[\\/]entries[\\/]integrations\.ts$/ }, () => ({ path: "./integrations.js", external: true }));
  },
};

/** The worker for recordings shares modules with the page, which import the package. It gets the package's sources. */
const replaying = {
  name: "replaying",
  setup(build) {
    build.onResolve({ filter: /^stepglass(?:\/debug)?$/ }, () => ({ path: join(root, "js/entries/replaying.ts") }));
  },
};

/** `x.css?raw` becomes the text of the file, as in Vite. */
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
  const { buildPage } = await import("./page.mjs");
  const built = await build({
    dev: given.includes("--dev"),
    names: given.includes("--names"),
    jsOnly: given.includes("--js"),
    ifStale: given.includes("--if-stale"),
  });
  console.log(built ? `built ${relative(process.cwd(), dist) || "."}` : `${relative(process.cwd(), dist)} is up to date`);
  // The published build is complete, because the tests of the page and `serve` use it.
  if (given.length === 0) buildPage({ ifStale: true });
}
