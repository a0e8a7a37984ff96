// What a module exports, another one imports. What nobody else names is its own, or dead.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["js", "www", "scripts", "benches", "pkg-tests"];
/** Folders of what others wrote, or what was built. */
const FOREIGN = new Set(["node_modules", "dist", ".cache", ".venv"]);
/**
 * What has importers outside: the package's own interface, what stands in for a module of another package, what the compiler reads, and
 * handlers that a pool finds by their names.
 */
const FOR_OTHERS = [
  /^js\/(?:api|entries)\//,
  /^js\/cli\/mcp\/no-schemas\.ts$/,
  /^pkg-tests\/(?:types|projects)\//,
  /^pkg-tests\/api\/pool\.test\.mjs$/,
];
const EXPORTED = /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

const namesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? (FOREIGN.has(entry.name) ? [] : namesIn(`${folder}/${entry.name}`)) : [`${folder}/${entry.name}`],
  );
const modules = FOLDERS.flatMap(namesIn)
  .filter((name) => /\.(?:ts|tsx|mjs|js|cjs)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/** `module: name` of what is exported and named nowhere else. */
function unused(all) {
  const naming = new Map();
  for (const { text } of all) for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) naming.set(word, (naming.get(word) ?? 0) + 1);
  return all
    .filter(({ name }) => !FOR_OTHERS.some((one) => one.test(name)))
    .flatMap(({ name, text }) => [...text.matchAll(EXPORTED)].map(([, exported]) => ({ name, exported })))
    .filter(({ exported }) => naming.get(exported) === 1)
    .map(({ name, exported }) => `${name}: ${exported}`);
}

test("no module exports what no other one names", () => {
  assert.ok(modules.length > 800, `${modules.length} modules`);
  assert.deepEqual(unused(modules), []);
});

test("an export that nobody imports is seen", () => {
  const written = [
    { name: "js/a.ts", text: "export const used = 1;\nexport function alone() {}\nalone();\n" },
    { name: "js/b.ts", text: 'import { used } from "./a.ts";\n' },
  ];
  assert.deepEqual(unused(written), ["js/a.ts: alone"]);
});
