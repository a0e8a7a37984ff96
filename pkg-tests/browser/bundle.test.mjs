// What a visitor downloads before the page can be used.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { builtPage } from "../../scripts/page.mjs";

const dist = builtPage();
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const zipped = (file) => gzipSync(readFileSync(join(dist, file))).length;

/** Returns the scripts that a script needs before it runs. */
function needs(name, found = new Set()) {
  const { file, imports = [] } = manifest[name];
  found.add(file);
  for (const other of imports) if (!found.has(manifest[other].file)) needs(other, found);
  return found;
}

/** The scripts that are needed to show a graph: the first script, and the page's module that it loads. */
const page = () => needs("src/page.tsx", needs("index.html"));

const kilobytes = (files) => [...files].reduce((sum, file) => sum + zipped(file), 0) / 1000;

test("the page without its editor is at most 62.7 kB", () => {
  const files = page();
  assert.ok(kilobytes(files) <= 62.7, `${kilobytes(files)} kB`);
  for (const file of files) assert.doesNotMatch(readFileSync(join(dist, file), "utf8"), /cm-content/, "the editor is a chunk of its own");
});

test("the editor is at most 145 kB more", () => {
  const before = page();
  const editor = [...needs("src/editor/codemirror.ts")].filter((file) => !before.has(file));
  assert.ok(kilobytes(editor) <= 145, `${kilobytes(editor)} kB`);
});

test("requests the page's chunks together with its first script", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  for (const file of page()) assert.ok(html.includes(file), file);
});

test("refers to no other host in any file", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//);
  assert.match(html, /default-src 'none'/);
});

test("imports nothing from a worker's own file, which WebKit would run a second time", () => {
  const scripts = readdirSync(join(dist, "assets")).filter((name) => name.endsWith(".js"));
  const [worker] = scripts.filter((name) => name.startsWith("interpreter-"));
  assert.ok(worker);
  for (const name of scripts) assert.ok(!readFileSync(join(dist, "assets", name), "utf8").includes(`from"./${worker}"`), name);
});
