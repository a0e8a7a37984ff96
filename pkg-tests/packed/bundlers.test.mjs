// The tarball in bundlers and runtimes (scripts/bundlers.mjs installs them). Bundles run without the package beside them, and
// without manually copied files unless a test says so.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder as bundlers, isInstalled, program } from "../../scripts/bundlers.mjs";
import { launch, open, serve, skip as noBrowser } from "../browser.mjs";
import { EXPECTED, installIn, pack, partsAsked, tool } from "./tarball.mjs";

const INPUT = JSON.stringify({
  lines: [
    { price: 10, quantity: 3 },
    { price: 4, quantity: 3 },
  ],
});
// The timeout of a Next build on a busy machine. A passing test does not wait for it.
const LONGEST = 300_000;
const missing = isInstalled() ? false : "the bundlers are not installed: node scripts/bundlers.mjs";
const lacks = (name) => missing || (program(name) ? false : `the registry has no ${name} for ${process.platform} ${process.arch}`);
const within = createRequire(join(bundlers, "package.json"));
const load = async (name) => (await import(pathToFileURL(within.resolve(name)).href)).default;
const esbuild = tool("esbuild/bin/esbuild");

let tarball;
before(() => {
  tarball = pack();
});
after(() => tarball?.remove());

describe("bundles for Node", () => {
  let folder;
  before(() => {
    folder = installIn(tarball, "server");
  });

  const bundled = (name, options, file, build) =>
    test(name, options, async () => {
      const out = join(folder, "out", file);
      await build(out);
      // Bundles run in a folder without the package.
      const [here, away] = ["node_modules", "away"].map((one) => join(folder, one));
      renameSync(here, away);
      try {
        const runtime = options.runtime ? program(options.runtime) : process.execPath;
        const { stdout, stderr, status } = spawnSync(runtime, [out], { encoding: "utf8", env: { ...process.env, NODE_NO_WARNINGS: "1" } });
        assert.equal(status, 0, stderr);
        assert.equal(stdout.trim(), EXPECTED);
      } finally {
        renameSync(away, here);
      }
    });
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const withEsbuild =
    (entry, ...args) =>
    (out) => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [esbuild, entry, "--bundle", "--platform=node", `--outfile=${out}`, "--log-level=warning", ...args],
        { cwd: folder, encoding: "utf8" },
      );
      assert.equal(status, 0, stderr);
      assert.equal(stderr, "", "nothing to be warned of");
    };

  bundled("esbuild, as an ES module", {}, "esbuild.mjs", withEsbuild("main.js", "--format=esm"));
  bundled("esbuild, as CommonJS", {}, "esbuild.cjs", withEsbuild("main.js", "--format=cjs"));
  bundled("esbuild, of a require()", {}, "required.cjs", withEsbuild("required.cjs", "--format=cjs"));
  bundled(
    "esbuild with conditions of one's own, which lack `module`",
    {},
    "conditions.cjs",
    withEsbuild("required.cjs", "--format=cjs", "--conditions=development"),
  );
  bundled("esbuild, minified", {}, "minified.mjs", withEsbuild("main.js", "--format=esm", "--minify"));

  bundled("Rollup", { skip: missing }, "rollup.mjs", async (out) => {
    const { rollup } = await import(pathToFileURL(within.resolve("rollup")).href);
    const resolve = await load("@rollup/plugin-node-resolve");
    const json = { name: "json", transform: (text, id) => (id.endsWith(".json") ? `export default ${text}` : null) };
    const bundle = await rollup({
      input: join(folder, "main.js"),
      external: /^node:/,
      plugins: [resolve({ exportConditions: ["node"] }), json],
      onwarn() {},
    });
    await bundle.write({ file: out, format: "esm" });
    await bundle.close();
  });

  for (const [name, entry] of [
    ["webpack", "main.js"],
    ["webpack, of a require()", "required.cjs"],
  ]) {
    bundled(name, { skip: missing }, `${entry}.webpack.cjs`, (out) =>
      webpack({ target: "node", entry: join(folder, entry), output: { path: join(folder, "out"), filename: `${entry}.webpack.cjs` } }, out),
    );
  }

  bundled("bun build, run by Node", { skip: lacks("bun") }, "bun.mjs", (out) =>
    run(program("bun"), "build", "main.js", "--target=node", "--outfile", out),
  );
  bundled("bun build, run by Bun", { skip: lacks("bun"), runtime: "bun" }, "for-bun.js", (out) =>
    run(program("bun"), "build", "main.js", "--target=bun", "--outfile", out),
  );

  for (const [name, ...args] of [["bun"], ["deno", "run", "--allow-read", "--allow-env"]]) {
    test(`${name} runs the package without a bundler`, { skip: lacks(name) }, () => {
      const { stdout, stderr, status } = spawnSync(program(name), [...args, "main.js"], { cwd: folder, encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trim(), EXPECTED);
    });
  }
});

/** Builds with webpack, and fails with its errors. */
async function webpack(options) {
  const bundler = await load("webpack");
  const stats = await new Promise((resolve, reject) =>
    bundler({ mode: "production", performance: false, context: tarball.folder, ...options }, (error, done) =>
      error ? reject(error) : resolve(done),
    ),
  );
  assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
}

describe("bundles for browsers", { skip: missing || noBrowser }, () => {
  let chrome;
  before(async () => {
    chrome = await launch();
  });
  after(() => chrome?.close());

  const shown = (name, { project = name, wasm = 0, copy = [], asked, said = [] }, build) =>
    test(name, async () => {
      const folder = installIn(tarball, project, name);
      await build(folder);
      assert.equal(
        readdirSync(join(folder, "out"), { recursive: true }).filter((file) => file.endsWith(".wasm")).length,
        wasm,
        "how often the bundler ships the module by itself",
      );
      for (const file of copy) cpSync(join(folder, "node_modules/stepglass/dist", file), join(folder, "out", file));
      const site = await serve(folder);
      try {
        const { page, problems } = await open(chrome, site.url);
        await page.waitForFunction(() => document.getElementById("result").textContent !== "…");
        assert.equal(await page.textContent("#result"), EXPECTED);
        assert.deepEqual(
          problems.filter((problem) => !said.some((one) => one.test(problem))),
          [],
        );
        if (asked) assert.deepEqual(await partsAsked(page), asked);
        await page.close();
      } finally {
        await site.close();
      }
    });

  // Running machines requests only the first file.
  shown("webpack", { wasm: 2, asked: ["first"] }, (folder) =>
    webpack({
      entry: join(folder, "main.js"),
      output: { path: join(folder, "out"), filename: "main.js", publicPath: "/out/", assetModuleFilename: "[name]-[hash][ext]" },
    }),
  );
  // Rollup does not process `new URL(…, import.meta.url)`, so the files are copied beside the bundle. The program requests the
  // first one, and then needs the rest, for which the page waits.
  const withRollup = async (folder) => {
    const { rollup } = await import(pathToFileURL(within.resolve("rollup")).href);
    const resolve = await load("@rollup/plugin-node-resolve");
    const json = { name: "json", transform: (text, id) => (id.endsWith(".json") ? `export default ${text}` : null) };
    const bundle = await rollup({ input: join(folder, "main.js"), plugins: [resolve({ browser: true }), json] });
    await bundle.write({ dir: join(folder, "out"), format: "esm" });
    await bundle.close();
  };
  shown("rollup", { copy: ["stepglass-first.wasm", "stepglass-rest.wasm"], asked: ["first", "rest"] }, withRollup);
  // A project that has copied the module in one file still works.
  shown(
    "rollup, with one file",
    { project: "rollup", copy: ["stepglass.wasm"], said: [/404/, /stepglass-first\.wasm net::ERR_ABORTED/] },
    withRollup,
  );
});

test("workerd", { skip: lacks("workerd"), timeout: LONGEST }, async () => {
  const folder = installIn(tarball, "workerd");
  // Bundles like wrangler: the WebAssembly is a module of its own.
  execFileSync(
    process.execPath,
    [
      esbuild,
      "main.js",
      "--bundle",
      "--format=esm",
      "--conditions=workerd,worker,browser",
      "--external:./stepglass-fast.wasm",
      "--outfile=out/main.js",
      "--log-level=warning",
    ],
    { cwd: folder },
  );
  cpSync(join(folder, "node_modules/stepglass/dist/stepglass-fast.wasm"), join(folder, "out/stepglass-fast.wasm"));
  const server = spawn(program("workerd"), ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  await answers(server, server.stdio[3], /"port":(\d+)/);
});

for (const [name, ...args] of [["Turbopack"], ["webpack", "--webpack"]]) {
  test(`a server-side route of Next runs, built by ${name}`, { skip: missing, timeout: LONGEST }, async () => {
    // Next searches for itself in the folders above the project.
    const folder = join(bundlers, "projects", name.toLowerCase());
    rmSync(folder, { recursive: true, force: true });
    installIn(tarball, "next", name, folder);
    const next = join(bundlers, "node_modules/next/dist/bin/next");
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [next, "build", ...args], { cwd: folder, encoding: "utf8", env });
    assert.equal(status, 0, stdout + stderr);
    assert.ok(existsSync(join(folder, ".next/server/app/api/order/route.js")));
    const server = spawn(process.execPath, [next, "start", "--hostname", "127.0.0.1", "--port", "0"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    await answers(server, server.stdout, /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/, "api/order");
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Waits for a server's port, requests the order, and ends the server. */
async function answers(server, told, pattern, path = "") {
  try {
    let said = "";
    let problems = "";
    server.stderr.on("data", (chunk) => (problems += chunk));
    const port = await new Promise((resolve, reject) => {
      told.on("data", (chunk) => {
        said += chunk;
        const found = pattern.exec(said);
        if (found) resolve(found[1]);
      });
      server.on("error", reject);
      server.on("exit", (code) => reject(new Error(`it has ended with ${code}: ${said}${problems}`)));
    });
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method: "POST", body: INPUT });
    assert.equal(await response.text(), EXPECTED, problems);
  } finally {
    server.kill();
  }
}
