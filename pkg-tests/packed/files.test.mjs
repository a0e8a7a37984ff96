// The files of the tarball, and whether every resolver finds its entries.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pack, root } from "./tarball.mjs";

let tarball;
before(() => {
  tarball = pack();
});
after(() => tarball?.remove());

test("the tarball holds the files of packed-files.txt and no others (UPDATE_EXPECT=1 rewrites it)", () => {
  // Shared chunks are named after their contents, and esbuild decides how many there are.
  const names = new Set(
    tarball.files.map(({ path }) => path.replace(/^dist\/(shared|debugger)-(?!worker|replay).*\.(c?js)$/, "dist/$1-*.$2")),
  );
  const text = `${[...names].sort().join("\n")}\n`;
  const snapshot = join(root, "pkg-tests/packed-files.txt");
  if (process.env.UPDATE_EXPECT) writeFileSync(snapshot, text);
  assert.equal(text, readFileSync(snapshot, "utf8"));
});

test("the command is executable", () => {
  for (const file of ["dist/cli.cjs", "dist/cli.js"]) {
    const { mode } = tarball.files.find(({ path }) => path === file);
    assert.equal(mode & 0o111, 0o111, file);
  }
});

test("publint finds no problem", () => {
  const publint = join(root, "node_modules/publint/src/cli.js");
  execFileSync(process.execPath, [publint, "run", tarball.path, "--strict"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
});

test("types resolve in Node, in bundlers and in old compilers", () => {
  // `/slim` and `/inline` are ES modules only; the wasm files and the workers have no types.
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const args = [
    tarball.path,
    "--exclude-entrypoints",
    "./stepglass.wasm",
    "./stepglass-fast.wasm",
    "./stepglass-first.wasm",
    "./stepglass-rest.wasm",
    "./debugger-worker",
    "./debugger-replay",
    "--ignore-rules",
    "cjs-resolves-to-esm",
    "no-resolution",
    "--format",
    "ascii",
  ];
  execFileSync(process.execPath, [attw, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
});

test("the tarball contains no path of this machine", () => {
  for (const { path } of tarball.files) {
    const text = readFileSync(join(root, path), "latin1");
    for (const trace of [root, process.env.HOME].filter((folder) => folder && folder.length > 1)) {
      assert.ok(!text.includes(`${trace}/`), `${path} names ${trace}`);
    }
  }
});
