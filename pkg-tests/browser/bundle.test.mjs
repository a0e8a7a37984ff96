// What a visitor downloads before the page can be used.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const dist = resolve(import.meta.dirname, "../../www/dist");
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const zipped = (file) => gzipSync(readFileSync(join(dist, file))).length;

/** The scripts that one needs before it runs. */
function needs(name, found = new Set()) {
  const { file, imports = [] } = manifest[name];
  found.add(file);
  for (const other of imports) if (!found.has(manifest[other].file)) needs(other, found);
  return found;
}

const kilobytes = (files) => [...files].reduce((sum, file) => sum + zipped(file), 0) / 1000;

test("the page without its editor is at most 60 kB", () => {
  const files = needs("index.html");
  assert.ok(kilobytes(files) <= 60, `${kilobytes(files)} kB`);
  for (const file of files) assert.doesNotMatch(readFileSync(join(dist, file), "utf8"), /cm-content/, "the editor is a chunk of its own");
});

test("the editor is at most 145 kB more", () => {
  const page = needs("index.html");
  const editor = [...needs("src/editor/codemirror.ts")].filter((file) => !page.has(file));
  assert.ok(kilobytes(editor) <= 145, `${kilobytes(editor)} kB`);
});

test("no file is named by an address of another host", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//);
  assert.match(html, /default-src 'none'/);
});
