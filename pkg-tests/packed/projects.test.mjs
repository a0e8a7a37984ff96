// Installs the tarball in typical user projects (../projects), and runs them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, serve, skip } from "../browser.mjs";
import { EXPECTED, installIn, pack, partsAsked, projects, tool } from "./tarball.mjs";

// bundlers.test.mjs runs these.
const ELSEWHERE = ["next", "rollup", "server", "webpack", "workerd"];
const [tsc, vite, esbuild] = [tool("typescript/bin/tsc"), tool("vite/bin/vite.js"), tool("esbuild/bin/esbuild")];

/** For each project: how it is built, and what runs then: a file in Node, or a folder in the browser. */
const cases = {
  "node-esm": { node: "main.mjs" },
  "node-cjs": { node: "main.js" },
  slim: { node: "main.mjs" },
  "ts-node16": { build: [[tsc, "-p", "."]], node: "out/main.js" },
  // A bundler combines the output of TypeScript into one file.
  "ts-bundler": {
    build: [
      [tsc, "-p", "."],
      [esbuild, "out/main.js", "--bundle", "--platform=node", "--format=esm", "--outfile=bundled/main.mjs", "--log-level=warning"],
    ],
    node: "bundled/main.mjs",
  },
  // Running machines requests only the first file.
  vite: { build: [[vite, "build", "--base=./", "--logLevel=warn"]], browser: "dist", wasm: 2, asked: ["first"] },
  "vite-inline": { build: [[vite, "build", "--base=./", "--logLevel=warn", "--assetsInlineLimit=0"]], browser: "dist", wasm: 0 },
  // The program requests the first file, and then needs the rest.
  worker: { build: [[vite, "build", "--base=./", "--logLevel=warn"]], browser: "dist", wasm: 2 },
  // esbuild does not process `new URL(…)`, so the files are copied beside the bundle.
  esbuild: {
    build: [[esbuild, "main.js", "--bundle", "--format=esm", "--outfile=out/main.js", "--log-level=warning"]],
    copy: ["first", "rest"].map((part) => [`stepglass-${part}.wasm`, `out/stepglass-${part}.wasm`]),
    browser: ".",
    asked: ["first", "rest"],
  },
};

let tarball;
let chrome;
before(async () => {
  tarball = pack();
  if (!skip) chrome = await launch();
});
after(async () => {
  await chrome?.close();
  tarball?.remove();
});

test("every project is tested", () => {
  const folders = readdirSync(projects, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).sort(), [...Object.keys(cases), ...ELSEWHERE].sort());
});

for (const [name, { build = [], copy = [], node, browser, wasm, asked }] of Object.entries(cases)) {
  test(name, async (t) => {
    const folder = installIn(tarball, name);
    for (const [program, ...args] of build)
      execFileSync(process.execPath, [program, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    for (const [from, to] of copy) cpSync(join(folder, "node_modules/stepglass/dist", from), join(folder, to));
    if (wasm !== undefined) {
      const modules = readdirSync(join(folder, browser), { recursive: true }).filter((file) => file.endsWith(".wasm"));
      assert.equal(modules.length, wasm, "how often the bundle ships the module");
    }
    if (node) {
      const { stdout, stderr, status } = spawnSync(process.execPath, ["--no-warnings", node], { cwd: folder, encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trim(), EXPECTED);
      return;
    }
    if (skip) return t.skip(skip);
    const site = await serve(join(folder, browser));
    try {
      const { page, problems } = await open(chrome, site.url);
      await page.waitForFunction(() => document.getElementById("result").textContent !== "…");
      assert.equal(await page.textContent("#result"), EXPECTED);
      assert.deepEqual(problems, []);
      if (asked) assert.deepEqual(await partsAsked(page), asked);
      await page.close();
    } finally {
      await site.close();
    }
  });
}

test("the command runs from an installed package", () => {
  const folder = installIn(tarball, "node-esm", "command");
  const bin = join(folder, "node_modules/.bin/stepglass");
  const { status, stdout, stderr } = spawnSync(bin, ["validate", "order.json"], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  assert.equal(status, 0, stdout + stderr);
  assert.notEqual(spawnSync(bin, ["validate", "package.json"], { cwd: folder, shell: process.platform === "win32" }).status, 0);
});
